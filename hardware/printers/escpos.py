"""The ESC/POS commands that print a picture, and a parser of the printer's answers.

Sent: ``1B 40`` begins afresh, ``1D 76 30 00`` prints a picture in rows of bytes, ``1D 56 42`` feeds and cuts, ``1D 72 01`` is
answered once everything before it is on paper. ``10 04 n`` (DLE EOT) is answered at once, also by a printer that prints nothing:
1 state, 2 why offline, 3 error, 4 paper. Source: Epson, "ESC/POS Command Reference".
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

#: Rows of one command: what it takes fits the smallest printer's buffer (4 KB).
_BAND: Final = 48
_DLE: Final = 0x10
#: What after DLE is a command that a printer obeys even in the middle of a picture (EOT, ENQ, DC4).
_OBEYED: Final = frozenset((0x04, 0x05, 0x14))
#: One dot more, beside that of DLE.
_ONE_MORE: Final = 0x08


class PrinterAnswer(NamedTuple):
    """One byte from the printer: about its state, or, when all before it was printed, about its paper."""

    kind: Literal["state", "done"]
    bits: int


class AnswerParser(Parser[PrinterAnswer]):
    """Frames: the bytes whose fixed bits are right."""

    def take(self, buffer: bytearray) -> tuple[int, PrinterAnswer | None]:
        """Take one byte."""
        bits = buffer[0]
        if bits & 0x93 == 0x12:
            return 1, PrinterAnswer("state", bits)
        if bits & 0x90 == 0:
            return 1, PrinterAnswer("done", bits)
        return 1, None


def bands(picture: Image.Image) -> Iterator[bytes]:
    """Yield the commands that print a picture of mode "1", black on white, its width a multiple of 8; from the top."""
    if picture.mode != "1" or picture.width % 8:
        raise ValueError(f"a picture in dots, its width a multiple of 8, not {picture.mode} {picture.width}")
    row = picture.width // 8
    for top in range(0, picture.height, _BAND):
        rows = min(_BAND, picture.height - top)
        data = bytearray(picture.crop((0, top, picture.width, top + rows)).tobytes())
        for at, byte in enumerate(data):
            data[at] = byte ^ 0xFF
        for at in range(len(data) - 1):
            if data[at] == _DLE and data[at + 1] in _OBEYED:
                data[at] |= _ONE_MORE
        yield b"\x1d\x76\x30\x00" + row.to_bytes(2, "little") + rows.to_bytes(2, "little") + bytes(data)


def printer_fault(question: int, bits: int) -> tuple[FaultCode, str] | None:
    """Return what an answer to a question complains of, and of which part; None: nothing."""
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
    """Say whether an answer to question 4 tells that the roll is nearly used up."""
    return bool(bits & 0x0C)
