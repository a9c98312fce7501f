"""Limits on time, connections and bytes, per client and in total."""

from __future__ import annotations

import sys
from collections import defaultdict
from contextlib import suppress
from typing import Final, Self

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

REFUSED_IDLE_S: Final = 2.0
"""How long a client that was refused may be silent until its connection is closed, s."""
REFUSED_S: Final = 60.0
"""How long a client that was refused may go on sending, s; a browser reads a response only when it has sent everything."""

HEADER_BYTES: Final = 2**15
"""Maximum size of a request's address and headers together, bytes."""
JSON_BYTES: Final = 2 * 2**20
"""Maximum size of a body that is not a form with files, bytes."""
UPLOAD_BYTES: Final = 128 * 2**20
"""Maximum size of a form with files, bytes; the application has lower limits per route, with helpful error messages."""
_UNPAIRED_ADDRESS_BYTES: Final = 96 * 2**20  # one enrollment, the largest form
_UNPAIRED_BYTES: Final = 192 * 2**20
_ALL_BYTES: Final = 320 * 2**20  # bodies above 64 kB are on disk
MEMORY_BYTES: Final = 2**16
"""Size of a body above which it is in a temporary file, bytes, and of a response above which it is counted."""
_MAX_FILES: Final = 64
"""Maximum number of bodies in temporary files, fewer than the file descriptors that `FILE_SLACK` leaves."""
_RESERVED_FILES: Final = 16
"""How many of them are reserved for paired devices."""
DISK_RESERVE_BYTES: Final = 16 * 2**20
"""Free space on the disk that bodies leave to the log, bytes."""

MAX_PIPELINED: Final = 4
"""Maximum number of waiting requests per connection; browsers send one at a time."""
PER_ADDRESS: Final = 128
"""Maximum number of connections per address: 20 phones behind one router with 6 each."""
EVICTION_DIVISOR: Final = 16
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
        return 512  # as many as a program may open there without asking the C library for more
    import resource  # noqa: PLC0415  # only on POSIX

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        target = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with suppress(OSError, ValueError):  # macOS has a second limit, kern.maxfilesperproc
            resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))
            soft = target
    return wanted if soft == resource.RLIM_INFINITY else min(soft, wanted)


class Budget:
    """What is held for clients: bytes of bodies being received or handled and of large responses, and temporary files.

    Bytes are limited per unpaired client, for all unpaired clients, and overall. Only the server's loop may use it.
    """

    def __init__(self) -> None:
        self.unpaired: dict[str, int] = defaultdict(int)
        """Bytes by client."""
        self.paired = 0
        self.files = 0

    def share(self, client: str, *, paired: bool) -> Share:
        """Return a context manager that counts what is held for a request, and releases it at the end."""
        return Share(self, client, paired=paired)


class Share:
    """What is held for one request."""

    def __init__(self, budget: Budget, client: str, *, paired: bool) -> None:
        self._budget, self._client, self._paired = budget, client, paired
        self._bytes = self._files = 0

    def take(self, count: int) -> bool:
        """Count bytes; return False if a limit is exceeded."""
        budget = self._budget
        self._bytes += count
        if self._paired:
            budget.paired += count
        else:
            budget.unpaired[self._client] += count
        unpaired = sum(budget.unpaired.values())
        if unpaired + budget.paired > _ALL_BYTES:
            return False
        return self._paired or (
            budget.unpaired[self._client] <= _UNPAIRED_ADDRESS_BYTES and unpaired <= _UNPAIRED_BYTES
        )

    def take_file(self) -> bool:
        """Count a temporary file; return False if there are too many."""
        self._files += 1
        self._budget.files += 1
        return self._budget.files <= (_MAX_FILES if self._paired else _MAX_FILES - _RESERVED_FILES)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        budget = self._budget
        budget.files -= self._files
        if self._paired:
            budget.paired -= self._bytes
        else:
            budget.unpaired[self._client] -= self._bytes
            if not budget.unpaired[self._client]:
                del budget.unpaired[self._client]
