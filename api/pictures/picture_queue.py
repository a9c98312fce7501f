"""A short queue for a worker that does one job at a time; a full queue refuses new jobs immediately."""

from __future__ import annotations

import heapq
import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from companion.hanafuda.errors import MessageError
from companion.hanafuda.messages import Message

__all__ = ["BusyError", "Turns"]


class BusyError(MessageError):
    """Raised if the queue is full, or a job has waited too long."""

    code = "busy"
    retry_after_s = 10

    def __init__(self) -> None:
        super().__init__(Message("problem-busy"))


class Turns:
    """A lock whose waiters are served in the order of priority (0 first) and arrival."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._numbers = itertools.count()
        self._waiting: list[tuple[int, int]] = []
        self._taken = False

    def __len__(self) -> int:
        """Return the number of waiting jobs."""
        return len(self._waiting)

    @contextmanager
    def turn(self, priority: int, max_waiting: int, patience_s: float) -> Iterator[None]:
        """Wait for a turn and hold it during the block.

        Raises `BusyError` if ``max_waiting`` jobs of this priority are already waiting, or after ``patience_s`` seconds.
        """
        with self._condition:
            ticket = (priority, next(self._numbers))
            if (self._taken or self._waiting) and sum(
                each == priority for each, _ in self._waiting
            ) >= max_waiting:
                raise BusyError
            heapq.heappush(self._waiting, ticket)
            granted = self._condition.wait_for(
                lambda: not self._taken and self._waiting[0] == ticket, patience_s
            )
            self._waiting.remove(ticket)
            heapq.heapify(self._waiting)
            self._condition.notify_all()
            if not granted:
                raise BusyError
            self._taken = True
        try:
            yield
        finally:
            with self._condition:
                self._taken = False
                self._condition.notify_all()
