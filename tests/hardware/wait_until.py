"""Waiting for what other threads do, and finding what they leave behind."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


def open_resources() -> set[object]:
    """Return the threads and open files of this process; of two sets, the difference is what was started or opened in between."""
    files: set[object] = set()
    for each in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the descriptor with which the folder is read
            files.add((each.name, each.readlink()))
    return files | set(threading.enumerate())


def until(true: Callable[[], object], patience: float = 20.0) -> None:
    """Wait until it is so; a machine that is busy has its time."""
    end = time.monotonic() + patience
    while not true():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.005)
