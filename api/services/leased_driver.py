"""The driver of the server: it referees a table only under this process's lease, so that no two processes ever do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Final, TypeVar

from api.services.live_tables import LiveTables
from api.services.ownership import Ownership, of_table
from api.services.referees import Referees
from companion.driver import Driver, Observe
from companion.store import Lease, LeaseLostError, OutOfStepError
from companion.table import Table
from companion.table.events import Event, NewEvent, Source

__all__ = ["LeasedDriver", "LeasedTables"]

_ATTEMPTS: Final = 5
"""How often a step is repeated because somebody else changed the table while the referee was thinking; each takes some ms."""


_Result = TypeVar("_Result")


class _TableChangedError(Exception):
    """Raised if events were added to a table after the referee saw it."""

    def __init__(self, error: OutOfStepError) -> None:
        self.error = error


class LeasedTables:
    """The tables as the referee sees them in one step, under the leases that this process has at its beginning."""

    def __init__(self, tables: LiveTables, referees: Referees, ownership: Ownership) -> None:
        self._tables, self._referees, self._ownership = tables, referees, ownership
        self._leases: dict[str, Lease] = {}
        self._seen: dict[str, int] = {}

    def lease(self, table_id: str) -> Lease:
        """Return this process's lease of a table; raises `LeaseLostError` if another process has it."""
        if table_id not in self._leases:
            self._leases[table_id] = self._ownership.own(of_table(table_id))
        return self._leases[table_id]

    @contextmanager
    def at(self, table_id: str) -> Iterator[Table]:
        """Lock a table and yield it. What the referee remembers from before another process had the lease is discarded."""
        lease = self.lease(table_id)
        with self._tables.at(table_id) as table:
            self._referees.begin(table_id, lease.token)
            self._seen[table_id] = table.seq
            yield table

    def submit(
        self, table_id: str, events: Sequence[NewEvent], /, *, actor: str, source: Source
    ) -> Sequence[Event]:
        """Append events and return their public form; implements `companion.driver.TableHost`."""
        lease, seen = self.lease(table_id), self._seen[table_id]
        try:
            result = self._tables.report(
                table_id, events, actor=actor, source=source, expect=seen, lease=lease
            )
        except OutOfStepError as error:
            raise _TableChangedError(error) from error
        except LeaseLostError:
            self._ownership.drop(lease)
            raise
        self._seen[table_id] = result.seq
        return result.events

    def open_next(self, table_id: str) -> str:
        """Open a table for the next game of the same players and return its id."""
        return self._tables.open_next(table_id)


class LeasedDriver:
    """Runs observations through referees into tables, as `companion.driver.Driver` does, under leases.

    All methods raise `LeaseLostError` if another process has the lease of the table; nothing was stored then.
    """

    def __init__(
        self,
        tables: LiveTables,
        referees: Referees,
        ownership: Ownership,
        move: Callable[[str, str], None],
    ) -> None:
        """``move`` moves the cameras and readers of a table to the next one."""
        self._move, self._referees = move, referees
        self._leased = partial(LeasedTables, tables, referees, ownership)

    def at(self, table_id: str) -> AbstractContextManager[Table]:
        """Lock a table whose referee or readers are used, and yield it."""
        return self._leased().at(table_id)

    def step(
        self, table_id: str, observe: Observe, *, actor: str, attempts: int = 1
    ) -> tuple[str, list[Event]]:
        """Process one observation; see `companion.driver.Driver.step`."""
        return self._repeated(lambda driver: driver.step(table_id, observe, actor=actor, attempts=attempts))

    def finish(self, table_id: str, close: Observe, *, actor: str) -> list[Event]:
        """Store the referee's conclusions at the end of the observations; see `companion.driver.Driver.finish`."""
        return self._repeated(lambda driver: driver.finish(table_id, close, actor=actor))

    def hand_over(self, table_id: str, following: str) -> None:
        """Let the cameras and readers of a table observe the next one."""
        self._hand_over(self._leased(), table_id, following)

    def _hand_over(self, tables: LeasedTables, table_id: str, following: str) -> None:
        with tables.at(following):
            self._move(table_id, following)

    def _repeated(self, do: Callable[[Driver], _Result]) -> _Result:
        """Call ``do`` with a driver, and again if others changed the table meanwhile."""
        attempt = 1
        while True:
            tables = self._leased()
            driver = Driver(tables, forget=self._referees.forget, move=partial(self._hand_over, tables))
            try:
                return do(driver)
            except _TableChangedError as changed:
                if attempt == _ATTEMPTS:
                    raise changed.error from None
            attempt += 1
