"""Encodes and decodes the button box's protocol, which is specified in `hardware/buttons/PROTOCOL.md`."""

from __future__ import annotations

import re
from binascii import crc32
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote_from_bytes, unquote_to_bytes

from hardware.framed_driver import LineParser, xor_of

LONGEST: Final = 120
_LINE: Final = re.compile(rb"(\d{1,3}) ([A-Z]{1,8})((?: [!-)+-~]{1,100}){0,9})\*([0-9A-F]{8}|[0-9A-F]{2})")
_PLAIN: Final = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) not in "%*")


@dataclass(frozen=True, slots=True)
class BoxMessage:
    """A line with a valid checksum."""

    number: int
    """1-999 for lines that are resent until confirmed; 0 for others."""
    word: str
    args: tuple[str, ...] = ()
    strong: bool = field(default=False, compare=False)
    """Whether the checksum is a CRC-32; a box that sends CRC-32 also accepts it."""


def line_of(number: int, word: str, *args: object, strong: bool = False) -> bytes:
    """Return a line's bytes, with its checksum (CRC-32 if ``strong``, else XOR) and line end."""
    body = " ".join([str(number), word, *map(str, args)]).encode("ascii")
    return body + (b"*%08X\n" % crc32(body) if strong else b"*%02X\n" % xor_of(body))


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
        body, strong = line[: matched.start(4) - 1], len(matched[4]) > 2
        if (crc32(body) if strong else xor_of(body)) != int(matched[4], 16):
            return None
        number, word, args = int(matched[1]), matched[2].decode("ascii"), matched[3].decode("ascii").split()
        return BoxMessage(number, word, tuple(args), strong)
