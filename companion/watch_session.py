"""A table of ``companion watch`` without a server: observations in, JSON lines out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from companion.driver import Driver
from companion.hanafuda.rules import Rules
from companion.observations import Observation
from companion.store.timestamps import now_utc
from companion.table import Table
from companion.table.events import Event, NewEvent, Source
from companion.watch.beam import MOST_STEPS
from companion.watch.referee import Referee
from companion.watch_lines import WatchLines

_ACTOR = "watch"


class WatchSession:
    """A table that only the camera reports to. Nobody can answer questions: those that are left at the end get their likeliest answer."""

    def __init__(
        self,
        rules: Rules,
        players: Sequence[str],
        deck: str | None,
        make_referee: Callable[[Rules, int], Any] | None = None,
    ) -> None:
        """``make_referee`` returns the referee of a game with a number of players, None for the usual one."""
        self._make_referee = make_referee or Referee
        self._tables = _MemoryTables(rules, players, deck)
        self._rules, self._players = rules, len(players)
        self._driver = Driver(self._tables, forget=self._reset_referee)
        self._table_id = self._tables.open_next("")
        self._reset_referee(self._table_id)

    def table(self) -> AbstractContextManager[Table]:
        """Lock the table at hand and return it."""
        return self._tables.at(self._table_id)

    @property
    def problems(self) -> int:
        """The number of problem lines so far."""
        return self._tables.problems

    def observe(self, observation: Observation) -> list[dict[str, Any]]:
        """Process an observation and return the lines it leads to."""

        def observe(table_id: str, table: Table) -> list[NewEvent]:
            return list(self._referee.see(observation, table))

        self._table_id, _ = self._driver.step(self._table_id, observe, actor=_ACTOR, source="camera")
        return self._tables.take_lines()

    def finish(self) -> list[dict[str, Any]]:
        """Return the lines that the end of the observations leads to."""

        def close(table_id: str, table: Table) -> list[NewEvent]:
            return list(self._referee.close(table))

        self._driver.answer_open_questions(self._table_id, actor=_ACTOR)
        for _ in range(MOST_STEPS):
            self._driver.finish(self._table_id, close, actor=_ACTOR, source="camera")
            # What is in doubt at the end may have been asked only now, one turn after the other.
            if not self._driver.answer_open_questions(self._table_id, actor=_ACTOR):
                break
        return [*self._tables.take_lines(), *self._tables.printer.finish()]

    def _reset_referee(self, table_id: str) -> None:
        self._referee = self._make_referee(self._rules, self._players)


class _MemoryTables:
    """One table at a time, in memory only; a `companion.driver.TableHost` that collects the lines of what is appended."""

    def __init__(self, rules: Rules, players: Sequence[str], deck: str | None) -> None:
        self._opened = {
            "name": "watch",
            "game": rules.game,
            "rules": rules.to_dict(),
            "players": list(players),
            "deck": deck,
        }
        self._number = 0
        self._lines: list[dict[str, Any]] = []
        self.problems = 0

    @contextmanager
    def at(self, table_id: str, /) -> Iterator[Table]:
        yield self._table

    def submit(
        self, table_id: str, events: Sequence[NewEvent], /, *, actor: str, source: Source
    ) -> Sequence[Event]:
        appended = self._table.append(events, actor=actor, source=source, time=now_utc())
        self._lines += self.printer.after(appended)
        self.problems += sum(event.kind == "noticed" for event in appended)
        return appended

    def open_next(self, table_id: str, /) -> str:
        opened = NewEvent("opened", self._opened)
        self._table = Table.open(opened, actor=_ACTOR, source="program", time=now_utc())
        self.printer = WatchLines(self._table)
        self._number += 1
        return str(self._number)

    def take_lines(self) -> list[dict[str, Any]]:
        """Return the lines since the last call."""
        lines, self._lines = self._lines, []
        return lines
