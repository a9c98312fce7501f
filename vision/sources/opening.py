"""From what a person writes to a source of frames."""

from __future__ import annotations

from pathlib import Path

from vision.sources.frames import FrameSource, SourceError
from vision.sources.recorded import FOLDER_FPS, VIDEO_FPS, Folder, Video

__all__ = ["open_source"]


def open_source(src: str, fps: float | None = None) -> FrameSource:
    """Return the frames of a folder or a video file, ``fps`` a second (None: what suits it).

    Raises `SourceError`, which says what is wrong and what to do.
    """
    path = Path(src)
    if path.is_dir():
        return Folder(path, fps or FOLDER_FPS)
    if path.is_file():
        return Video(path, fps or VIDEO_FPS)
    raise SourceError(f"there is no file or folder {src}")
