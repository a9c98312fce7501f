"""Barcode and QR scanners that send what they read as text and a line's end: Zebra, Honeywell and their like."""

from __future__ import annotations

from typing import Final

from hardware.driver import DeviceEvent, PortSettings
from hardware.frame_parser import LineParser
from hardware.framed_driver import FramedDriver

__all__ = ["CodeParser", "LineScanner", "Repeats", "code_of"]

#: What the largest QR code holds, characters.
LONGEST: Final = 4296
#: GS, RS and EOT are part of GS1 codes.
_CONTROLS: Final = frozenset("\x1d\x1e\x04")
#: A scanner that sees the same code without a break tells it again and again; that is one scan, s.
_REPEAT_S: Final = 1.0


def code_of(line: bytes) -> str | None:
    """Return a scanned code's text: UTF-8, else Shift JIS; None for what no scanner reads from paper."""
    for encoding in ("utf-8", "cp932"):
        try:
            text = line.decode(encoding)
        except UnicodeDecodeError:
            continue
        if all(char.isprintable() or char in _CONTROLS for char in text):
            return text.strip() or None
    return None


class Repeats:
    """Lets a code through once, however often the scanner tells it while it sees it."""

    def __init__(self) -> None:
        self._last: tuple[str, float] | None = None

    def see(self, text: str, now: float) -> list[DeviceEvent]:
        """Return the event of a code just scanned, unless it is still the same scan."""
        last, self._last = self._last, (text, now)
        if last is not None and last[0] == text and now - last[1] < _REPEAT_S:
            return []
        return [DeviceEvent("code", {"text": text})]


class CodeParser(LineParser[str]):
    """Frames: the text of a code."""

    def __init__(self) -> None:
        super().__init__(LONGEST)

    def read(self, line: bytes) -> str | None:
        """Read a line."""
        return code_of(line)


class LineScanner(FramedDriver[str]):
    """A scanner in line mode, by USB-CDC or RS-232. One without a line's end is understood by the pause after a code."""

    settings = PortSettings(9600, frame_timeout_s=0.1)
    identifies_itself = False

    def __init__(self) -> None:
        super().__init__(CodeParser())
        self._repeats = Repeats()

    def begin(self, now: float) -> bytes:
        """Begin afresh; there is nothing to ask."""
        return b""

    def on_frame(self, frame: str, now: float) -> list[DeviceEvent]:
        """Tell a code."""
        return self._repeats.see(frame, now)
