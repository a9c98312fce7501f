"""The base class of device drivers, their settings, events and commands.

A driver implements the protocol of one device. It has no port, thread or clock of its own: a transport
(`hardware.transports.transport`) passes it the bytes received and the time, and writes the bytes that it returns. All times
are in s on the transport's clock.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

EventKind = Literal["tag", "code", "button", "ready", "fault"]
PressKind = Literal["press", "long", "double"]
Button = Literal["koi-koi", "stop", "pass", "undo", "next"]


@dataclass(frozen=True, slots=True)
class PortSettings:
    """Serial settings and timeouts of a device; every device uses 8 data bits, no parity and one stop bit."""

    baud: int
    frame_timeout_s: float = 0.1
    """Silence after which an incomplete frame is discarded, s."""
    probe_timeout_s: float = 2.0
    """Time for the first answer after the port was opened, s; boards that reset on opening need it."""
    response_timeout_s: float | None = None
    """Maximum time without a valid frame before the device counts as lost, s; None: it may stay silent."""
    rtscts: bool = False
    write_timeout_s: float = 1.0
    """Timeout of one write, s."""


@dataclass(frozen=True, slots=True)
class DeviceEvent:
    """An event that a device reported.

    The data by ``kind``: ``tag``: ``uid`` (hex digits), ``present``, ``place`` (antenna, if the reader has several), ``rssi`` (dBm,
    if known). ``code``: ``text``. ``button``: ``button`` (a `Button`, or ``raw-N``), ``how`` (a `PressKind`). ``ready``: ``says``
    (the device's identification). ``fault``: ``code`` (a `hardware.device_faults.FaultCode`), ``detail``.
    """

    kind: EventKind
    data: dict[str, Any] = field(default_factory=dict)
    ago: float = field(default=0.0, compare=False)
    """Age of the event when the driver reported it, s, for devices with a clock."""


@dataclass(frozen=True, slots=True)
class ShowRows:
    """Command: show these rows; text beyond the display's size is cut off."""

    rows: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SetLight:
    """Command: switch a light; lights are numbered from 1."""

    number: int
    how: Literal["off", "on", "blink"]


@dataclass(frozen=True, slots=True)
class TriggerScan:
    """Command: trigger one scan."""


Command = ShowRows | SetLight | TriggerScan


class DeviceDriver(ABC):
    """The protocol of one device.

    It keeps what must survive a lost connection (a display's target contents, the last number that a box sent) and resets
    everything else at `restart`. It never raises, whatever bytes it receives.
    """

    settings: ClassVar[PortSettings]
    identifies_itself: ClassVar[bool] = True
    """Whether the device answers or announces itself; if not, it counts as ready once its port is open."""

    def __init__(self) -> None:
        self.last_frame = b""
        """The raw bytes of the last valid frame."""
        self.frame_count = 0
        """Number of valid frames since the driver was created."""
        self._output = bytearray()

    @abstractmethod
    def restart(self, now: float) -> bytes:
        """Reset the connection state after opening the port or after a timeout, and return the probe to write."""

    @abstractmethod
    def feed(self, data: bytes, now: float) -> list[DeviceEvent]:
        """Process received bytes in chunks of any size; invalid bytes are skipped."""

    def idle(self, now: float) -> list[DeviceEvent]:
        """Discard an incomplete frame after a silence of ``settings.frame_timeout_s``."""
        return []

    def tick(self, now: float) -> list[DeviceEvent]:
        """Process timeouts; called about ten times a second."""
        return []

    def send(self, command: Command, now: float) -> bytes:
        """Return the bytes to write for a command; empty if the device does not support it."""
        return b""

    def light_for(self, button: str) -> int | None:
        """Return the number of the light beside a button; None if it has no light."""
        return None

    def take_output(self) -> bytes:
        """Return and clear the bytes that `feed`, `idle` and `tick` queued for writing."""
        output, self._output = bytes(self._output), bytearray()
        return output
