"""The lines of hardware/buttons/PROTOCOL.md: a number, a word, what belongs to it, and a check."""

from binascii import crc32

#: The longest line, bytes without its end.
_LONGEST = 120
_HEX = b"0123456789ABCDEF"


def line_of(number: int, word: str, *args: object) -> bytes:
    """Return a line's bytes, with its check (CRC-32) and its end."""
    body = " ".join([str(number), word] + [str(arg) for arg in args]).encode()
    return body + b"*%08X\n" % crc32(body)


def cells_of(arg: bytes) -> bytearray:
    """Return the display's bytes that an argument holds; a %XX that is none stands for itself."""
    cells = bytearray()
    at = 0
    while at < len(arg):
        byte = arg[at]
        high, low = _HEX.find(arg[at + 1 : at + 2]), _HEX.find(arg[at + 2 : at + 3])
        if byte == 0x25 and at + 2 < len(arg) and high >= 0 and low >= 0:
            byte = high << 4 | low
            at += 2
        cells.append(byte)
        at += 1
    return cells


class LineReader:
    """Lines out of a stream of any bytes; those that are too long or whose check is wrong never were."""

    def __init__(self) -> None:
        self._held = bytearray(_LONGEST)
        self._count = 0

    def feed(self, byte: int) -> list[bytes] | None:
        """Take a byte; return a line that is now complete, as its parts: number, word, arguments."""
        if byte not in (0x0A, 0x0D):
            if self._count < _LONGEST:
                self._held[self._count] = byte
            self._count = min(self._count + 1, _LONGEST + 1)  # one more: too long
            return None
        count, self._count = self._count, 0
        return _parts(bytes(self._held[:count])) if 0 < count <= _LONGEST else None


def _parts(line: bytes) -> list[bytes] | None:
    star = line.find(b"*")
    if star < 0 or not _agrees(line[:star], line[star + 1 :]):
        return None
    for byte in line[:star]:
        if not 0x20 <= byte < 0x7F:
            return None
    parts = line[:star].split(b" ")
    if len(parts) < 2 or b"" in parts or len(parts[0]) > 3 or not parts[0].isdigit():
        return None
    return parts


def _agrees(body: bytes, check: bytes) -> bool:
    """Tell whether a check is a line's: eight digits of CRC-32, or two of the XOR."""
    if len(check) == 8:
        return check == b"%08X" % crc32(body)
    xor = 0
    for byte in body:
        xor ^= byte
    return check == b"%02X" % xor
