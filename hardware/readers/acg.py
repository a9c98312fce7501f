"""ACG (ASSA ABLOY) HF multi-tag readers: all tags of a pile at once, in ASCII.

9600 baud. ``m`` and CR is answered by a line a tag (``V`` and 16 hex digits, ISO 15693), then by a line with their count.
"""

from __future__ import annotations

import re
from typing import Final

from hardware.device import DeviceEvent, LineSettings
from hardware.framed import PolledDriver
from hardware.parsing import LineParser
from hardware.readers.presence import Presence

__all__ = ["Acg", "AcgParser"]

_POLL: Final = b"m\r"
_LINE: Final = re.compile(rb"V([0-9A-Fa-f]{16})|(\d{2})")
_LONGEST: Final = 80
#: An inventory of a whole pile takes the reader up to about a second; gone after two without the tag, s.
_GONE_S: Final = 2.5


class AcgParser(LineParser[str | int]):
    """Frames: a tag's 16 hex digits, upper case, or the count that ends an inventory."""

    def __init__(self) -> None:
        super().__init__(_LONGEST)

    def read(self, line: bytes) -> str | int | None:
        """Read a line; the reader's banner and its error letters are none."""
        found = _LINE.fullmatch(line)
        if found is None:
            return None
        tag, count = found.groups()
        return tag.decode("ascii").upper() if tag else int(count)


class Acg(PolledDriver[str | int]):
    """The reader under a pile of captured cards."""

    settings = LineSettings(9600, silence_s=0.2, probe_s=3.0, alive_s=5.0)
    pause_s = 0.05
    patience_s = 1.5

    def __init__(self) -> None:
        super().__init__(AcgParser())
        self._tags = Presence(_GONE_S)
        self._greeted = False

    def begin(self, now: float) -> bytes:
        """Ask for a first inventory: its count proves the reader."""
        self._greeted = False
        self._tags.resume(now)
        return _POLL

    def poll(self) -> bytes:
        """Ask for an inventory."""
        return _POLL

    def hear(self, frame: str | int, now: float) -> list[DeviceEvent]:
        """Take a tag, or the end of an inventory."""
        if isinstance(frame, str):
            return self._tags.see(frame, now)
        self.answered(now)
        if self._greeted:
            return []
        self._greeted = True
        return [DeviceEvent("ready", {"says": "multi-tag reader"})]

    def tick(self, now: float) -> list[DeviceEvent]:
        """Ask again when it is time, and tell the tags that have gone."""
        return super().tick(now) + self._tags.tick(self.answered_at)
