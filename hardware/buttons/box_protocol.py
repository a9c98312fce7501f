"""Encodes and decodes the button box's protocol, which is specified in `hardware/buttons/PROTOCOL.md`."""

from __future__ import annotations

import re
from binascii import crc32
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote_from_bytes, unquote_to_bytes

from hardware.framed_driver import LineParser

LONGEST: Final = 120
_LINE: Final = re.compile(rb"(\d{1,3}) ([A-Z]{1,8})((?: [!-)+-~]{1,100}){0,9})\*([0-9A-F]{8})")
_PLAIN: Final = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) not in "%*")


@dataclass(frozen=True, slots=True)
class BoxMessage:
    """A line with a valid checksum."""

    number: int
    """1-999 for lines that are resent until confirmed; 0 for others."""
    word: str
    args: tuple[str, ...] = ()


def line_of(number: int, word: str, *args: object) -> bytes:
    """Return a line's bytes, with its checksum and line end."""
    body = " ".join([str(number), word, *map(str, args)]).encode("ascii")
    return body + b"*%08X\n" % crc32(body)


def cells_of(cells: bytes) -> str:
    """Return display bytes percent-encoded as an argument: %XX for spaces, %, * and non-ASCII bytes."""
    return quote_from_bytes(cells, safe=_PLAIN)


def text_of(arg: str) -> bytes:
    """Return the display bytes of a percent-encoded argument."""
    return unquote_to_bytes(arg)


class BoxParser(LineParser[BoxMessage]):
    """Parses lines and verifies their checksums."""

    def __init__(self) -> None:
        super().__init__(LONGEST)

    def read(self, line: bytes) -> BoxMessage | None:
        """Parse a line; None if it is malformed or its checksum is wrong."""
        matched = _LINE.fullmatch(line)
        if matched is None:
            return None
        if crc32(line[: matched.start(4) - 1]) != int(matched[4], 16):
            return None
        number, word, args = int(matched[1]), matched[2].decode("ascii"), matched[3].decode("ascii").split()
        return BoxMessage(number, word, tuple(args))
