"""Periodic work in a background thread."""

from __future__ import annotations

import logging
import threading
from types import TracebackType
from typing import Self

_logger = logging.getLogger(__name__)


class Periodic:
    """Calls `step` every ``period_s`` seconds in a thread, while the context manager is active.

    An error in a step is logged and does not stop the following ones.
    """

    def __init__(self, name: str, period_s: float, first_s: float | None = None) -> None:
        """``first_s``: the time before the first step, s; ``period_s`` by default."""
        self._period_s = period_s
        self._first_s = period_s if first_s is None else first_s
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def step(self) -> object:
        """Do the work once."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        wait = self._first_s
        while not self._ended.wait(wait):
            wait = self._period_s
            try:
                self.step()
            except Exception:  # the next step may succeed
                _logger.exception("%s failed", self._thread.name)
