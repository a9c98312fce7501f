"""Lights, which are off, on or blinking."""

from .wired import Wiring

_BLINK_MS = 250
_MODES = (b"off", b"on", b"blink")


class Lights:
    """The lights beside the keys."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring
        self.modes = [b"off"] * wiring.lights
        """The mode of each light."""
        self._lit = [False] * wiring.lights
        for number in range(wiring.lights):
            wiring.light(number, False)

    def set(self, number: int, mode: bytes) -> bool:
        """Set light ``number`` (from 0) to ``off``, ``on`` or ``blink``; return False if the light or the mode does not exist."""
        if not 0 <= number < len(self.modes) or mode not in _MODES:
            return False
        self.modes[number] = mode
        return True

    def off(self) -> None:
        """Turn all lights off; a newly connected host sets them again."""
        for number in range(len(self.modes)):
            self.modes[number] = b"off"

    def step(self, now: int) -> None:
        """Switch the lights whose state changes at ``now`` (ms)."""
        blink_on = now // _BLINK_MS % 2 == 0
        for number in range(len(self.modes)):
            mode = self.modes[number]
            on = mode == b"on" or (mode == b"blink" and blink_on)
            if on != self._lit[number]:
                self._lit[number] = on
                self._wiring.light(number, on)
