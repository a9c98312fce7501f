"""A lock that allows one server per data folder; the operating system releases it when the process ends, even if killed."""

from __future__ import annotations

import errno
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from companion.files import write_json
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message
from companion.store.errors import LogUnusableError
from companion.store.timestamps import now_utc

FOLDER_LOCK: Final = "server.lock"
"""The locked file; it is empty, because Windows does not allow reading a locked file."""
SERVER_FILE: Final = "server.json"
"""The file that describes the server with the lock, for the error message of a second server."""

_WAIT_S: Final = 1.0
"""Timeout for a server that is just ending, s."""

_NETWORK_FILE_SYSTEMS: Final = frozenset(
    ("9p", "afs", "ceph", "cifs", "davfs", "fuse.sshfs", "glusterfs", "ncpfs", "nfs", "nfs4", "smb3", "smbfs")
)
_MOUNTS: Final = Path("/proc/self/mounts")


@dataclass(frozen=True, slots=True)
class LockHolder:
    """The server that has a data folder open."""

    pid: int
    host: str
    """The name of the computer."""
    address: str
    """Where it serves."""
    since: str
    """ISO 8601 in UTC."""


class FolderInUseError(BadRequestError):
    """Raised if another server has the data folder open."""

    code = "folder-in-use"

    def __init__(self, folder: Path, server: LockHolder | None) -> None:
        self.server = server
        values = {"folder": str(folder)}
        if server is None:
            super().__init__(Message("folder-in-use", values))
            return
        known = {
            "pid": str(server.pid),
            "host": server.host,
            "address": server.address,
            "since": server.since,
        }
        super().__init__(Message("folder-in-use-by", {**values, **known}))


@contextmanager
def folder_lock(folder: Path, address: str) -> Iterator[None]:
    """Lock a data folder for this server; raises `FolderInUseError` if another process has locked it.

    Raises `LogUnusableError` if the folder cannot be written; on a disk that is read-only nothing is locked. On a network file system without
    locks, `filelock` falls back to a lock file; one that a killed process on the same computer left behind does not block.
    """
    lock = FileLock(folder / FOLDER_LOCK, timeout=_WAIT_S, mode=0o600, thread_local=False)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise FolderInUseError(folder, running_server(folder)) from None
    except OSError as error:
        if error.errno != errno.EROFS:
            raise LogUnusableError(
                Message("folder-not-writable", {"folder": str(folder), "reason": error.strerror or ""})
            ) from error
        # Nobody can write there.
    server = LockHolder(
        os.getpid(),
        socket.gethostname(),
        address,
        now_utc("seconds"),
    )
    try:
        with suppress(OSError):  # a full disk: the server may start all the same, and reports it
            write_json(folder / SERVER_FILE, asdict(server))
        yield
    finally:
        with suppress(OSError):
            (folder / SERVER_FILE).unlink(missing_ok=True)
        lock.release()


def network_file_system(folder: Path) -> str | None:
    """Return the type of the network file system of a folder; None if it is a local one or unknown (not Linux)."""
    try:
        mounts = [line.split()[1:3] for line in _MOUNTS.read_text(encoding="utf-8").splitlines()]
    except OSError:
        return None
    path = folder.resolve()
    mounted = [(point, kind) for point, kind in mounts if path.is_relative_to(point.replace("\\040", " "))]
    kind = max(mounted, key=lambda each: len(each[0]), default=("", ""))[1]
    return kind if kind in _NETWORK_FILE_SYSTEMS else None


def running_server(folder: Path) -> LockHolder | None:
    """Return the server that has a data folder open, or None."""
    try:
        return LockHolder(**json.loads((folder / SERVER_FILE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
