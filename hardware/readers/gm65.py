"""GM65 and GM8xx barcode and QR modules: commands with a checksum, codes as text.

9600 baud. A command: ``7E 00 op n addrH addrL data crcH crcL`` with the CRC-16/XMODEM of all bytes after ``7E 00`` (``AB CD`` as
CRC means unchecked). An answer: ``02 00 00 n data crcH crcL``, with the CRC of all bytes after ``02 00``. Source: GM65 user
manual, "Serial port programming".
"""

from __future__ import annotations

from binascii import crc_hqx
from dataclasses import dataclass
from typing import Final

from hardware.driver import Command, DeviceEvent, PortSettings, TriggerScan
from hardware.framed_driver import FramedDriver, Parser
from hardware.readers.line_scanner import LONGEST, Repeats, code_of

_ANSWER: Final = b"\x02\x00"
_UNCHECKED: Final = b"\xab\xcd"
_MODE_ADDRESS: Final = 0x0000
_MODE_BITS: Final = 0x03
_SENSING_MODE: Final = 0x03
_TRIGGER_ADDRESS: Final = 0x0002
#: Interval at which an idle module is asked for its mode, as a sign of life, s.
_ASK_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class Gm65Answer:
    """The module's answer to a command."""

    data: bytes


def read_zone(address: int, count: int) -> bytes:
    """Return the command that reads bytes of the module's settings."""
    return _command(0x07, address, bytes([count]), count=1)


def write_zone(address: int, data: bytes) -> bytes:
    """Return the command that changes bytes of the module's settings until it loses power."""
    return _command(0x08, address, data, count=len(data))


def _command(op: int, address: int, data: bytes, *, count: int) -> bytes:
    body = bytes([op, count]) + address.to_bytes(2, "big") + data
    return b"\x7e\x00" + body + crc_hqx(body, 0).to_bytes(2, "big")


class Gm65Parser(Parser[Gm65Answer | str]):
    """Parses answers, and the texts of codes, which end with CR, LF or a pause."""

    def take(self, buffer: bytearray) -> tuple[int, Gm65Answer | str | None]:
        """Parse an answer or a line, or skip invalid data."""
        if buffer[0] == 0x02:
            return self._answer(buffer)
        stops = [at for end in (b"\r", b"\n", b"\x02") if (at := buffer.find(end)) >= 0]
        if not stops:
            return (len(buffer), None) if len(buffer) > LONGEST else (0, None)
        stop = min(stops)
        if buffer[stop] == 0x02:  # an answer interrupted a code, which is lost
            return stop, None
        return stop + 1, code_of(bytes(buffer[:stop]))

    def _answer(self, buffer: bytearray) -> tuple[int, Gm65Answer | None]:
        if len(buffer) < 4:
            return (0, None) if _ANSWER.startswith(bytes(buffer[:2])) else (1, None)
        if not buffer.startswith(_ANSWER) or buffer[2] != 0:
            return 1, None
        end = 4 + buffer[3]
        if len(buffer) < end + 2:
            return 0, None
        check = bytes(buffer[end : end + 2])
        if check not in {_UNCHECKED, crc_hqx(buffer[2:end], 0).to_bytes(2, "big")}:
            return 1, None
        return end + 2, Gm65Answer(bytes(buffer[4:end]))

    def idle(self) -> list[Gm65Answer | str]:
        """Return the buffer as a code without a line end, unless it is an incomplete answer."""
        return super().idle() if self._buffer[:1] == b"\x02" else self.feed(b"\n") if self._buffer else []


class Gm65(FramedDriver[Gm65Answer | str]):
    """Driver of a scanner in sensing mode, which scans whatever appears in front of it."""

    settings = PortSettings(9600, frame_timeout_s=0.1, probe_timeout_s=2.0, response_timeout_s=7.0)

    def __init__(self) -> None:
        super().__init__(Gm65Parser())
        self._repeats = Repeats()
        self._ask_at = 0.0
        self._identified = False

    def begin(self, now: float) -> bytes:
        """Request the mode."""
        self._ask_at, self._identified = now + _ASK_S, False
        return read_zone(_MODE_ADDRESS, 1)

    def on_frame(self, frame: Gm65Answer | str, now: float) -> list[DeviceEvent]:
        """Process a code or the mode; a module in manual mode (the factory setting) is set to sensing."""
        if isinstance(frame, str):
            return self._repeats.see(frame, now)
        if len(frame.data) == 1 and frame.data[0] and frame.data[0] & _MODE_BITS != _SENSING_MODE:
            self._output += write_zone(_MODE_ADDRESS, bytes([frame.data[0] | _SENSING_MODE]))
        if self._identified:
            return []
        self._identified = True
        return [DeviceEvent("ready", {"says": "GM65"})]

    def tick(self, now: float) -> list[DeviceEvent]:
        """Request the mode regularly, as a sign of life and to configure a module that lost power."""
        if now >= self._ask_at:
            self._ask_at = now + _ASK_S
            self._output += read_zone(_MODE_ADDRESS, 1)
        return []

    def send(self, command: Command, now: float) -> bytes:
        """Trigger a scan."""
        return write_zone(_TRIGGER_ADDRESS, b"\x01") if isinstance(command, TriggerScan) else b""
