"""Schedules when the referees process the readers' scans: once the readers are quiet, and again while scans are pending.

One thread serves all tables and runs only while scans are pending. It does all work under the table's lock.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final

from api.services.camera_status import Cameras
from api.services.referees import Referees
from api.services.table_driver import TableDriver
from companion.driver import RefereeReport
from companion.readers import ReaderReport
from companion.table import Table

__all__ = ["WATCHING", "Readers"]

WATCHING: Final = frozenset({"watching", "hands"})
"""States of a camera that can see the table."""

_HANDS_MOVING: Final = "hands"
_MAX_KEYS: Final = 1024

_LOGGER: Final = logging.getLogger(__name__)


class Readers:
    """Receives the scans of all tables' readers and passes them to the referees when they are due."""

    def __init__(
        self,
        referees: Referees,
        cameras: Cameras,
        driver: TableDriver,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._referees, self._cameras, self._driver = referees, cameras, driver
        self._clock = clock
        self._schedule_changed = threading.Condition()
        self._due: dict[str, float] = {}
        self._actors: dict[str, str] = {}
        self._running: threading.Thread | None = None
        self._closed = False
        self._keys: OrderedDict[tuple[str, str], None] = OrderedDict()

    def process(self, table_id: str, scans: Sequence[ReaderReport], *, actor: str, key: str | None) -> None:
        """Add a reader's scans, with times on the clock. A request with a known ``key`` is ignored.

        Raises `companion.store.NoSuchTableError`, and `companion.referee.NoRefereeError` for a game without a referee.
        """
        with self._driver.at(table_id) as table:
            if key is not None and (table_id, key) in self._keys:
                return
            self._referees.process(table_id, scans, table)
            self._actors[table_id] = actor
            if key is not None:
                self._keys[table_id, key] = None
                while len(self._keys) > _MAX_KEYS:
                    self._keys.popitem(last=False)
            self.schedule(table_id)

    def schedule(self, table_id: str) -> None:
        """Schedule the next processing of a table's scans, if any are pending."""
        due = self._referees.due(table_id)
        with self._schedule_changed:
            if due is None:
                self._due.pop(table_id, None)
                return
            self._due[table_id] = due
            if self._running is None and not self._closed:
                self._running = threading.Thread(target=self._run, name="readers", daemon=True)
                self._running.start()
            self._schedule_changed.notify()

    def close(self) -> None:
        """Stop, and wait for the scans being processed, so that the log can be closed afterwards."""
        with self._schedule_changed:
            self._closed, running = True, self._running
            self._schedule_changed.notify()
        if running is not None:
            running.join()

    def _run(self) -> None:
        while (table_id := self._next_due()) is not None:
            try:
                self._process(table_id)
            except Exception:
                _LOGGER.exception("the scans of the readers at table %s could not be processed", table_id)

    def _next_due(self) -> str | None:
        """Wait for the next due table and return its id; None if nothing is pending or the feed was closed."""
        with self._schedule_changed:
            while self._due and not self._closed:
                table_id, due = min(self._due.items(), key=lambda each: each[1])
                remaining_s = due - self._clock()
                if remaining_s <= 0:
                    del self._due[table_id]
                    return table_id
                self._schedule_changed.wait(remaining_s)
            self._running = None
            return None

    def _process(self, table_id: str) -> None:
        state = self._cameras.status_of(table_id)["state"]

        def observe(watched: str, table: Table) -> RefereeReport:
            return self._referees.tick(
                watched, table, watching=state in WATCHING, moving=state == _HANDS_MOVING
            )

        actor = self._actors.get(table_id, "readers")
        following, _ = self._driver.step(table_id, observe, actor=actor)
        if following != table_id:
            self._actors[following] = self._actors.pop(table_id, actor)
        self.schedule(following)
