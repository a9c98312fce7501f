"""Parsers that extract frames from a byte stream: any chunking, invalid bytes skipped, bounded memory, no exceptions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

__all__ = ["Frame", "LineParser", "Parser", "xor_of"]

Frame = TypeVar("Frame")

_CHUNK_BYTES = 1024


def xor_of(data: bytes) -> int:
    """Return the XOR of all bytes."""
    check = 0
    for byte in data:
        check ^= byte
    return check


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
