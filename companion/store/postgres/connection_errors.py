"""Translates errors of PostgreSQL to a reason and a message."""

from __future__ import annotations

import psycopg

from companion.hanafuda.messages import Message
from companion.store.errors import FaultReason, LogReadError, LogUnusableError, LogWriteError

__all__ = ["read_error", "unusable_error", "write_error"]


def reason_of(error: psycopg.Error) -> FaultReason:
    """Return the reason for a failure."""
    match error.sqlstate:
        case "53100":
            return "full"
        case "25006":
            return "read-only"
        case "55P03":
            return "busy"
    return "failed"


def write_error(error: psycopg.Error, place: str) -> LogWriteError:
    """Return the error for a failed write, with advice."""
    reason = reason_of(error)
    advice = Message(f"advice-log-{reason}")
    message = Message("problem-log-not-written", {"folder": place, "reason": _text(error), "advice": advice})
    return LogWriteError(message, reason=reason)


def read_error(error: psycopg.Error, place: str) -> LogReadError:
    """Return the error for a failed read."""
    return LogReadError(Message("problem-log-not-read", {"folder": place, "reason": _text(error)}))


def unusable_error(error: psycopg.Error, place: str) -> LogUnusableError:
    """Return the error for a database that cannot be opened."""
    return LogUnusableError(Message("log-unusable", {"path": place, "reason": _text(error)}))


def _text(error: psycopg.Error) -> str:
    return " ".join(str(error).split())
