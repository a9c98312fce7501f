"""Our own button box: keys, lights, and what may be wired to it (a tag reader, a display), by the lines of PROTOCOL.md."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from hardware.buttons.box_protocol import BoxLine, BoxParser, cells_of, line_of
from hardware.buttons.press_timing import Meanings, Presses
from hardware.displays.kana import Font, bytes_of
from hardware.displays.screen_updates import Screen
from hardware.driver import Command, DeviceEvent, Draw, Light, LineSettings
from hardware.framed_driver import FramedDriver

__all__ = ["MEANINGS", "ButtonBox"]

MEANINGS: Final[Meanings] = {
    (1, "press"): "koi-koi",
    (2, "press"): "stop",
    (3, "press"): "pass",
    (4, "press"): "undo",
    (4, "long"): "next",  # where there is no fifth key
    (5, "press"): "next",
}

_NUMBERS: Final = 999
_COLUMNS, _ROWS = 20, 4  # of the largest display that a box may have
#: A line that was not confirmed is sent again after so long, s.
_AGAIN_S: Final = 0.3
#: A box that has said its banner has told again of every tag upon it within so long, s.
_TOLD_AGAIN_S: Final = 3.0
#: More tags than any box has readers for.
_MOST_TAGS: Final = 64
#: The two clocks drift apart by less than this, s a s.
_DRIFT: Final = 0.0005
_UID: Final = re.compile(r"[0-9A-Fa-f]{2,32}")
_SIZE: Final = re.compile(r"(\d{1,2})x(\d{1,2})")


class ButtonBox(FramedDriver[BoxLine]):
    """The box beside a seat. Its display, if it has one, has the size that the box says."""

    settings = LineSettings(115200, silence_s=0.2, probe_s=4.0, alive_s=3.5)

    def __init__(self, meanings: Meanings = MEANINGS, font: Font = "katakana") -> None:
        super().__init__(BoxParser())
        self._presses = Presses(meanings)
        self._keys: dict[str, int] = {
            button: key for (key, how), button in sorted(meanings.items(), reverse=True) if how == "press"
        }
        self._boot: str | None = None
        self._greeted = False
        self._strong = False
        self._last = 0
        self._behind: float | None = None
        self._behind_at = 0.0
        self._tags: dict[tuple[str, str], float | None] = {}
        """Place and number of each tag that lies there; when it has gone if the box, after its banner, does not tell of it."""
        self._lights: dict[int, Light] = {}
        self._has_lights = 0
        self._rows: tuple[str, ...] = ()
        self.screen: Screen | None = None
        self.font: Font = font
        self._lit: dict[int, Light] = {}
        self._lines: deque[tuple[str, ...]] = deque()
        self._number = 0
        self._sent: tuple[int, bytes, float] | None = None

    def begin(self, now: float) -> bytes:
        """Ask for the banner. A box that restarts as its port is opened sends it by itself."""
        self._greeted = False
        self._presses.forget()
        self._lines.clear()
        self._sent = None
        return b"\n" + line_of(0, "HELLO")

    def hear(self, frame: BoxLine, now: float) -> list[DeviceEvent]:
        """Take a line; one that came before is confirmed again and not told again."""
        if frame.word == "HELLO":
            self._strong = frame.strong
            return self._hello(frame.args, now)
        if not self._greeted:  # whose number is it? The banner was lost
            self._owed += line_of(0, "HELLO")
            return []
        if frame.word == "ALIVE" and frame.args:
            self._when(frame.args[0], now)
        elif frame.word in {"DONE", "NO"} and frame.args:
            return self._confirmed(frame)
        elif frame.number:
            self._owed += line_of(0, "ACK", frame.number, strong=self._strong)
            if frame.number != self._last:
                self._last = frame.number
                return self._event(frame, now)
        return []

    def tick(self, now: float) -> list[DeviceEvent]:
        """Draw, send again what was not confirmed, and decide presses."""
        self._owed += self._next(now)
        gone = [tag for tag, until in self._tags.items() if until is not None and now >= until]
        events = [event for place, uid in gone for event in self._tag(place, uid, False)]
        return events + self._presses.tick(now)

    def send(self, command: Command, now: float) -> bytes:
        """Set a light, or show rows; sent again until the box confirms it."""
        if isinstance(command, Light):
            self._lights[command.number] = command
        elif isinstance(command, Draw):
            self._rows = command.rows
            if self.screen is not None:
                self.screen.want(command.rows)
        return self._next(now)

    def light_of(self, button: str) -> int | None:
        """Return the light of the key that means it."""
        raw = button.removeprefix("raw-")
        return int(raw) if raw.isdecimal() else self._keys.get(button)

    def _hello(self, args: tuple[str, ...], now: float) -> list[DeviceEvent]:
        """Greet the box: ``hanafuda 1 ID BOOT KEYS LIGHTS COLUMNSxROWS TIME MORE…``."""
        size = _SIZE.fullmatch(args[6]) if len(args) >= 8 else None
        if size is None or args[:2] != ("hanafuda", "1"):
            return [DeviceEvent("fault", {"code": "wrong-device", "detail": " ".join(args)[:40] or "HELLO"})]
        _, _, name, boot, keys, lights = args[:6]
        if boot != self._boot:
            self._boot, self._last, self._behind = boot, 0, None
        self._tags = dict.fromkeys(self._tags, now + _TOLD_AGAIN_S)
        self._presses.forget()
        self._presses.told_of_long = "HELD" in args[8:]
        self._when(args[7], now)
        self._lines.clear()
        self._sent = None
        self._greeted = True
        self._owed += line_of(0, "ACK", boot, strong=self._strong)
        self._lit.clear()
        self._has_lights = int(lights) if lights.isdecimal() else 0
        columns, rows = min(int(size[1]), _COLUMNS), min(int(size[2]), _ROWS)
        self.screen = Screen(columns, rows) if columns and rows else None
        if self.screen is not None:
            self.screen.want(self._rows)
            self.screen.cleared(now)
            self._lines.append(("CLEAR",))
        shows = f", display {args[6]}" if self.screen is not None else ""
        return [DeviceEvent("ready", {"says": f"box {name}: {keys} keys, {lights} lights{shows}"})]

    def _event(self, frame: BoxLine, now: float) -> list[DeviceEvent]:
        """Take an event. It may have waited in the box for as long as nobody asked: when it happened is told too."""
        at = self._when(frame.args[-1], now) if frame.args else now
        events: list[DeviceEvent] = []
        if frame.word in {"DOWN", "HELD", "UP"} and len(frame.args) == 2 and frame.args[0].isdecimal():
            take = {"DOWN": self._presses.down, "HELD": self._presses.held, "UP": self._presses.up}
            events = take[frame.word](int(frame.args[0]), at)
        elif frame.word == "TAG" and len(frame.args) == 4 and _UID.fullmatch(frame.args[1]):
            place, uid, way, _ = frame.args
            events = self._tag(place, uid.upper(), way == "IN")
        return [replace(event, ago=max(0.0, now - at)) for event in events]

    def _tag(self, place: str, uid: str, present: bool) -> list[DeviceEvent]:
        """Tell of a tag that came or went; not of one that it tells of again after its banner."""
        known = (place, uid) in self._tags
        if present and len(self._tags) < _MOST_TAGS:
            self._tags[place, uid] = None
        else:
            self._tags.pop((place, uid), None)
        if known == present:
            return []
        return [DeviceEvent("tag", {"uid": uid, "present": present, "place": place})]

    def _when(self, told: str, now: float) -> float:
        """Return when something happened by the host's clock, from the box's (ms since it began).

        The line that was under way for the shortest time shows how far apart the clocks are.
        """
        if not told.isdecimal():
            return now
        there = int(told) / 1000
        behind = now - there
        if self._behind is not None:
            behind = min(behind, self._behind + _DRIFT * (now - self._behind_at))
        self._behind, self._behind_at = behind, now
        return there + behind

    def _confirmed(self, frame: BoxLine) -> list[DeviceEvent]:
        if self._sent is None or frame.args[0] != str(self._sent[0]):
            return []
        line, self._sent = self._sent[1], None
        if frame.word == "DONE":
            return []
        detail = f"{line.decode('ascii').strip()} ({' '.join(frame.args[1:])})"
        return [DeviceEvent("fault", {"code": "refused", "detail": detail})]

    def _next(self, now: float) -> bytes:
        """Return the line whose turn it is: the one not confirmed yet, or the next. Nothing before the banner."""
        if not self._greeted:
            return b""
        if self._sent is not None:
            number, line, at = self._sent
            if now - at < _AGAIN_S:
                return b""
        else:
            if not self._lines:
                self._lines.extend(self._changes(now))
            if not self._lines:
                return b""
            self._number = number = self._number % _NUMBERS + 1
            line = line_of(number, *self._lines.popleft(), strong=self._strong)
        self._sent = number, line, now
        return line

    def _changes(self, now: float) -> Iterator[tuple[str, ...]]:
        """Return the lines for what lights and display do not show yet, and take them for shown."""
        for number, light in self._lights.items():
            if number <= self._has_lights and self._lit.get(number) != light:
                self._lit[number] = light
                yield "LIGHT", str(number), light.how
        for run in self.screen.due(now) if self.screen is not None else ():
            yield "ROW", str(run.row), str(run.column), cells_of(bytes_of(run.text))
