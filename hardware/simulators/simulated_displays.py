"""Simulated displays, which keep a character cell memory like the real ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from hardware.displays.crystalfontz import packet
from hardware.simulators.simulated_device import SimulatedDevice


class SimulatedCells(SimulatedDevice):
    """A display with a memory of character cells, row by row."""

    def __init__(self, columns: int, rows: int) -> None:
        super().__init__()
        self.columns, self.rows = columns, rows
        self.cells = bytearray()
        self.clear()

    def clear(self) -> None:
        """Clear all cells and move the cursor to the first one."""
        self.cells[:] = b" " * (self.columns * self.rows)
        self._cursor = 0

    def put(self, byte: int) -> None:
        """Write the cell at the cursor and advance the cursor; bytes beyond the last cell are ignored."""
        if 0 <= self._cursor < len(self.cells):
            self.cells[self._cursor] = byte
        self._cursor += 1

    def plugged(self, now: float) -> bytes:
        """Clear the display and show its start message."""
        self.clear()
        self.cells[: self.columns] = b"READY".ljust(self.columns)
        return super().plugged(now)

    def shows(self) -> tuple[str, ...]:
        """Return the rows on the display as text."""
        text = "".join(
            chr(byte - 0xA1 + 0xFF61) if 0xA1 <= byte <= 0xDF else chr(byte) for byte in self.cells
        )
        return tuple(text[start : start + self.columns] for start in range(0, len(text), self.columns))


class SimulatedSerLcd(SimulatedCells):
    """A SerLCD or OpenLCD."""

    def __init__(self, columns: int = 16, rows: int = 2) -> None:
        super().__init__(columns, rows)

    def feed(self, data: bytes, now: float) -> bytes:
        """Process text, settings and commands."""
        self._buffer += data
        row_addresses = (0x00, 0x40, self.columns, 0x40 + self.columns)[: self.rows]
        while self._buffer and (self._buffer[0] not in b"|\xfe" or len(self._buffer) > 1):
            first = self._buffer.pop(0)
            if first == 0xFE:
                address = self._buffer.pop(0) - 0x80
                row = max(
                    (row for row, row_address in enumerate(row_addresses) if row_address <= address),
                    key=row_addresses.__getitem__,
                    default=0,
                )
                self._cursor = row * self.columns + address - row_addresses[row]
            elif first == ord("|") and self._buffer[0] != ord("|"):
                if self._buffer.pop(0) == 0x2D:
                    self.clear()
            else:
                if first == ord("|"):
                    self._buffer.pop(0)
                self.put(first)
        return b""


class SimulatedMatrixOrbital(SimulatedCells):
    """An LK204-25."""

    def __init__(self, columns: int = 20, rows: int = 4) -> None:
        super().__init__(columns, rows)

    def feed(self, data: bytes, now: float) -> bytes:
        """Process text and commands; answer a request for the module type."""
        self._buffer += data
        out = b""
        while self._buffer:
            if self._buffer[0] != 0xFE:
                self.put(self._buffer.pop(0))
                continue
            if len(self._buffer) < 2 or (self._buffer[1] == 0x47 and len(self._buffer) < 4):
                break
            if self._buffer[1] == 0x47:
                self._cursor = (self._buffer[3] - 1) * self.columns + self._buffer[2] - 1
                del self._buffer[:2]
            elif self._buffer[1] == 0x58:
                self.clear()
            elif self._buffer[1] == 0x37:
                out += b"\x09"
            del self._buffer[:2]
        return out


class SimulatedCrystalfontz(SimulatedCells):
    """A CFA-635 with keys."""

    actions: ClassVar[Mapping[str, str]] = {
        "down KEY": "presses a key: 1-6 for up, down, left, right, enter, exit",
        "up KEY": "releases it",
        "press KEY": "both",
    }

    def __init__(self, columns: int = 20, rows: int = 4) -> None:
        super().__init__(columns, rows)
        self.lights: dict[int, int] = {}
        """Brightness of the light at each GPIO, 0-100."""

    def act(self, *words: str) -> None:
        """Press or release a key."""
        match words:
            case ["down" | "up" | "press" as how, key] if key in {"1", "2", "3", "4", "5", "6"}:
                if how != "up":
                    self._pending_output += packet(0x80, bytes([int(key)]))
                if how != "down":
                    self._pending_output += packet(0x80, bytes([int(key) + 6]))
            case _:
                super().act(*words)

    def feed(self, data: bytes, now: float) -> bytes:
        """Process packets; return a confirmation of each."""
        self._buffer += data
        out = b""
        while len(self._buffer) >= 4:
            kind, length = self._buffer[:2]
            end = 4 + length
            if kind > 0x3F or length > 22:
                del self._buffer[:1]
            elif len(self._buffer) < end:
                break
            elif packet(kind, bytes(self._buffer[2 : end - 2])) != self._buffer[:end]:
                del self._buffer[:1]
            else:
                out += self._answer(kind, bytes(self._buffer[2 : end - 2]))
                del self._buffer[:end]
        return out

    def _answer(self, kind: int, data: bytes) -> bytes:
        answer = b""
        if kind == 0:
            answer = data
        elif kind == 1:
            answer = b"CFA635:h1.0,k1.0"
        elif kind == 6:
            self.clear()
        elif kind == 31 and len(data) > 2 and data[0] < self.columns and data[1] < self.rows:
            self._cursor = data[1] * self.columns + data[0]
            for byte in data[2:]:
                self.put(byte)
        elif kind == 34 and len(data) == 2:
            self.lights[data[0]] = data[1]
        else:
            return packet(0xC0 | kind)
        return packet(0x40 | kind, answer)
