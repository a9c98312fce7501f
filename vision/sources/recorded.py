"""What was recorded before: a folder of frames and a video file."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from vision.pictures import PictureError, read_picture
from vision.sources.frames import Frame, FrameSource, SourceError, State

__all__ = ["FOLDER_FPS", "VIDEO_FPS", "Folder", "Video"]

#: Frames a second where nobody says: a folder's files are taken to be half a second apart, a video is sampled like a camera.
FOLDER_FPS: Final = 2.0
VIDEO_FPS: Final = 10.0

_JPEG: Final = frozenset((".jpg", ".jpeg"))
_PICTURES: Final = _JPEG | {".png", ".webp", ".heic", ".heif"}


class Folder(FrameSource):
    """The pictures of a folder in the order of their names, each one frame at steps of 1 / ``fps`` s.

    What is no picture by its name (a ``truth.json``) is passed over, as are hidden files; a picture that cannot be read is warned of
    and left out.
    """

    def __init__(self, folder: Path, fps: float = FOLDER_FPS) -> None:
        try:
            self._left = sorted(
                path
                for path in folder.iterdir()
                if path.suffix.lower() in _PICTURES and not path.name.startswith(".")
            )
        except OSError as error:
            raise SourceError(f"the folder {folder} cannot be read: {error.strerror}") from None
        if not self._left:
            raise SourceError(
                f"the folder {folder} holds no pictures (JPEG, PNG, WebP, HEIC): name one with frames"
            )
        self._left.reverse()
        self._step, self._count = 1 / fps, 0

    @property
    def state(self) -> State:
        """``live`` until the last picture was given."""
        return "live" if self._left else "ended"

    def next(self, wait: float = 1.0) -> Frame | None:
        """Return the next picture at once."""
        while self._left:
            path, time = self._left.pop(), self._count * self._step
            self._count += 1
            try:
                data = path.read_bytes()
                if path.suffix.lower() in _JPEG:
                    return Frame(path.name, time, jpeg=data)
                return Frame(path.name, time, bgr=read_picture(data))
            except (OSError, PictureError, SourceError) as error:
                warnings.warn(f"{path} is left out: {error}", stacklevel=2)
        return None

    def close(self) -> None:
        """Forget the pictures that are left."""
        self._left.clear()


class Video(FrameSource):
    """A video file, sampled every 1 / ``fps`` s of its own time. A frame is called by that time: ``game.mp4 12.50 s``."""

    def __init__(self, path: Path, fps: float = VIDEO_FPS) -> None:
        self._capture = cv2.VideoCapture(str(path))
        if not self._capture.isOpened():
            raise SourceError(
                f"{path} cannot be opened as a video: give a video file (MP4, MKV, WebM, AVI), a folder of frames,"
                " a camera's number or an address"
            )
        rate = self._capture.get(cv2.CAP_PROP_FPS)
        self._rate = rate if math.isfinite(rate) and rate > 0 else 30.0
        self._name, self._step = path.name, 1 / fps
        self._index, self._due, self._ended = 0, 0.0, False

    @property
    def state(self) -> State:
        """``live`` until the last frame was given."""
        return "ended" if self._ended else "live"

    def next(self, wait: float = 1.0) -> Frame | None:
        """Return the next sampled frame as soon as it is decoded."""
        while not self._ended:
            if not self._capture.grab():
                self.close()
                break
            time = self._index / self._rate
            self._index += 1
            if time + 0.5 / self._rate < self._due:
                continue
            self._due = max(self._due + self._step, time)
            there, pixels = self._capture.retrieve()
            if there:
                return Frame(f"{self._name} {time:.2f} s", time, bgr=np.asarray(pixels, np.uint8))
        return None

    def close(self) -> None:
        """Let go of the file."""
        self._ended = True
        self._capture.release()
