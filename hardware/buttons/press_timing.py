"""What a player means by a key: a press, a long or a double one; one key at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hardware.driver import Button, DeviceEvent, How

__all__ = ["Meanings", "Presses"]

Meanings = Mapping[tuple[int, How], Button]
"""What a key (by its number) means, pressed so."""

#: A key held for so long is a long press, told before it is let go, s.
_LONG_S: Final = 0.8
#: The second press of a double one begins within so long after the first ended, s.
_DOUBLE_S: Final = 0.35
#: After a press no key counts for so long, s: a hand that falls on two keys, a contact that bounces late.
_LOCKOUT_S: Final = 0.25
#: A key held for longer is stuck, and does not lock the others out, s.
_STUCK_S: Final = 5.0


@dataclass(slots=True)
class _Begun:
    """A press that is not decided yet, or whose key is still down."""

    key: int
    at: float
    """When its key went down last."""
    up: float | None = None
    told: bool = False


class Presses:
    """The keys of one box. Times are s, of one clock.

    A key that means the same however it is pressed is told as it goes down; one that has a long or a double meaning as
    soon as that is decided.
    """

    def __init__(self, meanings: Meanings) -> None:
        self._meanings = meanings
        self.told_of_long = False
        """Whether the device tells itself of a key that is held (`held`). Else the time must do: a key whose going up is
        lost on the way seems to be held."""
        self._begun: _Begun | None = None
        self._locked_until = float("-inf")

    def forget(self) -> None:
        """Forget keys that are down: the box was away."""
        self._begun = None

    def down(self, key: int, at: float) -> list[DeviceEvent]:
        """Take note of a key that goes down."""
        events = self.tick(at)
        begun = self._begun
        if begun is not None and begun.key == key and begun.up is not None and not begun.told:
            begun.at, begun.up, begun.told = at, None, True
            return events + self._tell(key, "double", at)
        if at < self._locked_until or (begun is not None and begun.key != key and at - begun.at < _STUCK_S):
            return events
        self._begun = _Begun(key, at)
        if self._waits(key, "long") or self._waits(key, "double"):
            return events
        self._begun.told = True
        return events + self._tell(key, "press", at)

    def up(self, key: int, at: float) -> list[DeviceEvent]:
        """Take note of a key that goes up."""
        events = self.tick(at)
        begun = self._begun
        if begun is None or begun.key != key or begun.up is not None:
            return events
        begun.up = at
        if begun.told:
            self._begun = None
        elif not self._waits(key, "double"):
            self._begun = None
            events += self._tell(key, "press", at)
        return events

    def held(self, key: int, at: float) -> list[DeviceEvent]:
        """Take note of a key that has been down for so long that this is a long press."""
        begun = self._begun
        if (
            begun is None
            or begun.key != key
            or begun.up is not None
            or begun.told
            or not self._waits(key, "long")
        ):
            return []
        begun.told = True
        return self._tell(key, "long", at)

    def tick(self, now: float) -> list[DeviceEvent]:
        """Decide what the time decides."""
        begun = self._begun
        if begun is None or begun.told:
            return []
        if begun.up is not None:
            if now - begun.up < _DOUBLE_S:
                return []
            self._begun = None
            return self._tell(begun.key, "press", begun.up)
        if not self.told_of_long and now - begun.at >= _LONG_S:
            return self.held(begun.key, now)
        return []

    def _waits(self, key: int, how: How) -> bool:
        return (key, how) in self._meanings

    def _tell(self, key: int, how: How, at: float) -> list[DeviceEvent]:
        self._locked_until = at + _LOCKOUT_S
        return [DeviceEvent("button", {"button": self._meanings.get((key, how), f"raw-{key}"), "how": how})]
