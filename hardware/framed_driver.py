"""Base classes of drivers for devices that send frames."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Final, Generic

from hardware.driver import DeviceDriver, DeviceEvent
from hardware.frame_parser import Frame, Parser

__all__ = ["FramedDriver", "PolledDriver"]

#: Invalid bytes before the first valid frame after which another device is assumed; power-up noise is shorter.
_MAX_SKIPPED_BYTES: Final = 64


class FramedDriver(DeviceDriver, Generic[Frame]):
    """A driver that reads frames with a parser."""

    def __init__(self, parser: Parser[Frame]) -> None:
        super().__init__()
        self._parser = parser
        self._recognized = False

    @abstractmethod
    def begin(self, now: float) -> bytes:
        """Reset the device's state and return the probe."""

    @abstractmethod
    def on_frame(self, frame: Frame, now: float) -> list[DeviceEvent]:
        """Process one valid frame."""

    def restart(self, now: float) -> bytes:
        """Discard an incomplete frame and return the probe."""
        self._parser.reset()
        self._output.clear()
        self._recognized = False
        return self.begin(now)

    def feed(self, data: bytes, now: float) -> list[DeviceEvent]:
        """Process received bytes."""
        return self._handle(self._parser.feed(data), now)

    def idle(self, now: float) -> list[DeviceEvent]:
        """Discard an incomplete frame."""
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
    """A driver that polls its device: again after each answer, and after a timeout."""

    poll_interval_s: ClassVar[float]
    """Pause between an answer and the next poll, s."""
    answer_timeout_s: ClassVar[float] = 0.5
    """Time to wait for an answer before polling again, s."""

    def __init__(self, parser: Parser[Frame]) -> None:
        super().__init__(parser)
        self._next_poll_at: float | None = None
        self.last_answer_at = 0.0
        """Time of the last answer, s. Tags are not reported as removed while the reader does not answer."""

    @abstractmethod
    def poll(self) -> bytes:
        """Return the poll command."""

    def restart(self, now: float) -> bytes:
        """Stop polling and return the probe; polling starts again with `answered`."""
        self._next_poll_at, self.last_answer_at = None, now
        return super().restart(now)

    def answered(self, now: float) -> None:
        """Schedule the next poll."""
        self._next_poll_at, self.last_answer_at = now + self.poll_interval_s, now

    def tick(self, now: float) -> list[DeviceEvent]:
        """Poll when it is due."""
        if self._next_poll_at is not None and now >= self._next_poll_at:
            self._next_poll_at = now + self.answer_timeout_s
            self._output += self.poll()
        return []
