"""Lights: off, on or blinking."""

from .wired import Wiring

_BLINK_MS = 250
_HOWS = {b"off": 0, b"on": 1, b"blink": 2}


class Lights:
    """The lights beside the keys."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring
        self._hows = [0] * wiring.lights
        self._lit = [False] * wiring.lights
        for number in range(wiring.lights):
            wiring.light(number, False)

    def set(self, number: int, how: bytes) -> bool:
        """Have a light, from 0, be so; False if there is no such light, or it cannot be so."""
        if not 0 <= number < len(self._hows) or how not in _HOWS:
            return False
        self._hows[number] = _HOWS[how]
        return True

    def off(self) -> None:
        """Have all be off: a host sets them anew."""
        for number in range(len(self._hows)):
            self._hows[number] = 0

    def step(self, now: int) -> None:
        """Switch what has to be switched by now."""
        beat = now // _BLINK_MS % 2 == 0
        for number in range(len(self._hows)):
            how = self._hows[number]
            on = beat if how == 2 else how == 1
            if on != self._lit[number]:
                self._lit[number] = on
                self._wiring.light(number, on)
