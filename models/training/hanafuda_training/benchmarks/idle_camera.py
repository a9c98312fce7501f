"""What a table that nobody touches costs: processor time of the camera worker's loop for each frame, and its share of a core.

``python -m hanafuda_training.benchmarks.idle_camera PICTURE...`` watches each JPEG as a camera that shows it for ever, from above or
from the side, until the table has been reported, and then measures.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from vision.photograph.scanner import Scanner
from vision.sources.frames import Frame, FrameSource, SourceState
from vision.sources.live_source import CALM_FRAMES
from vision.tracking.camera_loop import CameraLoop
from vision.tracking.table_observer import TableObserver
from vision.tracking.table_view import TableView
from vision.worker.loop import PREVIEW_INTERVAL_S, preview

#: Frames/s of the camera; frames until the table has been reported for the last time, and frames that are measured.
_FPS: Final = 10.0
_BEFORE: Final = 40
_MEASURED: Final = 100


class _Still(FrameSource):
    """A source that decodes the same JPEG again and again."""

    state: SourceState = "live"

    def __init__(self, jpeg: bytes) -> None:
        self._jpeg, self._number = jpeg, 0

    def next(self, wait: float = 1.0) -> Frame:
        """Return the next frame."""
        self._number += 1
        return Frame(str(self._number), self._number / _FPS, jpeg=self._jpeg)

    def close(self) -> None:
        """Do nothing: there is no device."""


def idle_cost(jpeg: bytes, game: str) -> tuple[float, float, bool]:
    """Return the processor time of a frame and of a preview (ms), and whether the loop asks for fewer frames."""
    scanner = Scanner(fast=True)
    source = _Still(jpeg)
    loop = CameraLoop(source, TableObserver(scanner, game), TableView(scanner))
    for _ in range(_BEFORE):
        loop.next()
    start = time.process_time()
    for _ in range(_MEASURED):
        loop.next()
    each = (time.process_time() - start) / _MEASURED
    start = time.process_time()
    assert loop.frame is not None
    preview(loop.frame)
    return each * 1e3, (time.process_time() - start) * 1e3, source.calm


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m hanafuda_training.benchmarks.idle_camera", description=__doc__
    )
    parser.add_argument("--game", default="koikoi")
    parser.add_argument("pictures", type=Path, nargs="+", help="JPEG files of tables with cards")
    given = parser.parse_args(arguments)
    for path in given.pictures:
        frame_ms, preview_ms, calm = idle_cost(path.read_bytes(), given.game)
        rate = _FPS / CALM_FRAMES if calm else _FPS
        share = (frame_ms * rate + preview_ms / PREVIEW_INTERVAL_S) / 10
        print(
            f"{path}: {frame_ms:.1f} ms for a frame, {preview_ms:.1f} ms for a preview, {share:.1f} % of a core at {rate:.1f} frames/s"
        )


if __name__ == "__main__":
    main()
