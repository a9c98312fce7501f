"""A simulated table with card readers: rounds laid card by card, and the reports of readers with errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from companion.hanafuda.cards import HANAFUDA, first_of
from companion.hanafuda.fishing import Call, Draw, FishingMove, Play
from companion.hanafuda.rules import Rules
from companion.observations import FIELD, captured_zone
from companion.readers import ANY, ReaderReport
from companion.readers.scanned_table import ScannedTable
from companion.table import Table
from companion.table.events import Event, NewEvent
from companion.watch.referee import Referee

TIME = "2026-01-01T00:00:00Z"
IDS = [card.id for card in HANAFUDA]


@dataclass
class Mess:
    """The errors of the readers, and how players lay their cards."""

    missed: float = 0.1
    """One inventory misses a tag; the next finds it."""
    repeated: float = 0.2
    """The same scan is sent twice."""
    bounced: float = 0.1
    """A tag is told to be gone, and there again."""
    unread: float = 0.0
    """A tag is not read at all where it was laid."""
    swapped: float = 0.1
    """Two scans come in the other order."""
    straight: float = 0.1
    """A capture goes into the tray at once: the card played never lies on the field."""


QUIET = Mess(0, 0, 0, 0, 0, 0)
_POLL_S = 0.25


@dataclass
class Scanned:
    """A table with readers: their places, the referee, and the table that receives its events."""

    rules: Rules
    places: frozenset[str]
    mess: Mess = field(default_factory=Mess)
    seed: int = 1
    keeps: bool = True

    def __post_init__(self) -> None:
        opened = {
            "name": "t", "game": self.rules.game, "rules": self.rules.to_dict(), "players": ["A", "B"], "deck": None,
        }  # fmt: skip
        self.table = Table.open(NewEvent("opened", opened), actor="t", source="program", time=TIME)
        self.scanned_table, self.referee = ScannedTable(), Referee(self.rules, 2)
        self.rng = Random(self.seed)
        self.now = 0.0
        self.lies: dict[str, str] = {}
        self.waiting: list[tuple[float, ReaderReport]] = []
        self.reported: list[Event] = []

    # --- reporting

    def submit(self, *new: NewEvent) -> list[Event]:
        return self.table.append(list(new), actor="phone", source="phone", time=TIME)

    def take(self, new: list[NewEvent]) -> list[Event]:
        if any(event.kind == "dealt" for event in new) and self.table.game.outcome():
            return []  # the server opens another table
        applied = self.table.append(new, actor="readers", source="scanner", time=TIME) if new else []
        self.reported += applied
        return applied

    def wait(self, seconds: float) -> None:
        """Advance the time: scans arrive, and the readers' observation is processed when it is due."""
        until = self.now + seconds
        while True:
            self.waiting.sort(key=lambda each: each[0])
            due, comes = self.scanned_table.due, self.waiting[0][0] if self.waiting else float("inf")
            following = min(due if due is not None else float("inf"), comes)
            if following > until:
                break
            self.now = max(self.now, following)
            if comes <= following:
                _, scan = self.waiting.pop(0)
                self.scanned_table.process([scan], self.table)
            else:
                self.take(self.scanned_table.tick(self.now, self.table, self.referee, watching=False))
        self.now = until

    # --- the players' actions

    def lay(self, card: str, zone: str) -> None:
        """Put a card in a zone: its reader reports its arrival, the previous zone's reader its removal."""
        rng, mess, old = self.rng, self.mess, self.lies.get(card)
        self.lies[card] = zone
        # A removed card is no longer read.
        self.waiting = [
            (when, scan)
            for when, scan in self.waiting
            if scan.card != card or scan.time < self.now or not scan.present
        ]
        if old in self.places and self.keeps:
            self.send(card, old, self.now + rng.uniform(0.3, 0.8), present=False)
        if zone not in self.places or rng.random() < mess.unread:
            return
        at = self.now + rng.uniform(0.02, _POLL_S)
        while rng.random() < mess.missed:
            at += _POLL_S
        self.send(card, zone, at)
        if self.keeps and rng.random() < mess.bounced:
            self.send(card, zone, at + 0.3, present=False)
            self.send(card, zone, at + 0.3 + _POLL_S)

    def send(self, card: str, place: str, time: float, *, present: bool = True) -> None:
        scan = ReaderReport(card, f"reader-{place}", place, time, present, self.keeps)
        late = self.rng.uniform(0.1, 0.2) if self.rng.random() < self.mess.swapped else 0.0
        self.waiting.append((time + 0.03 + late, scan))
        if self.rng.random() < self.mess.repeated:
            self.waiting.append((time + 0.05 + late, scan))

    def deal(self, cards: Any) -> None:
        for card in cards:
            self.now += 0.0
            self.lay(card, FIELD)
            self.wait(self.rng.uniform(0.2, 0.9))
        self.wait(2.5)

    def turn(self, turn: list[FishingMove]) -> None:
        """Play a turn's cards, and report the call at its end by a tap."""
        rng, seat = self.rng, turn[0].player
        loose: list[tuple[str, ...]] = []
        tray = captured_zone(seat)
        early = rng.random() < 0.3

        def collect() -> None:
            while loose:
                for card in loose.pop(0):
                    self.lay(card, tray)
                    self.wait(rng.uniform(0.05, 0.25))

        for move in turn:
            if isinstance(move, Call):
                continue
            straight = bool(move.takes) and rng.random() < self.mess.straight
            if straight and not any(set(move.takes) & set(each) for each in loose):
                for card in (move.card, *move.takes):
                    self.lay(card, tray)
                    self.wait(rng.uniform(0.05, 0.2))
            else:
                self.lay(move.card, FIELD)
                if move.takes:
                    loose[:] = [each for each in loose if not set(move.takes) & set(each)] + [
                        (move.card, *move.takes)
                    ]
            self.wait(rng.uniform(0.8, 2.5))
            if early and isinstance(move, Play):
                collect()
                self.wait(rng.uniform(0.3, 1.0))
        collect()
        self.wait(rng.uniform(1.5, 4.0))
        for move in turn:
            if isinstance(move, Call):
                self.submit(NewEvent("moved", {"player": move.player, "words": list(move.words())}))

    @property
    def problems(self) -> list[str]:
        return [event.data["code"] for event in self.reported if event.kind == "noticed"]

    @property
    def questions(self) -> list[Event]:
        return [event for event in self.reported if event.kind == "asked"]


def turns_of(moves: tuple[FishingMove, ...]) -> Iterator[list[FishingMove]]:
    """Split moves into turns; a call belongs to the turn before it."""
    turns: list[list[FishingMove]] = []
    for move in moves:
        if isinstance(move, Play):
            turns.append([])
        turns[-1].append(move)
    yield from turns


def plain(moves: Any) -> list[tuple[Any, ...]]:
    """Return moves with look-alikes under one name, for comparing."""
    return [
        (move.player, move.name)
        if isinstance(move, Call)
        else (move.player, type(move).__name__, first_of(move.card), tuple(sorted(map(first_of, move.takes))))
        for move in moves
    ]


def scan_by_hand(scanned: Scanned, cards: list[str], gap: tuple[float, float] = (0.6, 1.5)) -> None:
    """Scan cards one after the other; one may be read twice."""
    for card in cards:
        for _ in range(1 + (scanned.rng.random() < scanned.mess.bounced)):
            scanned.send(card, ANY, scanned.now)
            scanned.wait(0.1)
        scanned.wait(scanned.rng.uniform(*gap))


__all__ = ["QUIET", "Draw", "Mess", "Scanned", "first_of", "plain", "scan_by_hand", "turns_of"]
