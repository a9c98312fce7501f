"""A simulated table of Kingo: hands laid open at the showdown, and detections with errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cos, pi, sin
from random import Random
from typing import Any

from referee_kakkuri_sim import TIME, first_of

from companion.hanafuda.games.kingo.hands import deck_of
from companion.hanafuda.games.kingo.moves import Bareta, Draw
from companion.observations import STOCK, HandEvent, Observation, TrackedCard, hand_zone
from companion.table import Table
from companion.table.events import Event, NewEvent
from companion.watch.interface import referee_for


@dataclass
class Mess:
    """The rates of detection errors."""

    wrong: float = 0.02
    unsure: float = 0.03
    across: float = 0.02
    """How often a card that is none is found across a hand."""
    wobble: float = 0.02


QUIET = Mess(0, 0, 0, 0)


@dataclass
class PlacedCard:
    """A card laid open."""

    key: int
    card: str
    seat: int
    at: tuple[float, float]
    angle: float
    read: tuple[tuple[str, float], ...]
    since: float


@dataclass
class Session:
    """A watched table of Kingo."""

    truth: Any
    mess: Mess = field(default_factory=lambda: QUIET)
    seed: int = 1

    def __post_init__(self) -> None:
        rules, players = self.truth.rules, self.truth.players
        opened = {
            "name": "t", "game": rules.game, "rules": rules.to_dict(),
            "players": [f"P{seat}" for seat in range(1, players + 1)], "deck": None,
        }  # fmt: skip
        self.table = Table.open(NewEvent("opened", opened), actor="t", source="program", time=TIME)
        self.referee = referee_for(rules, players)
        self.rng = Random(self.seed)
        self.deck = sorted({first_of(each) for each in deck_of(rules.deck)})
        self.placed: list[PlacedCard] = []
        self.time, self.frames, self.keys, self.stock = 0.0, 0, 0, True
        self.reached: list[HandEvent] = []
        self.reported: list[Event] = []

    def submit(self, *new: NewEvent) -> None:
        """Report events from a phone."""
        self.table.append(list(new), actor="phone", source="phone", time=TIME)

    def move(self, player: int, *words: str) -> None:
        self.submit(NewEvent("moved", {"player": player, "words": list(words)}))

    def deal(self) -> Session:
        """Deal: the dealer's arm, then the stock."""
        around = (self.truth.dealer - 1) / self.truth.players + self.rng.gauss(0, self.mess.wobble)
        self.reached.append(HandEvent(self.time, (0.0, 0.0), self.truth.dealer, round(around % 1, 4)))
        self.observations(2)
        return self

    def hands(self) -> dict[int, list[str]]:
        """Return every player's true cards at the end of the round."""
        return {seat: list(self.truth.captured(seat)) for seat in range(1, self.truth.players + 1)}

    @property
    def bareta(self) -> set[int]:
        return {move.player for move in self.truth.moves if isinstance(move, Bareta)}

    def show(self, seat: int, cards: list[str]) -> None:
        """Lay a hand open before its player."""
        self.time += 1.5
        hypothesis = pi / 2 - (seat - 1) * 2 * pi / self.truth.players
        for number, card in enumerate(cards):
            aside = 22.0 * (number - (len(cards) - 1) / 2)
            at = (
                235 * cos(hypothesis) - aside * sin(hypothesis),
                180 * sin(hypothesis) + aside * cos(hypothesis),
            )
            self._lay(card, seat, at, 90 - hypothesis * 180 / pi)
        if self.rng.random() < self.mess.across and len(cards) > 1:
            middle = 225 * cos(hypothesis), 172 * sin(hypothesis)
            self._lay(cards[0], seat, middle, 180 - hypothesis * 180 / pi)
            false = self.rng.choice(self.deck)
            self.placed[-1].read = ((false, self.rng.uniform(0.3, 0.7)),)

    def _lay(self, card: str, seat: int, at: tuple[float, float], angle: float) -> None:
        self.keys += 1
        self.placed.append(PlacedCard(self.keys, card, seat, at, angle % 360, self.read(card), self.time))

    def read(self, name: str) -> tuple[tuple[str, float], ...]:
        rng, true = self.rng, first_of(name)
        others = [each for each in self.deck if each != true]
        chance = rng.random()
        if chance < self.mess.wrong:
            probability = rng.uniform(0.4, 0.93)
            return (rng.choice(others), probability), (true, (1 - probability) * 0.8)
        if chance < self.mess.wrong + self.mess.unsure:
            probability = rng.uniform(0.35, 0.75)
            return (true, probability), (rng.choice(others), (1 - probability) * 0.6)
        probability = rng.uniform(0.98, 0.999)
        return (true, probability), (rng.choice(others), (1 - probability) * 0.5)

    def observation(self) -> list[Event]:
        seen = self.seen()
        new = self.referee.see(seen, self.table)
        applied = self.table.append(new, actor="camera", source="camera", time=TIME) if new else []
        self.reported += applied
        return list(applied)

    def seen(self) -> Observation:
        """Return the current observation."""
        self.frames += 1
        self.time += 0.5
        cards = [
            TrackedCard(each.key, each.read[0][0] if each.read[0][1] > 0.8 else None, each.read, hand_zone(each.seat),
                     each.at, each.angle, 0.8, each.since)
            for each in self.placed
        ]  # fmt: skip
        if self.stock:
            cards.append(TrackedCard(0, "back", (("back", 0.99),), STOCK, (0.0, 0.0)))
        hand_events, self.reached = tuple(self.reached), []
        return Observation(f"frame-{self.frames:04d}", self.time, tuple(cards), hand_events)

    def observations(self, count: int = 3) -> list[Event]:
        return [event for _ in range(count) for event in self.observation()]

    def showdown(self) -> None:
        """Show the hands as players do: a bareta hand in its turn, the others at the end."""
        hands = self.hands()
        for move in self.truth.moves:
            if isinstance(move, Bareta):
                self.show(move.player, hands[move.player])
                self.observations(2)
            elif isinstance(move, Draw):
                self.time += 1.0
        for seat, cards in hands.items():
            if cards and seat not in self.bareta:
                self.show(seat, cards)
                if self.rng.random() < 0.5:
                    self.observations(1)
        self.observations(6)

    @property
    def codes(self) -> list[str]:
        return [event.data["code"] for event in self.reported if event.kind == "noticed"]

    @property
    def questions(self) -> list[Event]:
        return [event for event in self.reported if event.kind == "asked"]
