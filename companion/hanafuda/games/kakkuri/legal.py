"""The legal moves of Kakkuri.

With every hand known they are listed directly. With hidden hands, candidates are listed and `check` decides, because
a hidden card may contradict an earlier turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations

from companion.hanafuda.games.kakkuri.cards import PACKS, follows, places
from companion.hanafuda.games.kakkuri.checks import check, in_box, stands_for
from companion.hanafuda.games.kakkuri.moves import (
    Discard,
    Fold,
    KakkuriMove,
    LuckyHand,
    OpenBox,
    Pass,
    Swap,
    ThreePairs,
)
from companion.hanafuda.games.kakkuri.sets import is_three_pairs
from companion.hanafuda.games.kakkuri.state import EIGHT, KakkuriContext, KakkuriState, box_is_spent, playable

__all__ = ["legal_moves"]

_PASS = tuple(Pass(player) for player in range(EIGHT + 1))
_FOLD = tuple(Fold(player) for player in range(EIGHT + 1))
_THREE_PAIRS = tuple(ThreePairs(player) for player in range(EIGHT + 1))


def legal_moves(context: KakkuriContext, state: KakkuriState) -> list[KakkuriMove]:
    """Return the legal moves of a round that is not over."""
    if state.swaps:
        return [Swap(state.swaps[0], True), Swap(state.swaps[0], False)]
    if any(state.hidden) or context.players > EIGHT or not state.is_in(state.turn):
        return [move for move in _candidates(context, state) if not check(context, state, move)]
    moves: list[KakkuriMove] = [
        _THREE_PAIRS[player]
        for player, discarded in enumerate(state.discarded, start=1)
        if not discarded
        and state.is_in(player)
        and not state.pairs >> player & 1
        and is_three_pairs(context.rules, context.pack, state.hands[player - 1])
    ]
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
        yield Fold(player)


def _discards(context: KakkuriContext, state: KakkuriState, player: int, hand: int) -> Iterator[Discard]:
    """Yield the possible discards from a hand by their numbers."""
    pack, jokers = context.pack, context.jokers
    if state.pairs >> player & 1:
        size = 2
        if (hand & jokers).bit_count() == 2:
            yield from _with_numbers(context, state, player, hand & jokers)
    else:
        size = 3
        for place in places(hand & (pack.following[state.lead] | pack.wild)):
            yield from _with_numbers(context, state, player, 1 << place)
    for rank in follows(state.lead):
        natural = hand & pack.by_rank[rank] & ~jokers
        if natural and (natural | hand & jokers).bit_count() >= size:
            for places_of in combinations(places(natural | hand & jokers), size):
                cards = sum(1 << place for place in places_of)
                if cards & natural:
                    yield _discard(pack.name, player, cards, None)


def _known_discards(context: KakkuriContext, state: KakkuriState, player: int) -> Iterator[Discard]:
    """Yield the legal discards from a known hand; after three pairs, those that leave pairs."""
    hand, pack = state.hands[player - 1], context.pack
    declared = state.pairs >> player & 1
    for move in _discards(context, state, player, hand):
        if not declared or is_three_pairs(context.rules, pack, hand & ~pack.bits(move.cards)):
            yield move


def _may_pass(context: KakkuriContext, state: KakkuriState, player: int) -> bool:
    """Return whether a player with a known hand may end the turn."""
    if context.rules.must_play == "none" or state.spent:
        return True
    hand = state.hands[player - 1]
    if hand & playable(context, state, player):
        return False
    two = hand & context.jokers if state.pairs >> player & 1 else 0
    return two.bit_count() != 2 or not is_three_pairs(context.rules, context.pack, hand & ~two)


def _with_numbers(context: KakkuriContext, state: KakkuriState, player: int, cards: int) -> Iterator[Discard]:
    """Yield a discard with each number that it may stand for."""
    if stands_for(context, cards):
        for rank in follows(state.lead):
            yield _discard(context.pack.name, player, cards, rank)
    else:
        yield _discard(context.pack.name, player, cards, None)


@lru_cache(maxsize=1 << 16)
def _discard(pack: str, player: int, cards: int, as_rank: int | None) -> Discard:
    """Return a discard, cached because the same ones are listed often."""
    return Discard(player, PACKS[pack].cards(cards), as_rank)
