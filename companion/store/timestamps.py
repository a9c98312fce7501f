"""Times as they are stored: ISO 8601 in UTC with milliseconds, such as ``2026-01-31T19:30:00.000Z``."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["iso_utc", "now_utc"]


def iso_utc(instant: datetime) -> str:
    """Return an instant, which has a time zone, as text."""
    return instant.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def now_utc() -> str:
    """Return the current time as text."""
    return iso_utc(datetime.now(UTC))
