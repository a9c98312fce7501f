"""The driver of the server: it referees a table so that the log stays right even if another process referees it, too.

The proxy sends everything about a table to one process (docs/festival.md). When a process ends or the proxy changes its mind,
another one referees the table from then on, with a referee that starts from the log. Events are appended only right after those
that the referee has processed; if others came first, the referee is discarded with everything it remembers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Final, TypeVar

from api.services.live_tables import LiveTables
from api.services.referees import Referees, of_referee
from companion.driver import Driver, Observe
from companion.store import OutOfStepError
from companion.table import Table
from companion.table.events import Event, NewEvent, Source

__all__ = ["TableDriver"]

_ATTEMPTS: Final = 5
"""How often a step is repeated because somebody else changed the table while the referee was thinking; each takes some ms."""

_Result = TypeVar("_Result")


class _TableChangedError(Exception):
    """Raised if events were added to a table after the referee saw it."""

    def __init__(self, error: OutOfStepError, *, by_referee: bool) -> None:
        """``by_referee``: another process's referee added events."""
        self.error, self.by_referee = error, by_referee


class _StepTables:
    """The tables as the referee sees them in one step; implements `companion.driver.TableHost`."""

    def __init__(self, tables: LiveTables, referees: Referees) -> None:
        self._tables, self._referees = tables, referees
        self._processed: dict[str, int] = {}
        """The number of the newest event that the referee knows, by table id."""

    @contextmanager
    def at(self, table_id: str) -> Iterator[Table]:
        """Lock a table and yield it, with a referee that knows all its events."""
        with self._tables.at(table_id) as table:
            self._referees.begin(table_id, table)
            self._processed[table_id] = table.seq
            yield table

    def submit(
        self, table_id: str, events: Sequence[NewEvent], /, *, actor: str, source: Source
    ) -> Sequence[Event]:
        """Append a referee's events and return their public form. Raises `_TableChangedError` if others came first."""
        processed = self._processed[table_id]
        try:
            result = self._tables.report(table_id, events, actor=actor, source=source, expect=processed)
        except OutOfStepError as error:
            with self._tables.at(table_id) as table:
                by_referee = any(map(of_referee, table.events[processed:]))
            raise _TableChangedError(error, by_referee=by_referee) from error
        self._processed[table_id] = result.seq
        self._referees.appended(table_id, result.seq)
        return result.events

    def open_next(self, table_id: str) -> str:
        """Open a table for the next game of the same players and return its id."""
        return self._tables.open_next(table_id)


class TableDriver:
    """Runs observations through referees into tables, as `companion.driver.Driver` does."""

    def __init__(self, tables: LiveTables, referees: Referees, move: Callable[[str, str], None]) -> None:
        """``move`` moves the cameras and readers of a table to the next one."""
        self._move, self._referees = move, referees
        self._step_tables = partial(_StepTables, tables, referees)

    def at(self, table_id: str) -> AbstractContextManager[Table]:
        """Lock a table whose referee or readers are used, and yield it."""
        return self._step_tables().at(table_id)

    def step(
        self, table_id: str, observe: Observe, *, actor: str, attempts: int = 1
    ) -> tuple[str, list[Event]]:
        """Process one observation; see `companion.driver.Driver.step`."""
        none: tuple[str, list[Event]] = table_id, []
        return self._repeated(
            lambda driver: driver.step(table_id, observe, actor=actor, attempts=attempts), none
        )

    def finish(self, table_id: str, close: Observe, *, actor: str) -> list[Event]:
        """Store the referee's conclusions at the end of the observations; see `companion.driver.Driver.finish`."""
        return self._repeated(lambda driver: driver.finish(table_id, close, actor=actor), [])

    def hand_over(self, table_id: str, following: str) -> None:
        """Let the cameras and readers of a table observe the next one."""
        with self.at(following):
            self._move(table_id, following)

    def _repeated(self, do: Callable[[Driver], _Result], dropped: _Result) -> _Result:
        """Call ``do`` with a driver, and again with a new referee if others changed the table meanwhile.

        An observation that was overtaken by another process's referee is dropped, and ``dropped`` returned: it may be old.
        """
        for attempt in range(1, _ATTEMPTS + 1):
            driver = Driver(self._step_tables(), forget=self._referees.forget, move=self.hand_over)
            try:
                return do(driver)
            except _TableChangedError as changed:
                if changed.by_referee:
                    return dropped
                if attempt == _ATTEMPTS:
                    raise changed.error from None
        raise AssertionError
