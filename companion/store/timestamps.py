"""Times as they are stored: ISO 8601 in UTC, such as ``2026-01-31T19:30:00.000Z``; and a clock for durations, which is never set.

Texts of the same precision are in the order of the times. The time of day jumps: a Raspberry Pi has no clock that runs without power.
"""

from __future__ import annotations

import secrets
import sys
import time
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Literal


def iso_utc(instant: datetime, precision: Literal["milliseconds", "seconds"] = "milliseconds") -> str:
    """Return an instant, which has a time zone, as text."""
    return instant.astimezone(UTC).isoformat(timespec=precision).replace("+00:00", "Z")


def now_utc(precision: Literal["milliseconds", "seconds"] = "milliseconds") -> str:
    """Return the current time as text."""
    return iso_utc(datetime.now(UTC), precision)


def steady_s() -> float:
    """Return the time on a clock that nobody sets, s. On Linux it counts while the machine sleeps, too."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if sys.platform == "linux" else time.monotonic()


@cache
def steady_base() -> str:
    """Return the name of the instant from which `steady_s` counts: a start of this machine, or else of this process."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:  # another system than Linux
        return secrets.token_hex(8)
