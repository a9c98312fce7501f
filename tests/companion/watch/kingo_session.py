"""A table of Kingo for the tests: a simulated table, the engine that watches it, and the log."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from companion.observations import Observation
from companion.table import Table
from companion.table.events import Event, NewEvent, Source
from companion.watch.referee import Referee
from tests.companion.watch.kingo_sim import TIDY, KingoTableSim, Mess

TIME = "2026-01-01T00:00:00Z"


class WatchedKingo:
    """A table at which a known round is played."""

    def __init__(self, truth: Any, mess: Mess = TIDY, seed: int = 1) -> None:
        rules, players = truth.rules, truth.players
        opened = {
            "name": "t",
            "game": rules.game,
            "rules": rules.to_dict(),
            "players": [f"P{seat}" for seat in range(1, players + 1)],
            "deck": None,
        }
        self.table = Table.open(NewEvent("opened", opened), actor="test", source="program", time=TIME)
        self.referee = Referee(rules, players)
        self.truth, self.sim = truth, KingoTableSim(truth, mess, seed)
        self.reported: list[Event] = []
        """What the engine reported."""

    def submit(self, *events: NewEvent, source: Source = "phone") -> list[Event]:
        return self.table.append(events, actor="test", source=source, time=TIME)

    def move(self, player: int, *words: str) -> None:
        """Report a move on a phone."""
        self.submit(NewEvent("moved", {"player": player, "words": list(words)}))

    def deal(self, dealer: int | None = None) -> WatchedKingo:
        """Put the draw pile on the table. ``dealer``: reported on a phone."""
        self.see(self.sim.seen(stock=False))
        self.rest(2)
        if dealer is not None:
            self.submit(NewEvent("began", {"dealer": dealer}))
        return self

    def see(self, observation: Observation) -> list[Event]:
        new = self.referee.see(observation, self.table)
        events = self.submit(*new, source="camera") if new else []
        self.reported += events
        return events

    def rest(self, count: int = 12) -> list[Event]:
        """Observe the table a number of times while nobody touches it."""
        return [event for _ in range(count) for event in self.see(self.sim.seen())]

    def show(self, *seats: int) -> None:
        """Lay the true hands of players open."""
        for seat in seats:
            self.sim.lay_open(seat, self.sim.hands[seat])

    def watch(self, observations: Iterable[Observation]) -> None:
        for observation in observations:
            self.see(observation)

    def answer(self, number: int) -> None:
        """Answer the one open question."""
        (question,) = self.table.open_questions
        self.submit(NewEvent("answered", {"of": question.seq, "choice": number}))

    @property
    def round(self) -> Any:
        assert self.table.round is not None
        return self.table.round

    @property
    def moves(self) -> list[str]:
        """The moves of the table in notation, look-alikes as the first of them."""
        return [str(move).replace("-chaff-2", "-chaff-1") for move in self.round.moves]

    @property
    def outcome(self) -> Any:
        return self.round.outcome()

    @property
    def problems(self) -> list[str]:
        """The codes of all reported problems."""
        return [event.data["code"] for event in self.reported if event.kind == "noticed"]

    @property
    def questions(self) -> list[Event]:
        return [event for event in self.reported if event.kind == "asked"]
