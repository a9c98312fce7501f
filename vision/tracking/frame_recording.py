"""Recording of a watched table as a folder of frames, from which `FrameSelector` selects the same stable frames again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Self

from companion.hanafuda.errors import MessageError
from companion.hanafuda.messages import Message
from vision.sources.frames import Frame
from vision.sources.recorded import TIMES
from vision.tracking.frame_selection import STILL_S, FrameSelector, StableFrame


class RecordingError(MessageError, OSError):
    """The recording cannot be written; the message says why."""


class FrameRecording:
    """Writes the first and last frame of each stable period and samples of the motion between them."""

    def __init__(self, folder: Path) -> None:
        """Create the folder. Raises `RecordingError` if it cannot be created or already holds a recording."""
        self.folder = folder
        """The folder of the recording."""
        self._written_at = float("-inf")
        self._anchor: Frame | None = None  # first frame of this still period, until it is written
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._times = (folder / TIMES).open("x", encoding="utf-8")
        except FileExistsError:
            raise RecordingError(Message("recording-exists", {"folder": str(folder)})) from None
        except OSError as error:
            raise RecordingError(
                Message("recording-not-written", {"folder": str(folder), "reason": str(error.strerror)})
            ) from error

    def add(self, frame: Frame, selector: FrameSelector, stable: StableFrame | None) -> None:
        """Record a frame if it is needed; call it after the selector has taken the frame and returned ``stable``."""
        if selector.anchor is frame:
            self._anchor = frame
        if stable and self._anchor is not None:
            self._write(self._anchor)
        # Two in the time after which a table is stable: no pause that was recorded looks longer than it was.
        if stable or (selector.moving and 2 * (frame.time - self._written_at) >= STILL_S):
            self._write(frame)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the recording."""
        self._times.close()

    def _write(self, frame: Frame) -> None:
        name = f"{frame.time:010.3f}.jpg"
        try:
            (self.folder / name).write_bytes(frame.jpeg)
            self._times.write(json.dumps({"frame": name, "time": round(frame.time, 3)}) + "\n")
            self._times.flush()
        except OSError as error:
            raise RecordingError(
                Message("recording-not-written", {"folder": str(self.folder), "reason": str(error.strerror)})
            ) from error
        self._written_at = frame.time
        if frame is self._anchor:
            self._anchor = None
