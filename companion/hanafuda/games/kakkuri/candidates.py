"""The moves worth a check at one moment of Kakkuri: every legal one is among them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from companion.hanafuda.games.kakkuri.cards import follows, places
from companion.hanafuda.games.kakkuri.checks import in_box, stands_for
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
from companion.hanafuda.games.kakkuri.sets import jokers
from companion.hanafuda.games.kakkuri.state import Ground, State

__all__ = ["candidates"]


def candidates(ground: Ground, state: State) -> Iterator[KakkuriMove]:
    """Yield what the players may do as far as the moment goes; `check` decides."""
    if state.swaps:
        yield Swap(state.swaps[0], True)
        yield Swap(state.swaps[0], False)
        return
    player = state.turn
    for other in state.players_in():
        if state.top < 0 and state.hidden[other - 1]:
            yield LuckyHand(other)
        if not state.shown[other - 1]:
            yield ThreePairs(other)
    if state.due:
        for card in ground.pack.cards(in_box(state, ground.pack)):
            yield OpenBox(player, card)
    if state.top >= 0:
        yield from _discards(ground, state, player)
        yield Pass(player)
        yield Fold(player)


def _discards(ground: Ground, state: State, player: int) -> Iterator[Discard]:
    pack = ground.pack
    hand = state.hands[player - 1] | state.possible(player, pack)
    wild = jokers(ground.rules, pack)
    if state.pairs >> player & 1:
        sizes = 2
        yield from _as_told(ground, state, player, hand & wild) if (hand & wild).bit_count() == 2 else ()
    else:
        sizes = 3
        for place in places(hand & (pack.following[state.lead] | pack.wild)):
            yield from _as_told(ground, state, player, 1 << place)
    for rank in follows(state.lead):
        natural = pack.by_rank[rank] & ~wild
        for places_of in combinations(places(hand & (natural | wild)), sizes):
            cards = sum(1 << place for place in places_of)
            if cards & natural:
                yield Discard(player, pack.cards(cards))


def _as_told(ground: Ground, state: State, player: int, cards: int) -> Iterator[Discard]:
    """Yield a discard with each number that it may stand for."""
    if stands_for(ground, cards):
        for rank in follows(state.lead):
            yield Discard(player, ground.pack.cards(cards), rank)
    else:
        yield Discard(player, ground.pack.cards(cards))
