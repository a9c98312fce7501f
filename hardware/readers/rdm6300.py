"""RDM6300 and its like: 125 kHz EM4100 tags, one at a time, told again and again while they lie there.

9600 baud, sends only. A frame: ``02``, ten hex digits, two hex digits that are the XOR of the five bytes, ``03``.
"""

from __future__ import annotations

from typing import Final

from hardware.device import DeviceEvent, Driver, LineSettings
from hardware.parsing import Parser, xor_of
from hardware.readers.presence import Presence

__all__ = ["Rdm6300", "Rdm6300Parser"]

_LENGTH: Final = 14
_HEX: Final = frozenset(b"0123456789ABCDEFabcdef")
#: The reader repeats a tag some 15 times a second; a tag is gone after so long without a word, s.
_GONE_S: Final = 0.6
#: So many bytes without one good frame, and another device is plugged in here.
_STRANGE: Final = 64


class Rdm6300Parser(Parser[str]):
    """Frames: a tag's ten hex digits, upper case (version byte, then four of the number)."""

    def take(self, held: bytearray) -> tuple[int, str | None]:
        """Take one frame, or what stands before the next start."""
        start = held.find(b"\x02")
        if start:
            return (start if start > 0 else len(held)), None
        if not _HEX.issuperset(held[1:13]):
            return 1, None
        if len(held) < _LENGTH:
            return 0, None
        if held[13] != 0x03:
            return 1, None
        told = bytes.fromhex(held[1:13].decode("ascii"))
        return (_LENGTH, told[:5].hex().upper()) if xor_of(told) == 0 else (1, None)


class Rdm6300(Driver):
    """The reader under a tray or a field."""

    settings = LineSettings(9600, silence_s=0.05)
    proves = False

    def __init__(self) -> None:
        super().__init__()
        self._parser = Rdm6300Parser()
        self._tags = Presence(_GONE_S)

    def hello(self, now: float) -> bytes:
        """Begin afresh; there is nothing to ask."""
        self._parser.reset()
        self._tags.resume(now)
        return b""

    def feed(self, data: bytes, now: float) -> list[DeviceEvent]:
        """Take what came."""
        return self._told(self._parser.feed(data), now)

    def idle(self, now: float) -> list[DeviceEvent]:
        """Give up a frame that does not end."""
        return self._told(self._parser.idle(), now)

    def tick(self, now: float) -> list[DeviceEvent]:
        """Tell the tag that has gone."""
        return self._tags.tick(now)

    def _told(self, uids: list[str], now: float) -> list[DeviceEvent]:
        events: list[DeviceEvent] = []
        for uid in uids:
            self.good += 1
            self.last_frame = bytes.fromhex(uid)
            events += self._tags.see(uid, now)
        if not uids and self._parser.astray >= _STRANGE:
            self._parser.reset()
            events.append(DeviceEvent("fault", {"code": "wrong-device", "detail": "no frame of a tag"}))
        return events
