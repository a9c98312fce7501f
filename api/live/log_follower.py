"""Brings the tables that pages follow up to date when other processes have appended to them."""

from __future__ import annotations

import logging
import threading
from typing import Final

from api.live.live_tables import LiveTables
from companion.store import LogReadError
from companion.store.signals import Signals

_CHECK_S: Final = 2.0
"""How often the log is compared with what the pages have, s: a process that was killed between a commit and its signal, and programs
that send no signals, are noticed this soon."""

_logger = logging.getLogger(__name__)


class LogFollower:
    """Follows the log in a thread for the tables with followers; does nothing if no other process writes to it."""

    def __init__(self, tables: LiveTables, signals: Signals) -> None:
        self._tables = tables
        self._wake = threading.Event()
        self._closed = False
        if not signals.alone:
            signals.subscribe("table", lambda table_id: self._wake.set(), self._wake.set)
            threading.Thread(target=self._run, name="log follower", daemon=True).start()

    def close(self) -> None:
        """Stop following."""
        self._closed = True
        self._wake.set()

    def _run(self) -> None:
        while not self._closed:
            try:
                self._tables.catch_up()
            except LogReadError:
                pass  # the database cannot be reached: the next check finds what the pages do not have
            except Exception:  # the thread has to go on for other tables
                _logger.exception("followers could not be brought up to date")
            self._wake.wait(_CHECK_S)
            self._wake.clear()
