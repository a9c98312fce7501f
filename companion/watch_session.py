"""A table of ``companion watch`` without a server: observations in, JSON lines out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from companion.driver import Driver
from companion.hanafuda.rules import Rules
from companion.observations import Observation
from companion.store.timestamps import now_utc
from companion.table import Table
from companion.table.events import Event, NewEvent, Source
from companion.watch.beam import MOST_STEPS
from companion.watch.referee import Referee
from companion.watch_lines import WatchLines

_WATCH: Final = "watch"
"""The name of the table, and of who reports to it."""


class WatchSession:
    """A table that only the camera reports to. Nobody can answer questions: those that are left at the end get their likeliest answer.

    It is the `companion.driver.TableHost` of one table at a time, in memory only.
    """

    def __init__(
        self,
        rules: Rules,
        players: Sequence[str],
        deck: str | None,
        make_referee: Callable[[Rules, int], Any] | None = None,
    ) -> None:
        """``make_referee`` returns the referee of a game with a number of players, None for the usual one."""
        self._make_referee = make_referee or Referee
        self._rules, self._players, self._deck = rules, list(players), deck
        self._driver = Driver(self)
        self._lines: list[dict[str, Any]] = []
        self.problems = 0
        """The number of problem lines so far."""
        self.open_next(_WATCH)
        self.forget(_WATCH)

    def observe(self, observation: Observation) -> list[dict[str, Any]]:
        """Process an observation and return the lines it leads to."""

        def observe(table_id: str, table: Table) -> list[NewEvent]:
            return list(self._referee.see(observation, table))

        self._driver.step(_WATCH, observe, actor=_WATCH, source="camera")
        return self._take_lines()

    def finish(self) -> list[dict[str, Any]]:
        """Return the lines that the end of the observations leads to."""

        def close(table_id: str, table: Table) -> list[NewEvent]:
            return list(self._referee.close(table))

        self._driver.answer_open_questions(_WATCH, actor=_WATCH)
        for _ in range(MOST_STEPS):
            self._driver.finish(_WATCH, close, actor=_WATCH, source="camera")
            # What is in doubt at the end may have been asked only now, one turn after the other.
            if not self._driver.answer_open_questions(_WATCH, actor=_WATCH):
                break
        return [*self._take_lines(), *self._printer.finish()]

    def _take_lines(self) -> list[dict[str, Any]]:
        """Return the lines since the last call."""
        lines, self._lines = self._lines, []
        return lines

    # --- the table as the driver sees it

    @contextmanager
    def at(self, table_id: str, /) -> Iterator[Table]:
        """Yield the table at hand."""
        yield self.table

    def submit(
        self, table_id: str, events: Sequence[NewEvent], /, *, actor: str, source: Source
    ) -> Sequence[Event]:
        """Append events to the table, and keep their lines."""
        appended = self.table.append(events, actor=actor, source=source, time=now_utc())
        self._lines += self._printer.after(appended)
        self.problems += sum(event.kind == "noticed" for event in appended)
        return appended

    def open_next(self, table_id: str, /) -> str:
        """Open a table, the first one or that of the next game."""
        opened = {
            "name": _WATCH,
            "game": self._rules.game,
            "rules": self._rules.to_dict(),
            "players": self._players,
            "deck": self._deck,
        }
        self.table = Table.open(NewEvent("opened", opened), actor=_WATCH, source="program", time=now_utc())
        """The table at hand."""
        self._printer = WatchLines(self.table)
        return _WATCH

    def forget(self, table_id: str, /) -> None:
        """Start with a new referee."""
        self._referee = self._make_referee(self._rules, len(self._players))
