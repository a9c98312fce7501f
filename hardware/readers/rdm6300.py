"""RDM6300 and compatible readers: one 125 kHz EM4100 tag at a time, sent repeatedly while it is present.

9600 baud; it receives no commands. A frame: ``02``, ten hex digits, two hex digits with the XOR of these five bytes, ``03``.
"""

from __future__ import annotations

from functools import reduce
from operator import xor
from typing import Final

from hardware.driver import DeviceEvent, PortSettings
from hardware.framed_driver import FramedDriver, Parser
from hardware.readers.presence import Presence

_LENGTH: Final = 14
_HEX: Final = frozenset(b"0123456789ABCDEFabcdef")
#: Time without a reading after which a tag counts as removed, s; the reader repeats it about 15 times a second.
_ABSENT_AFTER_S: Final = 0.6


def xor_of(data: bytes) -> int:
    """Return the XOR of all bytes."""
    return reduce(xor, data, 0)


class Rdm6300Parser(Parser[str]):
    """Parses frames to a tag's ten hex digits, upper case (the version byte and the four bytes of the number)."""

    def take(self, buffer: bytearray) -> tuple[int, str | None]:
        """Parse one frame, or skip to the next start byte."""
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
    """Driver of a reader under a tray or a field."""

    settings = PortSettings(9600, frame_timeout_s=0.05)
    identifies_itself = False

    def __init__(self) -> None:
        super().__init__(Rdm6300Parser())
        self._tags = Presence(_ABSENT_AFTER_S)

    def begin(self, now: float) -> bytes:
        """Return no probe: the device receives no commands."""
        self._tags.resume(now)
        return b""

    def on_frame(self, frame: str, now: float) -> list[DeviceEvent]:
        """Return the event of a new tag."""
        return self._tags.see(frame, now)

    def tick(self, now: float) -> list[DeviceEvent]:
        """Return the event of a removed tag."""
        return self._tags.tick(now)
