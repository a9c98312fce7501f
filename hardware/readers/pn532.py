"""PN532 on its high-speed UART (HSU): 13.56 MHz tags (ISO 14443 A), at most two at a time.

115200 baud. A frame: ``00 00 FF LEN LCS D4 command ... DCS 00``, answered ``D5 command+1 ...`` after an ACK. Source: NXP
UM0701-02 (PN532 User Manual), 6.2 "Host controller communication protocol" and 7 "PN532 commands". The commands are those that the
firmware of the button box uses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from hardware.driver import DeviceEvent, PortSettings
from hardware.firmware.pico.hanafuda_box.readers import (
    GET_VERSION,
    LIMIT_ATTEMPTS,
    LIST_TARGETS,
    POLL,
    WAKE_UP,
    command,
    targets,
)
from hardware.framed_driver import Parser
from hardware.readers.presence import PolledReader

ACK: Final = bytes.fromhex("0000FF00FF00")
_MAX_LENGTH: Final = 265


@dataclass(frozen=True, slots=True)
class Pn532Frame:
    """A frame from the chip; only answers have ``code`` and ``data``."""

    kind: Literal["ack", "nack", "error", "answer"]
    code: int = 0
    """The command's code plus one."""
    data: bytes = b""


_SHORT: Final = {b"\x00\xff": Pn532Frame("ack"), b"\xff\x00": Pn532Frame("nack")}


class Pn532Parser(Parser[Pn532Frame]):
    """Parses normal and extended frames from the chip; echoed host frames (``D4``) are skipped."""

    def take(self, buffer: bytearray) -> tuple[int, Pn532Frame | None]:
        """Parse one frame, or skip to the next start code ``00 FF``."""
        start = buffer.find(b"\x00\xff")
        if start:
            return (start if start > 0 else len(buffer) - buffer.endswith(b"\x00")), None
        if len(buffer) < 4:
            return 0, None
        if short := _SHORT.get(bytes(buffer[2:4])):
            return 4, short
        extended = buffer[2:4] == b"\xff\xff"
        head = 7 if extended else 4
        if len(buffer) < head:
            return 0, None
        length = buffer[4] << 8 | buffer[5] if extended else buffer[2]
        if not 0 < length <= _MAX_LENGTH or sum(buffer[4:7] if extended else buffer[2:4]) & 0xFF:
            return 1, None
        return _complete_frame(buffer, head, head + length)


def _complete_frame(buffer: bytearray, head: int, end: int) -> tuple[int, Pn532Frame | None]:
    """Parse a frame with a valid header, including its final 00.

    If a data byte 00 was lost, the checksum is read as data and the final 00 as the checksum, which then still matches; only the
    missing final byte reveals the loss.
    """
    if len(buffer) <= end + 1:
        return 0, None
    body = bytes(buffer[head:end])
    if (sum(body) + buffer[end]) & 0xFF or buffer[end + 1]:
        return 1, None
    if body == b"\x7f":
        return end + 2, Pn532Frame("error")
    if body[0] != 0xD5 or len(body) < 2:
        return 1, None
    return end + 2, Pn532Frame("answer", body[1], body[2:])


class Pn532(PolledReader[Pn532Frame]):
    """Driver of a reader for one or two cards."""

    settings = PortSettings(115200, frame_timeout_s=0.05, probe_timeout_s=1.5, response_timeout_s=3.0)
    poll_interval_s = 0.1
    absent_after_s = 0.8  # about four polls

    def __init__(self) -> None:
        super().__init__(Pn532Parser())

    def begin(self, now: float) -> bytes:
        """Wake the chip and request its version."""
        return WAKE_UP + command(GET_VERSION)

    def poll(self) -> bytes:
        """Return the command that lists up to two targets."""
        return POLL

    def on_frame(self, frame: Pn532Frame, now: float) -> list[DeviceEvent]:
        """Process a frame; after an error the next poll tries again."""
        if frame.kind != "answer":
            return []
        if frame.code == GET_VERSION + 1 and len(frame.data) >= 3:
            self._output += LIMIT_ATTEMPTS
            chip, major, minor = frame.data[:3]
            self.answered(now)
            return [DeviceEvent("ready", {"says": f"PN5{chip:02X} firmware {major}.{minor}"})]
        if frame.code == LIST_TARGETS + 1:
            self.answered(now)
            return [event for uid in targets(frame.data) for event in self.tags.see(uid, now)]
        return []
