"""The order in which requests get a thread, and how many run at a time."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

THREADS: Final = 40
"""Threads that handle requests. Pictures wait for their turn in some of them; streams need none."""
MAX_UNPAIRED: Final = 24
"""Maximum number of unpaired clients' requests handled at the same time."""


class RequestTurns:
    """Requests of paired devices and of this machine come first; within each class, clients take turns.

    Neither one client with many requests nor many unpaired clients can delay a paired one. Only the server's loop may use it.
    """

    def __init__(self) -> None:
        self._priority, self._other = _Lanes(), _Lanes()
        self._running = self._running_unpaired = 0

    @asynccontextmanager
    async def turn(self, client: str, turn: asyncio.Future[None], *, priority: bool) -> AsyncIterator[None]:
        """Wait for a client's turn, which lasts as long as the context manager is active.

        ``turn`` is a new future, which gets its result when it is granted; an exception gives up the place in the queue.
        """
        (self._priority if priority else self._other).append(client, turn)
        self._grant()
        try:
            await turn
            yield
        finally:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._running -= 1
                self._running_unpaired -= not priority
                self._grant()

    def _grant(self) -> None:
        while self._running < THREADS:
            if turn := self._priority.popleft():
                pass
            elif self._running_unpaired < MAX_UNPAIRED and (turn := self._other.popleft()):
                self._running_unpaired += 1
            else:
                return
            self._running += 1
            turn.set_result(None)


class _Lanes:
    """Waiting requests by client; the clients take turns."""

    def __init__(self) -> None:
        self._lanes: dict[str, deque[asyncio.Future[None]]] = {}
        """In the order of the clients' turns."""

    def append(self, client: str, turn: asyncio.Future[None]) -> None:
        self._lanes.setdefault(client, deque()).append(turn)

    def popleft(self) -> asyncio.Future[None] | None:
        """Remove and return the next request that was not given up."""
        while self._lanes:
            client = next(iter(self._lanes))
            lane = self._lanes.pop(client)
            turn = lane.popleft()
            if lane:
                self._lanes[client] = lane
            if not turn.done():
                return turn
        return None
