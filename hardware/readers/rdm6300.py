"""RDM6300 and compatible readers: one 125 kHz EM4100 tag at a time, sent repeatedly while it is present.

9600 baud; it receives no commands. The firmware of the button box has the parser of its frames.
"""

from __future__ import annotations

from typing import Final

from hardware.driver import DeviceEvent, PortSettings
from hardware.firmware.pico.hanafuda_box.frames import parse_rdm6300
from hardware.framed_driver import FramedDriver, Parser
from hardware.readers.presence import Presence

#: Time without a reading after which a tag counts as removed, s; the reader repeats it about 15 times a second.
_ABSENT_AFTER_S: Final = 0.6


class Rdm6300Parser(Parser[str]):
    """Parses frames to a tag's ten hex digits, upper case (the version byte and the four bytes of the number)."""

    def take(self, buffer: bytearray) -> tuple[int, str | None]:
        """Parse one frame, or skip to the next start byte."""
        return parse_rdm6300(buffer)


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
