"""Simulated barcode and QR scanners."""

from __future__ import annotations

import re
from binascii import crc_hqx
from collections.abc import Mapping
from typing import ClassVar, Final

from hardware.simulators.simulated_device import SimulatedDevice

__all__ = ["SimulatedGm65", "SimulatedLineScanner"]

_BUFFER_SIZE: Final = 512
#: Addresses of settings: the scan mode (lowest two bits, 3: sensing), and the trigger of one scan.
_MODE, _TRIGGER = 0, 2
_SENSING: Final = 3
#: Factory setting of the mode: manual.
_FACTORY_MODE: Final = 0xD4


class SimulatedLineScanner(SimulatedDevice):
    """A scanner in line mode."""

    actions: ClassVar[Mapping[str, str]] = {"scan TEXT": "holds a code in front of it"}
    end = b"\r\n"

    def act(self, *words: str) -> None:
        """Scan a code."""
        match words:
            case ["scan", *text] if text:
                self._pending_output += " ".join(text).encode() + self.end
            case _:
                super().act(*words)


class SimulatedGm65(SimulatedLineScanner):
    """A GM65 with its factory settings: in manual mode it scans when triggered, in sensing mode automatically."""

    end = b"\r"

    def __init__(self) -> None:
        super().__init__()
        self.settings = bytearray(256)
        self.settings[_MODE] = _FACTORY_MODE

    def plugged(self, now: float) -> bytes:
        """Return to the factory settings, because none were saved."""
        self.settings[_MODE] = _FACTORY_MODE
        return super().plugged(now)

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
                self.settings[address : address + count] = payload
                out += _answer(b"\x00")
            else:
                out += _answer(bytes(self.settings[address : address + payload[0]]))
        del self._buffer[:-_BUFFER_SIZE]
        return out

    def tick(self, now: float) -> bytes:
        """Return the scanned codes if the scanner is in sensing mode or was triggered."""
        if self.settings[_MODE] & _SENSING == _SENSING or self.settings[_TRIGGER]:
            self.settings[_TRIGGER] = 0
            return super().tick(now)
        return b""


def _answer(data: bytes) -> bytes:
    """Return the frame of an answer, as described in `hardware.readers.gm65`."""
    body = b"\x00" + bytes([len(data)]) + data
    return b"\x02\x00" + body + crc_hqx(body, 0).to_bytes(2, "big")
