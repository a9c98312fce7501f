"""Keeps one device connected: finds, opens, probes and monitors its port, and reopens it after a failure.

::

    absent -> opening -> probing -> ready -> stale -> back-off -> opening
       ^         |          |         |        |          |
       +---------+----------+---------+--------+----------+      (unplugged)

An open port is not a connected device: the state becomes ``ready`` when the device identifies itself, if it can. `Transport.step` is the whole state
machine without a thread, for tests in virtual time; `Transport.start` runs it in the device's one thread.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from companion.net.retries import Backoff
from hardware.device_faults import Fault, PortError
from hardware.driver import Command, DeviceDriver, DeviceEvent, PortSettings, SetLight, TriggerScan
from hardware.transports.port_discovery import PortFinder, PortLocation
from hardware.transports.serial_port import PortConnection, open_port

State = Literal["absent", "opening", "probing", "ready", "stale", "back-off"]

#: First and longest wait before a failed port is opened again, s.
_FIRST_WAIT_S: Final = 0.5
_MAX_WAIT_S: Final = 10.0
#: Interval of the search for an unplugged device, s; searching opens no port.
_SEARCH_S: Final = 0.5
#: Timeout of one read, s; also the longest delay of a command if reads cannot be interrupted.
_READ_S: Final = 0.05
#: Interval of probes until the device answers, s: one may get lost while a board starts.
_PROBE_AGAIN_S: Final = 1.0
#: Time a device must have worked before the waits start from the first again, s.
_STABLE_S: Final = 5.0


class Clock:
    """The machine's monotonic clock; tests pass another one to `Transport`."""

    def now(self) -> float:
        """Return the time, s."""
        return time.monotonic()

    def wait(self, seconds: float, until: threading.Event) -> None:
        """Wait, or less if ``until`` is set."""
        until.wait(seconds)


@dataclass(frozen=True, slots=True)
class ReceivedEvent:
    """An event from a device."""

    device: str
    time: float
    """When it happened, s on the transport's clock."""
    event: DeviceEvent


@dataclass(frozen=True, slots=True)
class DeviceStatus:
    """The connection status of a device."""

    device: str
    state: State
    since: float
    """When the state began, s on the transport's clock."""
    where: str | None = None
    """The port, while there is one."""
    says: str = ""
    """How the device identified itself."""
    fault: Fault | None = None
    """Why the device is not ready, or the last command that it rejected."""
    last_seen: float | None = None
    """When the last bytes arrived, s on the transport's clock."""
    last_frame: bytes = b""
    opened: int = 0
    """Number of times the port was opened."""

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
    """One device: its driver, its port and its thread.

    ``on_event`` is called in that thread with each event of the device, ``on_status`` whenever its status changes, and ``on_step``
    after each step, usually every 50 ms; exceptions in them are not caught. ``driver_name``: the driver's name in fault messages; the device's name if not given.
    """

    def __init__(
        self,
        device: str,
        driver: DeviceDriver,
        port_finder: PortFinder,
        on_event: Callable[[ReceivedEvent], None],
        *,
        on_status: Callable[[DeviceStatus], None] = lambda _: None,
        on_step: Callable[[], None] = lambda: None,
        driver_name: str | None = None,
        clock: Clock | None = None,
        open_connection: Callable[[str, PortSettings], PortConnection] = open_port,
        rng: random.Random | None = None,
    ) -> None:
        self.device, self.driver = device, driver
        self._driver_name = driver_name or device
        self._port_finder, self._open_connection = port_finder, open_connection
        self._on_event, self._on_status, self._on_step = on_event, on_status, on_step
        self._clock = clock or Clock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._commands: dict[tuple[type[Command], int], Command] = {}
        self._lock = threading.Lock()
        self._connection: PortConnection | None = None
        self._location: PortLocation | None = None
        self._backoff = Backoff(_FIRST_WAIT_S, _MAX_WAIT_S, rng or random.Random())
        self._retry_at = 0.0
        self._silent_since = 0.0
        self._last_probe_at = 0.0
        self._frames = driver.frame_count
        self._last_frame_at = 0.0
        self._idle = True
        self._status = DeviceStatus(device, "absent", self._clock.now())

    @property
    def status(self) -> DeviceStatus:
        """The current status; can be read from any thread."""
        return self._status

    def send(self, command: Command) -> bool:
        """Queue a command, from any thread; a newer command for the display or the same light replaces an older one.

        Rows and lights wait until the device is ready, and its driver restores them after a lost connection. Returns False for a
        scan while the device is not ready, because a later scan would be useless.
        """
        if isinstance(command, TriggerScan) and self._status.state != "ready":
            return False
        with self._lock:
            self._commands[type(command), command.number if isinstance(command, SetLight) else 0] = command
        self.wake()
        return True

    def wake(self) -> None:
        """Have the next step now, from any thread."""
        if (connection := self._connection) is not None:
            connection.wake()

    def start(self) -> None:
        """Run in a thread of its own until `close`."""
        thread = threading.Thread(target=self._run, name=f"device-{self.device}", daemon=True)
        thread.start()
        self._thread = thread

    @property
    def has_failed(self) -> bool:
        """Whether the thread has ended because of an error."""
        thread = self._thread
        return thread is not None and not thread.is_alive() and not self._stop.is_set()

    def close(self) -> None:
        """End the thread and close the port."""
        self._stop.set()
        self.wake()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self._close_port()

    def _run(self) -> None:
        while not self._stop.is_set():
            self.step()
            self._on_step()

    def step(self) -> None:
        """Run one step: find the port, open it, or exchange data. Takes at most half a second."""
        try:
            if self._connection is None:
                self._find_and_open()
            else:
                self._exchange(self._connection)
        except PortError as error:
            self._fail(error.fault)

    def _find_and_open(self) -> None:
        now = self._clock.now()
        try:
            location = self._port_finder()
        except OSError:  # a port was unplugged while the ports were listed
            location = None
        if location is None:
            self._backoff.reset()
            self._location, self._retry_at = None, now
            self._set("absent", fault=self._status.fault if self._status.state != "ready" else None)
            self._clock.wait(_SEARCH_S, self._stop)
            return
        if self._location is not None and location.plug_id != self._location.plug_id:
            self._backoff.reset()
            self._retry_at = now  # plugged in again: try at once
        self._location = location
        if now < self._retry_at:
            self._clock.wait(min(_SEARCH_S, self._retry_at - now), self._stop)
            return
        self._set("opening", where=location.url)
        connection = self._open_connection(location.url, self.driver.settings)
        self._connection = connection
        self._last_frame_at = self._silent_since = self._last_probe_at = self._clock.now()
        self._frames, self._idle = self.driver.frame_count, True
        self._set("probing", opened=self._status.opened + 1, says="")
        probe = self.driver.restart(self._clock.now())
        if probe:
            connection.write(probe)
        if not self.driver.identifies_itself:
            self._set_ready("")

    def _exchange(self, connection: PortConnection) -> None:
        driver, settings = self.driver, self.driver.settings
        data = connection.read(_READ_S)
        now = self._clock.now()
        if data:
            self._silent_since, self._idle = now, False
            events = driver.feed(data, now)
        elif not self._idle and now - self._silent_since >= settings.frame_timeout_s:
            self._idle = True
            events = driver.idle(now)
        else:
            events = []
        events += driver.tick(now)
        if driver.frame_count != self._frames:
            self._frames, self._last_frame_at = driver.frame_count, now
        if data:
            self._status = replace(self._status, last_seen=now, last_frame=driver.last_frame)
        for event in events:
            self._handle(event, now)
        self._write(connection, now)
        self._check_timeouts(connection, now)

    def _handle(self, event: DeviceEvent, now: float) -> None:
        if event.kind == "ready":
            self._set_ready(str(event.data.get("says", "")))
        elif event.kind == "fault":
            fault = Fault.of(
                event.data["code"], self._url, driver=self._driver_name, detail=event.data.get("detail", "")
            )
            if fault.code == "wrong-device":
                raise PortError(fault)
            self._status = replace(self._status, fault=fault)
            self._on_status(self._status)
        else:
            self._on_event(ReceivedEvent(self.device, now - event.ago, event))

    def _write(self, connection: PortConnection, now: float) -> None:
        out = bytearray(self.driver.take_output())
        if self._status.state == "ready":
            with self._lock:
                commands, self._commands = self._commands, {}
            for command in commands.values():
                out += self.driver.send(command, now)
        if out:
            connection.write(bytes(out))

    def _check_timeouts(self, connection: PortConnection, now: float) -> None:
        """Probe a silent device again, and raise `PortError` if it does not answer in time."""
        settings, state = self.driver.settings, self._status.state
        if state == "ready":
            if now - self._status.since >= _STABLE_S:
                self._backoff.reset()
            if (
                settings.response_timeout_s is not None
                and now - self._last_frame_at >= settings.response_timeout_s
            ):
                self._set("stale", fault=self._no_answer())
                self._probe(connection, now)
        elif now - self._status.since >= settings.probe_timeout_s:
            raise PortError(self._no_answer())
        elif now - max(self._last_probe_at, self._silent_since) >= _PROBE_AGAIN_S:  # not while data arrives
            self._probe(connection, now)

    def _probe(self, connection: PortConnection, now: float) -> None:
        self._last_probe_at = now
        connection.write(self.driver.restart(now))

    def _no_answer(self) -> Fault:
        return Fault.of("no-answer", self._url, baud=str(self.driver.settings.baud))

    def _set_ready(self, says: str) -> None:
        self._last_frame_at = self._clock.now()
        self._set("ready", says=says, fault=None)

    def _fail(self, fault: Fault) -> None:
        self._close_port()
        self._retry_at = self._clock.now() + self._backoff.next()
        self._set("back-off", fault=fault)

    def _close_port(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    @property
    def _url(self) -> str:
        return self._location.url if self._location else ""

    def _set(self, state: State, **changes: Any) -> None:
        if state == "absent":
            changes["where"] = None
        if state != self._status.state:
            changes |= {"state": state, "since": self._clock.now()}
        new = replace(self._status, **changes)
        if new != self._status:
            self._status = new
            self._on_status(new)
