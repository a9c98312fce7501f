"""Hardware access on the Raspberry Pi Pico: the only file that depends on its pins; implements `hanafuda_box/wired.py`."""

import gc
import os
import select
import sys
import time
from binascii import hexlify

import machine
import micropython
from hanafuda_box.wired import Port, Wiring

#: The watchdog restarts the box if `rest` is not called for this long, ms; the chip allows at most 8388.
_WATCHDOG_MS = 5000
#: Interval at which unused memory is freed, ms: frequent collections are short, so that keys are polled often enough.
_COLLECT_MS = 1000
#: Number of the UART whose TX is on a pin.
_UARTS = {0: 0, 8: 1, 4: 1, 12: 0, 16: 0}


class Uart(Port):
    """One of the Pico's two UARTs; ``pins``: GP numbers of TX and RX."""

    def __init__(self, pins: tuple[int, int]) -> None:
        self._pins = pins
        self._uart = None

    def open(self, baud: int) -> None:
        """Open the UART at ``baud``, 8N1."""
        tx, rx = self._pins
        self._uart = machine.UART(
            _UARTS[tx], baud, tx=machine.Pin(tx), rx=machine.Pin(rx), rxbuf=256, txbuf=256, timeout=0
        )

    def read(self) -> bytes:
        """Return the received bytes, empty if there are none."""
        return (self._uart.read() or b"") if self._uart.any() else b""

    def write(self, data: bytes) -> int:
        """Write as much as fits the buffer; return the number of bytes written."""
        return self._uart.write(data) or 0


class Wired(Wiring):
    """The keys, lights, serial ports and USB connection of the Pico, with the pins of ``settings.py``."""

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
        self._collected_at = 0

    def service(self) -> bool:
        """Return whether key 1 is down; if so, the Pico's own light goes on."""
        time.sleep_ms(20)  # until the pull-ups have settled
        pressed = bool(self.keys) and self.key(0)
        self._own.value(pressed)
        return pressed

    def arm(self) -> None:
        """Ignore Ctrl-C from now on, and start the watchdog."""
        micropython.kbd_intr(-1)
        self._watchdog = machine.WDT(timeout=_WATCHDOG_MS)

    def now(self) -> int:
        """Return the time since the start, ms; extends the chip's tick counter, which wraps around after twelve days."""
        ticks = time.ticks_ms()
        self._now += time.ticks_diff(ticks, self._ticks)
        self._ticks = ticks
        return self._now

    def key(self, number: int) -> bool:
        """Return whether the contact of key ``number`` (from 0) is closed: its pin is connected to GND."""
        return not self._keys[number].value()

    def light(self, number: int, on: bool) -> None:
        """Switch light ``number`` (from 0)."""
        self._lights[number].value(on)

    def own_light(self, on: bool) -> None:
        """Switch the green LED beside the USB socket."""
        self._own.value(on)

    def read(self) -> bytes:
        """Return one byte from the host, empty if there is none; reading more would block until all of them arrive."""
        for _ in self._incoming.ipoll(0):
            return self._in.read(1)
        return b""

    def write(self, data: bytes) -> int:
        """Write to the host if it can take data; return the number of bytes written."""
        for _ in self._outgoing.ipoll(0):
            return self._out.write(data) or 0
        return 0

    def rest(self) -> None:
        """Feed the watchdog, free unused memory if it is due, and sleep for 1 ms."""
        self._watchdog.feed()
        if self._now - self._collected_at >= _COLLECT_MS:
            self._collected_at = self._now
            gc.collect()
        time.sleep_ms(1)

    def restart(self) -> None:
        """Reset the chip."""
        machine.reset()
