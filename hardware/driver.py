"""What a driver is: the language of one device, without a port, a thread or a clock of its own.

A transport (`hardware.transports.transport`) feeds a driver what the port said and writes what the driver wants written. All times
are s on the transport's clock, handed in.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

__all__ = [
    "Button",
    "Command",
    "DeviceEvent",
    "Driver",
    "EventKind",
    "PortSettings",
    "PressKind",
    "SetLight",
    "ShowRows",
    "TriggerScan",
]

EventKind = Literal["tag", "code", "button", "ready", "fault"]
PressKind = Literal["press", "long", "double"]
Button = Literal["koi-koi", "stop", "pass", "undo", "next"]


@dataclass(frozen=True, slots=True)
class PortSettings:
    """How a device's port is set; the data are 8 bits without parity and one stop bit everywhere."""

    baud: int
    frame_timeout_s: float = 0.1
    """After so long between two bytes a frame that is not complete never will be."""
    probe_timeout_s: float = 2.0
    """How long a device may take to answer after the port was opened; a board that resets then needs it."""
    response_timeout_s: float | None = None
    """After so long without a good frame the device is taken for dead; None: it may be silent."""
    rtscts: bool = False
    write_timeout_s: float = 1.0
    """How long one write may take."""


@dataclass(frozen=True, slots=True)
class DeviceEvent:
    """What a device told.

    ``tag``: ``uid`` (hex digits), ``present``, ``place`` (antenna, where a reader has several), ``rssi`` (dBm) where known.
    ``code``: ``text``. ``button``: ``button`` (a `Button`, or ``raw-N``), ``how``. ``ready``: ``says`` (the device about
    itself). ``fault``: ``code`` (a `hardware.device_faults.FaultCode`), ``detail``.
    """

    kind: EventKind
    data: dict[str, Any] = field(default_factory=dict)
    ago: float = field(default=0.0, compare=False)
    """How long before the driver told it this happened, s, by the clock of a device that has one."""


@dataclass(frozen=True, slots=True)
class ShowRows:
    """Command: show these rows; what is beyond the display's size is cut."""

    rows: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SetLight:
    """Command: light of a button or of the box, from 1."""

    number: int
    how: Literal["off", "on", "blink"]


@dataclass(frozen=True, slots=True)
class TriggerScan:
    """Command: read now (a scanner's trigger)."""


Command = ShowRows | SetLight | TriggerScan


class Driver(ABC):
    """The language of one device.

    It keeps what outlives a pulled plug (what a display should show, the last number that a box sent) and forgets the
    rest at `restart`. Nothing that is fed makes it raise.
    """

    settings: ClassVar[PortSettings]
    identifies_itself: ClassVar[bool] = True
    """Whether the device answers or announces itself; one that only sends, or only shows, is ready once its port is open."""

    def __init__(self) -> None:
        self.last_frame = b""
        """The last good frame, as it came."""
        self.frame_count = 0
        """How many good frames came since the program began."""
        self._output = bytearray()

    @abstractmethod
    def restart(self, now: float) -> bytes:
        """Begin afresh with a port just opened (or a device that fell silent): return the probe."""

    @abstractmethod
    def feed(self, data: bytes, now: float) -> list[DeviceEvent]:
        """Take what came; any piece of it, and any garbage."""

    def idle(self, now: float) -> list[DeviceEvent]:
        """Take note that nothing came for ``settings.frame_timeout_s``: a frame begun will not end."""
        return []

    def tick(self, now: float) -> list[DeviceEvent]:
        """Take note of the time; called some ten times a second."""
        return []

    def send(self, command: Command, now: float) -> bytes:
        """Return what to write for a command; nothing for one that the device does not know."""
        return b""

    def light_for(self, button: str) -> int | None:
        """Return the number of the light beside a button, as the driver names it; None where there is none."""
        return None

    def take_output(self) -> bytes:
        """Return, once, what `feed`, `idle` and `tick` want written."""
        take_output, self._output = bytes(self._output), bytearray()
        return take_output
