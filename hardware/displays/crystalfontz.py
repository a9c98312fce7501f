"""Crystalfontz CFA-631, 633, 635 and 835: display, keys and lights in one box.

115200 baud on USB. Commands used: 0 ping, 1 identification, 6 clear, 31 text at column and row, 34 set a light. Report 80 hex
is a key: codes 1-6 when pressed (up, down, left, right, enter, exit) and 7-12 when released; on a CFA-631 13-16 (upper left,
upper right, lower left, lower right) and 17-20. A packet: ``type length data crcLow crcHigh`` with CRC-16/X-25; types (bits):
00xxxxxx command, 01xxxxxx its answer, 10xxxxxx report, 11xxxxxx error. Source: the CFA635 and CFA631 data sheets, "Host
communications", "Command codes" and "Report codes".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hardware.displays.kana import Font, encode_cells
from hardware.displays.screen_updates import ScreenBuffer
from hardware.driver import Command, DeviceEvent, PortSettings, SetLight, ShowRows
from hardware.framed_driver import FramedDriver, Parser
from hardware.press_timing import KeyMeanings, PressDetector

_MAX_LENGTH: Final = 124  # the CFA835's; the others' is 22

_PING: Final = 0
_IDENTIFY: Final = 1
_CLEAR: Final = 6
_TEXT: Final = 31
_LIGHT: Final = 34
_ANSWER: Final = 0x40
_ERROR: Final = 0xC0
_KEY: Final = 0x80

#: Interval of pings, s.
_PING_S: Final = 2.0
_BLINK_S: Final = 0.5
#: GPIO numbers of the green LEDs of a CFA-635, from the top.
_GREEN: Final = (11, 9, 7, 5)
_FULL_BRIGHTNESS: Final = 100
#: The button that each light belongs to, from the top; the lights are beside the display, not beside the keys.
_LIGHTS: Final = ("koi-koi", "stop", "pass", "undo")

KEY_MEANINGS: Final[KeyMeanings] = {
    (1, "press"): "koi-koi", (5, "press"): "stop", (2, "press"): "pass", (6, "press"): "undo", (4, "press"): "next",
    (13, "press"): "koi-koi", (14, "press"): "stop", (15, "press"): "pass", (16, "press"): "undo", (16, "long"): "next",
}  # fmt: skip
"""Key meanings by the code of a key going down."""


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet's type and data."""

    kind: int
    data: bytes = b""


def packet(kind: int, data: bytes = b"") -> bytes:
    """Return a packet's bytes; at most 124 bytes of data."""
    body = bytes([kind, len(data)]) + data
    return body + _crc(body).to_bytes(2, "little")


class PacketParser(Parser[Packet]):
    """Parses packets from the device (answers, reports, errors); invalid data is skipped byte by byte, as the data sheet requires."""

    def take(self, buffer: bytearray) -> tuple[int, Packet | None]:
        """Parse one packet."""
        if buffer[0] < 0x40:  # type bits 00: a command, which only the host sends
            return 1, None
        if len(buffer) < 2:
            return 0, None
        if buffer[1] > _MAX_LENGTH:
            return 1, None
        end = 2 + buffer[1]
        if len(buffer) < end + 2:
            return 0, None
        if _crc(buffer[:end]) != buffer[end] | buffer[end + 1] << 8:
            return 1, None
        return end + 2, Packet(buffer[0], bytes(buffer[2:end]))


def _crc(data: bytes | bytearray) -> int:
    """Return the CRC-16/X-25 of some bytes."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0x8408 if crc & 1 else crc >> 1
    return crc ^ 0xFFFF


class Crystalfontz(FramedDriver[Packet]):
    """20 x 4 cells and six keys (635, 835), or 16 x 2 and four or six (631, 633)."""

    settings = PortSettings(115200, frame_timeout_s=0.25, probe_timeout_s=2.0, response_timeout_s=6.0)

    def __init__(self, columns: int = 20, rows: int = 4, meanings: KeyMeanings = KEY_MEANINGS) -> None:
        super().__init__(PacketParser())
        self.screen = ScreenBuffer(columns, rows)
        self.font: Font = "ascii"
        self._presses = PressDetector(meanings)
        self._lights: dict[int, SetLight] = {}
        self._light_states: dict[int, int] = {}
        self._ping = 0.0

    def begin(self, now: float) -> bytes:
        """Request the identification and clear the display."""
        self._presses.reset()
        self._light_states.clear()
        self._ping = now + _PING_S
        self.screen.cleared(now)
        return packet(_IDENTIFY) + packet(_CLEAR)

    def tick(self, now: float) -> list[DeviceEvent]:
        """Update the display and the lights, ping, and detect presses."""
        self._output += self._draw(now) + self._light(now)
        if now >= self._ping:
            self._ping = now + _PING_S
            self._output += packet(_PING)
        return self._presses.tick(now)

    def send(self, command: Command, now: float) -> bytes:
        """Show rows, or set a light (from 1, the upper first)."""
        if isinstance(command, SetLight):
            self._lights[command.number] = command
            return self._light(now)
        if isinstance(command, ShowRows):
            self.screen.set_rows(command.rows)
            return self._draw(now)
        return b""

    def light_for(self, button: str) -> int | None:
        """Return the light of a button."""
        return _LIGHTS.index(button) + 1 if button in _LIGHTS else None

    def on_frame(self, frame: Packet, now: float) -> list[DeviceEvent]:
        """Process one packet."""
        if frame.kind == _ANSWER | _IDENTIFY:
            return [DeviceEvent("ready", {"says": frame.data.decode("ascii", errors="replace")})]
        if frame.kind == _KEY and frame.data:
            code = frame.data[0]
            down = 1 <= code <= 6 or 13 <= code <= 16
            if down:
                return self._presses.down(code, now)
            return self._presses.up(code - (6 if code <= 12 else 4), now)
        if frame.kind & _ERROR == _ERROR and frame.kind & 0x3F != _LIGHT:  # a CFA-631 or 633 has no lights
            return [DeviceEvent("fault", {"code": "refused", "detail": f"command {frame.kind & 0x3F}"})]
        return []

    def _draw(self, now: float) -> bytes:
        """Return the packets for changed cells; a packet holds up to 20 cells."""
        return b"".join(
            packet(_TEXT, bytes([run.column, run.row]) + encode_cells(run.text))
            for run in self.screen.take_changes(now)
        )

    def _light(self, now: float) -> bytes:
        out = b""
        for number, light in self._lights.items():
            on = light.how == "on" or (light.how == "blink" and int(now / _BLINK_S) % 2 == 0)
            value = _FULL_BRIGHTNESS * on
            if 1 <= number <= len(_GREEN) and self._light_states.get(number) != value:
                self._light_states[number] = value
                out += packet(_LIGHT, bytes([_GREEN[number - 1], value]))
        return out
