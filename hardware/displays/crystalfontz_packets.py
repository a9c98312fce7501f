"""Crystalfontz packets (CFA-631, 633, 635, 835): ``type length data crcLow crcHigh`` with CRC-16/X-25.

Types (bits): 00xxxxxx command, 01xxxxxx its answer, 10xxxxxx report (keys), 11xxxxxx error. Source: the CFA635 data sheet,
"Host communications".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hardware.frame_parser import Parser

__all__ = ["Packet", "PacketParser", "packet"]

_MAX_LENGTH: Final = 124  # the CFA835's; the others' is 22


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet's type and data."""

    kind: int
    data: bytes = b""


def packet(kind: int, data: bytes = b"") -> bytes:
    """Return a packet's bytes; at most 124 bytes of data."""
    body = bytes([kind, len(data)]) + data
    return body + _crc(body).to_bytes(2, "little")


class PacketParser(Parser[Packet]):
    """Parses packets from the device (answers, reports, errors); invalid data is skipped byte by byte, as the data sheet requires."""

    def take(self, buffer: bytearray) -> tuple[int, Packet | None]:
        """Parse one packet."""
        if buffer[0] < 0x40:  # type bits 00: a command, which only the host sends
            return 1, None
        if len(buffer) < 2:
            return 0, None
        if buffer[1] > _MAX_LENGTH:
            return 1, None
        end = 2 + buffer[1]
        if len(buffer) < end + 2:
            return 0, None
        if _crc(buffer[:end]) != buffer[end] | buffer[end + 1] << 8:
            return 1, None
        return end + 2, Packet(buffer[0], bytes(buffer[2:end]))


def _crc(data: bytes | bytearray) -> int:
    """Return the CRC-16/X-25 of some bytes."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0x8408 if crc & 1 else crc >> 1
    return crc ^ 0xFFFF
