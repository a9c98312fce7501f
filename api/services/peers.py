"""What the server processes that share a store report to each other once a second: their tables' cameras, and whether tags are being paired.

Nothing depends on it but what pages list about all tables and when readers report their tags again: a report that is lost or late
does no harm.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from companion.store.signals import Signals

__all__ = ["PeerReport", "Peers"]

_VALID_S: Final = 4.0
"""How long a report counts, s: four times the period in which they are sent."""


@dataclass(frozen=True, slots=True)
class PeerReport:
    """The newest report of another process."""

    process: str
    """A random id of the process."""
    received: float
    """s on the clock."""
    cameras: Mapping[str, Any]
    """By id of the tables that the process watches: the summary of the camera (`api.services.camera_status.summary_of`)."""
    pairing: bool
    """Whether somebody pairs tags with cards there."""


class Peers:
    """The reports of the other processes. Thread-safe."""

    def __init__(self, signals: Signals, clock: Callable[[], float] = time.monotonic) -> None:
        self._signals, self._clock = signals, clock
        self._process = secrets.token_hex(6)
        self._lock = threading.Lock()
        self._reports: dict[str, PeerReport] = {}
        signals.subscribe("process", self._receive)

    def send(self, cameras: Mapping[str, Any], *, pairing: bool) -> None:
        """Report to the other processes."""
        if not self._signals.alone:
            self._signals.send("process", json.dumps([self._process, cameras, pairing]))

    def reports(self) -> list[PeerReport]:
        """Return the reports that still count."""
        since = self._clock() - _VALID_S
        with self._lock:
            self._reports = {name: each for name, each in self._reports.items() if each.received > since}
            return list(self._reports.values())

    def cameras(self) -> dict[str, dict[str, Any]]:
        """Return the summaries of the cameras that reported to other processes, by table id."""
        return {
            table_id: dict(summary)
            for each in self.reports()
            for table_id, summary in each.cameras.items()
            if summary["age"] is not None
        }

    def watching(self, table_id: str) -> str | None:
        """Return the id of the other process that watches a table, or None."""
        return next((each.process for each in self.reports() if table_id in each.cameras), None)

    @property
    def pairing(self) -> bool:
        """Whether somebody pairs tags with cards at another process, which needs the readers' scans."""
        return any(each.pairing for each in self.reports())

    def _receive(self, text: str) -> None:
        process, cameras, pairing = json.loads(text)
        with self._lock:
            self._reports[process] = PeerReport(process, self._clock(), cameras, pairing)
