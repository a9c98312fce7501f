"""A simulated discard pile: rounds of Kakkuri laid card by card, and detections with errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from companion.hanafuda.cards import first_of, twin
from companion.hanafuda.games.kakkuri import Discard, KakkuriRound, OpenBox, Pass, Swap, ThreePairs
from companion.hanafuda.games.kakkuri.cards import PACKS
from companion.observations import DISCARD, STOCK, HandEvent, Observation, TrackedCard
from companion.referee import referee_for
from companion.table import Table
from companion.table.events import Event, NewEvent

TIME = "2026-01-01T00:00:00Z"
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
            if each["read"] is None or (shows and self.rng.random() < 0.5):
                each["read"] = self.read(each["card"])
            below = tuple(other["key"] for other in self.placed[:number])
            name, probability = each["read"][0]
            found.append(
                TrackedCard(each["key"], name if probability > 0.8 else None, each["read"], DISCARD, PILE,
                         -360.0 * each["towards"], 0.95 if shows else 0.0, each["since"], below, towards=each["towards"])
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


class Session:
    """A watched table of Kakkuri."""

    def __init__(self, played: KakkuriRound, mess: Mess, seed: int = 1, *, dealer_known: bool = True) -> None:
        self.truth = played
        names = [f"P{seat}" for seat in range(1, played.players + 1)]
        opened = {
            "name": "t",
            "game": "kakkuri",
            "rules": played.rules.to_dict(),
            "players": names,
            "deck": None,
        }
        self.table = Table.open(NewEvent("opened", opened), actor="t", source="program", time=TIME)
        self.referee = referee_for(played.rules, played.players)
        pack = PACKS[played.rules.deck]
        self.top = PileTop(Random(seed), mess, played.players, pack.ids)
        self.reported: list[Event] = []
        if dealer_known:
            deal = {"dropped": played.dropped} if played.dropped else {}
            self.submit(NewEvent("dealt", {"deal": deal, "dealer": played.dealer}))

    def submit(self, *new: NewEvent) -> None:
        self.table.append(list(new), actor="phone", source="phone", time=TIME)

    def observation(self) -> list[Event]:
        new = self.referee.see(self.top.observation(), self.table)
        applied = self.table.append(new, actor="camera", source="camera", time=TIME) if new else []
        self.reported += applied
        return list(applied)

    def observations(self, count: int = 3) -> list[Event]:
        return [event for _ in range(count) for event in self.observation()]

    def play(self) -> Iterator[int]:
        """Play the true round; yield, after each card, the number of moves made."""
        for number, move in enumerate(self.truth.moves, start=1):
            if isinstance(move, Swap | Pass | ThreePairs):
                self.top.time += 0.3
                continue
            assert isinstance(move, OpenBox | Discard)
            cards = (move.card,) if isinstance(move, OpenBox) else move.cards
            if isinstance(move, OpenBox):
                self.top.time += 1.0
                self.top.open_box(move.player)
            self.top.lay(move.player, cards)
            if self.top.rng.random() >= self.top.mess.at_once:
                self.observations(self.top.rng.randint(2, 3))
            yield number
        self.observations(3)

    @property
    def codes(self) -> list[str]:
        return [event.data["code"] for event in self.reported if event.kind == "noticed"]


def plain(moves: Any) -> list[tuple[Any, ...]]:
    """Return moves with look-alikes under one name and without what nobody can see, for comparison."""
    found: list[tuple[Any, ...]] = []
    for move in moves:
        if not isinstance(move, Swap):
            words = tuple(
                first_of(word) if "-" in word and word != "three-pairs" else word for word in move.words()
            )
            found.append((move.player, *words))
    return found
