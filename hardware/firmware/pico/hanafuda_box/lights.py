"""Lights, which are off, on or blinking."""

from .wired import Wiring

_BLINK_MS = 250
_MODES = {b"off": 0, b"on": 1, b"blink": 2}


class Lights:
    """The lights beside the keys."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring
        self._modes = [0] * wiring.lights
        self._lit = [False] * wiring.lights
        for number in range(wiring.lights):
            wiring.light(number, False)

    def set(self, number: int, mode: bytes) -> bool:
        """Set light ``number`` (from 0) to ``off``, ``on`` or ``blink``; return False if the light or the mode does not exist."""
        if not 0 <= number < len(self._modes) or mode not in _MODES:
            return False
        self._modes[number] = _MODES[mode]
        return True

    def off(self) -> None:
        """Turn all lights off; a newly connected host sets them again."""
        for number in range(len(self._modes)):
            self._modes[number] = 0

    def step(self, now: int) -> None:
        """Switch the lights whose state changes at ``now`` (ms)."""
        blink_on = now // _BLINK_MS % 2 == 0
        for number in range(len(self._modes)):
            mode = self._modes[number]
            on = blink_on if mode == 2 else mode == 1
            if on != self._lit[number]:
                self._lit[number] = on
                self._wiring.light(number, on)
