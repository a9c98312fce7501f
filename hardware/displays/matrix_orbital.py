"""Matrix Orbital LK and GLK displays.

19200 baud. ``FE`` begins a command: ``58`` clears the display, ``47 column row`` (from 1) sets the cursor, ``37`` requests the
module's type, which is answered with one byte. Source: Matrix Orbital LK204 technical manual, "Command summary".
"""

from __future__ import annotations

from typing import Final

from hardware.displays.kana import encode_cells
from hardware.displays.screen_updates import CellRun, TextDisplay
from hardware.driver import DeviceEvent, PortSettings

_TYPE: Final = b"\xfe\x37"
_CLEAR: Final = b"\xfe\x58"
#: Turns off line wrapping and scrolling, because rows are written one by one.
_NO_WRAP_NO_SCROLL: Final = b"\xfe\x44\xfe\x52"


class MatrixOrbital(TextDisplay):
    """20 x 4 or 16 x 2 cells."""

    settings = PortSettings(19200)

    def __init__(self, columns: int = 20, rows: int = 4) -> None:
        super().__init__(columns, rows)
        self._asked = False

    def restart(self, now: float) -> bytes:
        """Clear the display and request its type."""
        self.screen.cleared(now)
        self._asked = True
        return _NO_WRAP_NO_SCROLL + _CLEAR + _TYPE

    def feed(self, data: bytes, now: float) -> list[DeviceEvent]:
        """Process the type, one byte; other data (keys) is ignored."""
        if not self._asked or not data:
            return []
        self._asked = False
        self.frame_count += 1
        self.last_frame = data[:1]
        return [DeviceEvent("ready", {"says": f"module type {data[0]:02X}"})]

    def write(self, run: CellRun) -> bytes:
        """Return the cursor command and the text."""
        return bytes([0xFE, 0x47, run.column + 1, run.row + 1]) + encode_cells(run.text)
