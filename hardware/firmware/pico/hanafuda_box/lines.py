"""The lines of hardware/buttons/PROTOCOL.md: a number, a word, its arguments, and a checksum."""

from binascii import crc32

#: Maximum length of a line without its end, bytes.
MAX_LINE = 120
_HEX = b"0123456789ABCDEF"


def line_of(number: int, word: str, *args: object) -> bytes:
    """Return a line as bytes, with its checksum (CRC-32) and line end."""
    body = " ".join([str(number), word] + [str(arg) for arg in args]).encode()
    return body + b"*%08X\n" % crc32(body)


def cells_of(arg: bytes) -> bytearray:
    """Return the display bytes that an argument encodes; an invalid %XX sequence is kept literally."""
    cells = bytearray()
    index = 0
    while index < len(arg):
        byte = arg[index]
        high, low = _HEX.find(arg[index + 1 : index + 2]), _HEX.find(arg[index + 2 : index + 3])
        if byte == 0x25 and index + 2 < len(arg) and high >= 0 and low >= 0:
            byte = high << 4 | low
            index += 2
        cells.append(byte)
        index += 1
    return cells


class LineReader:
    """Extracts lines from a byte stream; ignores lines that are too long or have a wrong checksum."""

    def __init__(self) -> None:
        self._buffer = bytearray(MAX_LINE)
        self._count = 0

    def feed(self, byte: int) -> list[bytes] | None:
        """Process a byte; return the parts of a line that is now complete (number, word, arguments), or None."""
        if byte not in (0x0A, 0x0D):
            if self._count < MAX_LINE:
                self._buffer[self._count] = byte
            self._count = min(self._count + 1, MAX_LINE + 1)  # one more marks the line as too long
            return None
        count, self._count = self._count, 0
        return parts_of(bytes(self._buffer[:count])) if 0 < count <= MAX_LINE else None


def parts_of(line: bytes) -> list[bytes] | None:
    """Return the parts of a line without its end: number, word, arguments; None if it is malformed or its checksum is wrong."""
    star = line.find(b"*")
    if star < 0 or line[star + 1 :] != b"%08X" % crc32(line[:star]):
        return None
    for byte in line[:star]:
        if not 0x20 <= byte < 0x7F:
            return None
    parts = line[:star].split(b" ")
    if len(parts) < 2 or b"" in parts or len(parts[0]) > 3 or not parts[0].isdigit():
        return None
    return parts
