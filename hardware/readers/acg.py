"""ACG (ASSA ABLOY) HF multi-tag readers: all tags of a pile at once, in ASCII.

9600 baud. ``m`` and CR is answered by a line a tag (``V`` and 16 hex digits, ISO 15693), then by a line with their count.
"""

from __future__ import annotations

import re
from collections import deque
from typing import Final

from hardware.driver import DeviceEvent, PortSettings
from hardware.frame_parser import LineParser
from hardware.framed_driver import PolledDriver
from hardware.readers.presence import Presence

__all__ = ["Acg", "AcgParser"]

_POLL: Final = b"m\r"
_LINE: Final = re.compile(rb"V([0-9A-Fa-f]{16})|(\d{2})")
_MAX_LENGTH: Final = 80
#: A tag has gone that two whole inventories in a row are without; the smaller the pile, the sooner. An inventory may miss
#: one: not before it was missing for so long, s.
_WITHOUT: Final = 2
_MIN_INTERVAL_S: Final = 0.6
#: And where inventories do not come whole: one of a full pile takes up to about a second.
_ABSENT_AFTER_S: Final = 2.5


class AcgParser(LineParser[str | int]):
    """Frames: a tag's 16 hex digits, upper case, or the count that ends an inventory."""

    def __init__(self) -> None:
        super().__init__(_MAX_LENGTH)

    def read(self, line: bytes) -> str | int | None:
        """Parse a line; None for the reader's banner and error letters."""
        found = _LINE.fullmatch(line)
        if found is None:
            return None
        tag, count = found.groups()
        return tag.decode("ascii").upper() if tag else int(count)


class Acg(PolledDriver[str | int]):
    """Driver of a reader under a pile of captured cards."""

    settings = PortSettings(9600, frame_timeout_s=0.2, probe_timeout_s=3.0, response_timeout_s=5.0)
    poll_interval_s = 0.05
    answer_timeout_s = 1.5

    def __init__(self) -> None:
        super().__init__(AcgParser())
        self._tags = Presence(_ABSENT_AFTER_S)
        self._ends: deque[float] = deque(maxlen=_WITHOUT + 1)
        """When the last inventories ended that came whole, s."""
        self._read = 0
        """The tags of this inventory so far."""
        self._greeted = False

    def begin(self, now: float) -> bytes:
        """Request a first inventory; its count identifies the reader."""
        self._greeted = False
        self._ends.clear()
        self._read = 0
        self._tags.resume(now)
        return _POLL

    def poll(self) -> bytes:
        """Return the inventory command."""
        return _POLL

    def on_frame(self, frame: str | int, now: float) -> list[DeviceEvent]:
        """Process a tag or the end of an inventory."""
        if isinstance(frame, str):
            self._read += 1
            return self._tags.see(frame, now)
        self.answered(now)
        whole, self._read = self._read == frame, 0  # else a tag's line was lost
        gone = []
        if whole:
            self._ends.append(now)
        if whole and len(self._ends) > _WITHOUT:
            gone = self._tags.absent_since(min(self._ends[0], now - _MIN_INTERVAL_S))
        if self._greeted:
            return gone
        self._greeted = True
        return [DeviceEvent("ready", {"says": "multi-tag reader"}), *gone]

    def tick(self, now: float) -> list[DeviceEvent]:
        """Poll when it is due, and report removed tags."""
        return super().tick(now) + self._tags.tick(self.last_answer_at)
