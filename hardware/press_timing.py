"""Distinguishes presses, long presses and double presses of keys; one key at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hardware.driver import Button, DeviceEvent, PressKind

KeyMeanings = Mapping[tuple[int, PressKind], Button]
"""The button for each combination of key number and kind of press."""

#: Duration of a long press, s; reported before the key is released.
_LONG_S: Final = 0.8
#: Longest pause between the two presses of a double press, s.
_DOUBLE_S: Final = 0.35
#: Time after a press during which keys are ignored, s: against a hand on two keys, and contact bounce.
_LOCKOUT_S: Final = 0.25
#: A key that is down for longer counts as stuck and no longer blocks other keys, s.
_STUCK_S: Final = 5.0


@dataclass(slots=True)
class _CurrentPress:
    """A press whose kind is undecided or whose key is still down."""

    key: int
    at: float
    """When the key went down last, s."""
    up: float | None = None
    reported: bool = False


class PressDetector:
    """Detects presses of the keys of one box. All times are s of the same clock.

    A key without a long or double meaning is reported when it goes down, any other key as soon as the kind of press is known.
    """

    def __init__(self, meanings: KeyMeanings, *, measures_long_presses: bool = True) -> None:
        """``measures_long_presses``: False for a device that itself reports long presses (`long_press`)."""
        self._meanings = meanings
        self._measures_long_presses = measures_long_presses
        self._current: _CurrentPress | None = None
        self._locked_until = float("-inf")

    def reset(self) -> None:
        """Forget pressed keys after a lost connection."""
        self._current = None

    def down(self, key: int, at: float) -> list[DeviceEvent]:
        """Process a key going down."""
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
        """Process a key going up."""
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

    def long_press(self, key: int, at: float) -> list[DeviceEvent]:
        """Process a long press that the device detected."""
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
        """Report presses that are decided by elapsed time."""
        current = self._current
        if current is None or current.reported:
            return []
        if current.up is not None:
            if now - current.up < _DOUBLE_S:
                return []
            self._current = None
            return self._report(current.key, "press", current.up)
        if self._measures_long_presses and now - current.at >= _LONG_S:
            return self.long_press(current.key, now)
        return []

    def _has_meaning(self, key: int, how: PressKind) -> bool:
        return (key, how) in self._meanings

    def _report(self, key: int, how: PressKind, at: float) -> list[DeviceEvent]:
        self._locked_until = at + _LOCKOUT_S
        return [DeviceEvent("button", {"button": self._meanings.get((key, how), f"raw-{key}"), "how": how})]
