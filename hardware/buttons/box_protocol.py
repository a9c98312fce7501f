"""Reads the lines of the button box and encodes text for its display, as `hardware/buttons/PROTOCOL.md` specifies.

Lines are the same in both directions: they are written and checked by `hardware.firmware.pico.hanafuda_box.lines`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import quote_from_bytes

from hardware.firmware.pico.hanafuda_box.lines import MAX_LINE, parts_of
from hardware.framed_driver import LineParser

_PLAIN: Final = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) not in "%*")


@dataclass(frozen=True, slots=True)
class BoxMessage:
    """A line with a valid checksum."""

    number: int
    """1-999 for lines that are resent until confirmed; 0 for others."""
    word: str
    args: tuple[str, ...] = ()


def cells_of(cells: bytes) -> str:
    """Return display bytes percent-encoded as an argument: %XX for spaces, %, * and non-ASCII bytes."""
    return quote_from_bytes(cells, safe=_PLAIN)


class BoxParser(LineParser[BoxMessage]):
    """Parses lines and verifies their checksums."""

    def __init__(self) -> None:
        super().__init__(MAX_LINE)

    def read(self, line: bytes) -> BoxMessage | None:
        """Parse a line; None if it is malformed or its checksum is wrong."""
        if (parts := parts_of(line)) is None:
            return None
        word, *args = (part.decode("ascii") for part in parts[1:])
        return BoxMessage(int(parts[0]), word, tuple(args))
