"""Barcode and QR scanners that send each code as a line of text (Zebra, Honeywell and others)."""

from __future__ import annotations

from typing import Final

from hardware.driver import DeviceEvent, PortSettings
from hardware.framed_driver import FramedDriver, LineParser

#: Capacity of the largest QR code, characters.
LONGEST: Final = 4296
#: Control characters of GS1 codes: GS, RS and EOT.
_CONTROLS: Final = frozenset("\x1d\x1e\x04")
#: Repeated codes within this time are one scan, s.
_REPEAT_S: Final = 1.0


def code_of(line: bytes) -> str | None:
    """Return a scanned code's text: UTF-8, else Shift JIS; None if it has control characters that no code contains."""
    for encoding in ("utf-8", "cp932"):
        try:
            text = line.decode(encoding)
        except UnicodeDecodeError:
            continue
        if all(char.isprintable() or char in _CONTROLS for char in text):
            return text.strip() or None
    return None


class Repeats:
    """Suppresses repeated scans of a code that stays in view."""

    def __init__(self) -> None:
        self._last: tuple[str, float] | None = None

    def see(self, text: str, now: float) -> list[DeviceEvent]:
        """Return the event of a scanned code; none if it repeats the last scan."""
        last, self._last = self._last, (text, now)
        if last is not None and last[0] == text and now - last[1] < _REPEAT_S:
            return []
        return [DeviceEvent("code", {"text": text})]


class CodeParser(LineParser[str]):
    """Parses the texts of codes."""

    def __init__(self) -> None:
        super().__init__(LONGEST)

    def read(self, line: bytes) -> str | None:
        """Return the text of a code."""
        return code_of(line)


class LineScanner(FramedDriver[str]):
    """Driver of a scanner in line mode (USB-CDC or RS-232); without line ends, a pause ends a code."""

    settings = PortSettings(9600, frame_timeout_s=0.1)
    identifies_itself = False

    def __init__(self) -> None:
        super().__init__(CodeParser())
        self._repeats = Repeats()

    def begin(self, now: float) -> bytes:
        """Return no probe: the device receives no commands."""
        return b""

    def on_frame(self, frame: str, now: float) -> list[DeviceEvent]:
        """Return the event of a code."""
        return self._repeats.see(frame, now)
