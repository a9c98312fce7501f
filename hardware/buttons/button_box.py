"""Driver of the button box (keys, lights, optional tag reader and display); PROTOCOL.md specifies the protocol."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from hardware.buttons.box_protocol import BoxMessage, BoxParser, cells_of
from hardware.displays.kana import Font, encode_cells
from hardware.displays.screen_updates import ScreenBuffer
from hardware.driver import Command, DeviceEvent, PortSettings, SetLight, ShowRows
from hardware.firmware.pico.hanafuda_box.lines import line_of
from hardware.framed_driver import FramedDriver
from hardware.press_timing import KeyMeanings, PressDetector

KEY_MEANINGS: Final[KeyMeanings] = {
    (1, "press"): "koi-koi",
    (2, "press"): "stop",
    (3, "press"): "pass",
    (4, "press"): "undo",
    (4, "long"): "next",  # on a box without a fifth key
    (5, "press"): "next",
}

_NUMBERS: Final = 999
_COLUMNS, _ROWS = 20, 4  # the largest supported display
#: Time after which an unconfirmed line is sent again, s.
_AGAIN_S: Final = 0.3
#: Time after a banner within which the box has reported all its tags again, s.
_TAG_REFRESH_S: Final = 3.0
#: Upper limit of remembered tags.
_MAX_TAGS: Final = 64
#: Maximum relative drift of the two clocks.
_DRIFT: Final = 0.0005
_UID: Final = re.compile(r"[0-9A-Fa-f]{2,32}")
_SIZE: Final = re.compile(r"(\d{1,2})x(\d{1,2})")


class ButtonBox(FramedDriver[BoxMessage]):
    """Driver of a box beside a seat; the box reports the size of its display."""

    settings = PortSettings(115200, frame_timeout_s=0.2, probe_timeout_s=4.0, response_timeout_s=3.5)

    def __init__(self, meanings: KeyMeanings = KEY_MEANINGS, font: Font = "katakana") -> None:
        super().__init__(BoxParser())
        self._presses = PressDetector(meanings, measures_long_presses=False)
        self._keys: dict[str, int] = {
            button: key for (key, how), button in sorted(meanings.items(), reverse=True) if how == "press"
        }
        self._boot: str | None = None
        self._has_banner = False
        self._last_number = 0
        self._clock_offset: float | None = None
        self._clock_offset_at = 0.0
        self._tags: dict[tuple[str, str], float | None] = {}
        """By antenna and UID of each present tag: the time after which it counts as removed unless reported again; None: no limit."""
        self._lights: dict[int, SetLight] = {}
        self._light_count = 0
        self._rows: tuple[str, ...] = ()
        self.screen: ScreenBuffer | None = None
        self.font: Font = font
        self._light_states: dict[int, SetLight] = {}
        self._queue: deque[tuple[str, ...]] = deque()
        self._next_number = 0
        self._sent: tuple[int, bytes, float] | None = None

    def begin(self, now: float) -> bytes:
        """Request the banner. A box that restarts when its port is opened sends it unasked."""
        self._has_banner = False
        self._presses.reset()
        self._queue.clear()
        self._sent = None
        return b"\n" + line_of(0, "HELLO")

    def on_frame(self, frame: BoxMessage, now: float) -> list[DeviceEvent]:
        """Process a line; a repeated one is confirmed again and otherwise ignored."""
        if frame.word == "HELLO":
            return self._on_banner(frame.args, now)
        if not self._has_banner:  # the banner was lost, so the numbering is unknown
            self._output += line_of(0, "HELLO")
            return []
        if frame.word == "ALIVE" and frame.args:
            self._host_time(frame.args[0], now)
        elif frame.word in {"DONE", "NO"} and frame.args:
            return self._on_confirmation(frame)
        elif frame.number:
            self._output += line_of(0, "ACK", frame.number)
            if frame.number != self._last_number:
                self._last_number = frame.number
                return self._on_event(frame, now)
        return []

    def tick(self, now: float) -> list[DeviceEvent]:
        """Update the display, resend unconfirmed lines and detect presses."""
        self._output += self._next_message(now)
        absent = [tag for tag, until in self._tags.items() if until is not None and now >= until]
        events = [event for antenna, uid in absent for event in self._tag(antenna, uid, False)]
        return events + self._presses.tick(now)

    def send(self, command: Command, now: float) -> bytes:
        """Set a light or show rows; resent until the box confirms."""
        if isinstance(command, SetLight):
            self._lights[command.number] = command
        elif isinstance(command, ShowRows):
            self._rows = command.rows
            if self.screen is not None:
                self.screen.set_rows(command.rows)
        return self._next_message(now)

    def light_for(self, button: str) -> int | None:
        """Return the light of the key with this meaning."""
        raw = button.removeprefix("raw-")
        return int(raw) if raw.isdecimal() else self._keys.get(button)

    def _on_banner(self, args: tuple[str, ...], now: float) -> list[DeviceEvent]:
        """Process the banner: ``hanafuda 1 ID BOOT KEYS LIGHTS COLUMNSxROWS TIME``."""
        size = _SIZE.fullmatch(args[6]) if len(args) == 8 else None
        if size is None or args[:2] != ("hanafuda", "1"):
            return [DeviceEvent("fault", {"code": "wrong-device", "detail": " ".join(args)[:40] or "HELLO"})]
        _, _, name, boot, keys, lights = args[:6]
        if boot != self._boot:
            self._boot, self._last_number, self._clock_offset = boot, 0, None
        self._tags = dict.fromkeys(self._tags, now + _TAG_REFRESH_S)
        self._presses.reset()
        self._host_time(args[7], now)
        self._queue.clear()
        self._sent = None
        self._has_banner = True
        self._output += line_of(0, "ACK", boot)
        self._light_states.clear()
        self._light_count = int(lights) if lights.isdecimal() else 0
        columns, rows = min(int(size[1]), _COLUMNS), min(int(size[2]), _ROWS)
        self.screen = ScreenBuffer(columns, rows) if columns and rows else None
        if self.screen is not None:
            self.screen.set_rows(self._rows)
            self.screen.cleared(now)
            self._queue.append(("CLEAR",))
        shows = f", display {args[6]}" if self.screen is not None else ""
        return [DeviceEvent("ready", {"says": f"box {name}: {keys} keys, {lights} lights{shows}"})]

    def _on_event(self, frame: BoxMessage, now: float) -> list[DeviceEvent]:
        """Process an event; its timestamp gives its age, because it may have waited in the box."""
        at = self._host_time(frame.args[-1], now) if frame.args else now
        events: list[DeviceEvent] = []
        if frame.word in {"DOWN", "HELD", "UP"} and len(frame.args) == 2 and frame.args[0].isdecimal():
            take = {"DOWN": self._presses.down, "HELD": self._presses.long_press, "UP": self._presses.up}
            events = take[frame.word](int(frame.args[0]), at)
        elif frame.word == "TAG" and len(frame.args) == 4 and _UID.fullmatch(frame.args[1]):
            antenna, uid, direction, _ = frame.args
            events = self._tag(antenna, uid.upper(), direction == "IN")
        return [replace(event, ago=max(0.0, now - at)) for event in events]

    def _tag(self, antenna: str, uid: str, present: bool) -> list[DeviceEvent]:
        """Return an event for a tag that was placed or removed; none if this was already known."""
        was_present = (antenna, uid) in self._tags
        if present and len(self._tags) < _MAX_TAGS:
            self._tags[antenna, uid] = None
        else:
            self._tags.pop((antenna, uid), None)
        if was_present == present:
            return []
        return [DeviceEvent("tag", {"uid": uid, "present": present, "place": antenna})]

    def _host_time(self, box_ms: str, now: float) -> float:
        """Convert the box's time (ms since its start) to the host's clock, s.

        The line with the shortest transmission time gives the best estimate of the offset.
        """
        if not box_ms.isdecimal():
            return now
        box_s = int(box_ms) / 1000
        offset = now - box_s
        if self._clock_offset is not None:
            offset = min(offset, self._clock_offset + _DRIFT * (now - self._clock_offset_at))
        self._clock_offset, self._clock_offset_at = offset, now
        return box_s + offset

    def _on_confirmation(self, frame: BoxMessage) -> list[DeviceEvent]:
        if self._sent is None or frame.args[0] != str(self._sent[0]):
            return []
        line, self._sent = self._sent[1], None
        if frame.word == "DONE":
            return []
        detail = f"{line.decode('ascii').strip()} ({' '.join(frame.args[1:])})"
        return [DeviceEvent("fault", {"code": "refused", "detail": detail})]

    def _next_message(self, now: float) -> bytes:
        """Return the line to send now: the unconfirmed one again, or the next; empty before the banner."""
        if not self._has_banner:
            return b""
        if self._sent is not None:
            number, line, at = self._sent
            if now - at < _AGAIN_S:
                return b""
        else:
            if not self._queue:
                self._queue.extend(self._pending_changes(now))
            if not self._queue:
                return b""
            self._next_number = number = self._next_number % _NUMBERS + 1
            line = line_of(number, *self._queue.popleft())
        self._sent = number, line, now
        return line

    def _pending_changes(self, now: float) -> Iterator[tuple[str, ...]]:
        """Yield lines for changed lights and display cells."""
        for number, light in self._lights.items():
            if number <= self._light_count and self._light_states.get(number) != light:
                self._light_states[number] = light
                yield "LIGHT", str(number), light.how
        for run in self.screen.take_changes(now) if self.screen is not None else ():
            yield "ROW", str(run.row), str(run.column), cells_of(encode_cells(run.text))
