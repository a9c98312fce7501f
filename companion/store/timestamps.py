"""Times as they are stored: ISO 8601 in UTC, such as ``2026-01-31T19:30:00.000Z``.

Texts of the same precision are in the order of the times.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal


def iso_utc(instant: datetime, precision: Literal["milliseconds", "seconds"] = "milliseconds") -> str:
    """Return an instant, which has a time zone, as text."""
    return instant.astimezone(UTC).isoformat(timespec=precision).replace("+00:00", "Z")


def now_utc(precision: Literal["milliseconds", "seconds"] = "milliseconds") -> str:
    """Return the current time as text."""
    return iso_utc(datetime.now(UTC), precision)
