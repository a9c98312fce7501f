"""The RP2040's `machine`, as far as the firmware's `board.py` uses it; key 2 goes down 300 ms after the start, key 1 by BOX_SERVICE."""

import os
import time

_began = time.ticks_ms()


class Pin:
    IN, OUT, PULL_UP = 0, 1, 2

    def __init__(self, name, mode=-1, pull=-1, *, value=None):
        assert name == "LED" or 0 <= name <= 28
        self._name = name

    def value(self, level=None):
        if level is None:
            down = (self._name == 3 and time.ticks_diff(time.ticks_ms(), _began) > 300) or (
                self._name == 2 and os.getenv("BOX_SERVICE")
            )
            return 0 if down else 1
        return None


class UART:
    def __init__(self, number, baud, *, tx, rx, rxbuf, txbuf, timeout):
        assert ((tx._name + 4) & 8) >> 3 == ((rx._name + 4) & 8) >> 3 == number, "not this UART's pins"
        assert (tx._name % 4, rx._name % 4) == (0, 1), "not a TX and an RX pin"
        self._wrote = 0

    def any(self):
        return 0

    def read(self):
        return None

    def write(self, data):
        self._wrote += 1
        return None if self._wrote % 2 else len(data)  # its buffer is full every other time


class WDT:
    def __init__(self, *, timeout):
        assert timeout <= 8388
        self._timeout, self._fed = timeout, time.ticks_ms()

    def feed(self):
        now = time.ticks_ms()
        assert time.ticks_diff(now, self._fed) < 30_000, "the Pico had long been reset"
        self._fed = now


def unique_id():
    return b"\xe6\x60\x38\xb7\x13\x45\x67\x28"


def reset():
    raise SystemExit(3)
