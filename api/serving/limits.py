"""How much one client and all clients together may take from the server: time, connections and bytes."""

from __future__ import annotations

import sys
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from api.serving.channel import Channel

__all__ = [
    "BODY_IDLE_S",
    "BODY_MIN_RATE",
    "FILE_SLACK",
    "HEADER_S",
    "JSON_BYTES",
    "KEEP_ALIVE_S",
    "MAX_PIPELINED",
    "SEND_IDLE_S",
    "UPLOAD_BYTES",
    "BodyBudget",
    "Connections",
    "client_key",
    "file_limit",
    "is_exempt",
]

HEADER_S: Final = 10.0
"""Seconds from the first byte (or from accepting) to the end of a request's header, TLS handshake included."""
KEEP_ALIVE_S: Final = 75.0
"""Seconds that a connection may stay open between two requests."""
BODY_IDLE_S: Final = 20.0
"""Seconds that may pass between two packets of a body; also the time before its rate is checked."""
BODY_MIN_RATE: Final = 8192
"""Bytes a second that a body must reach on average."""
SEND_IDLE_S: Final = 20.0
"""Seconds that a client may leave an answer unread; a phone that sleeps reconnects when it wakes up."""

JSON_BYTES: Final = 2 * 2**20
"""The largest body that is not a form with files."""
UPLOAD_BYTES: Final = 128 * 2**20
"""The largest form with files; the application refuses smaller ones by its own limits and says why."""
_UNPAIRED_ADDRESS_BYTES: Final = 96 * 2**20  # one enrollment, the largest form
_UNPAIRED_BYTES: Final = 192 * 2**20
_ALL_BYTES: Final = 320 * 2**20  # on disk: a body above 64 kB is in a temporary file

MAX_PIPELINED: Final = 4
"""Requests that may wait on one connection; browsers send one at a time."""
_PER_ADDRESS: Final = 128
"""Connections of one address: 20 phones behind one router with 6 each."""
_MADE_ROOM: Final = 16
"""One in so many connections is closed at once when there is no room, so that a flood does not search for each."""
FILE_SLACK: Final = 256
"""File descriptors beside those of connections: database, cameras, temporary files."""
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1"})


def is_exempt(address: str) -> bool:
    """Whether an address has no limit of its own: this machine's processes, and a reverse proxy on it."""
    return address in _LOOPBACK


def client_key(address: str) -> str:
    """Return what counts as one client: an IPv4 address, or the /64 network that one IPv6 host has to itself."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return address if parsed.is_loopback else str(IPv6Address(int(parsed) >> 64 << 64))


def file_limit(wanted: int) -> int:
    """Raise this process's limit of open files to ``wanted`` where the system allows it, and return the limit."""
    if sys.platform == "win32":
        return 512  # select() takes no more
    import resource  # noqa: PLC0415  # only on POSIX

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        target = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with suppress(OSError, ValueError):  # macOS has a second limit, kern.maxfilesperproc
            resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))
            soft = target
    return wanted if soft == resource.RLIM_INFINITY else min(soft, wanted)


class Connections:
    """The open connections by client, at most ``most`` in all; only the server's loop calls its methods.

    When there is no room for another one, those that wait for nothing but the client are closed, the oldest first: first
    those that never sent a whole request, then idle ones of unpaired clients, then idle ones of paired clients.
    """

    def __init__(self, most: int, *, per_address: int | None = _PER_ADDRESS) -> None:
        """``per_address``: the most connections of one address; None where all are a reverse proxy's."""
        self.most = most
        self._per_address = per_address
        self.behind_proxy = per_address is None
        self._open: dict[str, set[Channel]] = defaultdict(set)
        self._count = 0

    def __iter__(self) -> Iterator[Channel]:
        return iter([channel for channels in tuple(self._open.values()) for channel in tuple(channels)])

    def __len__(self) -> int:
        return self._count

    def add(self, channel: Channel) -> None:
        """Count a connection."""
        self._open[channel.client].add(channel)
        self._count += 1

    def remove(self, channel: Channel) -> None:
        """Forget a connection that was closed; nothing happens if that was done before."""
        channels = self._open.get(channel.client, set())
        if channel in channels:
            channels.remove(channel)
            self._count -= 1
            if not channels:
                self._open.pop(channel.client, None)

    def admit(self, client: str, *, exempt: bool) -> bool:
        """Make room for one more connection of a client, and return whether there is room."""
        own = self._open.get(client, set())
        if (
            not exempt
            and self._per_address is not None
            and len(own) >= self._per_address
            and not _evict(own, max(1, self._per_address // _MADE_ROOM))
        ):
            return False
        if self._count < self.most:
            return True
        return self.make_room()

    def make_room(self) -> bool:
        """Close some connections that wait for their client; return whether there were any."""
        others = [
            channel
            for channels in self._open.values()
            for channel in channels
            if not is_exempt(channel.client)
        ]
        return _evict(others, max(1, self.most // _MADE_ROOM))


def _evict(channels: Iterable[Channel], most: int) -> bool:
    """Close at most so many connections that wait for their client."""
    waiting = sorted(
        (channel for channel in channels if channel.eviction_rank is not None),
        key=lambda channel: (channel.eviction_rank, channel.waiting_since),
    )
    for channel in waiting[:most]:
        channel.handle_close()
    return bool(waiting)


class BodyBudget:
    """The bytes of bodies that are being received or read: bounded for each unpaired client, for all of them, and in all."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._unpaired: dict[str, int] = defaultdict(int)
        self._paired = 0

    def take(self, client: str, count: int, *, paired: bool) -> bool:
        """Count bytes that came in; False where they are too many. `give_back` must follow in both cases."""
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
        """Forget bytes that were taken."""
        with self._lock:
            if paired:
                self._paired -= count
                return
            self._unpaired[client] -= count
            if not self._unpaired[client]:
                del self._unpaired[client]
