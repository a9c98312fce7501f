"""The queue of requests that wait for a thread: their order, and how many run at a time."""

from __future__ import annotations

from collections import deque
from typing import Final

from api.serving.connection import ClientConnection

_MAX_UNPAIRED: Final = 24
"""Maximum number of unpaired clients' requests handled at the same time; running streams do not count."""


class FairQueue:
    """A queue in which requests of paired devices and of this machine come first; within each class, clients take turns.

    Neither one client with many requests nor many unpaired clients can delay a paired one. It replaces the deque of waitress's
    dispatcher, which calls it with its lock held.
    """

    def __init__(self) -> None:
        self._priority, self._other = _Lanes(), _Lanes()
        self._running = 0

    def __len__(self) -> int:
        """Return how many requests may be handled now."""
        return len(self._priority) + (len(self._other) if self._running < _MAX_UNPAIRED else 0)

    def append(self, channel: ClientConnection) -> None:
        """Append a connection with a request to handle."""
        (self._priority if channel.has_priority else self._other).append(channel)

    def popleft(self) -> ClientConnection:
        """Remove and return the connection whose turn it is."""
        if self._priority:
            return self._priority.popleft()
        channel = self._other.popleft()
        channel.places += 1
        self._running += 1
        return channel

    def leave(self, channel: ClientConnection) -> None:
        """Release the place of a connection's request among the unpaired ones being handled."""
        if channel.places:
            channel.places -= 1
            self._running -= 1


class _Lanes:
    """Waiting connections by client; the clients take turns."""

    def __init__(self) -> None:
        self._lanes: dict[str, deque[ClientConnection]] = {}
        self._turns: deque[str] = deque()
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def append(self, channel: ClientConnection) -> None:
        lane = self._lanes.get(channel.client)
        if lane is None:
            lane = self._lanes[channel.client] = deque()
            self._turns.append(channel.client)
        lane.append(channel)
        self._length += 1

    def popleft(self) -> ClientConnection:
        client = self._turns.popleft()
        lane = self._lanes[client]
        channel = lane.popleft()
        if lane:
            self._turns.append(client)
        else:
            del self._lanes[client]
        self._length -= 1
        return channel
