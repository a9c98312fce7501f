"""The Raspberry Pi Pico: the only file that knows its pins. What each thing is for: `hanafuda_box/wired.py`."""

import os
import select
import sys
import time
from binascii import hexlify

import machine
import micropython
from hanafuda_box.wired import Port, Wiring

#: The watchdog restarts a box that has not come to its `rest` for so long, ms; at most 8388 on this chip.
_WATCHDOG_MS = 5000
_UARTS = {0: 0, 8: 1, 4: 1, 12: 0, 16: 0}  # which UART has its TX on which pin


class Uart(Port):
    """One of the two UARTs."""

    def __init__(self, pins: tuple[int, int]) -> None:
        self._pins = pins
        self._uart = None

    def open(self, baud: int) -> None:
        """Begin to listen."""
        tx, rx = self._pins
        self._uart = machine.UART(
            _UARTS[tx], baud, tx=machine.Pin(tx), rx=machine.Pin(rx), rxbuf=256, txbuf=256, timeout=0
        )

    def read(self) -> bytes:
        """Return what came."""
        return (self._uart.read() or b"") if self._uart.any() else b""

    def write(self, data: bytes) -> int:
        """Write what fits the buffer."""
        return self._uart.write(data) or 0


class Wired(Wiring):
    """What is wired to the Pico."""

    def __init__(self, settings: object) -> None:
        self._keys = [machine.Pin(pin, machine.Pin.IN, machine.Pin.PULL_UP) for pin in settings.KEYS]
        self._lights = [machine.Pin(pin, machine.Pin.OUT, value=0) for pin in settings.LIGHTS]
        self._own = machine.Pin("LED", machine.Pin.OUT)
        self.keys, self.lights = len(self._keys), len(self._lights)
        self.reader, self.display = Uart(settings.READER_PINS), Uart(settings.DISPLAY_PINS)
        self.name = hexlify(machine.unique_id()).decode()
        self.boot = int.from_bytes(os.urandom(2), "big")
        self._in, self._out = sys.stdin.buffer, sys.stdout.buffer
        self._incoming, self._outgoing = select.poll(), select.poll()
        self._incoming.register(sys.stdin, select.POLLIN)
        self._outgoing.register(sys.stdout, select.POLLOUT)
        self._ticks, self._now = time.ticks_ms(), 0
        self._watchdog = None

    def service(self) -> bool:
        """Tell whether key 1 is held; the Pico's own light says so."""
        time.sleep_ms(20)  # until the pull-ups have pulled
        held = bool(self.keys) and self.key(0)
        self._own.value(held)
        return held

    def arm(self) -> None:
        """Take no Ctrl-C any more, and start the watchdog."""
        micropython.kbd_intr(-1)
        self._watchdog = machine.WDT(timeout=_WATCHDOG_MS)

    def now(self) -> int:
        """Return the time; the chip's own count begins anew after twelve days."""
        ticks = time.ticks_ms()
        self._now += time.ticks_diff(ticks, self._ticks)
        self._ticks = ticks
        return self._now

    def key(self, number: int) -> bool:
        """Return whether a key connects its pin with GND."""
        return not self._keys[number].value()

    def light(self, number: int, on: bool) -> None:
        """Switch a light."""
        self._lights[number].value(on)

    def own_light(self, on: bool) -> None:
        """Switch the green light beside the USB socket."""
        self._own.value(on)

    def read(self) -> bytes:
        """Return one byte: asked for more, this port waits until all are there."""
        for _ in self._incoming.ipoll(0):
            return self._in.read(1)
        return b""

    def write(self, data: bytes) -> int:
        """Write, where a host listens and there is room."""
        for _ in self._outgoing.ipoll(0):
            return self._out.write(data) or 0
        return 0

    def rest(self) -> None:
        """Let a millisecond pass, and tell the watchdog that all is well."""
        self._watchdog.feed()
        time.sleep_ms(1)

    def restart(self) -> None:
        """Start anew."""
        machine.reset()
