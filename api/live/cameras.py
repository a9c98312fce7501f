"""The newest reports of the tables' cameras, here and at other processes."""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from cachetools import TTLCache

from companion.store.signals import Signals

WATCHING: Final = frozenset({"watching", "hands"})
"""States of a camera that can see the table."""

SILENT_S: Final = 5.0
"""A camera that has not reported for this long, s, has the state ``silent``, unless it has ended."""


@dataclass(frozen=True, slots=True)
class _CameraReport:
    """A status report; times are s on the clock."""

    status: Mapping[str, Any]
    received_at: float
    picture: bytes | None
    """The newest small JPEG, from this report or an earlier one."""
    picture_received_at: float
    silent: bool = False
    """Whether `fell_silent` has returned True for this report."""

    @property
    def ended(self) -> bool:
        """Whether the camera said that it reports nothing more."""
        return bool(self.status["state"] == "ended")


class Cameras:
    """The newest report of each table's camera."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._reports: dict[str, _CameraReport] = {}
        self._workers: dict[str, Callable[[], Mapping[str, Any]]] = {}
        self._lock = threading.Lock()

    def report(self, table_id: str, status: Mapping[str, Any], picture: bytes | None) -> bool:
        """Store a report, and the newest small JPEG if there is one; return whether the camera's state has changed."""
        now = self._clock()
        with self._lock:
            before = self._reports.get(table_id)
            picture_received_at = now
            if picture is None and before is not None:
                picture, picture_received_at = before.picture, before.picture_received_at
            self._reports[table_id] = _CameraReport(dict(status), now, picture, picture_received_at)
        return (
            before is None or before.silent or _state_and_message(before.status) != _state_and_message(status)
        )

    def forget(self, table_id: str) -> None:
        """Discard the report about a table whose camera reports to another process now."""
        with self._lock:
            self._reports.pop(table_id, None)

    def set_worker(self, table_id: str, worker: Callable[[], Mapping[str, Any]]) -> None:
        """Set ``worker``, which returns the state of the process that watches a table (`companion.net.child_process.ChildState`)."""
        self._workers[table_id] = worker

    def move(self, table_id: str, following: str) -> None:
        """Move a table's camera to the next table."""
        with self._lock:
            if table_id in self._reports:
                self._reports[following] = self._reports.pop(table_id)
            if table_id in self._workers:
                self._workers[following] = self._workers.pop(table_id)

    def status_of(self, table_id: str) -> dict[str, Any]:
        """Return the camera's last report with `age` and `picture_age` in s; its state is `silent` after `SILENT_S`, unless it ended."""
        with self._lock:
            report = self._reports.get(table_id)
        get_worker_state = self._workers.get(table_id)
        worker = None if get_worker_state is None else get_worker_state()
        if report is None:
            return {"state": "absent", "age": None, "picture_age": None, "worker": worker}
        now = self._clock()
        age = now - report.received_at
        return {
            **report.status,
            **({"state": "silent"} if age > SILENT_S and not report.ended else {}),
            "age": round(age, 2),
            "picture_age": None if report.picture is None else round(now - report.picture_received_at, 2),
            "worker": worker,
        }

    def tables(self) -> list[str]:
        """Return the ids of the tables that have a camera or a process that watches them."""
        with self._lock:
            return sorted({*self._reports, *self._workers})

    def picture(self, table_id: str) -> bytes | None:
        """Return the newest small JPEG, or None."""
        with self._lock:
            report = self._reports.get(table_id)
        return None if report is None else report.picture

    def fell_silent(self, table_id: str) -> bool:
        """Return True if a camera has fallen silent since the last call; True only once per silence."""
        with self._lock:
            report = self._reports.get(table_id)
            if report is None or report.silent or report.ended:
                return False
            if self._clock() - report.received_at <= SILENT_S:
                return False
            self._reports[table_id] = replace(report, silent=True)
        return True


def summary_of(status: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a list of cameras shows of one, from what `Cameras.status_of` returns."""
    return {
        "state": status["state"],
        "age": status["age"],
        "frame_age": frame_age(status),
        "worker": status["worker"],
    }


def frame_age(status: Mapping[str, Any]) -> float | None:
    """Return the age of a camera's newest frame in s, based on its newest report, or None."""
    if status["age"] is None or status.get("frame_age_ms") is None:
        return None
    return round(float(status["age"] + status["frame_age_ms"] / 1e3), 2)


def _state_and_message(status: Mapping[str, Any]) -> tuple[Any, Any]:
    return status.get("state"), status.get("message")


_VALID_S: Final = 4.0
"""How long a report counts, s: four times the period in which they are sent."""
_MAX_PROCESSES: Final = 64
"""Processes whose reports are kept; a house with more tables than they serve does not exist."""
_ID_BYTES: Final = 6
"""Length of a process's random id, bytes."""


@dataclass(frozen=True, slots=True)
class _PeerReport:
    """The newest report of another process."""

    cameras: Mapping[str, Any]
    """By id of the tables that the process watches: the summary of the camera (`summary_of`)."""
    pairing: bool
    """Whether somebody pairs tags with cards there."""


class Peers:
    """The reports of the other processes. Thread-safe."""

    def __init__(self, signals: Signals, clock: Callable[[], float] = time.monotonic) -> None:
        self._signals = signals
        self._process = secrets.token_hex(_ID_BYTES)
        self._lock = threading.Lock()
        self._reports: TTLCache[str, _PeerReport] = TTLCache(_MAX_PROCESSES, _VALID_S, clock)
        """By the random id of the process."""
        signals.subscribe("process", self._receive)

    def send(self, cameras: Mapping[str, Any], *, pairing: bool) -> None:
        """Report to the other processes."""
        if not self._signals.alone:
            self._signals.send("process", json.dumps([self._process, cameras, pairing]))

    def cameras(self) -> dict[str, dict[str, Any]]:
        """Return the summaries of the cameras that reported to other processes, by table id."""
        return {
            table_id: dict(summary)
            for each in self._recent().values()
            for table_id, summary in each.cameras.items()
            if summary["age"] is not None
        }

    def watching(self, table_id: str) -> str | None:
        """Return the id of the other process that watches a table, or None."""
        return next((name for name, each in self._recent().items() if table_id in each.cameras), None)

    @property
    def pairing(self) -> bool:
        """Whether somebody pairs tags with cards at another process, which needs the readers' scans."""
        return any(each.pairing for each in self._recent().values())

    def _recent(self) -> dict[str, _PeerReport]:
        """Return the reports that still count, by process."""
        with self._lock:
            return dict(self._reports)

    def _receive(self, text: str) -> None:
        process, cameras, pairing = json.loads(text)
        with self._lock:
            self._reports[process] = _PeerReport(cameras, pairing)
