"""What was recorded before: a folder of frames and a video file."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from vision.pictures import PictureError, read_picture
from vision.sources.frames import Frame, FrameSource, SourceError, State

__all__ = ["FOLDER_FPS", "TIMES", "VIDEO_FPS", "Folder", "Video"]

#: Frames a second where nobody says: a folder's files are taken to be half a second apart, a video is sampled like a camera.
FOLDER_FPS: Final = 2.0
VIDEO_FPS: Final = 10.0

#: The file in a recording's folder that tells when each frame was taken: a JSON line each, ``frame`` and ``time`` (s).
TIMES: Final = "times.jsonl"

_JPEG: Final = frozenset((".jpg", ".jpeg"))
_PICTURES: Final = _JPEG | {".png", ".webp", ".heic", ".heif"}


class Folder(FrameSource):
    """The pictures of a folder in the order of their names, each one frame at steps of 1 / ``fps`` s.

    Where ``fps`` is not given, frames of a recording (`vision.recording`) come at the times that it tells, others at `FOLDER_FPS`. What is
    no picture by its name (a ``truth.json``) is passed over, as are hidden files; a picture that cannot be read is warned of and left out.
    """

    def __init__(self, folder: Path, fps: float | None = None) -> None:
        try:
            names = sorted(
                path.name
                for path in folder.iterdir()
                if path.suffix.lower() in _PICTURES and not path.name.startswith(".")
            )
            times = _times(folder / TIMES) if fps is None else {}
        except OSError as error:
            raise SourceError(f"the folder {folder} cannot be read: {error.strerror}") from None
        if not names:
            raise SourceError(
                f"the folder {folder} holds no pictures (JPEG, PNG, WebP, HEIC): name one with frames"
            )
        self._folder = folder
        step = 1 / (fps or FOLDER_FPS)
        self._left = [(name, times.get(name, number * step)) for number, name in enumerate(names)]
        self._left.reverse()

    @property
    def state(self) -> State:
        """``live`` until the last picture was given."""
        return "live" if self._left else "ended"

    def next(self, wait: float = 1.0) -> Frame | None:
        """Return the next picture at once."""
        while self._left:
            name, time = self._left.pop()
            path = self._folder / name
            try:
                data = path.read_bytes()
                if path.suffix.lower() in _JPEG:
                    return Frame(name, time, jpeg=data)
                return Frame(name, time, bgr=read_picture(data))
            except (OSError, PictureError, SourceError) as error:
                warnings.warn(f"{path} is left out: {error}", stacklevel=2)
        return None

    def close(self) -> None:
        """Forget the pictures that are left."""
        self._left.clear()


def _times(path: Path) -> dict[str, float]:
    """Return when the frames of a recording were taken, s; nothing where it does not tell."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except FileNotFoundError:
        return {}
    try:
        return {str(told["frame"]): float(told["time"]) for told in map(json.loads, lines)}
    except (ValueError, KeyError, TypeError) as error:
        raise SourceError(
            f"{path} does not tell the frames' times ({error}): remove it, or give --fps"
        ) from None


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
