"""ACG (ASSA ABLOY) HF multi-tag readers, which read all tags of a pile at once; ASCII protocol.

9600 baud. ``m`` and CR requests an inventory: one line per tag (``V`` and 16 hex digits, ISO 15693), then a line with the count.
"""

from __future__ import annotations

import re
from collections import deque
from typing import Final

from hardware.driver import DeviceEvent, PortSettings
from hardware.framed_driver import LineParser
from hardware.readers.presence import PolledReader

_POLL: Final = b"m\r"
_LINE: Final = re.compile(rb"V([0-9A-Fa-f]{16})|(\d{2})")
_MAX_LENGTH: Final = 80
#: A tag counts as removed if it is missing from this number of complete inventories in a row, which are faster for a small
#: pile. Because an inventory may miss a tag, it must also have been missing for this time, s.
_MISSED_INVENTORIES: Final = 2
_MIN_INTERVAL_S: Final = 0.6


class AcgParser(LineParser[str | int]):
    """Frames: a tag's 16 hex digits, upper case, or the count that ends an inventory."""

    def __init__(self) -> None:
        super().__init__(_MAX_LENGTH)

    def read(self, line: bytes) -> str | int | None:
        """Parse a line; None for the reader's banner and error letters."""
        matched = _LINE.fullmatch(line)
        if matched is None:
            return None
        tag, count = matched.groups()
        return tag.decode("ascii").upper() if tag else int(count)


class Acg(PolledReader[str | int]):
    """Driver of a reader under a pile of captured cards."""

    settings = PortSettings(9600, frame_timeout_s=0.2, probe_timeout_s=3.0, response_timeout_s=5.0)
    poll_interval_s = 0.05
    answer_timeout_s = 1.5
    absent_after_s = 2.5  # while no inventory is complete; one of a full pile takes up to about a second

    def __init__(self) -> None:
        super().__init__(AcgParser())
        self._inventory_ends: deque[float] = deque(maxlen=_MISSED_INVENTORIES + 1)
        """When the last complete inventories ended, s."""
        self._read_count = 0
        """Number of tags in the current inventory so far."""
        self._identified = False

    def begin(self, now: float) -> bytes:
        """Request a first inventory; its count identifies the reader."""
        self._identified = False
        self._inventory_ends.clear()
        self._read_count = 0
        return _POLL

    def poll(self) -> bytes:
        """Return the inventory command."""
        return _POLL

    def on_frame(self, frame: str | int, now: float) -> list[DeviceEvent]:
        """Process a tag or the end of an inventory."""
        if isinstance(frame, str):
            self._read_count += 1
            return self.tags.see(frame, now)
        self.answered(now)
        is_complete, self._read_count = self._read_count == frame, 0  # otherwise a tag's line was lost
        removed = []
        if is_complete:
            self._inventory_ends.append(now)
        if is_complete and len(self._inventory_ends) > _MISSED_INVENTORIES:
            removed = self.tags.absent_since(min(self._inventory_ends[0], now - _MIN_INTERVAL_S))
        if self._identified:
            return removed
        self._identified = True
        return [DeviceEvent("ready", {"says": "multi-tag reader"}), *removed]
