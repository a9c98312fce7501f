"""Which tags lie on a reader: one event when a tag comes and one when it has gone, whatever the reader repeats."""

from __future__ import annotations

from typing import Any, Final

from hardware.driver import DeviceEvent

__all__ = ["Presence"]

#: More tags than any pile has cards; beyond it the one unseen for longest is taken for gone.
_CAPACITY: Final = 256


class Presence:
    """The tags in a reader's field."""

    def __init__(self, absent_after_s: float) -> None:
        self._absent_after_s = absent_after_s
        self._seen: dict[str, float] = {}

    def see(self, uid: str, now: float, **more: Any) -> list[DeviceEvent]:
        """Take note of a tag that was read; an event if it has just come. ``more`` goes into the event."""
        known = self._seen.pop(uid, None) is not None
        self._seen[uid] = now
        if known:
            return []
        events = [DeviceEvent("tag", {"uid": uid, "present": True, **more})]
        if len(self._seen) > _CAPACITY:
            events += self._leave(next(iter(self._seen)))
        return events

    def tick(self, now: float) -> list[DeviceEvent]:
        """Return an event for each tag that was not read for too long before ``now``, up to when the reader could have told it."""
        return self.absent_since(now - self._absent_after_s)

    def absent_since(self, time: float) -> list[DeviceEvent]:
        """Return an event for each tag that was not read after ``time``: it has gone."""
        gone = [uid for uid, seen in self._seen.items() if seen <= time]
        return [event for uid in gone for event in self._leave(uid)]

    def resume(self, now: float) -> None:
        """Give every tag its time again: the reader itself was away, and what still lies there is not news."""
        self._seen = dict.fromkeys(self._seen, now)

    def _leave(self, uid: str) -> list[DeviceEvent]:
        del self._seen[uid]
        return [DeviceEvent("tag", {"uid": uid, "present": False})]
