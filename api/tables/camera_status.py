"""What the cameras of the tables told last: how they are and what they see, in memory only."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["SILENT_S", "Cameras"]

SILENT_S: Final = 5.0
"""A camera that told nothing for so long, s, is called silent, whatever it told before."""

_ABSENT: Final[Mapping[str, Any]] = {"state": "absent"}


@dataclass(frozen=True, slots=True)
class _Report:
    told: Mapping[str, Any]
    came: float  # s, of the clock
    picture: bytes | None
    pictured: float  # when the picture came, s
    silent: bool = False  # whether its silence has been told of


class Cameras:
    """The newest report of each table's camera."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._reports: dict[str, _Report] = {}
        self._workers: dict[str, Callable[[], Mapping[str, Any]]] = {}
        self._lock = threading.Lock()

    def report(self, table_id: str, told: Mapping[str, Any], picture: bytes | None) -> bool:
        """Take a report, with the newest small JPEG where one came; return whether the camera's state has changed."""
        now = self._clock()
        with self._lock:
            before = self._reports.get(table_id)
            pictured = now
            if picture is None and before is not None:
                picture, pictured = before.picture, before.pictured
            self._reports[table_id] = _Report(dict(told), now, picture, pictured)
        return before is None or before.silent or _state(before.told) != _state(told)

    def supervise(self, table_id: str, worker: Callable[[], Mapping[str, Any]]) -> None:
        """Let ``worker`` tell how the process is that watches a table (`companion.net.child_process.ChildState`)."""
        self._workers[table_id] = worker

    def move(self, table_id: str, following: str) -> None:
        """Let a camera be that of the next table from now on."""
        with self._lock:
            if table_id in self._reports:
                self._reports[following] = self._reports.pop(table_id)
            if table_id in self._workers:
                self._workers[following] = self._workers.pop(table_id)

    def told(self, table_id: str) -> dict[str, Any]:
        """Return the camera's state: what it told, with `age` and `picture_age`, s; `silent` where that is too long ago."""
        with self._lock:
            report = self._reports.get(table_id)
        told_of = self._workers.get(table_id)
        worker = None if told_of is None else told_of()
        if report is None:
            return {**_ABSENT, "age": None, "picture_age": None, "worker": worker}
        now = self._clock()
        age = now - report.came
        return {
            **report.told,
            **({"state": "silent"} if age > SILENT_S else {}),
            "age": round(age, 2),
            "picture_age": None if report.picture is None else round(now - report.pictured, 2),
            "worker": worker,
        }

    def tables(self) -> list[str]:
        """Return the ids of the tables that have, or should have, a camera."""
        with self._lock:
            return sorted({*self._reports, *self._workers})

    def picture(self, table_id: str) -> bytes | None:
        """Return the newest small JPEG, None where none came."""
        with self._lock:
            report = self._reports.get(table_id)
        return None if report is None else report.picture

    def fell_silent(self, table_id: str) -> bool:
        """Return True once after a camera has fallen silent."""
        with self._lock:
            report = self._reports.get(table_id)
            if report is None or report.silent or self._clock() - report.came <= SILENT_S:
                return False
            self._reports[table_id] = _Report(report.told, report.came, report.picture, report.pictured, True)
        return True


def _state(told: Mapping[str, Any]) -> tuple[Any, Any]:
    return told.get("state"), told.get("message")
