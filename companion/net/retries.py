"""How long to wait before trying again what may succeed later, such as a lost connection."""

from __future__ import annotations

import random
from typing import Final

_VARIATION: Final = (0.7, 1.3)
_RNG: Final = random.Random()


def varied(wait: float, rng: random.Random = _RNG) -> float:
    """Return a wait (s) changed at random by up to 30 %, so that several clients do not try again in step."""
    return wait * rng.uniform(*_VARIATION)


class Backoff:
    """The waits between attempts: each twice as long as the one before, up to a limit, and varied."""

    def __init__(self, first: float, longest: float, rng: random.Random = _RNG) -> None:
        """``first`` and ``longest`` are in s, before they are varied."""
        self._first, self._longest, self._rng = first, longest, rng
        self._wait = first

    def next(self) -> float:
        """Return the wait before the next attempt, s."""
        wait, self._wait = self._wait, min(2 * self._wait, self._longest)
        return varied(wait, self._rng)

    def reset(self) -> None:
        """Begin with the first wait again, because an attempt has succeeded."""
        self._wait = self._first
