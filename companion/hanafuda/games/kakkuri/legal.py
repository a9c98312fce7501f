"""The legal moves of Kakkuri.

With every hand known they are listed directly. With hidden hands, candidates are listed and `check` decides, because
a hidden card may contradict an earlier turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from .cards import PACKS, follows, places
from .checks import check, in_box
from .moves import (
    Discard,
    DropOut,
    KakkuriMove,
    LuckyHand,
    OpenBox,
    Pass,
    Swap,
    ThreePairs,
)
from .sets import is_three_pairs
from .state import EIGHT, KakkuriContext, KakkuriState, box_is_spent, playable

__all__ = ["legal_moves"]

_PASS = tuple(Pass(player) for player in range(EIGHT + 1))
_FOLD = tuple(DropOut(player) for player in range(EIGHT + 1))
_THREE_PAIRS = tuple(ThreePairs(player) for player in range(EIGHT + 1))


def legal_moves(context: KakkuriContext, state: KakkuriState) -> list[KakkuriMove]:
    """Return the legal moves of a round that is not over."""
    if state.swaps:
        return [Swap(state.swaps[0], True), Swap(state.swaps[0], False)]
    if any(state.hidden) or context.players > EIGHT or not state.is_in(state.turn):
        return [move for move in _candidates(context, state) if not check(context, state, move)]
    moves: list[KakkuriMove] = _declarations(context, state)
    player = state.turn
    if state.due:
        if not box_is_spent(context, state):
            moves += [OpenBox(player, card) for card in context.pack.cards(in_box(state, context.pack))]
        if state.top < 0 or context.rules.reopen == "forced":
            return moves
    moves += _known_discards(context, state, player)
    if _may_pass(context, state, player):
        moves.append(_PASS[player])
    if context.rules.fold != "off" and not state.discarded[player - 1]:
        moves.append(_FOLD[player])
    return moves


def _declarations(context: KakkuriContext, state: KakkuriState) -> list[KakkuriMove]:
    """Return the legal declarations of three pairs."""
    unable = state.out | state.pairs
    return [
        _THREE_PAIRS[player]
        for player, discarded in enumerate(state.discarded, start=1)
        if not (discarded or unable >> player & 1)
        and is_three_pairs(context.rules, context.pack, state.hands[player - 1])
    ]


def _candidates(context: KakkuriContext, state: KakkuriState) -> Iterator[KakkuriMove]:
    """Yield moves that include all legal ones, outside the exchange of hands."""
    player = state.turn
    for other in state.players_in():
        if state.top < 0 and state.hidden[other - 1]:
            yield LuckyHand(other)
        if not state.discarded[other - 1]:
            yield ThreePairs(other)
    if state.due:
        for card in context.pack.cards(in_box(state, context.pack)):
            yield OpenBox(player, card)
    if state.top >= 0:
        hand = state.hands[player - 1] | state.possible(player, context.pack)
        yield from _discards(context, state, player, hand)
        yield Pass(player)
        yield DropOut(player)


def _discards(context: KakkuriContext, state: KakkuriState, player: int, hand: int) -> Sequence[Discard]:
    """Return the possible discards from a hand by their numbers."""
    pack, lead = context.pack, state.lead
    cards = hand & (pack.following[lead] | pack.wild)
    if not cards:
        return ()
    chosen = context.rules.wild == "chosen_rank"
    return _listed(pack.name, context.jokers, chosen, player, lead, state.pairs >> player & 1, cards)


@lru_cache(maxsize=1 << 16)
def _listed(
    pack_name: str, jokers: int, chosen: bool, player: int, lead: int, paired: int, hand: int
) -> tuple[Discard, ...]:
    """Return the discards on a number, cached because the same ones are listed often.

    `chosen` says whether the player names the number of a single wild card, `paired` is 1 after declaring three pairs.
    """
    pack, ranks = PACKS[pack_name], follows(lead)
    moves: list[Discard] = []

    def add(cards: int, ranks: Sequence[int | None] = (None,)) -> None:
        moves.extend(Discard(player, pack.cards(cards), rank) for rank in ranks)

    if not paired:
        for place in places(hand):
            add(1 << place, ranks if chosen and 1 << place & pack.wild else (None,))
    elif (hand & jokers).bit_count() == 2:
        add(hand & jokers, ranks)
    for rank in ranks:
        natural = hand & pack.by_rank[rank] & ~jokers
        for places_of in combinations(places(natural | hand & jokers), 2 if paired else 3):
            cards = sum(1 << place for place in places_of)
            if cards & natural:
                add(cards)
    return tuple(moves)


def _known_discards(context: KakkuriContext, state: KakkuriState, player: int) -> Sequence[Discard]:
    """Return the legal discards from a known hand; after three pairs, those that leave pairs."""
    hand, pack = state.hands[player - 1], context.pack
    moves = _discards(context, state, player, hand)
    if not state.pairs >> player & 1:
        return moves
    return [move for move in moves if is_three_pairs(context.rules, pack, hand & ~pack.bits(move.cards))]


def _may_pass(context: KakkuriContext, state: KakkuriState, player: int) -> bool:
    """Return whether a player with a known hand may end the turn."""
    if context.rules.must_play == "none" or state.spent:
        return True
    hand = state.hands[player - 1]
    if hand & playable(context, state, player):
        return False
    two = hand & context.jokers if state.pairs >> player & 1 else 0
    return two.bit_count() != 2 or not is_three_pairs(context.rules, context.pack, hand & ~two)
