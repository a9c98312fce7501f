"""The requests that wait for a thread: who comes first, and how many run at a time."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from api.serving.channel import Channel

__all__ = ["FairQueue"]

_UNPAIRED_AT_ONCE: Final = 24
"""Requests of unpaired clients that are answered at the same time; streams that have begun do not count."""


class FairQueue:
    """Requests of paired devices and of this machine come first; within each class clients take turns.

    So neither a client with many requests nor many unpaired clients delay a paired one. It stands in for the deque of waitress's
    dispatcher, which calls it with its lock held.
    """

    def __init__(self) -> None:
        self._first, self._second = _Lanes(), _Lanes()
        self._running = 0

    def __len__(self) -> int:
        """Return how many requests may be answered now."""
        return len(self._first) + (len(self._second) if self._running < _UNPAIRED_AT_ONCE else 0)

    def append(self, channel: Channel) -> None:
        """Append a connection whose next request is to be answered."""
        (self._first if channel.has_priority else self._second).append(channel)

    def popleft(self) -> Channel:
        """Return the connection whose turn it is."""
        if self._first:
            return self._first.popleft()
        channel = self._second.popleft()
        channel.places += 1
        self._running += 1
        return channel

    def leave(self, channel: Channel) -> None:
        """Give back the place that a request of a connection had among those that are answered."""
        if channel.places:
            channel.places -= 1
            self._running -= 1


class _Lanes:
    """Connections that wait, by client; the clients take turns."""

    def __init__(self) -> None:
        self._lanes: dict[str, deque[Channel]] = {}
        self._turns: deque[str] = deque()
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def append(self, channel: Channel) -> None:
        lane = self._lanes.get(channel.client)
        if lane is None:
            lane = self._lanes[channel.client] = deque()
            self._turns.append(channel.client)
        lane.append(channel)
        self._length += 1

    def popleft(self) -> Channel:
        client = self._turns.popleft()
        lane = self._lanes[client]
        channel = lane.popleft()
        if lane:
            self._turns.append(client)
        else:
            del self._lanes[client]
        self._length -= 1
        return channel
