"""Work that the server repeats in a thread of its own."""

from __future__ import annotations

import logging
import threading
from types import TracebackType
from typing import Self

__all__ = ["Periodic"]

_logger = logging.getLogger(__name__)


class Periodic:
    """Calls `step` every ``period_s`` seconds in a thread, from the start of a ``with`` block to its end.

    An error in a step is logged, and the next step is taken all the same.
    """

    def __init__(self, name: str, period_s: float, first_s: float | None = None) -> None:
        """``first_s``: the time before the first step, s, where it is another than ``period_s``."""
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
            except Exception:  # whatever it is, the next step may succeed
                _logger.exception("%s failed", self._thread.name)
