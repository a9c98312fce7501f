"""Playouts of thousands of rounds at once: every round makes the same step at the same time, with numpy arrays of their states.

It follows the rules of `companion.hanafuda.families.fishing` for two hands, a field and a stock; what a card captures, what a
pile is worth, when a round ends and what it pays come from the game (`companion.hanafuda.description.FastPlayouts`).
`tests/companion/odds` compares it with the rules engine move by move.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.description import FastPlayouts, ScoredGroup
from companion.hanafuda.families.fishing import FishingRound
from companion.hanafuda.families.fishing.policy import move_value

__all__ = ["LANES", "Lockstep", "played_out"]

LANES: Final = 4096
"""Rounds that are played at once: their states fit into the processor's cache."""
_FLOWERS: Final = 12
_FIELDS: Final = 16
"""The sets of the four cards of a flower."""
_MAX_BASE: Final = 1 << 12
_MAX_CALLS: Final = 1 << 5

Ints = NDArray[np.int64]
Results = Counter[tuple[tuple[int, ...], tuple[int, ...]]]


def played_out(
    played: FishingRound[Any, Any], fast: FastPlayouts, playouts: int, seed: int
) -> Results | None:
    """Return how often each combination of winners and points occurred in about ``playouts`` playouts.

    None if the round cannot be continued, because its events contradict each other.
    """
    rng = np.random.default_rng(seed)
    results: Results = Counter()
    left = playouts
    while left > 0:
        lanes = Lockstep(played, fast, min(left, LANES), rng)
        if not lanes.playable:
            return None
        lanes.play()
        results += lanes.results()
        left -= LANES
    return results or None


class Lockstep:
    """Rounds (lanes) that continue one position with different hidden cards."""

    def __init__(
        self, played: FishingRound[Any, Any], fast: FastPlayouts, count: int, rng: np.random.Generator
    ) -> None:
        state = played.state
        self.fast = fast
        self.player = int(state.player)
        self.phase = str(state.phase)
        self.hand_sizes = list(state.hand_sizes)
        self.stock_left = len(played.stock) - state.drawn
        pool = _indices(state.unseen | state.known_stock)
        hidden = [state.hidden(player) for player in (1, 2)]
        enough = len(pool) >= sum(hidden) + self.stock_left
        self.playable = enough and (self.phase != "play" or self.hand_sizes[self.player - 1] > 0)
        """Whether there are enough cards, which illegal moves may prevent."""
        if not self.playable:
            return
        cards = rng.permuted(np.broadcast_to(np.array(pool, np.int64), (count, len(pool))), axis=1)
        known = [np.array(_indices(hand), np.int64) for hand in state.hands]
        bounds = [0, hidden[0], sum(hidden)]
        self.hands = [
            np.sort(
                np.hstack(
                    (np.broadcast_to(own, (count, len(own))), cards[:, bounds[seat] : bounds[seat + 1]])
                ),
                axis=1,
            )
            for seat, own in enumerate(known)
        ]
        self.stock = cards[:, sum(hidden) : sum(hidden) + self.stock_left]
        if any(hidden):
            self._keep_possible(state.played)
        count = len(self.stock)
        self.scores = _Scores(fast.groups)
        self.captures = [_Captures(taken, self.scores) for taken in fast.captures]
        field = [state.field >> 4 * flower & 15 for flower in range(_FLOWERS)]
        self.field = np.tile(np.array(field, np.int64), count)
        """The cards of each flower on the field of each lane, as a set of four."""
        self.piles = [np.full(count, self.scores.packed(pile), np.int64) for pile in state.piles]
        self.calls = [np.full(count, calls, np.int64) for calls in state.calls]
        self.called_base = [np.full(count, base, np.int64) for base in state.called_base]
        self.lane = np.arange(count, dtype=np.int64)
        """The number of each lane that is still played."""
        self.ended: list[Ints] = []
        """Of the lanes that ended at the same time: winner, base, and calls, as one number."""
        self.card = self.taken = np.zeros(count, np.int64)
        """The card of the last step in each lane, and what it captured of its flower (for the tests)."""

    def play(self) -> None:
        """Play all lanes to their ends."""
        while self.step():
            pass

    def step(self) -> bool:
        """Play one card in each lane, or decide after it; return whether any lane goes on."""
        if not len(self.lane) or self.phase == "over":
            return False
        if self.phase == "play":
            self._play_card()
            self.phase = "draw" if self.stock_left else "next"
        elif self.phase == "draw":
            self._draw_card()
            self.phase = "decide"
        elif self.phase == "decide":
            self._decide()
            self.phase = "next"
        if self.phase == "next":
            self._next_turn()
        return self.phase != "over" and len(self.lane) > 0

    def results(self) -> Results:
        """Return how often each combination of winners and points occurred."""
        results: Results = Counter()
        keys, counts = np.unique(np.concatenate(self.ended), return_counts=True) if self.ended else ((), ())
        for key, count in zip(keys, counts, strict=True):
            outcome = self.fast.outcome(*_ending(int(key)))
            results[outcome.winners, outcome.points] += int(count)
        return results

    # --- the steps

    def _play_card(self) -> None:
        seat = self.player - 1
        hand = self.hands[seat]
        count, size = hand.shape
        first = np.arange(0, count * _FLOWERS, _FLOWERS)
        at = first[:, None] + (hand >> 2)
        code = hand * _FIELDS + self.field[at]
        best = self.captures[0].value[code].argmax(axis=1)
        flat = best + np.arange(0, count * size, size)
        self._move(hand.ravel()[flat], at.ravel()[flat], code.ravel()[flat], self.captures[0])
        remaining = np.ones(count * size, bool)
        remaining[flat] = False
        self.hands[seat] = hand.ravel()[remaining].reshape(count, size - 1)
        self.hand_sizes[seat] -= 1

    def _draw_card(self) -> None:
        card = self.stock[:, 0]
        self.stock = self.stock[:, 1:]
        self.stock_left -= 1
        at = np.arange(0, len(card) * _FLOWERS, _FLOWERS) + (card >> 2)
        self._move(card, at, card * _FIELDS + self.field[at], self.captures[1])

    def _move(self, card: Ints, at: Ints, code: Ints, captures: _Captures) -> None:
        """Play a card in each lane: ``at`` is the position of its flower in `field`, ``code`` the index of the captures."""
        self.card, self.taken = card, captures.taken[code]
        self.field[at] = captures.field[code]
        self.piles[self.player - 1] += captures.packed[code]

    def _decide(self) -> None:
        """End the lanes in which the player has yaku to stop with, and play on in the others."""
        seat = self.player - 1
        base = self.scores.base(self.piles[seat], self.calls[seat] > 0)
        improved = np.nonzero(base > self.called_base[seat])[0]
        if not len(improved):
            return
        calls = [self.calls[each][improved] for each in (0, 1)]
        keys, which = np.unique(_key(self.player, base[improved], *calls), return_inverse=True)
        sizes = self.hand_sizes[0], self.hand_sizes[1]
        stops = np.array([self.fast.stops(*_ending(int(key)), sizes) for key in keys])[which]
        self.ended.append(keys[which[stops]])
        going_on = improved[~stops]
        self.calls[seat][going_on] += 1
        called = self.scores.base(self.piles[seat][going_on], np.ones(len(going_on), bool))
        self.called_base[seat][going_on] = called
        self._keep(np.isin(np.arange(len(self.lane)), improved[stops], invert=True))

    def _next_turn(self) -> None:
        if not any(self.hand_sizes):
            self.phase = "over"
            self.ended.append(np.zeros(len(self.lane), np.int64))
            return
        following = 3 - self.player
        if self.hand_sizes[following - 1]:
            self.player = following
        self.phase = "play"

    # --- lanes

    def _keep(self, lanes: NDArray[np.bool_]) -> None:
        """Drop the lanes that are over."""
        if lanes.all():
            return
        self.lane, self.stock = self.lane[lanes], self.stock[lanes]
        self.field = self.field.reshape(-1, _FLOWERS)[lanes].ravel()
        for values in (self.hands, self.piles, self.calls, self.called_base):
            values[:] = [each[lanes] for each in values]

    def _keep_possible(self, played: Sequence[int]) -> None:
        """Drop the lanes in which the dealt hands would have ended the round before it began."""
        dealt = [
            (np.bitwise_or.reduce(np.left_shift(np.int64(1), hand), axis=1, initial=0) | own).tolist()
            for hand, own in zip(self.hands, played, strict=True)
        ]
        possible = np.array([not self.fast.dealt_out(hands) for hands in zip(*dealt, strict=True)], bool)
        self.hands = [hand[possible] for hand in self.hands]
        self.stock = self.stock[possible]


class _Scores:
    """The points of piles. A pile is packed into one number, so that adding the number of a card adds the card."""

    def __init__(self, groups: Sequence[ScoredGroup]) -> None:
        self._cards = np.zeros(len(HANAFUDA), np.int64)
        self._tables: list[tuple[int, int, NDArray[np.int64], NDArray[np.int64] | None]] = []
        shift = 0
        for group in groups:
            cards = _indices(group.cards)
            bits = len(cards).bit_length() if group.counted else len(cards)
            for number, card in enumerate(cards):
                self._cards[card] += (1 if group.counted else 1 << number) << shift
            plain, called = (_table(group, points, cards) for points in (group.points, group.called))
            self._tables.append((shift, (1 << bits) - 1, plain, None if (plain == called).all() else called))
            shift += bits
        assert shift < 63, "a pile has to fit into one number"

    def packed(self, pile: int) -> int:
        """Return the number of a set of cards."""
        return int(self._cards[_indices(pile)].sum())

    def base(self, packed: Ints, called: NDArray[np.bool_]) -> Ints:
        """Return the base of packed piles, whose holders have called or not."""
        total = np.zeros(len(packed), np.int64)
        for shift, mask, plain, after_call in self._tables:
            index = packed >> shift & mask
            total += plain[index] if after_call is None else np.where(called, after_call[index], plain[index])
        return total


class _Captures:
    """What a card does, by 16 times its index and the cards of its flower on the field."""

    def __init__(self, taken: Sequence[int], scores: _Scores) -> None:
        size = len(HANAFUDA) * _FIELDS
        self.value, self.packed = np.zeros(size, np.int64), np.zeros(size, np.int64)
        """The value to a simulated player, and the packed cards that the player's pile gains."""
        self.taken, self.field = np.zeros(size, np.int64), np.zeros(size, np.int64)
        """The captured cards of the flower, and those on the field afterwards."""
        for card in HANAFUDA:
            flower = 4 * (card.index // 4)
            for field in range(_FIELDS):
                code = card.index * _FIELDS + field
                took = taken[code]
                self.value[code] = move_value(card.bit, took)
                self.taken[code] = took >> flower
                if took:
                    self.packed[code] = scores.packed(card.bit | took)
                    self.field[code] = field & ~(took >> flower)
                else:
                    self.field[code] = field | card.bit >> flower


def _table(group: ScoredGroup, points: Any, cards: Sequence[int]) -> NDArray[np.int64]:
    """Return the points of a group by the number of its cards, or by the packed cards."""
    if group.counted:
        last = len(cards)
        return np.array([points[min(count, last)] for count in range(1 << last.bit_length())], np.int64)
    sets = range(1 << len(cards))
    return np.array(
        [points[sum(1 << card for number, card in enumerate(cards) if each >> number & 1)] for each in sets],
        np.int64,
    )


def _key(winner: int, base: Ints, first_calls: Ints, second_calls: Ints) -> Ints:
    """Return how a round ends, or may end, as one number; 0 if nobody wins."""
    return ((winner * _MAX_BASE + base) * _MAX_CALLS + first_calls) * _MAX_CALLS + second_calls


def _ending(key: int) -> tuple[int, int, tuple[int, int]]:
    """Return winner, base and calls of a key."""
    rest, second_calls = divmod(key, _MAX_CALLS)
    rest, first_calls = divmod(rest, _MAX_CALLS)
    return (*divmod(rest, _MAX_BASE), (first_calls, second_calls))


def _indices(cards: int) -> list[int]:
    """Return the indices of the cards of a set, in deck order."""
    return [index for index in range(len(HANAFUDA)) if cards >> index & 1]
