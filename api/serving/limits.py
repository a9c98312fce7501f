"""Limits on time, connections and bytes, per client and in total."""

from __future__ import annotations

import sys
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final, Generic, TypeVar

from api.serving.connection import ClientConnection

_Connection = TypeVar("_Connection", bound=ClientConnection)

HEADER_S: Final = 10.0
"""Maximum time from the first byte (or from accepting) to the end of a request's header, including the TLS handshake, s."""
KEEP_ALIVE_S: Final = 75.0
"""Maximum time between two requests on a connection, s."""
BODY_IDLE_S: Final = 20.0
"""Maximum time between two packets of a body, and the time before its rate is checked, s."""
BODY_MIN_RATE: Final = 8192
"""Minimum average rate of a body, bytes/s."""
SEND_IDLE_S: Final = 20.0
"""Maximum time without progress in sending a response, s; a sleeping phone reconnects when it wakes up."""

JSON_BYTES: Final = 2 * 2**20
"""Maximum size of a body that is not a form with files, bytes."""
UPLOAD_BYTES: Final = 128 * 2**20
"""Maximum size of a form with files, bytes; the application has lower limits per route, with helpful error messages."""
_UNPAIRED_ADDRESS_BYTES: Final = 96 * 2**20  # one enrollment, the largest form
_UNPAIRED_BYTES: Final = 192 * 2**20
_ALL_BYTES: Final = 320 * 2**20  # on disk: a body above 64 kB is in a temporary file

MAX_PIPELINED: Final = 4
"""Maximum number of waiting requests per connection; browsers send one at a time."""
_PER_ADDRESS: Final = 128
"""Maximum number of connections per address: 20 phones behind one router with 6 each."""
_EVICTION_DIVISOR: Final = 16
"""When there is no room, 1/16 of the connections are closed together, so that a flood does not cause a search for each one."""
FILE_SLACK: Final = 256
"""File descriptors for other uses than connections: database, cameras, temporary files."""
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1"})


def is_exempt(address: str) -> bool:
    """Whether an address is exempt from per-address limits: this machine's processes, and a reverse proxy on it."""
    return address in _LOOPBACK


def file_limit(wanted: int) -> int:
    """Raise this process's limit of open files to ``wanted`` if the system allows it, and return the resulting limit."""
    if sys.platform == "win32":
        return 512  # the limit of select()
    import resource  # noqa: PLC0415  # only on POSIX

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        target = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with suppress(OSError, ValueError):  # macOS has a second limit, kern.maxfilesperproc
            resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))
            soft = target
    return wanted if soft == resource.RLIM_INFINITY else min(soft, wanted)


class Connections(Generic[_Connection]):
    """The open connections by client, at most ``most`` in total. Only the server's loop may call its methods.

    When there is no room for a new connection, connections that only wait for their client are closed, in this order: those
    that never sent a complete request, idle ones of unpaired clients, idle ones of paired clients; in each group the oldest first.
    """

    def __init__(self, most: int, *, per_address: int | None = _PER_ADDRESS) -> None:
        """``per_address``: maximum number of connections per address; None (no limit) behind a reverse proxy."""
        self.most = most
        self._per_address = per_address
        self.behind_proxy = per_address is None
        self._open: dict[str, set[_Connection]] = defaultdict(set)
        self._count = 0

    def __iter__(self) -> Iterator[_Connection]:
        return iter([channel for channels in tuple(self._open.values()) for channel in tuple(channels)])

    def __len__(self) -> int:
        return self._count

    def add(self, channel: _Connection) -> None:
        """Add a connection."""
        self._open[channel.client].add(channel)
        self._count += 1

    def remove(self, channel: _Connection) -> None:
        """Remove a closed connection, if it was not removed already."""
        channels = self._open.get(channel.client, set())
        if channel in channels:
            channels.remove(channel)
            self._count -= 1
            if not channels:
                self._open.pop(channel.client, None)

    def admit(self, client: str, *, exempt: bool) -> bool:
        """Make room for a new connection of a client if necessary; return whether there is room."""
        own = self._open.get(client, set())
        if (
            not exempt
            and self._per_address is not None
            and len(own) >= self._per_address
            and not _evict(own, max(1, self._per_address // _EVICTION_DIVISOR))
        ):
            return False
        if self._count < self.most:
            return True
        return self.make_room()

    def make_room(self) -> bool:
        """Close some connections that only wait for their client; return whether there were any."""
        others = [
            channel
            for channels in self._open.values()
            for channel in channels
            if not is_exempt(channel.client)
        ]
        return _evict(others, max(1, self.most // _EVICTION_DIVISOR))


def _evict(channels: Iterable[ClientConnection], limit: int) -> bool:
    """Close at most ``limit`` connections that only wait for their client; return whether there were any."""
    candidates = sorted(
        (channel for channel in channels if channel.eviction_rank is not None),
        key=lambda channel: (channel.eviction_rank, channel.waiting_since),
    )
    for channel in candidates[:limit]:
        channel.handle_close()
    return bool(candidates)


class BodyBudget:
    """The total size of the bodies being received or read: limited per unpaired client, for all unpaired clients, and overall."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._unpaired: dict[str, int] = defaultdict(int)
        self._paired = 0

    def take(self, client: str, count: int, *, paired: bool) -> bool:
        """Count received bytes; return False if a limit is exceeded. `give_back` must follow in both cases."""
        with self._lock:
            if paired:
                self._paired += count
            else:
                self._unpaired[client] += count
            unpaired = sum(self._unpaired.values())
            if unpaired + self._paired > _ALL_BYTES:
                return False
            return paired or (
                self._unpaired[client] <= _UNPAIRED_ADDRESS_BYTES and unpaired <= _UNPAIRED_BYTES
            )

    def give_back(self, client: str, count: int, *, paired: bool) -> None:
        """Release bytes counted by `take`."""
        with self._lock:
            if paired:
                self._paired -= count
                return
            self._unpaired[client] -= count
            if not self._unpaired[client]:
                del self._unpaired[client]
