"""Frames and the interface of all frame sources."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import Final, Literal, Self

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.errors import MessageError
from vision.pictures.crops import GrayImage, Image
from vision.pictures.picture_decoding import to_jpeg

#: Long side of a frame's small gray copy, px.
SMALL: Final = 320
_JPEG_QUALITY: Final = 90
#: Reduced decoding: the factor and OpenCV's flag for it.
_REDUCED: Final = ((4, cv2.IMREAD_REDUCED_COLOR_4), (2, cv2.IMREAD_REDUCED_COLOR_2))


SourceState = Literal["absent", "opening", "live", "stale", "back-off", "ended"]
"""State of a source: ``absent`` (no device answered yet), ``opening``, ``live`` (frames arrive), ``stale`` (no recent frame),
``back-off`` (waiting before it is reopened), ``ended`` (there are no more frames)."""


class SourceError(MessageError, ValueError):
    """A source does not exist or delivers no frames; the message says what was found and what to do."""


class Frame:
    """One picture of a source. Full resolution is decoded on first use: most frames of a quiet table never need it."""

    def __init__(
        self,
        name: str,
        time: float,
        *,
        bgr: Image | None = None,
        jpeg: bytes | None = None,
        gray: GrayImage | None = None,
        size: tuple[int, int] = (0, 0),
    ) -> None:
        """Take a picture as pixels (H x W x 3 uint8) or JPEG bytes. Raises `SourceError` if the JPEG is damaged.

        A subclass that makes its own `bgr` passes a ``gray`` copy (h x w) and the ``size`` (width, height) in px instead.
        """
        self.name = name
        """File name, or the number of the frame in its source."""
        self.time = time
        """Seconds since the source started."""
        self._bgr, self._jpeg = bgr, jpeg
        if bgr is not None:
            gray, size = _gray(bgr, bgr.shape, 2 * SMALL), (bgr.shape[1], bgr.shape[0])
        elif gray is None:
            # Decoded here so that damage is noticed while reading; half the size in gray takes half the time.
            gray = self._decode(cv2.IMREAD_REDUCED_GRAYSCALE_2)
            size = (2 * gray.shape[1], 2 * gray.shape[0])
        self.gray: Final[GrayImage] = gray
        """Gray copy (h x w uint8), usually larger than `small`."""
        self.small: Final[GrayImage] = _gray(gray, size[::-1], SMALL)
        """Gray copy (h x w uint8), `SMALL` px on its longer side."""
        self.size: Final[tuple[int, int]] = size
        """Width and height in px; of a JPEG rounded up to even numbers."""

    def __repr__(self) -> str:
        return f"<Frame {self.name} at {self.time:.2f} s>"

    @property
    def width(self) -> int:
        """Width in px."""
        return self.size[0]

    @cached_property
    def bgr(self) -> Image:
        """The picture, H x W x 3 uint8."""
        return self._bgr if self._bgr is not None else self._decode(cv2.IMREAD_COLOR)

    @property
    def jpeg(self) -> bytes:
        """The picture as JPEG; the original bytes if the source delivered JPEG."""
        if self._jpeg is None:
            self._jpeg = to_jpeg(self.bgr, _JPEG_QUALITY)
        return self._jpeg

    def preview(self, width: int, quality: int) -> bytes:
        """Return a JPEG of at most ``width`` px across, with a quality of 1-100."""
        if self._jpeg is None:
            pixels = self.bgr
        else:
            flag = next((flag for factor, flag in _REDUCED if self.width >= factor * width), cv2.IMREAD_COLOR)
            pixels = self._decode(flag)
        if pixels.shape[1] > width:
            height = max(1, round(pixels.shape[0] * width / pixels.shape[1]))
            pixels = np.asarray(cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
        return to_jpeg(pixels, quality)

    def _decode(self, flag: int) -> NDArray[np.uint8]:
        data = np.frombuffer(self._jpeg or b"", np.uint8)
        pixels = cv2.imdecode(data, flag) if data.size else None
        if pixels is None:
            raise SourceError(f"{self.name} is not a complete JPEG")
        return np.asarray(pixels, np.uint8)


def _gray(pixels: NDArray[np.uint8], shape: tuple[int, ...], side: int) -> GrayImage:
    """Return a gray copy of a picture of ``shape`` (height, width), of which ``pixels`` may be a copy, ``side`` px on its longer side."""
    height, width = (max(1, round(length * side / max(shape[:2]))) for length in shape[:2])
    is_smaller = width <= pixels.shape[1]
    small = cv2.resize(
        pixels, (width, height), interpolation=cv2.INTER_AREA if is_smaller else cv2.INTER_LINEAR
    )
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY) if small.ndim == 3 else small, np.uint8)


class FrameSource(ABC):
    """Delivers frames in order. A live source delivers the newest frame and drops those that were not requested in time."""

    live: bool = False
    """Whether frames are dropped while none is requested."""
    calm: bool = False
    """Set by the reader while nothing happens: a live source then decodes fewer frames."""

    @property
    @abstractmethod
    def state(self) -> SourceState:
        """The current state."""

    @property
    def fault(self) -> str | None:
        """What is wrong, as a sentence for the user; None while frames arrive."""
        return None

    @abstractmethod
    def next(self, wait: float = 1.0) -> Frame | None:
        """Return the next frame, or None if none arrived within ``wait`` s or the source has ended."""

    @abstractmethod
    def close(self) -> None:
        """Release files and devices and end the source."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Frame]:
        """Yield frames until the source ends."""
        while True:
            frame = self.next()
            if frame is not None:
                yield frame
            elif self.state == "ended":
                return
