"""Brings the tables that pages follow up to date when other processes have appended to them."""

from __future__ import annotations

import logging
import threading
import time
from typing import Final

from api.live.live_tables import LiveTables
from api.live.streams import Hub
from companion.store import LogReadError, NoSuchTableError, Store

_CHECK_S: Final = 2.0
"""How often the log is compared with what the pages have, s: a process that was killed between a commit and its signal, and programs
that send no signals, are noticed this soon."""
_WAIT_S: Final = 0.05
"""How long to wait for a table that a request is using, s; then other tables come first."""

_logger = logging.getLogger(__name__)


class LogFollower:
    """Follows the log in a thread for the tables with followers; does nothing if no other process writes to it."""

    def __init__(self, tables: LiveTables, hub: Hub, log: Store) -> None:
        self._tables, self._hub, self._log = tables, hub, log
        self._wake = threading.Condition()
        self._changed: dict[str, None] = {}
        """The ids of the tables that have changed, in the order of the signals."""
        self._check_at = time.monotonic()
        self._closed = False
        if log.signals.alone:
            return
        log.signals.subscribe("table", self._note, self._check_now)
        threading.Thread(target=self._run, name="log follower", daemon=True).start()

    def close(self) -> None:
        """Stop following."""
        with self._wake:
            self._closed = True
            self._wake.notify()

    def _note(self, table_id: str) -> None:
        with self._wake:
            self._changed[table_id] = None
            self._wake.notify()

    def _check_now(self) -> None:
        with self._wake:
            self._check_at = time.monotonic()
            self._wake.notify()

    def _run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(
                    lambda: self._changed or self._closed, max(0.0, self._check_at - time.monotonic())
                )
                if self._closed:
                    return
                changed, self._changed = self._changed, {}
            try:
                self._catch_up(changed)
            except LogReadError:
                pass  # the database cannot be reached: the next check finds what the pages do not have
            except Exception:  # the thread has to go on for other tables
                _logger.exception("followers could not be brought up to date")

    def _catch_up(self, changed: dict[str, None]) -> None:
        if time.monotonic() >= self._check_at:
            self._check_at = time.monotonic() + _CHECK_S
            newest = self._log.tables.newest_numbers(list(self._hub.tables()))
            changed |= {each: None for each, seq in newest.items() if seq > self._tables.published(each)}
        for table_id in changed:
            if not self._hub.following(table_id):
                continue  # whoever follows it next gets its newest state
            try:
                if not self._tables.catch_up(table_id, _WAIT_S):
                    self._note(table_id)
            except NoSuchTableError:
                continue
