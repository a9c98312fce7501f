"""Waiting for what other threads do."""

from __future__ import annotations

import time
from collections.abc import Callable


def until(true: Callable[[], object], patience: float = 20.0) -> None:
    """Wait until it is so; a machine that is busy has its time."""
    end = time.monotonic() + patience
    while not true():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.005)
