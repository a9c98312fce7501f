"""PN532 on its high-speed UART (HSU): 13.56 MHz tags (ISO 14443 A), at most two at a time.

115200 baud. The firmware of the button box has the commands and the parser of the answers.
"""

from __future__ import annotations

from hardware.driver import DeviceEvent, PortSettings
from hardware.firmware.pico.hanafuda_box.frames import (
    GET_VERSION,
    LIMIT_ATTEMPTS,
    LIST_TARGETS,
    POLL,
    WAKE_UP,
    command,
    parse_pn532,
    targets,
)
from hardware.framed_driver import Parser
from hardware.readers.presence import PolledReader

Answer = tuple[int, bytes]
"""The code of the answered command plus one, and the answer's data."""


class Pn532Parser(Parser[Answer]):
    """Parses answers; acknowledgments, errors and echoed commands are skipped."""

    def take(self, buffer: bytearray) -> tuple[int, Answer | None]:
        """Parse one answer, or skip to the next start code ``00 FF``."""
        return parse_pn532(buffer)


class Pn532(PolledReader[Answer]):
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

    def on_frame(self, frame: Answer, now: float) -> list[DeviceEvent]:
        """Process an answer; after an error the next poll tries again."""
        code, data = frame
        if code == GET_VERSION + 1 and len(data) >= 3:
            self._output += LIMIT_ATTEMPTS
            chip, major, minor = data[:3]
            self.answered(now)
            return [DeviceEvent("ready", {"says": f"PN5{chip:02X} firmware {major}.{minor}"})]
        if code == LIST_TARGETS + 1:
            self.answered(now)
            return [event for uid in targets(data) for event in self.tags.see(uid, now)]
        return []
