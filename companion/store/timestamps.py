"""Times as they are stored: ISO 8601 in UTC, such as ``2026-01-31T19:30:00.000Z``; and a clock for durations, which is never set.

Texts of the same precision are in the order of the times. The time of day jumps: a Raspberry Pi has no clock that runs without power.
"""

from __future__ import annotations

import secrets
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Final, Literal


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


_SETTLED_S: Final = 3600.0
"""How long a clock must have been ahead until it is believed, s."""
_TOLERANCE: Final = timedelta(minutes=1)


class SettledClock:
    """The time of day by which old things are deleted. Thread-safe.

    A clock that is set forward is believed after an hour, and the clock at the start of the program too: one that is wrong for a moment
    deletes nothing. One that is set back is believed at once.
    """

    def __init__(
        self,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        steady: Callable[[], float] = steady_s,
    ) -> None:
        self._clock, self._steady = clock, steady
        self._lock = threading.Lock()
        self._believed, self._at = datetime(1970, 1, 10, tzinfo=UTC), steady()
        self._ahead: tuple[datetime, float] | None = None
        """The time that is not believed yet, and since when the clock shows it."""

    def __call__(self) -> datetime:
        """Return the time. To be called at least every hour."""
        with self._lock:
            displayed, at = self._clock(), self._steady()
            self._believed, self._at = self._believed + timedelta(seconds=at - self._at), at
            if displayed <= self._believed + _TOLERANCE:
                self._believed, self._ahead = displayed, None
            elif (
                self._ahead is None
                or displayed > self._ahead[0] + timedelta(seconds=at - self._ahead[1]) + _TOLERANCE
            ):
                self._ahead = displayed, at
            elif at - self._ahead[1] >= _SETTLED_S:
                self._believed, self._ahead = displayed, None
            return self._believed


settled_now: Final = SettledClock()
"""The clock of this process."""
