"""Simulated readers: of tags, which can be put on them and removed, and of barcodes and QR codes."""

from __future__ import annotations

import re
from binascii import crc_hqx
from collections.abc import Mapping
from functools import reduce
from operator import xor
from typing import ClassVar, Final

from hardware.readers.r200 import R200Parser, frame_of
from hardware.simulators.simulated_device import SimulatedDevice

_UID: Final = re.compile("(?:[0-9A-Fa-f]{2})+")
#: Interval at which an RDM6300 sends its tag, s.
_REPEAT_S: Final = 0.065
#: Received bytes that are kept until a command is complete.
_BUFFER_SIZE: Final = 512
#: Addresses of settings: the scan mode (lowest two bits, 3: sensing), and the trigger of one scan.
_MODE, _TRIGGER = 0, 2
_SENSING: Final = 3
#: Factory setting of the mode: manual.
_FACTORY_MODE: Final = 0xD4


class _SimulatedTagReader(SimulatedDevice):
    """A reader with tags on it, as upper-case hex digits."""

    actions: ClassVar[Mapping[str, str]] = {"put UID": "puts a tag on it", "take UID": "removes it"}

    def __init__(self, *tags: str) -> None:
        super().__init__()
        self.tags = list(tags)

    def act(self, *words: str) -> None:
        """Put a tag on the reader, or remove it."""
        match words:
            case ["put", uid] if _UID.fullmatch(uid) and uid.upper() not in self.tags:
                self.tags.append(uid.upper())
            case ["take", uid] if uid.upper() in self.tags:
                self.tags.remove(uid.upper())
            case _:
                super().act(*words)


class SimulatedRdm6300(_SimulatedTagReader):
    """An RDM6300 (tags of ten hex digits): of several tags, it reads the one placed last."""

    _next = 0.0

    def tick(self, now: float) -> bytes:
        """Return the frame of the tag, again and again."""
        if not self.tags or now < self._next:
            return b""
        self._next = now + _REPEAT_S
        tag = self.tags[-1]
        return b"\x02" + f"{tag}{reduce(xor, bytes.fromhex(tag)):02X}".encode("ascii") + b"\x03"


class SimulatedPn532(_SimulatedTagReader):
    """A PN532 that sleeps until it is woken up; it reads the first two tags (8 or 14 hex digits)."""

    _awake = False

    def plugged(self, now: float) -> bytes:
        """Start in sleep mode."""
        self._awake = False
        return super().plugged(now)

    def feed(self, data: bytes, now: float) -> bytes:
        """Answer each command with an ACK and an answer."""
        self._awake = self._awake or b"\x55\x55" in data
        self._buffer += data
        out = b""
        while self._awake and (found := re.search(rb"\x00\x00\xff(.)(.)\xd4(.)", self._buffer, re.DOTALL)):
            end = found.start() + 5 + found[1][0] + 1
            if len(self._buffer) < end:
                break
            body = bytes(self._buffer[found.start() + 5 : end - 1])
            del self._buffer[:end]
            out += bytes.fromhex("0000FF00FF00") + self._answer(body[1])
        del self._buffer[:-_BUFFER_SIZE]
        return out

    def _answer(self, code: int) -> bytes:
        data = bytes([0xD5, code + 1])
        if code == 0x02:
            data += bytes.fromhex("32010607")
        elif code == 0x4A:
            tags = [bytes.fromhex(tag) for tag in self.tags[:2]]
            data += bytes([len(tags)])
            for number, tag in enumerate(tags, start=1):
                data += bytes([number, 0x00, 0x04, 0x08, len(tag)]) + tag
        return b"\x00\x00\xff" + bytes([len(data), -len(data) & 0xFF]) + data + bytes([-sum(data) & 0xFF, 0])


class SimulatedAcg(_SimulatedTagReader):
    """An ACG multi-tag reader (tags of 16 hex digits)."""

    def feed(self, data: bytes, now: float) -> bytes:
        """Answer each ``m`` and CR with the tags and their count."""
        self._buffer += data
        asked = self._buffer.count(b"m\r")
        del self._buffer[: self._buffer.rfind(b"\r") + 1]
        del self._buffer[:-_BUFFER_SIZE]
        payload = "".join(f"V{tag}\r\n" for tag in self.tags) + f"{len(self.tags):02}\r\n"
        return payload.encode("ascii") * asked


class SimulatedR200(_SimulatedTagReader):
    """A UHF module (tags of 24 hex digits); tags in ``far`` have a weak signal, as from a neighboring pile."""

    def __init__(self, *tags: str) -> None:
        super().__init__(*tags)
        self.far: list[str] = []
        self._commands = R200Parser()

    def feed(self, data: bytes, now: float) -> bytes:
        """Answer inventory commands and requests for the module's identification."""
        return b"".join(self._answer(frame.code) for frame in self._commands.feed(data))

    def _answer(self, code: int) -> bytes:
        if code == 0x03:
            return frame_of(1, code, b"\x00M100 26dBm V1.0")
        if code != 0x22:
            return frame_of(1, code, b"\x00")
        out = b""
        for tag, rssi in [(tag, 0xC9) for tag in self.tags] + [(tag, 0xB0) for tag in self.far]:
            words = len(tag) // 4  # the EPC's length is in the upper five bits of PC
            out += frame_of(2, code, bytes([rssi, words << 3, 0]) + bytes.fromhex(tag) + b"\x3a\x76")
        return out or frame_of(1, 0xFF, b"\x15")


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
