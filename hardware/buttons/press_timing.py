"""What a player means by a key: a press, a long or a double one; one key at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hardware.driver import Button, DeviceEvent, PressKind

__all__ = ["KeyMeanings", "PressDetector"]

KeyMeanings = Mapping[tuple[int, PressKind], Button]
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
class _CurrentPress:
    """A press that is not decided yet, or whose key is still down."""

    key: int
    at: float
    """When its key went down last."""
    up: float | None = None
    reported: bool = False


class PressDetector:
    """The keys of one box. Times are s, of one clock.

    A key that means the same however it is pressed is told as it goes down; one that has a long or a double meaning as
    soon as that is decided.
    """

    def __init__(self, meanings: KeyMeanings) -> None:
        self._meanings = meanings
        self.reports_long_presses = False
        """Whether the device tells itself of a key that is held (`held`). Else the time must do: a key whose going up is
        lost on the way seems to be held."""
        self._current: _CurrentPress | None = None
        self._locked_until = float("-inf")

    def reset(self) -> None:
        """Forget keys that are down: the box was away."""
        self._current = None

    def down(self, key: int, at: float) -> list[DeviceEvent]:
        """Take note of a key that goes down."""
        events = self.tick(at)
        current = self._current
        if current is not None and current.key == key and current.up is not None and not current.reported:
            current.at, current.up, current.reported = at, None, True
            return events + self._report(key, "double", at)
        if at < self._locked_until or (
            current is not None and current.key != key and at - current.at < _STUCK_S
        ):
            return events
        self._current = _CurrentPress(key, at)
        if self._has_meaning(key, "long") or self._has_meaning(key, "double"):
            return events
        self._current.reported = True
        return events + self._report(key, "press", at)

    def up(self, key: int, at: float) -> list[DeviceEvent]:
        """Take note of a key that goes up."""
        events = self.tick(at)
        current = self._current
        if current is None or current.key != key or current.up is not None:
            return events
        current.up = at
        if current.reported:
            self._current = None
        elif not self._has_meaning(key, "double"):
            self._current = None
            events += self._report(key, "press", at)
        return events

    def held(self, key: int, at: float) -> list[DeviceEvent]:
        """Take note of a key that has been down for so long that this is a long press."""
        current = self._current
        if (
            current is None
            or current.key != key
            or current.up is not None
            or current.reported
            or not self._has_meaning(key, "long")
        ):
            return []
        current.reported = True
        return self._report(key, "long", at)

    def tick(self, now: float) -> list[DeviceEvent]:
        """Decide what the time decides."""
        current = self._current
        if current is None or current.reported:
            return []
        if current.up is not None:
            if now - current.up < _DOUBLE_S:
                return []
            self._current = None
            return self._report(current.key, "press", current.up)
        if not self.reports_long_presses and now - current.at >= _LONG_S:
            return self.held(current.key, now)
        return []

    def _has_meaning(self, key: int, how: PressKind) -> bool:
        return (key, how) in self._meanings

    def _report(self, key: int, how: PressKind, at: float) -> list[DeviceEvent]:
        self._locked_until = at + _LOCKOUT_S
        return [DeviceEvent("button", {"button": self._meanings.get((key, how), f"raw-{key}"), "how": how})]
