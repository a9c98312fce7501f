"""UHF modules of the R200 family (also M100, YRM100), which read tags half a meter away, on neighboring piles too.

115200 baud. A frame: ``BB type code lenH lenL parameters CS 7E``; CS is the low byte of the sum from type to the last
parameter. Type 00 is a command, 01 an answer, 02 a notice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hardware.driver import DeviceEvent, PortSettings
from hardware.framed_driver import Parser
from hardware.readers.presence import PolledReader

_VERSION: Final = 0x03
_INVENTORY: Final = 0x22
_STOP: Final = 0x28
_ERROR: Final = 0xFF
_MAX_LENGTH: Final = 256


@dataclass(frozen=True, slots=True)
class R200Frame:
    """A frame's type (0 command, 1 answer, 2 notice), code and parameters."""

    kind: int
    code: int
    data: bytes


def frame_of(kind: int, code: int, data: bytes = b"") -> bytes:
    """Return a frame's bytes; at most 65535 bytes of parameters."""
    body = bytes([kind, code]) + len(data).to_bytes(2, "big") + data
    return b"\xbb" + body + bytes([sum(body) & 0xFF, 0x7E])


class R200Parser(Parser[R200Frame]):
    """Parses frames of any type."""

    def take(self, buffer: bytearray) -> tuple[int, R200Frame | None]:
        """Parse one frame, or skip to the next start byte."""
        start = buffer.find(b"\xbb")
        if start:
            return (start if start > 0 else len(buffer)), None
        if len(buffer) < 5:
            return 0, None
        length = buffer[3] << 8 | buffer[4]
        if buffer[1] > 2 or length > _MAX_LENGTH:
            return 1, None
        end = 5 + length
        if len(buffer) < end + 2:
            return 0, None
        if buffer[end + 1] != 0x7E or sum(buffer[1:end]) & 0xFF != buffer[end]:
            return 1, None
        return end + 2, R200Frame(buffer[1], buffer[2], bytes(buffer[5:end]))


class R200(PolledReader[R200Frame]):
    """Driver of a reader under a pile. Tags with a signal below ``weakest_dbm`` (dBm) are on another pile and ignored."""

    settings = PortSettings(115200, frame_timeout_s=0.1, probe_timeout_s=1.5, response_timeout_s=3.0)
    poll_interval_s = 0.05
    absent_after_s = 1.5  # one inventory may miss tags

    def __init__(self, weakest_dbm: int | None = None) -> None:
        super().__init__(R200Parser())
        self._weakest = weakest_dbm

    def begin(self, now: float) -> bytes:
        """Stop a running inventory and request the version."""
        return frame_of(0, _STOP) + frame_of(0, _VERSION, b"\x00")

    def poll(self) -> bytes:
        """Return the command for one inventory."""
        return frame_of(0, _INVENTORY)

    def on_frame(self, frame: R200Frame, now: float) -> list[DeviceEvent]:
        """Process an answer or a notice; an error after an inventory means that no other tag answered."""
        if (frame.kind, frame.code) == (1, _VERSION):
            self.answered(now)
            says = frame.data[1:].decode("ascii", errors="replace").strip()
            return [DeviceEvent("ready", {"says": says})]
        if (frame.kind, frame.code) == (2, _INVENTORY):
            self.answered(now)
            return self._notice(frame.data, now)
        if (frame.kind, frame.code) == (1, _ERROR):
            self.answered(now)
        return []

    def _notice(self, data: bytes, now: float) -> list[DeviceEvent]:
        """Parse RSSI (dBm, signed), PC, EPC and its CRC; the upper five bits of PC are the EPC's length in words."""
        if len(data) < 5:
            return []
        rssi = int.from_bytes(data[:1], signed=True)
        epc = data[3 : 3 + 2 * (data[1] >> 3)]
        is_complete = len(epc) == len(data) - 5
        if not epc or not is_complete or (self._weakest is not None and rssi < self._weakest):
            return []
        return self.tags.see(epc.hex().upper(), now, rssi=rssi)
