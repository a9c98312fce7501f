"""A simulated discard pile of Kakkuri: rounds laid card by card, and detections with errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from companion.hanafuda.cards import first_of, twin
from companion.hanafuda.games.kakkuri import Discard, KakkuriRound, OpenBox
from companion.hanafuda.games.kakkuri.cards import PACKS
from companion.observations import DISCARD, STOCK, HandEvent, Observation, TrackedCard

PILE = (130.0, 0.0)


@dataclass
class Mess:
    """The rates of detection errors."""

    wrong: float = 0.02
    unsure: float = 0.03
    hand_events: float = 0.9
    """How often the arm of a discard was seen."""
    lean: float = 0.02
    """How far beside his seat a player's arm comes in, always, and besides each time: shares of the way around."""
    wobble: float = 0.02
    at_once: float = 0.1
    """How often there is no look before the next card comes."""
    resurface: float = 0.5
    """How often a card laid on its look-alike takes over its key."""
    slivers: float = 0.05
    """How often a look finds a card that is none at the edge of the pile."""
    askew: float | None = 0.02
    """How far askew cards lie for who laid them, a share of a full turn; None: the pile is squared up, and all lie alike."""
    nudged: float = 0.8
    """How often the box looks a little otherwise once a card was taken from it."""


@dataclass
class PileTop:
    """A pile under a camera."""

    rng: Random
    mess: Mess
    players: int
    ids: tuple[str, ...]
    time: float = 0.0
    frames: int = 0
    keys: int = 1
    placed: list[dict[str, Any]] = field(default_factory=list)
    reached: list[HandEvent] = field(default_factory=list)
    leans: dict[int, float] = field(default_factory=dict)
    box: bool = True
    box_at: float = 0.0

    def open_box(self, seat: int) -> None:
        self.hand_event(seat, (10.0, 5.0))
        if self.rng.random() < self.mess.nudged:
            self.box_at += 0.1

    def hand_event(self, seat: int, at: tuple[float, float] = PILE) -> None:
        if self.rng.random() < self.mess.hand_events:
            lean = self.leans.setdefault(seat, self.rng.gauss(0, self.mess.lean))
            around = ((seat - 1) / self.players + lean + self.rng.gauss(0, self.mess.wobble)) % 1
            reported = round(around * self.players) % self.players + 1
            self.reached.append(HandEvent(self.time, at, reported, round(around, 4)))

    def lay(self, seat: int, names: tuple[str, ...]) -> None:
        self.time += 1.5
        self.hand_event(seat)
        for number, name in enumerate(names):
            other = next((each for each in self.placed if each["card"] == twin(name)), None)
            if other is not None and self.rng.random() < self.mess.resurface:
                # The two look the same: the track key moves to the other one, which is no longer remembered.
                self.placed.remove(other)
                self.placed.append(
                    {**other, "card": name, "read": None, "group": self.frames, "towards": self.facing(seat)}
                )
            else:
                self.keys += 1
                self.placed.append(
                    {"key": self.keys, "card": name, "since": self.time + 0.1 * number, "read": None,
                     "group": self.frames, "towards": self.facing(seat)}
                )  # fmt: skip
        self.time += 0.5

    def facing(self, seat: int) -> float:
        """Return the direction of a card that a player lays."""
        if self.mess.askew is None:
            return 0.3
        return ((seat - 1) / self.players + self.rng.gauss(0, self.mess.askew)) % 1

    def take_back(self) -> None:
        self.time += 1.5
        self.placed.pop()

    def read(self, name: str) -> tuple[tuple[str, float], ...]:
        rng, true = self.rng, first_of(name)
        others = sorted({first_of(each) for each in self.ids} - {true})
        chance = rng.random()
        if chance < self.mess.wrong:
            probability = rng.uniform(0.4, 0.93)
            return (rng.choice(others), probability), (true, (1 - probability) * 0.6)
        if chance < self.mess.wrong + self.mess.unsure:
            probability = rng.uniform(0.35, 0.75)
            return (true, probability), (rng.choice(others), (1 - probability) * 0.6)
        probability = rng.uniform(0.97, 0.999)
        return (true, probability), (rng.choice(others), (1 - probability) * 0.5)

    def observation(self) -> Observation:
        self.frames += 1
        self.time += 0.5
        found = []
        top = self.placed[-1]["group"] if self.placed else -1
        for number, each in enumerate(self.placed):
            if each.get("hidden"):
                continue
            shows = each["group"] == top or number == len(self.placed) - 1
            if not shows:
                continue
            if each["read"] is None or (shows and self.rng.random() < 0.5):
                each["read"] = self.read(each["card"])
            below = tuple(other["key"] for other in self.placed[:number])
            name, probability = each["read"][0]
            found.append(
                TrackedCard(each["key"], name if probability > 0.8 else None, each["read"], DISCARD, PILE,
                         -360.0 * each["towards"], 0.95, each["since"], below, towards=each["towards"])
            )  # fmt: skip
        if self.placed and self.rng.random() < self.mess.slivers:
            self.keys += 1
            name = first_of(self.rng.choice(self.ids))
            found.append(TrackedCard(self.keys, None, ((name, 0.7),), DISCARD, PILE, 30.0, 0.35, self.time))
            last = found[-2]
            found[-2] = TrackedCard(
                last.key, last.card, last.likely, last.zone, last.at, last.angle, last.visible, last.since, (*last.on, self.keys),
                towards=last.towards,
            )  # fmt: skip
        if self.box:
            found.append(TrackedCard(0, "back", (("back", 0.99),), STOCK, (self.box_at, 0.0)))
        hand_events, self.reached = tuple(self.reached), []
        return Observation(f"frame-{self.frames:04d}", self.time, tuple(found), hand_events)


def observations(played: KakkuriRound, mess: Mess, seed: int) -> Iterator[Observation]:
    """Play a round on a table, and yield what a camera observes of it."""
    top = PileTop(Random(seed), mess, played.players, PACKS[played.rules.deck].ids)
    yield top.observation()
    for move in played.moves:
        if not isinstance(move, OpenBox | Discard):
            top.time += 0.3
            continue
        if isinstance(move, OpenBox):
            top.time += 1.0
            top.open_box(move.player)
        top.lay(move.player, (move.card,) if isinstance(move, OpenBox) else move.cards)
        if top.rng.random() >= mess.at_once:
            for _ in range(top.rng.randint(2, 3)):
                yield top.observation()
    for _ in range(3):
        yield top.observation()
