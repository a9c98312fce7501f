"""Simulated button box, which behaves like the firmware."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Mapping
from typing import ClassVar, Final

from hardware.buttons.box_protocol import BoxMessage, BoxParser, line_of, text_of
from hardware.simulators.simulated_displays import SimulatedCells

#: Interval at which an unconfirmed event is repeated, s.
_REPEAT_S: Final = 0.1
_LONG_PRESS_S: Final = 0.8
_ALIVE_S: Final = 1.0
_BANNER_S: Final = 0.1
_MAX_NUMBER: Final = 999
_MAX_EVENTS: Final = 32


class SimulatedBox(SimulatedCells):
    """A box with keys, lights, a tag reader and a display.

    ``strong``: lines have a CRC-32 instead of the XOR checksum.
    """

    actions: ClassVar[Mapping[str, str]] = {
        "down KEY": "presses a key",
        "up KEY": "releases it",
        "press KEY": "both",
        "put UID": "puts a tag on its reader",
        "take UID": "removes it",
        "reset": "restarts it",
    }

    def __init__(self, keys: int = 4, columns: int = 16, rows: int = 2, *, strong: bool = True) -> None:
        super().__init__(columns, rows)
        self.keys, self._strong = keys, strong
        self._tags: list[str] = []
        self.lights: dict[str, str] = {}
        self._dice = random.Random(7)
        self._parser = BoxParser()
        self._started = 0.0
        self._restart()

    def _restart(self) -> None:
        self._boot = f"{self._dice.randrange(16**4):04X}"
        self._parser.reset()
        self._number = 0
        self._events: deque[tuple[str, ...]] = deque(maxlen=_MAX_EVENTS)
        self._sent: tuple[int, bytes, float] | None = None
        self._last_alive: float | None = None
        self._reports_tags = self._is_confirmed = False
        self._down: dict[str, float | None] = {}
        self.lights.clear()
        self.clear()

    def plugged(self, now: float) -> bytes:
        """Start, and return the banner."""
        self._started = now
        self._restart()
        return self._banner(now)

    def act(self, *words: str) -> None:
        """Press or release a key, put a tag on the reader or remove it, or restart the box."""
        keys = {str(key) for key in range(1, self.keys + 1)}
        match words:
            case ["down" | "up" | "press" as how, key] if key in keys:
                if how != "up":
                    self._events.append(("DOWN", key))
                    self._down[key] = None
                if how != "down":
                    self._events.append(("UP", key))
                    self._down.pop(key, None)
            case ["put", uid] if uid not in self._tags:
                self._tags.append(uid)
                self._events.append(("TAG", "1", uid, "IN"))
            case ["take", uid] if uid in self._tags:
                self._tags.remove(uid)
                self._events.append(("TAG", "1", uid, "OUT"))
            case ["reset"]:
                self._restart()
            case _:
                super().act(*words)

    def feed(self, data: bytes, now: float) -> bytes:
        """Process lines: run and confirm commands, and drop confirmed events."""
        self.writes += 1
        return b"".join(self._handle(line, now) for line in self._parser.feed(data))

    def tick(self, now: float) -> bytes:
        """Return the oldest event, which is repeated until it is confirmed, and a banner or ALIVE line if one is due."""
        out = b""
        if self._last_alive is None or (not self._is_confirmed and now - self._last_alive >= _BANNER_S):
            out += self._banner(now)
        elif now - self._last_alive >= _ALIVE_S:
            self._last_alive = now
            out += self._line(0, "ALIVE", self._ms(now))
        self._time_presses(now)
        if not self._is_confirmed:
            return out
        if self._reports_tags and self._sent is None and not self._events:
            self._reports_tags = False
            self._events.extend(("TAG", "1", uid, "IN") for uid in self._tags)
        if self._sent is None and self._events:
            self._number = self._number % _MAX_NUMBER + 1
            line = self._line(self._number, *self._events.popleft(), self._ms(now))
            self._sent = self._number, line, float("-inf")
        if self._sent is not None and now - self._sent[2] >= _REPEAT_S:
            number, line, _ = self._sent
            self._sent = number, line, now
            out += line
        return out

    def _time_presses(self, now: float) -> None:
        """Add the event of each long press."""
        for key, since in tuple(self._down.items()):
            if since is None:
                self._down[key] = now
            elif now - since >= _LONG_PRESS_S:
                del self._down[key]
                self._events.append(("HELD", key))

    def _handle(self, line: BoxMessage, now: float) -> bytes:
        if line.word == "HELLO":
            self.lights.clear()
            return self._banner(now)
        if line.word == "ACK":
            if line.args == (self._boot,):
                self._is_confirmed = True
            elif self._sent is not None and line.args == (str(self._sent[0]),):
                self._sent = None
            return b""
        match line.word, line.args:
            case "LIGHT", (light, "off" | "on" | "blink" as how):
                self.lights[light] = how
            case "CLEAR", ():
                self.clear()
            case "ROW", (row, column, text):
                self._cursor = int(row) * self.columns + int(column)
                for byte in text_of(text):
                    self.put(byte)
            case _:
                return self._line(0, "NO", line.number, "unknown")
        return self._line(0, "DONE", line.number)

    def _banner(self, now: float) -> bytes:
        self._last_alive, self._reports_tags = now, True
        size = f"{self.columns}x{self.rows}"
        return self._line(
            0,
            "HELLO",
            "hanafuda",
            1,
            "e66038b7",
            self._boot,
            self.keys,
            self.keys,
            size,
            self._ms(now),
            "HELD",
        )

    def _line(self, number: int, word: str, *args: object) -> bytes:
        return line_of(number, word, *args, strong=self._strong)

    def _ms(self, now: float) -> int:
        return int(1000 * (now - self._started))
