"""One device's port for a whole evening: found, opened, probed, watched, and opened again for ever.

::

    absent -> opening -> probing -> ready -> stale -> back-off -> opening
       ^         |          |         |        |          |
       +---------+----------+---------+--------+----------+      (unplugged)

Open is not connected: ``ready`` comes with the device's own word, where it has one. `Transport.step` is the whole state
machine without a thread, for tests in virtual time; `Transport.start` runs it in the device's one thread.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, Protocol

from hardware.device_faults import Fault, LineError
from hardware.driver import Command, DeviceEvent, Driver, Light, LineSettings, Scan
from hardware.transports.port_discovery import Finder, Found
from hardware.transports.serial_port import Line, open_line

__all__ = ["Clock", "Heard", "State", "Status", "SystemClock", "Transport"]

State = Literal["absent", "opening", "probing", "ready", "stale", "back-off"]

#: Waits before a port that does not work is tried again, s: the first, doubled up to the longest (devices.md).
_FIRST_WAIT_S: Final = 0.5
_LONGEST_WAIT_S: Final = 10.0
_JITTER: Final = (0.7, 1.3)
#: How often an unplugged device is looked for, s. Looking opens nothing.
_LOOK_S: Final = 0.5
#: How long one read waits, s: what a command at most waits where a read cannot be woken.
_READ_S: Final = 0.05
#: A question may be lost, or come while a board still starts: it is asked again so often until there is an answer, s.
_ASK_AGAIN_S: Final = 1.0
#: A device must have worked for so long before the waits begin at the first again, s.
_GOOD_S: Final = 5.0


class Clock(Protocol):
    """The time, to be replaced by a virtual one."""

    def now(self) -> float:
        """Return the time, s, from any beginning; never goes back."""

    def wait(self, seconds: float, until: threading.Event) -> None:
        """Wait, or less if ``until`` is set."""


class SystemClock:
    """The machine's monotonic clock."""

    def now(self) -> float:
        """Return the time, s."""
        return time.monotonic()

    def wait(self, seconds: float, until: threading.Event) -> None:
        """Wait, or less if ``until`` is set."""
        until.wait(seconds)


@dataclass(frozen=True, slots=True)
class Heard:
    """Something a device told: its device's name and a number of its own make it one of its kind, for idempotency keys."""

    device: str
    number: int
    time: float
    """When it happened, s on the transport's clock."""
    event: DeviceEvent


@dataclass(frozen=True, slots=True)
class Status:
    """How a device is."""

    device: str
    state: State
    since: float
    """When the state began, s on the transport's clock."""
    where: str | None = None
    """The port, while there is one."""
    says: str = ""
    """What the device says of itself."""
    fault: Fault | None = None
    """Why it is not ready; also the last refusal of one that is."""
    last_seen: float | None = None
    """When the last bytes came, s on the transport's clock."""
    last_frame: bytes = b""
    opened: int = 0
    """How often its port was opened."""

    def to_dict(self, now: float) -> dict[str, Any]:
        """Return the status as pages and `companion devices` show it; ages in s before ``now``."""
        return {
            "device": self.device,
            "state": self.state,
            "for_s": round(now - self.since, 1),
            "port": self.where,
            "says": self.says,
            "fault": None if self.fault is None else self.fault.to_dict(),
            "last_seen_s": None if self.last_seen is None else round(now - self.last_seen, 1),
            "last_frame": self.last_frame.hex(" "),
            "opened": self.opened,
        }


class Transport:
    """One device: its driver, its port and its one thread.

    ``kind``: what faults call the driver; its device's name if not given. ``heard`` and ``changed`` are called in that thread with what the device told and whenever its state changes; what
    they raise is not caught.
    """

    def __init__(
        self,
        device: str,
        driver: Driver,
        find: Finder,
        heard: Callable[[Heard], None],
        *,
        changed: Callable[[Status], None] = lambda _: None,
        kind: str | None = None,
        clock: Clock | None = None,
        opener: Callable[[str, LineSettings], Line] = open_line,
        dice: random.Random | None = None,
    ) -> None:
        self.device, self.driver = device, driver
        self._kind = kind or device
        self._find, self._heard, self._changed, self._opener = find, heard, changed, opener
        self._clock = clock or SystemClock()
        self._dice = dice or random.Random()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._commands: dict[tuple[type[Command], int], Command] = {}
        self._lock = threading.Lock()
        self._line: Line | None = None
        self._place: Found | None = None
        self._number = 0
        self._wait = _FIRST_WAIT_S
        self._until = 0.0
        self._quiet_since = 0.0
        self._asked_at = 0.0
        self._good = driver.good
        self._good_at = 0.0
        self._idle = True
        self._status = Status(device, "absent", self._clock.now())

    @property
    def status(self) -> Status:
        """How the device is now; from any thread."""
        return self._status

    def send(self, command: Command) -> bool:
        """Have a command written, from any thread; of several drawings, or settings of one light, the newest counts.

        What a device shall show waits until it is ready, and its driver shows it again after it was away. False for a scan
        while it is not ready: nobody wants that later.
        """
        if isinstance(command, Scan) and self._status.state != "ready":
            return False
        with self._lock:
            self._commands[type(command), command.number if isinstance(command, Light) else 0] = command
        line = self._line
        if line is not None:
            line.wake()
        return True

    def start(self) -> None:
        """Run in a thread of its own until `close`."""
        self._thread = threading.Thread(target=self._run, name=f"device-{self.device}", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread and give the port back."""
        self._stop.set()
        if (line := self._line) is not None:
            line.wake()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self._shut()

    def _run(self) -> None:
        while not self._stop.is_set():
            self.step()

    def step(self) -> None:
        """Do the next thing: look for the port, open it, or read and write a little. Waits at most half a second."""
        try:
            if self._line is None:
                self._seek()
            else:
                self._serve(self._line)
        except LineError as error:
            self._fail(error.fault)

    def _seek(self) -> None:
        now = self._clock.now()
        try:
            place = self._find()
        except OSError:  # a port that goes away while the system lists it
            place = None
        if place is None:
            self._place, self._wait, self._until = None, _FIRST_WAIT_S, now
            self._become("absent", fault=self._status.fault if self._status.state != "ready" else None)
            self._clock.wait(_LOOK_S, self._stop)
            return
        if self._place is not None and place.mark != self._place.mark:
            self._wait, self._until = _FIRST_WAIT_S, now  # plugged in anew: it may be well now
        self._place = place
        if now < self._until:
            self._clock.wait(min(_LOOK_S, self._until - now), self._stop)
            return
        self._become("opening", where=place.url)
        line = self._opener(place.url, self.driver.settings)
        self._line = line
        self._good_at = self._quiet_since = self._asked_at = self._clock.now()
        self._good, self._idle = self.driver.good, True
        self._become("probing", opened=self._status.opened + 1, says="")
        probe = self.driver.hello(self._clock.now())
        if probe:
            line.write(probe)
        if not self.driver.proves:
            self._ready("")

    def _serve(self, line: Line) -> None:
        driver, settings = self.driver, self.driver.settings
        data = line.read(_READ_S)
        now = self._clock.now()
        if data:
            self._quiet_since, self._idle = now, False
            events = driver.feed(data, now)
        elif not self._idle and now - self._quiet_since >= settings.silence_s:
            self._idle = True
            events = driver.idle(now)
        else:
            events = []
        events += driver.tick(now)
        if driver.good != self._good:
            self._good, self._good_at = driver.good, now
        if data:
            self._status = replace(self._status, last_seen=now, last_frame=driver.last_frame)
        for event in events:
            self._take(event, now)
        self._write(line, now)
        self._watch(line, now)

    def _take(self, event: DeviceEvent, now: float) -> None:
        if event.kind == "ready":
            self._ready(str(event.data.get("says", "")))
        elif event.kind == "fault":
            fault = Fault.of(
                event.data["code"], self._where, driver=self._kind, detail=event.data.get("detail", "")
            )
            if fault.code == "wrong-device":
                raise LineError(fault)
            self._status = replace(self._status, fault=fault)
            self._changed(self._status)
        else:
            self._number += 1
            self._heard(Heard(self.device, self._number, now - event.ago, event))

    def _write(self, line: Line, now: float) -> None:
        out = bytearray(self.driver.owed())
        if self._status.state == "ready":
            with self._lock:
                commands, self._commands = self._commands, {}
            for command in commands.values():
                out += self.driver.send(command, now)
        if out:
            line.write(bytes(out))

    def _watch(self, line: Line, now: float) -> None:
        """Judge what has been silent for too long."""
        settings, state = self.driver.settings, self._status.state
        if state == "ready":
            if now - self._status.since >= _GOOD_S:
                self._wait = _FIRST_WAIT_S
            if settings.alive_s is not None and now - self._good_at >= settings.alive_s:
                self._become("stale", fault=self._no_answer())
                self._ask(line, now)
        elif now - self._status.since >= settings.probe_s:
            raise LineError(self._no_answer())
        elif now - max(self._asked_at, self._quiet_since) >= _ASK_AGAIN_S:  # not while it speaks
            self._ask(line, now)

    def _ask(self, line: Line, now: float) -> None:
        self._asked_at = now
        line.write(self.driver.hello(now))

    def _no_answer(self) -> Fault:
        return Fault.of("no-answer", self._where, baud=self.driver.settings.baud)

    def _ready(self, says: str) -> None:
        self._good_at = self._clock.now()
        self._become("ready", says=says, fault=None)

    def _fail(self, fault: Fault) -> None:
        self._shut()
        now = self._clock.now()
        self._until = now + self._wait * self._dice.uniform(*_JITTER)
        self._wait = min(2 * self._wait, _LONGEST_WAIT_S)
        self._become("back-off", fault=fault)

    def _shut(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            line.close()

    @property
    def _where(self) -> str:
        return self._place.url if self._place else ""

    def _become(self, state: State, **changes: Any) -> None:
        if state == "absent":
            changes["where"] = None
        if state != self._status.state:
            changes |= {"state": state, "since": self._clock.now()}
        new = replace(self._status, **changes)
        if new != self._status:
            self._status = new
            self._changed(new)
