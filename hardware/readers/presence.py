"""Tracks the tags on a reader: one event when a tag is placed and one when it is removed."""

from __future__ import annotations

from typing import Any, Final

from hardware.driver import DeviceEvent

__all__ = ["Presence"]

#: Upper limit of tracked tags, above any pile; beyond it the least recently read one counts as removed.
_CAPACITY: Final = 256


class Presence:
    """The tags in a reader's field, each with the time of its last reading."""

    def __init__(self, absent_after_s: float) -> None:
        self._absent_after_s = absent_after_s
        self._last_read: dict[str, float] = {}

    def see(self, uid: str, now: float, **more: Any) -> list[DeviceEvent]:
        """Record a reading; return an event if the tag is new. ``more`` is added to the event."""
        known = self._last_read.pop(uid, None) is not None
        self._last_read[uid] = now
        if known:
            return []
        events = [DeviceEvent("tag", {"uid": uid, "present": True, **more})]
        if len(self._last_read) > _CAPACITY:
            events += self._remove(next(iter(self._last_read)))
        return events

    def tick(self, now: float) -> list[DeviceEvent]:
        """Return an event for each removed tag; ``now``: the last time (s) at which the reader could have reported tags."""
        return self.absent_since(now - self._absent_after_s)

    def absent_since(self, time: float) -> list[DeviceEvent]:
        """Return an event for each tag that was not read after ``time`` (s), and forget it."""
        removed = [uid for uid, last_read in self._last_read.items() if last_read <= time]
        return [event for uid in removed for event in self._remove(uid)]

    def resume(self, now: float) -> None:
        """Restart the timeout of every tag after the reader itself was disconnected."""
        self._last_read = dict.fromkeys(self._last_read, now)

    def _remove(self, uid: str) -> list[DeviceEvent]:
        del self._last_read[uid]
        return [DeviceEvent("tag", {"uid": uid, "present": False})]
