"""Simulated barcode and QR scanners."""

from __future__ import annotations

import re
from binascii import crc_hqx
from collections.abc import Mapping
from typing import ClassVar, Final

from hardware.simulators.simulated_device import SimulatedDevice

__all__ = ["SimulatedGm65", "SimulatedLineScanner"]

_BUFFER_SIZE: Final = 512


class SimulatedLineScanner(SimulatedDevice):
    """A scanner in line mode."""

    actions: ClassVar[Mapping[str, str]] = {"scan TEXT": "holds a code in front of it"}
    end = b"\r\n"

    def __init__(self) -> None:
        self._pending_output = b""

    def act(self, *words: str) -> None:
        """Scan a code."""
        match words:
            case ["scan", *text] if text:
                self._pending_output += " ".join(text).encode() + self.end
            case _:
                super().act(*words)

    def tick(self, now: float) -> bytes:
        """Return the scanned codes."""
        output, self._pending_output = self._pending_output, b""
        return output


class SimulatedGm65(SimulatedLineScanner):
    """A GM65 with its factory settings: in manual mode it scans when triggered, in sensing mode automatically."""

    end = b"\r"

    def __init__(self) -> None:
        super().__init__()
        self.zone = bytearray(256)
        self.zone[0] = 0xD4
        self._buffer = bytearray()

    def plugged(self, now: float) -> bytes:
        """Return to the factory settings, because none were saved."""
        self._buffer.clear()
        self.zone[0] = 0xD4
        return b""

    def feed(self, data: bytes, now: float) -> bytes:
        """Answer requests that read or write settings."""
        self._buffer += data
        out = b""
        while match := re.search(rb"\x7e\x00([\x07\x08])(.)(..)", self._buffer, re.DOTALL):
            count, address = match[2][0], int.from_bytes(match[3], "big") & 0xFF
            writes = match[1] == b"\x08"
            size = count if writes else 1
            end = match.end() + size + 2
            if len(self._buffer) < end:
                break
            payload = bytes(self._buffer[match.end() : match.end() + size])
            del self._buffer[:end]
            if writes:
                self.zone[address : address + count] = payload
                out += _answer(b"\x00")
            else:
                out += _answer(bytes(self.zone[address : address + payload[0]]))
        del self._buffer[:-_BUFFER_SIZE]
        return out

    def tick(self, now: float) -> bytes:
        """Return the scanned codes if the scanner is in sensing mode or was triggered."""
        if self.zone[0] & 3 == 3 or self.zone[2]:
            self.zone[2] = 0
            return super().tick(now)
        return b""


def _answer(data: bytes) -> bytes:
    body = b"\x00" + bytes([len(data)]) + data
    return b"\x02\x00" + body + crc_hqx(body, 0).to_bytes(2, "big")
