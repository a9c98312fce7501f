"""CPU time and memory of a process and its children (Linux only)."""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

__all__ = ["Usage"]

_PROC: Final = Path("/proc")
_INTERVAL_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class _Sample:
    cpu_s: float
    rss_mb: float


class Usage:
    """Samples a process and its descendants, in a thread while it is entered."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._ended = threading.Event()
        self._first: tuple[float, _Sample, dict[int, float]] | None = None
        self._last: tuple[float, _Sample] | None = None
        self._children_cpu: dict[int, float] = {}
        self._peak_mb = {"server": 0.0, "children": 0.0, "together": 0.0}
        self._thread = threading.Thread(target=self._run, name="usage", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._ended.set()
        self._thread.join()

    def report(self) -> dict[str, Any]:
        """Return the CPU use in percent of one core and the peak memory (MB) since the start; None if the system does
        not provide them.
        """
        if self._first is None or self._last is None or self._last[0] <= self._first[0]:
            return {"core_percent": None, "rss_mb": None}
        (began, server, children), (ended, now) = self._first, self._last
        used = {
            "server": now.cpu_s - server.cpu_s,
            "children": sum(cpu - children.get(pid, 0.0) for pid, cpu in self._children_cpu.items()),
        }
        return {
            "core_percent": {name: round(100 * cpu / (ended - began), 1) for name, cpu in used.items()},
            "rss_mb": {name: round(size) for name, size in self._peak_mb.items()},
        }

    def _run(self) -> None:
        while True:
            with suppress(OSError, ValueError, IndexError):  # the process has ended
                self._sample()
            if self._ended.wait(_INTERVAL_S):
                return

    def _sample(self) -> None:
        if not _PROC.is_dir():
            return
        server = _read(self._pid)
        children = {pid: sample for pid in _descendants(self._pid) if (sample := _try_read(pid)) is not None}
        for pid, sample in children.items():
            self._children_cpu[pid] = sample.cpu_s
        now = time.monotonic()
        if self._first is None:
            self._first = (now, server, {pid: sample.cpu_s for pid, sample in children.items()})
        self._last = (now, server)
        children_mb = sum(sample.rss_mb for sample in children.values())
        for name, size in (
            ("server", server.rss_mb),
            ("children", children_mb),
            ("together", server.rss_mb + children_mb),
        ):
            self._peak_mb[name] = max(self._peak_mb[name], size)


def _stat(pid: int) -> list[str]:
    text = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    return text.rpartition(")")[2].split()  # the process name before it may contain spaces


def _read(pid: int) -> _Sample:
    fields = _stat(pid)
    ticks = os.sysconf("SC_CLK_TCK")
    pages = int(fields[21])
    return _Sample((int(fields[11]) + int(fields[12])) / ticks, pages * os.sysconf("SC_PAGE_SIZE") / 2**20)


def _try_read(pid: int) -> _Sample | None:
    try:
        return _read(pid)
    except (OSError, ValueError, IndexError):
        return None


def _descendants(pid: int) -> list[int]:
    parents: dict[int, int] = {}
    for folder in _PROC.iterdir():
        if folder.name.isdigit():
            with suppress(OSError, ValueError, IndexError):
                parents[int(folder.name)] = int(_stat(int(folder.name))[1])
    descendants: list[int] = []
    generation = {pid}
    while generation:
        generation = {child for child, parent in parents.items() if parent in generation}
        descendants += generation
    return descendants
