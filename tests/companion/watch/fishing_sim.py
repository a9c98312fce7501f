"""A simulated table top: rounds laid out card by card, and observations with detection errors.

Cards have positions; a turn is played onto its match or a free position, drawn, and taken into fans by type;
observations are made in between. Every error rate is in `Mess`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from companion.hanafuda.cards import HANAFUDA, card, first_of
from companion.hanafuda.fishing import Call, Draw, FishingMove, Play
from companion.observations import FIELD, STOCK, HandEvent, Observation, TrackedCard, captured_zone

IDS = [each.id for each in HANAFUDA]
KINDS = ("bright", "animal", "ribbon", "chaff")
STOCK_AT = (100.0, 150.0)


@dataclass
class Mess:
    """The rates of detection errors, and how the players lay their cards."""

    wrong: float = 0.02
    """A card read as another one, with some certainty: from 0.4 up to `surest`."""
    surest: float = 0.93
    unsure: float = 0.03
    missed: float = 0.03
    missed_in_pile: float = 0.10
    false_find: float = 0.01
    lasting: float = 0.5
    """How many of the errors are the same again as long as the card lies still."""
    jitter_mm: float = 2.0
    new_keys: float = 0.02
    """Memory loses a card that was moved and calls it a new one."""
    observations: tuple[float, float, float] = (0.7, 0.5, 0.15)
    """How often there is a look with the hand card only, with both cards lying, with the captures in the air."""
    hand_events: float = 0.7
    seats: float = 0.6
    """How often the eyes can tell from whose side a hand came."""
    fan_in_order: bool = True


QUIET = Mess(
    wrong=0,
    unsure=0,
    missed=0,
    missed_in_pile=0,
    false_find=0,
    jitter_mm=0,
    new_keys=0,
    observations=(0, 0, 0),
    hand_events=0,
)


@dataclass
class PlacedCard:
    """A card on the table."""

    card: str
    zone: str
    at: tuple[float, float]
    key: int
    since: float | None
    on: tuple[str, ...] = ()
    covered: float = 0.0
    read: tuple[tuple[str, float], ...] | None = None


@dataclass
class TableTop:
    """The cards on the table, and the camera above it."""

    rng: Random
    mess: Mess
    time: float = 0.0
    cards: dict[str, PlacedCard] = field(default_factory=dict)
    frames: int = 0
    keys: int = 0
    reached: list[HandEvent] = field(default_factory=list)
    notes: tuple[str, ...] = ()
    thing: tuple[float, float, float] | None = None
    """Middle and radius of something laid on the cards, mm."""

    # --- laying cards

    def _key(self) -> int:
        self.keys += 1
        return self.keys

    def put(self, name: str, zone: str, at: tuple[float, float], on: tuple[str, ...] = ()) -> None:
        jitter = self.mess.jitter_mm
        there = self.rng.gauss(at[0], jitter), self.rng.gauss(at[1], jitter)
        old = self.cards.pop(name, None)
        keeps = old is not None and self.rng.random() >= self.mess.new_keys
        self.cards[name] = PlacedCard(name, zone, there, old.key if old and keeps else self._key(), None, on)
        for other in on:
            if other in self.cards:
                self.cards[other].covered = 0.55

    def deal(self, names: list[str]) -> None:
        for name in names:
            self.put(name, FIELD, self.free_place())

    def free_place(self) -> tuple[float, float]:
        for slot in range(24):
            at = 180.0 + 45 * (slot // 2), 115.0 + 70 * (slot % 2)
            if not any(
                placed.zone == FIELD and abs(placed.at[0] - at[0]) < 20 and abs(placed.at[1] - at[1]) < 30
                for placed in self.cards.values()
            ):
                return at
        raise AssertionError("no free place")

    def _side(self, seat: int) -> int | None:
        return seat if self.rng.random() < self.mess.seats else None

    def lay(self, seat: int, name: str, takes: tuple[str, ...] = ()) -> None:
        self.time += 1.5
        if takes:
            x, y = self.cards[takes[0]].at
            at = x + 6.0, y + 12.0
        else:
            at = self.free_place()
        self.put(name, FIELD, at, tuple(takes[:1]))
        if self.rng.random() < self.mess.hand_events:
            jitter = 15.0
            where = self.rng.gauss(at[0], jitter), self.rng.gauss(at[1], jitter)
            self.reached.append(HandEvent(self.time, where, self._side(seat)))

    def reach_stock(self, seat: int) -> None:
        if self.rng.random() < self.mess.hand_events:
            where = self.rng.gauss(STOCK_AT[0], 15), self.rng.gauss(STOCK_AT[1], 15)
            self.reached.append(HandEvent(self.time + 0.7, where, self._side(seat)))

    def take(self, seat: int, names: tuple[str, ...]) -> None:
        self.time += 0.8
        order = list(names)
        if not self.mess.fan_in_order:
            self.rng.shuffle(order)
        for name in order:
            kind = KINDS.index(card(name).kind or "chaff")
            fan = [
                c
                for c in self.cards.values()
                if c.zone == captured_zone(seat) and KINDS.index(card(c.card).kind or "") == kind
            ]
            x = 120.0 + 130 * kind + 14 * len(fan)
            y = 20.0 if seat == 2 else 300.0
            self.put(name, captured_zone(seat), (x, y), (fan[-1].card,) if fan else ())
            self.cards[name].covered = 0.0

    # --- observing them

    def read(self, name: str) -> tuple[tuple[str, float], ...]:
        rng, mess = self.rng, self.mess
        true = first_of(name)
        chance = rng.random()
        others = [each for each in {first_of(each) for each in IDS} if each != true]
        others.sort()
        if chance < mess.wrong:
            probability = rng.uniform(0.4, mess.surest)
            other = rng.choice(others)
            rest = 1 - probability
            pairs = [
                (other, probability),
                (true, rest * 0.6),
                (rng.choice([o for o in others if o != other]), rest * 0.2),
            ]
        elif chance < mess.wrong + mess.unsure:
            probability = rng.uniform(0.35, 0.75)
            a, b = rng.sample(others, 2)
            pairs = [(true, probability), (a, (1 - probability) * 0.6), (b, (1 - probability) * 0.3)]
        else:
            probability = rng.uniform(0.97, 0.999)
            pairs = [(true, probability), (rng.choice(others), (1 - probability) * 0.5)]
        pairs.sort(key=lambda pair: -pair[1])
        return tuple(pairs)

    def observation(self) -> Observation:
        rng, mess = self.rng, self.mess
        self.frames += 1
        self.time += 0.5
        found = []
        for placed in self.cards.values():
            if (
                self.thing
                and (placed.at[0] - self.thing[0]) ** 2 + (placed.at[1] - self.thing[1]) ** 2
                < self.thing[2] ** 2
            ):
                continue
            rate = mess.missed if placed.zone == FIELD else mess.missed_in_pile
            if placed.covered > 0.9 or rng.random() < rate:
                continue
            if placed.read is None or rng.random() >= mess.lasting:
                placed.read = self.read(placed.card)
            if placed.since is None:
                placed.since = self.time
            top, probability = placed.read[0]
            on = tuple(self.cards[other].key for other in placed.on if other in self.cards)
            found.append(
                TrackedCard(placed.key, top if probability > 0.8 else None, placed.read, placed.zone, placed.at, 0.0,
                         1 - placed.covered, placed.since, on)
            )  # fmt: skip
        if rng.random() < mess.false_find:
            name = rng.choice(IDS)
            found.append(
                TrackedCard(
                    self._key(), None, self.read(name), rng.choice([FIELD, captured_zone(1)]), (300.0, 160.0)
                )
            )
        found.append(TrackedCard(0, "back", (("back", 0.99),), STOCK, STOCK_AT))
        hand_events, self.reached = tuple(self.reached), []
        notes, self.notes = self.notes, ()
        rng.shuffle(found)
        return Observation(f"frame-{self.frames:04d}", self.time, tuple(found), hand_events, notes)

    def observations(self, most: int | None = None) -> Iterator[Observation]:
        """Yield the observations of a still table: up to three."""
        for _ in range(most or self.rng.randint(1, 3)):
            yield self.observation()


Turn = list[FishingMove]


def turns_of(moves: tuple[FishingMove, ...]) -> list[Turn]:
    """Split moves into turns; a call belongs to the turn before it."""
    turns: list[Turn] = []
    for move in moves:
        if isinstance(move, Play):
            turns.append([])
        turns[-1].append(move)
    return turns


def play_turn(top: TableTop, turn: Turn) -> Iterator[Observation]:
    """Play a turn's cards on the table top, with observations now and then; the last one is after it."""
    rng, (only, both, air) = top.rng, top.mess.observations
    captures: list[tuple[str, ...]] = []
    seat = turn[0].player
    early = rng.random() < 0.3
    for move in turn:
        if isinstance(move, Call):
            continue
        if isinstance(move, Draw):
            top.reach_stock(seat)
        top.lay(seat, move.card, move.takes)
        if move.takes:
            captures = [each for each in captures if move.takes[0] not in each] + [(move.card, *move.takes)]
        if isinstance(move, Play):
            if rng.random() < only:
                yield from top.observations()
            if early and captures:
                top.take(seat, captures.pop())
                if rng.random() < only:
                    yield top.observation()
    if rng.random() < both:
        yield from top.observations()
    if captures and rng.random() < air:
        captured = {name: top.cards.pop(name) for names in captures for name in names}
        yield top.observation()
        top.cards |= captured
    for names in captures:
        top.take(seat, names)
    yield from top.observations(3)


def reported(moves: Any) -> list[tuple[Any, ...]]:
    """Return moves with look-alikes under one name, for comparison."""
    found: list[tuple[Any, ...]] = []
    for move in moves:
        if isinstance(move, Call):
            found.append((move.player, move.name))
        else:
            found.append(
                (
                    move.player,
                    type(move).__name__,
                    first_of(move.card),
                    tuple(sorted(map(first_of, move.takes))),
                )
            )
    return found
