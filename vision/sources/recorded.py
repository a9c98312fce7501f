"""Recorded frames: a folder of pictures or a video file."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from companion.hanafuda.messages import Message
from companion.messages import error_text
from vision.pictures.picture_decoding import read_picture
from vision.pictures.picture_files import PictureError
from vision.sources.frames import Frame, FrameSource, SourceError, SourceState

#: Default rates in frames/s: pictures of a folder count as half a second apart, a video is sampled like a camera.
FOLDER_FPS: Final = 2.0
VIDEO_FPS: Final = 10.0

#: File in the folder of a recording with one JSON line for each frame: ``frame`` (file name) and ``time`` (s).
TIMES: Final = "times.jsonl"

_JPEG: Final = frozenset((".jpg", ".jpeg"))
_PICTURES: Final = _JPEG | {".png", ".webp", ".heic", ".heif"}
#: Frame rate assumed for a video file that states none.
_FALLBACK_FPS: Final = 30.0


class PictureFolder(FrameSource):
    """The pictures of a folder, sorted by name, 1 / ``fps`` s apart.

    Without ``fps``, frames of a recording (`vision.tracking.frame_recording`) have their recorded times and others are `FOLDER_FPS` apart. Hidden
    files and files that are not pictures by their suffix are ignored; an unreadable picture causes a warning and is skipped.
    """

    def __init__(self, folder: Path, fps: float | None = None) -> None:
        try:
            names = sorted(
                path.name
                for path in folder.iterdir()
                if path.suffix.lower() in _PICTURES and not path.name.startswith(".")
            )
            times = _read_times(folder / TIMES) if fps is None else {}
        except OSError as error:
            raise SourceError(
                Message("folder-not-read", {"folder": str(folder), "reason": str(error.strerror)})
            ) from None
        if not names:
            raise SourceError(Message("source-folder-empty", {"folder": str(folder)}))
        self._folder = folder
        step = 1 / (fps or FOLDER_FPS)
        self._remaining = [(name, times.get(name, number * step)) for number, name in enumerate(names)]
        self._remaining.reverse()

    @property
    def state(self) -> SourceState:
        """``live`` until the last picture has been returned."""
        return "live" if self._remaining else "ended"

    def next(self, wait: float = 1.0) -> Frame | None:
        """Return the next picture without waiting."""
        while self._remaining:
            name, time = self._remaining.pop()
            path = self._folder / name
            try:
                data = path.read_bytes()
                if path.suffix.lower() in _JPEG:
                    return Frame(name, time, jpeg=data)
                return Frame(name, time, bgr=read_picture(data))
            except (OSError, PictureError, SourceError) as error:
                warnings.warn(f"{path} is skipped: {error_text(error)}", stacklevel=2)
        return None

    def close(self) -> None:
        """Drop the remaining pictures."""
        self._remaining.clear()


def _read_times(path: Path) -> dict[str, float]:
    """Return the recorded time (s) of each frame by file name; empty if the file does not exist."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except FileNotFoundError:
        return {}
    try:
        return {str(entry["frame"]): float(entry["time"]) for entry in map(json.loads, lines)}
    except (ValueError, KeyError, TypeError) as error:
        raise SourceError(Message("source-bad-times", {"file": str(path), "error": str(error)})) from None


class VideoFile(FrameSource):
    """A video file, sampled every 1 / ``fps`` s of its own time. Frames are named by that time: ``game.mp4 12.50 s``."""

    def __init__(self, path: Path, fps: float = VIDEO_FPS) -> None:
        self._capture = cv2.VideoCapture(str(path))
        if not self._capture.isOpened():
            raise SourceError(Message("source-no-video", {"file": str(path)}))
        rate = self._capture.get(cv2.CAP_PROP_FPS)
        self._rate = rate if math.isfinite(rate) and rate > 0 else _FALLBACK_FPS
        self._name, self._step = path.name, 1 / fps
        self._index, self._due, self._ended = 0, 0.0, False

    @property
    def state(self) -> SourceState:
        """``live`` until the last frame has been returned."""
        return "ended" if self._ended else "live"

    def next(self, wait: float = 1.0) -> Frame | None:
        """Decode and return the next sampled frame."""
        while not self._ended:
            if not self._capture.grab():
                self.close()
                break
            time = self._index / self._rate
            self._index += 1
            if time + 0.5 / self._rate < self._due:
                continue
            self._due = max(self._due + self._step, time)
            ok, pixels = self._capture.retrieve()
            if ok:
                return Frame(f"{self._name} {time:.2f} s", time, bgr=np.asarray(pixels, np.uint8))
        return None

    def close(self) -> None:
        """Close the file."""
        self._ended = True
        self._capture.release()
