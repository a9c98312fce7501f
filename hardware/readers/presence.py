"""The tags on a reader: one event when a tag is placed and one when it is removed; and the readers that are polled for them."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Final

from hardware.driver import DeviceEvent
from hardware.framed_driver import Frame, FramedDriver, Parser

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


class PolledReader(FramedDriver[Frame]):
    """A reader of tags that is polled: again after each answer, and after a timeout."""

    poll_interval_s: ClassVar[float]
    """Pause between an answer and the next poll, s."""
    answer_timeout_s: ClassVar[float] = 0.5
    """Time to wait for an answer before polling again, s."""
    absent_after_s: ClassVar[float]
    """Time without a reading after which a tag counts as removed, s. While the reader does not answer, none does."""

    def __init__(self, parser: Parser[Frame]) -> None:
        super().__init__(parser)
        self.tags = Presence(self.absent_after_s)
        self._next_poll_at: float | None = None
        self._last_answer_at = 0.0

    @abstractmethod
    def poll(self) -> bytes:
        """Return the poll command."""

    def restart(self, now: float) -> bytes:
        """Stop polling and return the probe; polling starts again with `answered`."""
        self._next_poll_at, self._last_answer_at = None, now
        self.tags.resume(now)
        return super().restart(now)

    def answered(self, now: float) -> None:
        """Schedule the next poll."""
        self._next_poll_at, self._last_answer_at = now + self.poll_interval_s, now

    def tick(self, now: float) -> list[DeviceEvent]:
        """Poll when it is due, and report removed tags."""
        if self._next_poll_at is not None and now >= self._next_poll_at:
            self._next_poll_at = now + self.answer_timeout_s
            self._output += self.poll()
        return self.tags.tick(self._last_answer_at)
