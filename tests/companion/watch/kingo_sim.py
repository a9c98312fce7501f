"""A simulated table of Kingo as a camera sees it: the draw pile, arms, and hands laid open, read with errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import cos, pi, sin
from random import Random
from typing import Any

from companion.hanafuda.cards import BACK, first_of
from companion.hanafuda.games.kingo.hands import deck_of
from companion.hanafuda.games.kingo.moves import Bareta, Draw
from companion.observations import STOCK, HandEvent, Observation, TrackedCard, hand_zone

_RADII = (235.0, 180.0)
"""Distance of a hand from the middle, to the sides and up and down, mm."""
_STEP = 22.0
"""Distance of two cards of a hand, mm."""


@dataclass
class Mess:
    """The rates of detection errors."""

    wrong: float = 0.02
    unsure: float = 0.03
    across: float = 0.02
    """How often a card that is none is found across a hand."""
    at_once: float = 0.5
    """How often the next hand is laid open before the table rests."""
    halting: float = 0.1
    """How often a part of a hand is seen alone."""


TIDY = Mess(0, 0, 0, halting=0)


@dataclass
class KingoTableSim:
    """A table on which a round is played."""

    truth: Any
    mess: Mess = field(default_factory=Mess)
    seed: int = 1
    lays_down: bool = False
    """Whether players lay their hidden cards face down on the table."""

    def __post_init__(self) -> None:
        self._rng = Random(self.seed)
        self._deck = sorted({first_of(each) for each in deck_of(self.truth.rules.deck)})
        self._open: dict[int, list[TrackedCard]] = {}
        self._down: dict[int, int] = {}
        self._arms: list[HandEvent] = []
        self._time, self._frames, self._keys = 0.0, 0, 0

    @property
    def hands(self) -> dict[int, list[str]]:
        """Each player's cards at the end of the round."""
        return {seat: list(self.truth.captured(seat)) for seat in range(1, self.truth.players + 1)}

    def round(self) -> Iterator[Observation]:
        """Yield what is seen from the empty table to the showdown."""
        yield self.seen(stock=False)
        self._reach(self.truth.dealer)
        if self.lays_down:
            self._down = dict.fromkeys(self.hands, 1)
        yield from self.rest(2)
        for move in self.truth.moves:
            if isinstance(move, Draw):
                self._reach(move.player)
                if self.lays_down:
                    self._down[move.player] += 1
                    yield self.seen()
            elif isinstance(move, Bareta):
                yield from self._show(move.player)
                yield from self.rest(2)
        for seat, cards in self.hands.items():
            if cards and seat not in self._open:
                self._reach(seat)
                yield from self._show(seat)
                if self._rng.random() >= self.mess.at_once:
                    yield self.seen()
        yield from self.rest(6)

    def showdown(self) -> Iterator[Observation]:
        """Yield what is seen after the deal if nobody lays cards face down."""
        observations = self.round()
        for _ in range(3):
            next(observations)
        yield from observations

    def _show(self, seat: int) -> Iterator[Observation]:
        """Lay a hand open; yield what is seen if a part of it is seen alone."""
        cards = self.hands[seat]
        is_halting = len(cards) > 1 and self._rng.random() < self.mess.halting
        first = self._rng.randrange(1, len(cards)) if is_halting else 0
        if first:
            self.lay_open(seat, cards[:first])
            yield self.seen()
        self.lay_open(seat, cards[first:])

    def rest(self, count: int) -> Iterator[Observation]:
        """Yield observations of a table that nobody touches."""
        for _ in range(count):
            yield self.seen()

    def lay_open(self, seat: int, cards: list[str]) -> None:
        """Lay a hand open before its player."""
        self._time += 1.5
        self._down.pop(seat, None)
        angle = pi / 2 - (seat - 1) * 2 * pi / self.truth.players
        x, y = (radius * part for radius, part in zip(_RADII, (cos(angle), sin(angle)), strict=True))
        turned = 90 - angle * 180 / pi
        hand = self._open.setdefault(seat, [])
        for number, card in enumerate(cards):
            aside = _STEP * (number - (len(cards) - 1) / 2)
            at = (x - aside * sin(angle), y + aside * cos(angle))
            hand.append(self._card(self._read(card), hand_zone(seat), at, turned))
        if len(cards) > 1 and self._rng.random() < self.mess.across:
            false = ((self._rng.choice(self._deck), self._rng.uniform(0.3, 0.7)),)
            hand.append(self._card(false, hand_zone(seat), (x, y), turned + 90))

    def misread(self, zone: str, *likely: tuple[str, float]) -> None:
        """Let the last card of a zone be read otherwise."""
        hand = next(hand for seat, hand in self._open.items() if hand_zone(seat) == zone)
        hand[-1] = replace(hand[-1], card=None, likely=likely)

    def take_up(self, seat: int) -> None:
        """Take a hand away."""
        self._open.pop(seat)

    def clear(self) -> None:
        """Take all hands away."""
        self._open.clear()

    def seen(self, *, stock: bool = True) -> Observation:
        """Return what the table shows."""
        self._frames += 1
        self._time += 0.5
        cards = [card for hand in self._open.values() for card in hand]
        if stock:
            cards.append(TrackedCard(0, BACK, ((BACK, 0.99),), STOCK, (0.0, 0.0)))
        for seat, count in self._down.items():
            cards += [
                TrackedCard(-10 * seat - number, BACK, ((BACK, 0.99),), hand_zone(seat), (0.0, 0.0))
                for number in range(count)
            ]
        arms, self._arms = tuple(self._arms), []
        return Observation(f"frame-{self._frames:04d}", self._time, tuple(cards), arms)

    def _reach(self, seat: int) -> None:
        around = (seat - 1) / self.truth.players + self._rng.gauss(0, 0.02)
        self._arms.append(HandEvent(self._time, (0.0, 0.0), seat, round(around % 1, 4)))
        self._time += 1.0

    def _card(
        self, read: tuple[tuple[str, float], ...], zone: str, at: tuple[float, float], angle: float
    ) -> TrackedCard:
        self._keys += 1
        name = read[0][0] if read[0][1] > 0.8 else None
        p_card = min(1.0, sum(p for _, p in read))
        return TrackedCard(self._keys, name, read, zone, at, angle % 360, 0.8, self._time, p_card=p_card)

    def _read(self, name: str) -> tuple[tuple[str, float], ...]:
        """Return a reading. As in composed rounds, 19 of 20 cards are read with more than 0.997; a false card may also be none."""
        rng, true = self._rng, first_of(name)
        other = rng.choice([each for each in self._deck if each != true])
        chance = rng.random()
        if chance < self.mess.wrong:
            p = rng.uniform(0.4, 0.93)
            return (other, p), (true, (1 - p) * 0.8)
        if chance < self.mess.wrong + self.mess.unsure:
            p = rng.uniform(0.35, 0.75)
            return (true, p), (other, (1 - p) * 0.6)
        p = 1 - 10 ** -rng.uniform(2.5, 4.5)
        return (true, p), (other, (1 - p) * 0.5)
