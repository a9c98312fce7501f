"""Base classes for devices that send frames: parsers that extract them from a byte stream, and drivers.

Parsers accept any chunking, skip invalid bytes, use bounded memory and raise no exceptions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final, Generic, TypeVar

from hardware.driver import DeviceDriver, DeviceEvent

Frame = TypeVar("Frame")

_CHUNK_BYTES: Final = 1024

#: Invalid bytes before the first valid frame after which another device is assumed; power-up noise is shorter.
_MAX_SKIPPED_BYTES: Final = 64


class Parser(ABC, Generic[Frame]):
    """Extracts frames. Invalid data is skipped byte by byte, so that a valid frame after a false start byte is found."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self.last = b""
        """The raw bytes of the last valid frame."""
        self.skipped_bytes = 0
        """Number of bytes skipped since the last valid frame."""

    @abstractmethod
    def take(self, buffer: bytearray) -> tuple[int, Frame | None]:
        """Parse the start of the buffer, which is not empty.

        Returns the number of bytes to remove and the frame in them; None: the bytes are invalid. 0: more bytes are needed, which is
        allowed only while the buffer is not longer than the longest frame.
        """

    def reset(self) -> None:
        """Clear the buffer for a new connection."""
        self._buffer.clear()
        self.skipped_bytes = 0

    def feed(self, data: bytes) -> list[Frame]:
        """Process received bytes and return the completed frames."""
        frames: list[Frame] = []
        for start in range(0, len(data), _CHUNK_BYTES):
            self._buffer += data[start : start + _CHUNK_BYTES]
            self._extract(frames)
        return frames

    def idle(self) -> list[Frame]:
        """Discard an incomplete frame; return the frames found after its first byte."""
        frames: list[Frame] = []
        while self._buffer:
            self._skip(1)
            self._extract(frames)
        return frames

    def _extract(self, frames: list[Frame]) -> None:
        while self._buffer:
            length, frame = self.take(self._buffer)
            if not length:
                return
            if frame is None:
                self._skip(length)
            else:
                frames.append(frame)
                self.last, self.skipped_bytes = bytes(self._buffer[:length]), 0
                del self._buffer[:length]

    def _skip(self, length: int) -> None:
        self.skipped_bytes += length
        del self._buffer[:length]


class LineParser(Parser[Frame]):
    """Parses lines that end in CR, LF or both; empty lines and those longer than ``longest`` bytes are skipped."""

    def __init__(self, longest: int) -> None:
        super().__init__()
        self._longest = longest
        self._too_long = False

    @abstractmethod
    def read(self, line: bytes) -> Frame | None:
        """Parse a non-empty line without its line end; None if it is invalid."""

    def reset(self) -> None:
        """Clear the buffer for a new connection."""
        super().reset()
        self._too_long = False

    def take(self, buffer: bytearray) -> tuple[int, Frame | None]:
        """Parse a line, or skip data that is too long to be one."""
        ends = [at for at in (buffer.find(b"\r"), buffer.find(b"\n")) if at >= 0]
        end = min(ends, default=-1)
        if end < 0:
            if len(buffer) <= self._longest:
                return 0, None
            self._too_long = True
            return len(buffer), None
        is_valid = 0 < end <= self._longest and not self._too_long
        self._too_long = False
        return end + 1, self.read(bytes(buffer[:end])) if is_valid else None

    def idle(self) -> list[Frame]:
        """Parse the rest of the buffer as a line: some devices send no line end."""
        return self.feed(b"\n") if self._buffer or self._too_long else []


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
