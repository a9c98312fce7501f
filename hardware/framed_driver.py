"""What the drivers of devices that speak in frames have in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Final, Generic

from hardware.driver import DeviceEvent, Driver
from hardware.frame_parser import Frame, Parser

__all__ = ["FramedDriver", "PolledDriver"]

#: So many bytes without one good frame, and another device is plugged in here. Noise at power-up is less.
_MAX_SKIPPED_BYTES: Final = 64


class FramedDriver(Driver, Generic[Frame]):
    """A driver around a parser."""

    def __init__(self, parser: Parser[Frame]) -> None:
        super().__init__()
        self._parser = parser
        self._recognized = False

    @abstractmethod
    def begin(self, now: float) -> bytes:
        """Begin afresh: return the probe."""

    @abstractmethod
    def on_frame(self, frame: Frame, now: float) -> list[DeviceEvent]:
        """Take one good frame."""

    def restart(self, now: float) -> bytes:
        """Forget what was begun and return the probe."""
        self._parser.reset()
        self._output.clear()
        self._recognized = False
        return self.begin(now)

    def feed(self, data: bytes, now: float) -> list[DeviceEvent]:
        """Take what came."""
        return self._handle(self._parser.feed(data), now)

    def idle(self, now: float) -> list[DeviceEvent]:
        """Give up a frame that does not end."""
        return self._handle(self._parser.idle(), now)

    def _handle(self, frames: list[Frame], now: float) -> list[DeviceEvent]:
        events: list[DeviceEvent] = []
        if frames:
            self.frame_count += len(frames)
            self.last_frame = self._parser.last
            self._recognized = True
        for frame in frames:
            events += self.on_frame(frame, now)
        if not self._recognized and self._parser.skipped_bytes >= _MAX_SKIPPED_BYTES:
            self._parser.reset()
            detail = f"{_MAX_SKIPPED_BYTES} bytes without a frame"
            events.append(DeviceEvent("fault", {"code": "wrong-device", "detail": detail}))
        return events


class PolledDriver(FramedDriver[Frame]):
    """A driver of a device that speaks when it is asked; it is asked again after each answer, and when none comes."""

    poll_interval_s: ClassVar[float]
    """From an answer to the next question."""
    answer_timeout_s: ClassVar[float] = 0.5
    """For an answer that is lost."""

    def __init__(self, parser: Parser[Frame]) -> None:
        super().__init__(parser)
        self._next: float | None = None
        self.last_answer_at = 0.0
        """When it answered last, s: what it has not seen since cannot be told from what it could not say."""

    @abstractmethod
    def poll(self) -> bytes:
        """Return the question."""

    def restart(self, now: float) -> bytes:
        """Forget what was begun and return the probe; nothing is asked until `answered`."""
        self._next, self.last_answer_at = None, now
        return super().restart(now)

    def answered(self, now: float) -> None:
        """Take note that the device may be asked again."""
        self._next, self.last_answer_at = now + self.poll_interval_s, now

    def tick(self, now: float) -> list[DeviceEvent]:
        """Ask when it is time."""
        if self._next is not None and now >= self._next:
            self._next = now + self.answer_timeout_s
            self._output += self.poll()
        return []
