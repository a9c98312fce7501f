"""Simulated button box: the firmware of a real one, with simulated keys, tag reader and display."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Mapping
from typing import ClassVar, Final

from hardware.firmware.pico.hanafuda_box.box import Box
from hardware.firmware.pico.hanafuda_box.wired import Port, Wiring
from hardware.simulators.simulated_device import SimulatedDevice
from hardware.simulators.simulated_displays import SimulatedSerLcd
from hardware.simulators.simulated_readers import SimulatedPn532

#: Shortest time between two movements of keys, ms: longer than the firmware needs to debounce one.
_MOVE_MS: Final = 20


class _Wire(Port):
    """A serial port of the box with a simulated device."""

    def __init__(self, device: SimulatedDevice, board: _Board) -> None:
        self._device, self._board = device, board
        self._received = b""

    def open(self, baud: int) -> None:
        """Do nothing: the device has the right baud rate."""

    def read(self) -> bytes:
        """Return what the device sent."""
        received, self._received = self._received, b""
        return received + self._device.tick(self._board.ms / 1000)

    def write(self, data: bytes) -> int:
        """Pass bytes to the device."""
        self._received += self._device.feed(data, self._board.ms / 1000)
        return len(data)


class _Board(Wiring):
    """The board of a box: keys, lights, and the line to the host."""

    def __init__(self, keys: int, reader: SimulatedDevice, display: SimulatedDevice, boot: int) -> None:
        self.keys = self.lights = keys
        self.reader, self.display = _Wire(reader, self), _Wire(display, self)
        self.name, self.boot = "e66038b7", boot
        self.ms = 0
        """Time since the start."""
        self.closed = [False] * keys
        """Whether the contact of each key is closed."""
        self.received = self.sent = b""
        """Bytes from and to the host."""

    def now(self) -> int:
        """Return the time since the start, ms."""
        return self.ms

    def key(self, number: int) -> bool:
        """Return whether the contact of key ``number`` is closed."""
        return self.closed[number]

    def light(self, number: int, on: bool) -> None:
        """Do nothing: the firmware knows the mode of each light."""

    def own_light(self, on: bool) -> None:
        """Do nothing."""

    def read(self) -> bytes:
        """Return the bytes that the host has written."""
        received, self.received = self.received, b""
        return received

    def write(self, data: bytes) -> int:
        """Send bytes to the host."""
        self.sent += data
        return len(data)


class SimulatedBox(SimulatedDevice):
    """A box with keys and a light beside each, a PN532 (tags of 8 or 14 hex digits) and a display, if it has columns."""

    actions: ClassVar[Mapping[str, str]] = {
        "down KEY": "presses a key",
        "up KEY": "releases it",
        "press KEY": "both",
        **SimulatedPn532.actions,
        "reset": "restarts it",
    }

    def __init__(self, keys: int = 4, columns: int = 16, rows: int = 2) -> None:
        super().__init__()
        self._keys, self._display_size = keys, (columns, rows) if columns else None
        self._reader, self._display = SimulatedPn532(), SimulatedSerLcd(columns, rows)
        self._dice = random.Random(7)
        self._moves: deque[tuple[int, bool]] = deque()
        """The next movements of keys: the key, from 0, and whether it goes down."""
        self._start(0.0)

    def _start(self, now: float) -> None:
        self._started, self._moved_ms = now, -_MOVE_MS
        self._moves.clear()
        self._board = _Board(self._keys, self._reader, self._display, self._dice.randrange(1 << 16))
        self._box = Box(self._board, "pn532", self._display_size)

    @property
    def lights(self) -> dict[str, str]:
        """The mode of the light beside each key: off, on or blink."""
        return {str(key): mode.decode() for key, mode in enumerate(self._box.lights.modes, start=1)}

    def plugged(self, now: float) -> bytes:
        """Start with its reader and its display, and return the banner."""
        self._reader.plugged(now)
        self._display.plugged(now)
        self._start(now)
        return self._run(now)

    def act(self, *words: str) -> None:
        """Press or release a key, put a tag on the reader or remove it, or restart the box."""
        match words:
            case ["down" | "up" | "press" as how, key] if key in self.lights:
                levels = {"down": (True,), "up": (False,), "press": (True, False)}[how]
                self._moves.extend((int(key) - 1, level) for level in levels)
            case ["put" | "take", _]:
                self._reader.act(*words)
            case ["reset"]:
                self._start(self._started + self._board.ms / 1000)
            case _:
                super().act(*words)

    def feed(self, data: bytes, now: float) -> bytes:
        """Pass bytes from the host to the firmware; return what it sends."""
        self._board.received += data
        return self._run(now)

    def tick(self, now: float) -> bytes:
        """Return what the firmware sends."""
        return self._run(now)

    def shows(self) -> tuple[str, ...]:
        """Return the rows on its display; empty if it has none."""
        return self._display.shows() if self._display_size else ()

    def _run(self, now: float) -> bytes:
        """Run the firmware up to a time, s, until it sends nothing more, and return what it sent.

        While keys move it runs once per millisecond as on the Pico, because they are debounced over several runs.
        """
        board, end = self._board, int(1000 * (now - self._started))
        while True:
            board.ms = min(end, board.ms + 1) if self._moves or board.ms - self._moved_ms < _MOVE_MS else end
            if self._moves and board.ms - self._moved_ms >= _MOVE_MS:
                key, board.closed[key] = self._moves.popleft()
                self._moved_ms = board.ms
            sent = len(board.sent)
            self._box.step()
            if board.ms >= end and len(board.sent) == sent:
                break
        output, board.sent = board.sent, b""
        return output
