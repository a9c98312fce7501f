"""What every source of frames gives, and how it is asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import Final, Literal, Self

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.crops import Image

__all__ = ["SMALL", "Frame", "FrameSource", "Grey", "SourceError", "State"]

#: Long side of a frame's small grey copy, px.
SMALL: Final = 320
_JPEG_QUALITY: Final = 90
_REDUCED: Final = ((4, cv2.IMREAD_REDUCED_COLOR_4), (2, cv2.IMREAD_REDUCED_COLOR_2))

Grey = NDArray[np.uint8]

State = Literal["absent", "opening", "live", "stale", "back-off", "ended"]
"""How a source is: nothing there; being opened; frames come; none came for a while; waiting before it is opened again;
no more will come."""


class SourceError(ValueError):
    """There is no such source, or it gives no frames; the sentence says what was seen and what to do."""


class Frame:
    """One picture of a source. It is decoded when it is asked for: most frames of a quiet table never are."""

    def __init__(
        self, name: str, time: float, *, bgr: Image | None = None, jpeg: bytes | None = None
    ) -> None:
        """Take a picture as pixels (H x W x 3 uint8) or as a JPEG's bytes; `SourceError` where those show no picture."""
        self.name = name
        """What the picture is called: a file's name, or a number at its source."""
        self.time = time
        """s since the source began."""
        self._bgr, self._jpeg = bgr, jpeg
        # Now, so that a damaged picture is noticed where it is read. A quarter is decoded in a third of the time.
        pixels = bgr if bgr is not None else self._decoded(cv2.IMREAD_REDUCED_GRAYSCALE_4)
        self.small: Final[Grey] = _small(pixels)
        """A grey copy (h x w uint8), `SMALL` px on its longer side."""
        self.width: Final[int] = pixels.shape[1] * (1 if bgr is not None else 4)
        """px; of a JPEG that was not decoded whole a multiple of 4."""

    def __repr__(self) -> str:
        return f"<Frame {self.name} at {self.time:.2f} s>"

    @cached_property
    def bgr(self) -> Image:
        """The picture, H x W x 3 uint8."""
        return self._bgr if self._bgr is not None else self._decoded(cv2.IMREAD_COLOR)

    @property
    def jpeg(self) -> bytes:
        """The picture as JPEG: as it came from a camera or file where that was one."""
        if self._jpeg is None:
            self._jpeg = cv2.imencode(".jpg", self.bgr, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])[
                1
            ].tobytes()
        return self._jpeg

    def preview(self, width: int, quality: int) -> bytes:
        """Return the picture as a JPEG of at most ``width`` px across and a quality of 1-100."""
        # Half of the pixels, or a quarter, are decoded in less time, where those are enough.
        how = next((how for times, how in _REDUCED if self.width >= times * width), cv2.IMREAD_COLOR)
        pixels = self._bgr if self._bgr is not None else self._decoded(how)
        if pixels.shape[1] > width:
            height = max(1, round(pixels.shape[0] * width / pixels.shape[1]))
            pixels = np.asarray(cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
        return cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()

    def _decoded(self, how: int) -> NDArray[np.uint8]:
        data = np.frombuffer(self._jpeg or b"", np.uint8)
        pixels = cv2.imdecode(data, how) if data.size else None
        if pixels is None:
            raise SourceError(f"{self.name} is no whole JPEG")
        return np.asarray(pixels, np.uint8)


def _small(pixels: NDArray[np.uint8]) -> Grey:
    height, width = pixels.shape[:2]
    scale = SMALL / max(height, width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    small = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA) if scale < 1 else cv2.resize(pixels, size)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY) if small.ndim == 3 else small, np.uint8)


class FrameSource(ABC):
    """Gives frames in order. A live one gives the newest and forgets those that nobody asked for in time."""

    live: bool = False
    """Whether frames are lost while nobody asks for them."""

    @property
    @abstractmethod
    def state(self) -> State:
        """How the source is now."""

    @property
    def fault(self) -> str | None:
        """What is wrong, in a sentence for the person at the table; None while frames come."""
        return None

    @abstractmethod
    def next(self, wait: float = 1.0) -> Frame | None:
        """Return the next frame; None where none came within ``wait`` s or, at the state ``ended``, none will come."""

    @abstractmethod
    def close(self) -> None:
        """Let go of files and devices; the source has ended then."""

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
