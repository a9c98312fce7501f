"""RDM6300 and its like: 125 kHz EM4100 tags, one at a time, told again and again while they lie there.

9600 baud, sends only. A frame: ``02``, ten hex digits, two hex digits that are the XOR of the five bytes, ``03``.
"""

from __future__ import annotations

from typing import Final

from hardware.driver import DeviceEvent, PortSettings
from hardware.frame_parser import Parser, xor_of
from hardware.framed_driver import FramedDriver
from hardware.readers.presence import Presence

__all__ = ["Rdm6300", "Rdm6300Parser"]

_LENGTH: Final = 14
_HEX: Final = frozenset(b"0123456789ABCDEFabcdef")
#: The reader repeats a tag some 15 times a second; a tag is gone after so long without a word, s.
_ABSENT_AFTER_S: Final = 0.6


class Rdm6300Parser(Parser[str]):
    """Frames: a tag's ten hex digits, upper case (version byte, then four of the number)."""

    def take(self, buffer: bytearray) -> tuple[int, str | None]:
        """Take one frame, or what stands before the next start."""
        start = buffer.find(b"\x02")
        if start:
            return (start if start > 0 else len(buffer)), None
        if not _HEX.issuperset(buffer[1:13]):
            return 1, None
        if len(buffer) < _LENGTH:
            return 0, None
        payload = bytes.fromhex(buffer[1:13].decode("ascii"))
        if buffer[13] != 0x03 or xor_of(payload):
            return 1, None
        return _LENGTH, payload[:5].hex().upper()


class Rdm6300(FramedDriver[str]):
    """The reader under a tray or a field."""

    settings = PortSettings(9600, frame_timeout_s=0.05)
    identifies_itself = False

    def __init__(self) -> None:
        super().__init__(Rdm6300Parser())
        self._tags = Presence(_ABSENT_AFTER_S)

    def begin(self, now: float) -> bytes:
        """Begin afresh; there is nothing to ask."""
        self._tags.resume(now)
        return b""

    def on_frame(self, frame: str, now: float) -> list[DeviceEvent]:
        """Tell a tag that has come."""
        return self._tags.see(frame, now)

    def tick(self, now: float) -> list[DeviceEvent]:
        """Tell the tag that has gone."""
        return self._tags.tick(now)
