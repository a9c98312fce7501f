"""A port in virtual time: a transport and a simulated device without a pty, a thread or any waiting."""

from __future__ import annotations

import random
import threading

from hardware.device_faults import Fault, FaultCode, PortError
from hardware.driver import PortSettings
from hardware.simulators.simulated_device import SimulatedDevice
from hardware.simulators.simulated_port import PortFaults
from hardware.transports.port_discovery import PortLocation
from hardware.transports.transport import Clock

STEP = 0.01


class VirtualClock(Clock):
    def __init__(self) -> None:
        self.time = 1000.0

    def now(self) -> float:
        return self.time

    def wait(self, seconds: float, until: threading.Event) -> None:
        self.time += seconds


class VirtualPort:
    """Where a device can be plugged in; `find` and `open` are what a transport takes."""

    def __init__(
        self, device: SimulatedDevice, clock: VirtualClock, faults: PortFaults | None = None
    ) -> None:
        self.device, self.clock, self.faults = device, clock, faults or PortFaults()
        self.plugged = False
        self.plugs = 0
        self.refuses: FaultCode | None = None
        self.open_lines = 0
        self.opened: list[float] = []
        self.wrote: list[tuple[float, bytes]] = []
        self._dice = random.Random(3)
        self._to_host = bytearray()
        self._to_device = bytearray()

    def plug(self) -> None:
        self.plugged, self.plugs = True, self.plugs + 1
        self._to_host.clear()
        self._say(self.device.plugged(self.clock.time))

    def pull(self) -> None:
        self.plugged = False

    def find(self) -> PortLocation | None:
        return PortLocation("virtual", ("virtual", self.plugs)) if self.plugged else None

    def open(self, url: str, settings: PortSettings) -> VirtualLine:
        self.opened.append(self.clock.time)
        if self.refuses:
            raise PortError(Fault.of(self.refuses, url, detail="as requested"))
        self._to_host.clear()
        return VirtualLine(self)

    def _say(self, data: bytes) -> None:
        for piece in self.faults.spoil(data, self._dice):
            self._to_host += piece

    def _lose(self, data: bytes) -> bytes:
        """The same share of the host's bytes is lost."""
        return bytes(byte for byte in data if self._dice.random() >= self.faults.drop)

    def read(self, wait: float) -> bytes:
        end = self.clock.time + wait
        while True:
            if not self.plugged:
                raise PortError(Fault.of("connection-lost", "virtual", detail="pulled"))
            if self._to_device and not self.faults.deaf:
                data = bytes(self._to_device)
                self._say(self.device.feed(self._lose(data), self.clock.time))
            self._to_device.clear()
            self._say(self.device.tick(self.clock.time))
            if self._to_host or self.clock.time >= end:
                size = 1 if self.faults.split else self._dice.randint(1, 40)
                data = bytes(self._to_host[:size])
                del self._to_host[:size]
                self.clock.time += STEP / 10
                return data
            self.clock.time += STEP

    def write(self, data: bytes) -> None:
        if not self.plugged:
            raise PortError(Fault.of("connection-lost", "virtual", detail="pulled"))
        self.wrote.append((self.clock.time, data))
        self._to_device += data


class VirtualLine:
    def __init__(self, port: VirtualPort) -> None:
        self._port, self._plugs = port, port.plugs
        port.open_lines += 1

    def read(self, wait: float) -> bytes:
        self._same()
        return self._port.read(wait)

    def write(self, data: bytes) -> None:
        self._same()
        self._port.write(data)

    def _same(self) -> None:
        if self._plugs != self._port.plugs:
            raise PortError(Fault.of("connection-lost", "virtual", detail="pulled"))

    def wake(self) -> None:
        return

    def close(self) -> None:
        self._port.open_lines -= 1
