"""Why the disk or the database refused: error codes of SQLite and the system as a reason and a sentence."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from companion.store.errors import FaultReason, LogBusyError, LogWriteError

__all__ = ["DAMAGED", "ReplacedError", "reason_of", "write_error"]

DAMAGED: Final = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What reading a damaged database raises; the second where its error message quotes bytes that are no text."""

_SQLITE: Final[Mapping[int, FaultReason]] = {
    sqlite3.SQLITE_BUSY: "busy",
    sqlite3.SQLITE_LOCKED: "busy",
    sqlite3.SQLITE_FULL: "full",
    sqlite3.SQLITE_READONLY: "read-only",
    sqlite3.SQLITE_PERM: "read-only",
    sqlite3.SQLITE_CORRUPT: "damaged",
    sqlite3.SQLITE_NOTADB: "damaged",
    sqlite3.SQLITE_IOERR: "failed",
    sqlite3.SQLITE_CANTOPEN: "failed",
}
"""Primary result codes that are about the disk or the file; others are errors of the program."""
_PRIMARY: Final = 0xFF
"""The bits of an extended result code that are the primary one."""

_SYSTEM: Final[Mapping[int, FaultReason]] = {
    errno.ENOSPC: "full",
    errno.EDQUOT: "full",
    errno.EFBIG: "full",
    errno.EROFS: "read-only",
    errno.EACCES: "read-only",
    errno.EPERM: "read-only",
}

_ADVICE: Final[Mapping[FaultReason, str]] = {
    "full": "make room on the disk and try again",
    "read-only": "give the user who runs companion the right to write there, or check whether the disk has become"
    " read-only",
    "replaced": "start the server again",
    "damaged": "start the server again, which repairs what it can, or restore a backup with `companion log restore`",
    "failed": "check the disk and try again",
}


class ReplacedError(OSError):
    """Another file has taken the place of the open database."""


def reason_of(error: OSError | sqlite3.Error) -> FaultReason | None:
    """Return what a failure of the disk or database is about; None where SQLite reports an error of the program."""
    if isinstance(error, ReplacedError):
        return "replaced"
    if isinstance(error, OSError):
        return _SYSTEM.get(error.errno or 0, "failed")
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:  # Python's own: a stored text that is no text any more
        return "damaged" if isinstance(error, sqlite3.OperationalError) else None
    return _SQLITE.get(code & _PRIMARY)


def write_error(error: OSError | sqlite3.Error, folder: Path) -> LogWriteError:
    """Return the error that reports a failed write to the person at the table."""
    reason = reason_of(error) or "failed"
    if reason == "busy":
        return LogBusyError(folder)
    return LogWriteError(
        f"the log in {folder} could not be written ({error}), so nothing was stored: {_ADVICE[reason]}",
        reason=reason,
    )
