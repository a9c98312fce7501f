"""A watched table for the tests: a table top, the referee that observes it, and the table that receives its events."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import Any

from companion.hanafuda.fishing import Call, Draw, FishingMove, Play
from companion.hanafuda.rules import Rules, resolve
from companion.observations import Observation
from companion.table import Table
from companion.table.events import Event, NewEvent, Source
from companion.watch.interface import referee_for
from tests.companion.watch.fishing_sim import QUIET, Mess, TableTop, play_turn

TIME = "2026-01-01T00:00:00Z"
FIELD = (
    "pine-chaff-1", "plum-ribbon", "cherry-ribbon", "wisteria-chaff-1",
    "iris-ribbon", "peony-ribbon", "clover-boar", "susuki-geese",
)  # fmt: skip
"""A deal on which no two cards match."""


class Session:
    """One watched table."""

    def __init__(
        self,
        rules: str | Rules = "koikoi-standard",
        *,
        mess: Mess = QUIET,
        dealer: int | None = 1,
        seed: int = 1,
    ) -> None:
        found = resolve(rules)
        opened = {
            "name": "t",
            "game": found.game,
            "rules": found.to_dict(),
            "players": ["A", "B"],
            "deck": None,
        }
        self.table = Table.open(NewEvent("opened", opened), actor="test", source="program", time=TIME)
        self.referee = referee_for(found, 2)
        self.top = TableTop(Random(seed), mess)
        self.dealer = dealer
        self.reported: list[Event] = []
        """What the referee told."""

    def deal(self, field: Iterable[str] = FIELD) -> Session:
        """Deal a field; the dealer is reported from a phone if the session has one."""
        self.top.deal(list(field))
        self.observations(1)
        if self.dealer:
            self.submit(NewEvent("began", {"dealer": self.dealer}))
        return self

    def submit(self, *events: NewEvent, source: Source = "phone") -> list[Event]:
        return self.table.append(events, actor="test", source=source, time=TIME)

    def see(self, observation: Observation) -> list[Event]:
        new = self.referee.see(observation, self.table)
        events = self.submit(*new, source="camera") if new else []
        self.reported += events
        return events

    def observations(self, count: int = 3) -> list[Event]:
        """Observe the table."""
        return [event for _ in range(count) for event in self.see(self.top.observation())]

    def turn(self, *moves: FishingMove) -> list[Event]:
        """Play a turn, with the observations that the table top's mess requires."""
        return [event for observation in play_turn(self.top, list(moves)) for event in self.see(observation)]

    def play(self, player: int, card: str, *takes: str, late: bool = False) -> None:
        """Put a card down and, unless `late`, take the cards that it captures."""
        self.top.lay(player, card, takes)
        if takes and not late:
            self.top.take(player, (card, *takes))

    def close(self) -> list[Event]:
        new = self.referee.close(self.table)
        events = self.submit(*new, source="camera") if new else []
        self.reported += events
        return events

    @property
    def moves(self) -> list[str]:
        """Return the moves of the table in notation."""
        assert self.table.round is not None
        return [str(move) for move in self.table.round.moves]

    @property
    def problems(self) -> list[str]:
        """Return the codes of all reported problems."""
        return [event.data["code"] for event in self.reported if event.kind == "noticed"]

    @property
    def open_problems(self) -> list[str]:
        return [event.data["code"] for event in self.table.open_problems]


def turn(player: int, play: tuple[str, ...], draw: tuple[str, ...], call: str | None = None) -> list[Any]:
    """Return a turn's moves: a card and its captures, twice, and a call."""
    moves: list[Any] = [Play(player, play[0], play[1:]), Draw(player, draw[0], draw[1:])]
    return [*moves, Call(player, call)] if call else moves  # type: ignore[arg-type]  # the tests know the words


Act = Callable[[Session], Any]
