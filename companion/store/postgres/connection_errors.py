"""Translates errors of PostgreSQL to a reason and a message for people: what is wrong, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import psycopg
from psycopg_pool import PoolTimeout

from companion.hanafuda.messages import Message
from companion.store.errors import (
    FaultReason,
    LogBusyError,
    LogReadError,
    LogUnreachableError,
    LogUnusableError,
    LogWriteError,
)
from companion.store.postgres.address import Address

__all__ = ["CommitInDoubtError", "read_error", "unusable_error", "write_error"]

_REASONS: Final[Mapping[str, FaultReason]] = {
    "25006": "read-only",
    "40001": "busy",
    "40P01": "busy",
    "53100": "full",
    "55P03": "busy",
    "57014": "busy",
    "XX001": "damaged",
    "XX002": "damaged",
}
"""SQLSTATE codes caused by the disk, the server or other programs; others are bugs of the program."""
_REFUSED: Final = ("password", "authentication", "pg_hba.conf", "role ")
"""Words in the errors of a server that refuses a user: the client library has no codes for them."""
_NOT_PERMITTED: Final = "42501"
_NO_DATABASE: Final = 'database "'


class CommitInDoubtError(psycopg.OperationalError):
    """Raised if the connection was lost during a commit, so that it is not known whether the changes are stored."""


def write_error(error: psycopg.Error, address: Address) -> LogWriteError:
    """Return the error for a failed write, with advice."""
    reason = reason_of(error)
    params = {"place": address.place, "reason": address.reason(error)}
    if isinstance(error, CommitInDoubtError):
        return LogUnreachableError(Message("problem-database-in-doubt", params))
    if reason == "unreachable":
        return LogUnreachableError(Message("problem-database-unreachable", params))
    if reason == "busy":
        return LogBusyError(address.place)
    advice = Message(f"advice-database-{reason}")
    return LogWriteError(Message("problem-database-not-written", {**params, "advice": advice}), reason=reason)


def read_error(error: psycopg.Error, address: Address) -> LogReadError:
    """Return the error for a failed read."""
    params = {"place": address.place, "reason": address.reason(error)}
    return LogReadError(Message("problem-database-not-read", params))


def unusable_error(error: psycopg.Error, address: Address) -> LogUnusableError:
    """Return the error for a database that cannot be opened."""
    reason = address.reason(error)
    params = {"place": address.place, "user": address.user, "database": address.database, "reason": reason}
    if error.sqlstate == _NOT_PERMITTED:
        return LogUnusableError(Message("database-not-permitted", params))
    if error.sqlstate is None and isinstance(error, psycopg.OperationalError):
        if any(word in reason for word in _REFUSED):
            return LogUnusableError(Message("database-refused", params))
        if _NO_DATABASE in reason and "not exist" in reason:
            return LogUnusableError(Message("database-missing", params))
        return LogUnusableError(Message("database-unreachable", params))
    return LogUnusableError(Message("database-unusable", params))


def reason_of(error: psycopg.Error) -> FaultReason:
    """Return the reason for a failure."""
    if isinstance(error, PoolTimeout):
        return "busy"
    code = error.sqlstate
    if code is None:  # not from the server
        unreachable = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
        return "unreachable" if unreachable else "failed"
    if code.startswith(("08", "57P", "53300", "25P03")):
        return "unreachable"
    return _REASONS.get(code, "failed")
