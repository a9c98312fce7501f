"""SparkFun SerLCD and OpenLCD: an HD44780 display with a serial port that accepts plain text.

9600 baud. ``7C`` begins a setting (``7C 2D`` clears the display, ``7C 7C`` is a literal pipe), ``FE`` a command to the HD44780
(``FE 80+address`` sets the cursor). The display sends nothing. Source: OpenLCD's README, "Command set".
"""

from __future__ import annotations

from typing import Final

from hardware.displays.kana import Font, encode_cells
from hardware.displays.screen_updates import CellRun, TextDisplay
from hardware.driver import DeviceEvent, PortSettings

_CLEAR: Final = b"\x7c\x2d"
_PIPE: Final = b"|"


class SerLcd(TextDisplay):
    """16 x 2 or 20 x 4 cells."""

    settings = PortSettings(9600)
    identifies_itself = False

    def __init__(self, columns: int = 16, rows: int = 2, font: Font = "katakana") -> None:
        super().__init__(columns, rows, font)
        # Rows 3 and 4 continue rows 1 and 2 in the controller's memory.
        self._starts = (0x00, 0x40, columns, 0x40 + columns)

    def restart(self, now: float) -> bytes:
        """Clear the display."""
        self.screen.cleared(now)
        return _CLEAR

    def feed(self, data: bytes, now: float) -> list[DeviceEvent]:
        """Ignore data: the display sends nothing."""
        return []

    def write(self, run: CellRun) -> bytes:
        """Return the cursor command and the text, with pipes escaped."""
        text = encode_cells(run.text).replace(_PIPE, _PIPE * 2)
        return bytes([0xFE, 0x80 + self._starts[run.row] + run.column]) + text
