"""The ESC/POS commands that print a picture, and a parser of the printer's answers.

Commands: ``1B 40`` resets the printer, ``1D 76 30 00`` prints a raster image, ``1D 56 42`` feeds and cuts, ``1D 72 01`` is
answered once everything before it is printed. ``10 04 n`` (DLE EOT) is answered at once, even by a printer that is offline:
n = 1 state, 2 reason for being offline, 3 error, 4 paper. Source: Epson, "ESC/POS Command Reference".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from PIL import Image

from hardware.device_faults import FaultCode
from hardware.frame_parser import Parser

__all__ = [
    "ANSWER_WHEN_DONE",
    "BEGIN",
    "CUT",
    "QUESTIONS",
    "AnswerParser",
    "PrinterAnswer",
    "bands",
    "is_paper_low",
    "printer_fault",
]

BEGIN: Final = b"\x1b\x40"
CUT: Final = b"\x1d\x56\x42\x18"
ANSWER_WHEN_DONE: Final = b"\x1d\x72\x01"
QUESTIONS: Final = {number: bytes([0x10, 0x04, number]) for number in (1, 2, 3, 4)}

#: Rows per raster command, so that it fits the smallest printer's buffer (4 KB).
_BAND_ROWS: Final = 48
_DLE: Final = 0x10
#: Bytes that after DLE form a command which a printer executes even within raster data (EOT, ENQ, DC4).
_REAL_TIME_COMMANDS: Final = frozenset((0x04, 0x05, 0x14))
#: A dot that is added to a DLE byte of a picture, so that it no longer begins such a command.
_EXTRA_DOT: Final = 0x08


class PrinterAnswer(NamedTuple):
    """One byte from the printer: ``state`` answers DLE EOT, ``done`` answers GS r (its bits describe the paper)."""

    kind: Literal["state", "done"]
    bits: int


class AnswerParser(Parser[PrinterAnswer]):
    """Parses one-byte answers, which are recognized by their fixed bits."""

    def take(self, buffer: bytearray) -> tuple[int, PrinterAnswer | None]:
        """Parse one byte."""
        bits = buffer[0]
        if bits & 0x93 == 0x12:
            return 1, PrinterAnswer("state", bits)
        if bits & 0x90 == 0:
            return 1, PrinterAnswer("done", bits)
        return 1, None


def bands(picture: Image.Image) -> Iterator[bytes]:
    """Yield the commands that print a picture of mode "1" (black on white, width a multiple of 8), from the top."""
    if picture.mode != "1" or picture.width % 8:
        raise ValueError(
            f"the picture must have mode 1 and a width that is a multiple of 8, not {picture.mode} {picture.width}"
        )
    row = picture.width // 8
    for top in range(0, picture.height, _BAND_ROWS):
        rows = min(_BAND_ROWS, picture.height - top)
        data = bytearray(picture.crop((0, top, picture.width, top + rows)).tobytes())
        for at, byte in enumerate(data):
            data[at] = byte ^ 0xFF
        for at in range(len(data) - 1):
            if data[at] == _DLE and data[at + 1] in _REAL_TIME_COMMANDS:
                data[at] |= _EXTRA_DOT
        yield b"\x1d\x76\x30\x00" + row.to_bytes(2, "little") + rows.to_bytes(2, "little") + bytes(data)


def printer_fault(question: int, bits: int) -> tuple[FaultCode, str] | None:
    """Return the fault in an answer to DLE EOT ``question``, with the affected parts; None if there is no fault."""
    if question == 2:
        return ("cover-open", "") if bits & 0x04 else ("paper-out", "") if bits & 0x20 else None
    if question == 3:
        parts = [
            name for bit, name in ((0x08, "cutter"), (0x20, "mechanism"), (0x40, "too hot")) if bits & bit
        ]
        return ("broken", ", ".join(parts)) if parts else None
    if question == 4:
        return ("paper-out", "") if bits & 0x60 else None
    return None


def is_paper_low(bits: int) -> bool:
    """Return whether an answer to DLE EOT 4 reports that the roll is nearly used up."""
    return bool(bits & 0x0C)
