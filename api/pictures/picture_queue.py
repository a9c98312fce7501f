"""The queue for a worker that does one thing at a time: short, so that whoever comes too late knows it at once."""

from __future__ import annotations

import heapq
import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["BusyError", "Turns"]


class BusyError(Exception):
    """Too many pictures are waiting already."""

    retry_after_s = 10

    def __init__(self) -> None:
        super().__init__("Many pictures are being read right now. Wait a few seconds and send yours again.")


class Turns:
    """One turn at a time, in the order of priority (0 first) and arrival."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._numbers = itertools.count()
        self._waiting: list[tuple[int, int]] = []
        self._taken = False

    def __len__(self) -> int:
        """Return how many wait."""
        return len(self._waiting)

    @contextmanager
    def turn(self, priority: int, max_waiting: int, patience_s: float) -> Iterator[None]:
        """Wait for a turn and have it; raises `BusyError` where ``max_waiting`` of this priority wait already, or in vain."""
        with self._condition:
            ticket = (priority, next(self._numbers))
            if (self._taken or self._waiting) and sum(
                each == priority for each, _ in self._waiting
            ) >= max_waiting:
                raise BusyError
            heapq.heappush(self._waiting, ticket)
            mine = self._condition.wait_for(
                lambda: not self._taken and self._waiting[0] == ticket, patience_s
            )
            self._waiting.remove(ticket)
            heapq.heapify(self._waiting)
            self._condition.notify_all()
            if not mine:
                raise BusyError
            self._taken = True
        try:
            yield
        finally:
            with self._condition:
                self._taken = False
                self._condition.notify_all()
