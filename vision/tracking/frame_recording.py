"""Recording a table as it is watched: frames in a folder that `vision.sources` reads again and the gate understands alike."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, Self

from vision.sources.frames import Frame
from vision.sources.recorded import TIMES
from vision.tracking.frame_selection import Gate, Settled

__all__ = ["Recording", "RecordingError"]

#: While things move a frame is kept this often, s: hands are followed, and an evening fits on a card.
_STEP_S: Final = 0.2


class RecordingError(OSError):
    """The recording cannot be written; the sentence says why."""


class Recording:
    """Writes what the gate needs to see again: the first and the last frame of each settled stillness, and samples of what moved."""

    def __init__(self, folder: Path) -> None:
        """Record into a folder, which is made; `RecordingError` where it cannot be, or holds a recording already."""
        self.folder = folder
        """Where it is written."""
        self._written = -_STEP_S
        self._still: Frame | None = None  # the first frame of this stillness, while it is not written
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._times = (folder / TIMES).open("x", encoding="utf-8")
        except FileExistsError:
            raise RecordingError(f"{folder} holds a recording already: name another folder") from None
        except OSError as error:
            raise RecordingError(f"cannot record to {folder}: {error.strerror}") from error

    def add(self, frame: Frame, gate: Gate, settled: Settled | None) -> None:
        """Keep a frame if it is needed, after the gate has taken it and said whether it is settled."""
        if gate.anchor is frame:
            self._still = frame
        if settled and self._still is not None:
            self._write(self._still)
        if settled or (gate.waiting and frame.time - self._written >= _STEP_S):
            self._write(frame)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def close(self) -> None:
        """End the recording."""
        self._times.close()

    def _write(self, frame: Frame) -> None:
        name = f"{frame.time:010.3f}.jpg"
        try:
            (self.folder / name).write_bytes(frame.jpeg)
            self._times.write(json.dumps({"frame": name, "time": round(frame.time, 3)}) + "\n")
            self._times.flush()
        except OSError as error:
            raise RecordingError(f"cannot record to {self.folder}: {error.strerror}") from error
        self._written = frame.time
        if frame is self._still:
            self._still = None
