"""A device of the device process: its transport, display and lights."""

from __future__ import annotations

import json
import textwrap
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from companion.messages import render
from hardware.displays.kana import Font, displayable
from hardware.displays.score_rows import score_rows
from hardware.driver import SetLight, ShowRows, TriggerScan
from hardware.driver_registry import create_driver
from hardware.transports.port_discovery import port_finder
from hardware.transports.transport import DeviceStatus, ReceivedEvent, Transport
from hardware.worker.outbox import ButtonPress, DeliveryOutcome, ScanReading

#: How long a light signals success and refusal, s.
_DONE_S: Final = 1.0
_REFUSED_S: Final = 2.0
#: Blink interval of the lights of an open decision, s.
_BLINK_S: Final = 1.0
#: Duration of a page of a notice, s, and the maximum number of pages.
_PAGE_S: Final = 2.0
_MAX_PAGES: Final = 3
#: Longest interval of updates of the display, s: its size may have changed, or the server may have become unreachable.
_UPDATE_S: Final = 0.5
#: Duration of a test of the display or a light, s.
_TEST_S: Final = 3.0
#: Number of received frames that a report contains.
_MAX_FRAMES: Final = 8
#: The buttons whose lights blink while a decision is open.
_DECISION_BUTTONS: Final = ("koi-koi", "stop")

# Texts by font, as in `hardware.displays.score_rows`.
_PHRASES: Final[Mapping[str, Mapping[Font, str]]] = {
    "away": {"ascii": "No server", "katakana": "ｻｰﾊﾞｰﾆ ﾂﾅｶﾞﾘﾏｾﾝ"},
    "late": {"ascii": "Too late: press again", "katakana": "ﾓｳｲﾁﾄﾞ ｵｼﾃｸﾀﾞｻｲ"},
    "refused": {"ascii": "Not now", "katakana": "ｲﾏﾊ ﾃﾞｷﾏｾﾝ"},
}


@dataclass(frozen=True, slots=True)
class DeviceSettings:
    """The settings of one device."""

    name: str
    driver: str
    port: str
    """The port's name, see `hardware.transports.port_discovery.parse_port_name`."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the driver."""
    table: str | None = None
    """The table's id; None: the newest table."""
    seat: int | None = None
    place: str | None = None
    """Zone of a reader: ``field``, ``stock``, ``discard``, ``captured-N``, ``hand-N``, or ``any`` for a handheld reader."""
    buttons: Mapping[str, str] = field(default_factory=dict)
    """Overrides of button meanings: from the driver's button to another one."""
    on: bool = True

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> DeviceSettings:
        """Read the settings from JSON; unknown fields of later versions are ignored."""
        return cls(**{name: document[name] for name in cls.__dataclass_fields__ if name in document})

    @property
    def connection_key(self) -> tuple[str, str, str]:
        """The settings that need a new connection when they change."""
        return self.driver, self.port, json.dumps(self.options, sort_keys=True)


class ManagedDevice:
    """A configured device. `start`, `close` and `reopen` must be called from the same thread, all other methods from any.

    ``received`` and ``on_status`` are called in the transport's thread. ``in_use``: whether another device has a port. ``is_away``:
    whether the server is unreachable. Raises `BadRequestError` for an invalid driver, option or port.
    """

    def __init__(
        self,
        configured: DeviceSettings,
        received: Callable[[ReceivedEvent], None],
        on_status: Callable[[DeviceStatus], None],
        *,
        in_use: Callable[[str], bool],
        is_away: Callable[[], bool],
    ) -> None:
        self.configured = configured
        self.driver = create_driver(configured.driver, configured.options)
        self._on_received, self._on_status, self._is_away = received, on_status, is_away
        self._port_finder = port_finder(configured.port, in_use=in_use)
        self.transport = self._transport()
        self._present: dict[str, ScanReading] = {}
        self._lock = threading.Lock()
        """Held while the present tags or what the display and lights show are read or changed."""
        self.table: str | None = None
        """The table to which the present tags were reported."""
        self._frames: deque[bytes] = deque(maxlen=_MAX_FRAMES)
        self._view: Mapping[str, Any] | None = None
        self._notices: list[tuple[float, tuple[str, ...]]] = []
        """The pages of a notice, each with the time (s) until which it is displayed."""
        self._light_answers: dict[int, tuple[str, float]] = {}
        """By light, its temporary state after a press, and until when (s)."""
        self._light_states: dict[int, str] = {}
        self._update_at = 0.0
        """When the display or a light changes next, s."""

    def start(self) -> None:
        """Start the device's thread."""
        self.transport.start()

    def close(self) -> None:
        """Stop the device and close its port."""
        self.transport.close()

    def reopen(self) -> None:
        """Reopen the port; the driver keeps its tags and display contents."""
        self.close()
        self.transport = self._transport()
        self.start()

    def _transport(self) -> Transport:
        return Transport(
            self.configured.name,
            self.driver,
            self._port_finder,
            self._on_event,
            on_status=self._on_status,
            on_step=self._on_step,
            driver_name=self.configured.driver,
        )

    # --- reports

    def report(self, now: float) -> dict[str, Any]:
        """Return the device's status for a report."""
        self._note_frame()
        return {
            "name": self.configured.name,
            "status": self.transport.status.to_dict(now),
            "recent": [frame.hex(" ") for frame in reversed(tuple(self._frames))],
        }

    def record_scan(self, scanned: ScanReading) -> None:
        """Remember a tag that was placed or forget one that was removed; called in the transport's thread."""
        if (uid := scanned.scan.get("uid")) is None:
            return
        with self._lock:
            if scanned.scan["present"]:
                self._present[uid] = scanned
            else:
                self._present.pop(uid, None)

    def present_tags(self) -> list[ScanReading]:
        """Return the present tags."""
        with self._lock:
            return list(self._present.values())

    def _on_event(self, received: ReceivedEvent) -> None:
        self._note_frame()
        self._on_received(received)

    def _note_frame(self) -> None:
        frame = self.transport.status.last_frame
        if frame and (not self._frames or self._frames[-1] != frame):
            self._frames.append(frame)

    # --- display and lights

    def show(self, view: Mapping[str, Any] | None) -> None:
        """Show a table's view (None: no table yet)."""
        self._view = view
        self._update_soon()

    def answer(self, press: ButtonPress, outcome: DeliveryOutcome) -> None:
        """Signal the result of a press with its light, and a refusal on the display."""
        now = time.monotonic()
        done = outcome.result == "done"
        with self._lock:
            if (light := self.driver.light_for(press.raw_button)) is not None:
                self._light_answers[light] = ("on", now + _DONE_S) if done else ("blink", now + _REFUSED_S)
            self._notices = [] if done else self._pages(outcome, now)
        self._update_soon()

    def run_test(self, command: Mapping[str, Any]) -> None:
        """Run a test command: ``draw``, ``light`` or ``scan``."""
        now = time.monotonic()
        with self._lock:
            match command:
                case {"kind": "draw", "rows": rows}:
                    self._notices = [(now + _TEST_S, tuple(map(str, rows)))]
                case {"kind": "light", "number": int(number), "how": "off" | "on" | "blink" as how}:
                    self._light_answers[number] = how, now + _TEST_S
                case {"kind": "scan"}:
                    self.transport.send(TriggerScan())
        self._update_soon()

    def _update_soon(self) -> None:
        self._update_at = 0.0
        self.transport.wake()

    def _on_step(self) -> None:
        """Update the display and the lights when it is due; called in the transport's thread."""
        now = time.monotonic()
        if now >= self._update_at:
            self._update_at = now + _UPDATE_S
            with self._lock:
                self._update(now)

    def _update(self, now: float) -> None:
        decision = self._decision(self._view)
        self._notices = [page for page in self._notices if page[0] > now]
        self._light_answers = {
            light: answer for light, answer in self._light_answers.items() if answer[1] > now
        }
        if (rows := self._rows()) is not None:  # its driver writes only what has changed
            self.transport.send(ShowRows(rows))
        blinking = "on" if int(now / _BLINK_S) % 2 == 0 else "off"
        states = dict.fromkeys(self._light_states, "off") | dict.fromkeys(decision, blinking)
        states |= {light: how for light, (how, _) in self._light_answers.items()}
        for light, how in states.items():
            if self._light_states.get(light, "off") != how:
                self.transport.send(SetLight(light, how))  # type: ignore[arg-type]  # it is one of them
            self._light_states[light] = how
        ends = [until for until, _ in self._notices[:1]] + [
            until for _, until in self._light_answers.values()
        ]
        if decision:
            ends.append((int(now / _BLINK_S) + 1) * _BLINK_S)
        self._update_at = min([*ends, self._update_at])

    @property
    def shows_table(self) -> bool:
        """Whether the device has a display or lights; a button box reports this in its banner."""
        return self._screen is not None or self.driver.light_for("koi-koi") is not None

    @property
    def _screen(self) -> Any:
        return getattr(self.driver, "screen", None)

    def _rows(self) -> tuple[str, ...] | None:
        screen = self._screen
        if screen is None:
            return None
        if self._notices:
            return self._notices[0][1]
        font: Font = self.driver.font  # type: ignore[attr-defined]  # a driver with a screen has a font
        rows = score_rows(self._view, screen.columns, screen.rows, font)
        if self._is_away():
            rows = (*rows[:-1], _PHRASES["away"][font][: screen.columns].ljust(screen.columns))
        return rows

    def _pages(self, outcome: DeliveryOutcome, now: float) -> list[tuple[float, tuple[str, ...]]]:
        """Return the pages of a notice in the display's font."""
        screen = self._screen
        if screen is None:
            return []
        font: Font = self.driver.font  # type: ignore[attr-defined]  # as above
        sentence = displayable(render(outcome.says), font) if font == "ascii" and outcome.says else None
        rows = textwrap.wrap(sentence or _PHRASES[outcome.result][font], screen.columns)
        pages = [rows[at : at + screen.rows] for at in range(0, len(rows), screen.rows)][:_MAX_PAGES]
        return [(now + _PAGE_S * count, tuple(page)) for count, page in enumerate(pages, start=1)]

    def _decision(self, view: Mapping[str, Any] | None) -> tuple[int, ...]:
        """Return the lights of the possible calls in an open decision of the device's seat."""
        decision = ((view or {}).get("round") or {}).get("decision")
        if not decision or self.configured.seat not in {None, decision["seat"]}:
            return ()
        lights = (self.driver.light_for(self._raw_button(button)) for button in _DECISION_BUTTONS)
        return tuple(light for light in lights if light is not None)

    def _raw_button(self, button: str) -> str:
        """Return the driver's name for a button."""
        return next((answer for answer, means in self.configured.buttons.items() if means == button), button)
