"""The readers of the tables over time: what they told is shown to the referee as soon as they are quiet, and again while it lasts.

One thread for all tables, only while something waits; everything that it does is done under the table's lock.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final

from api.tables.camera_status import Cameras
from api.tables.live_tables import LiveTables
from api.tables.referees import Referees
from companion.driver import Driver, RefereeReport
from companion.readers import Scan
from companion.table import Table

__all__ = ["WATCHING", "Readers"]

WATCHING: Final = frozenset({"watching", "hands"})
"""States of a camera that sees the table."""

_MOVING: Final = "hands"
_MOST_KEYS: Final = 1024

_LOGGER: Final = logging.getLogger(__name__)


class Readers:
    """What the readers of all tables have told, and when it is time to look at it."""

    def __init__(
        self,
        tables: LiveTables,
        referees: Referees,
        cameras: Cameras,
        driver: Driver,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tables, self._referees, self._cameras, self._driver = tables, referees, cameras, driver
        self._clock = clock
        self._news = threading.Condition()
        self._due: dict[str, float] = {}
        self._actors: dict[str, str] = {}
        self._running: threading.Thread | None = None
        self._closed = False
        self._keys: OrderedDict[tuple[str, str], None] = OrderedDict()

    def hear(self, table_id: str, scans: Sequence[Scan], *, actor: str, key: str | None) -> None:
        """Take in what a reader told, times on the clock; what was sent under this key before is left out.

        Raises `companion.store.NoSuchTableError`, and `companion.referee.NoRefereeError` for a game that nobody can watch.
        """
        with self._tables.at(table_id) as table:
            if key is not None and (table_id, key) in self._keys:
                return
            self._referees.hear(table_id, scans, table)
            self._actors[table_id] = actor
            if key is not None:
                self._keys[table_id, key] = None
                while len(self._keys) > _MOST_KEYS:
                    self._keys.popitem(last=False)
            self.look_after(table_id)

    def look_after(self, table_id: str) -> None:
        """Look at a table's readers when it is time."""
        due = self._referees.due(table_id)
        with self._news:
            if due is None:
                self._due.pop(table_id, None)
                return
            self._due[table_id] = due
            if self._running is None and not self._closed:
                self._running = threading.Thread(target=self._run, name="readers", daemon=True)
                self._running.start()
            self._news.notify()

    def close(self) -> None:
        """Look no more; what is being told just now is waited for, so that the log can be closed then."""
        with self._news:
            self._closed, running = True, self._running
            self._news.notify()
        if running is not None:
            running.join()

    def _run(self) -> None:
        while (table_id := self._next()) is not None:
            try:
                self._look(table_id)
            except Exception:
                _LOGGER.exception("what the readers of table %s told could not be shown", table_id)

    def _next(self) -> str | None:
        """Wait for the table whose time has come; None where nothing waits any more."""
        with self._news:
            while self._due and not self._closed:
                table_id, due = min(self._due.items(), key=lambda each: each[1])
                left = due - self._clock()
                if left <= 0:
                    del self._due[table_id]
                    return table_id
                self._news.wait(left)
            self._running = None
            return None

    def _look(self, table_id: str) -> None:
        state = self._cameras.told(table_id)["state"]

        def observe(watched: str, table: Table) -> RefereeReport:
            return self._referees.tick(watched, table, watching=state in WATCHING, moving=state == _MOVING)

        actor = self._actors.get(table_id, "readers")
        following = self._driver.step(table_id, observe, actor=actor).table_id
        if following != table_id:
            self._actors[following] = self._actors.pop(table_id, actor)
        self.look_after(following)
