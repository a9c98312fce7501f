"""Checks whether a store can be written, not more often than needed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from companion.store.errors import LogWriteError

__all__ = ["FaultCheck"]

_CHECK_S: Final = 10.0
"""Validity of a successful write check, s; each check costs a write to the disk."""
_FAULT_CHECK_S: Final = 0.5
"""Validity of a write check that found a fault, or while there are signs of one, s."""


class FaultCheck:
    """A write check that is repeated at most every 10 s, or every 0.5 s while there is a fault or a sign of one."""

    def __init__(self, check: Callable[[], LogWriteError | None], signs: Callable[[], bool]) -> None:
        """``check`` writes and returns the fault; ``signs`` returns cheaply whether there is a sign of one."""
        self._check = check
        self._signs = signs
        self._lock = threading.Lock()
        self._fault: LogWriteError | None = None
        self._checked = float("-inf")

    def fault(self) -> LogWriteError | None:
        """Return why nothing can be stored at present; None if writing works."""
        with self._lock:
            age = time.monotonic() - self._checked
            if age > _CHECK_S or (age > _FAULT_CHECK_S and (self._fault or self._signs())):
                self._fault = self._check()
                self._checked = time.monotonic()
            return self._fault
