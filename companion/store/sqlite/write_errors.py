"""Translates error codes of SQLite and the operating system to a reason and a message."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from companion.hanafuda.messages import Message
from companion.store.errors import FaultReason, LogBusyError, LogWriteError

__all__ = ["DAMAGED", "ReplacedError", "reason_of", "write_error"]

DAMAGED: Final = (sqlite3.DatabaseError, UnicodeDecodeError)
"""The errors of reading a damaged database; the second occurs if the error message itself quotes bytes that are not UTF-8."""

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
"""Primary result codes caused by the disk or the file; others are bugs of the program."""
_PRIMARY: Final = 0xFF
"""Mask of the primary result code in an extended one."""

_SYSTEM: Final[Mapping[int, FaultReason]] = {
    errno.ENOSPC: "full",
    errno.EDQUOT: "full",
    errno.EFBIG: "full",
    errno.EROFS: "read-only",
    errno.EACCES: "read-only",
    errno.EPERM: "read-only",
}


class ReplacedError(OSError):
    """Raised if another file has replaced the open database."""


def reason_of(error: OSError | sqlite3.Error) -> FaultReason | None:
    """Return the reason for a failure of the disk or database; None if SQLite reports a bug of the program."""
    if isinstance(error, ReplacedError):
        return "replaced"
    if isinstance(error, OSError):
        return _SYSTEM.get(error.errno or 0, "failed")
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:  # raised by Python's sqlite3 itself: a stored text is no longer valid UTF-8
        return "damaged" if isinstance(error, sqlite3.OperationalError) else None
    return _SQLITE.get(code & _PRIMARY)


def write_error(error: OSError | sqlite3.Error, folder: Path) -> LogWriteError:
    """Return the error for a failed write, with advice for the person at the table."""
    reason = reason_of(error) or "failed"
    if reason == "busy":
        return LogBusyError(folder)
    advice = Message(f"advice-log-{reason}")
    message = Message(
        "problem-log-not-written", {"folder": str(folder), "reason": str(error), "advice": advice}
    )
    return LogWriteError(message, reason=reason)
