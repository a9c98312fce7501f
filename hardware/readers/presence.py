"""Tracks the tags on a reader: one event when a tag is placed and one when it is removed."""

from __future__ import annotations

from typing import Any, Final

from hardware.driver import DeviceEvent

__all__ = ["Presence"]

#: Upper limit of tracked tags, above any pile; beyond it the least recently read one counts as removed.
_CAPACITY: Final = 256


class Presence:
    """The tags in a reader's field."""

    def __init__(self, absent_after_s: float) -> None:
        self._absent_after_s = absent_after_s
        self._seen: dict[str, float] = {}

    def see(self, uid: str, now: float, **more: Any) -> list[DeviceEvent]:
        """Record a reading; return an event if the tag is new. ``more`` is added to the event."""
        known = self._seen.pop(uid, None) is not None
        self._seen[uid] = now
        if known:
            return []
        events = [DeviceEvent("tag", {"uid": uid, "present": True, **more})]
        if len(self._seen) > _CAPACITY:
            events += self._leave(next(iter(self._seen)))
        return events

    def tick(self, now: float) -> list[DeviceEvent]:
        """Return an event for each removed tag; ``now`` is when the reader last could report one, s."""
        return self.absent_since(now - self._absent_after_s)

    def absent_since(self, time: float) -> list[DeviceEvent]:
        """Return an event for each tag that was not read after ``time`` (s), and forget it."""
        gone = [uid for uid, seen in self._seen.items() if seen <= time]
        return [event for uid in gone for event in self._leave(uid)]

    def resume(self, now: float) -> None:
        """Restart the timeout of every tag after the reader itself was disconnected."""
        self._seen = dict.fromkeys(self._seen, now)

    def _leave(self, uid: str) -> list[DeviceEvent]:
        del self._seen[uid]
        return [DeviceEvent("tag", {"uid": uid, "present": False})]
