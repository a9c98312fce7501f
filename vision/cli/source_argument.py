"""The SRC argument of commands that watch a table: a camera's number, an address, a file, a folder or the demo."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from companion.redaction import redacted
from vision.demo.film_source import FilmSource
from vision.sources.cameras import camera_opener, stream_opener
from vision.sources.frames import FrameSource, SourceError
from vision.sources.live_source import LiveSource, LiveTiming
from vision.sources.recorded import VIDEO_FPS, PictureFolder, VideoFile

#: Frames/s that are taken from a camera by default.
LIVE_FPS: Final = 10.0
#: The filmed evening of the demo.
DEMO: Final = "demo:"
#: A phone that shows the camera page of the table.
PHONE: Final = "phone:"
#: Longest wait before the pictures of a phone are asked for again, s: the server that has them is near, and a locked phone is silent.
_PHONE_WAIT_S: Final = 2.0


def open_phone(table_url: str, token: str | None, fps: float | None = None) -> FrameSource:
    """Open the pictures of the phone that is the camera of a table (the address of its API), as `open_source` does."""
    opener = stream_opener(f"{table_url}/camera/video", token)
    return LiveSource("the phone", opener, fps or LIVE_FPS, LiveTiming(max_wait=_PHONE_WAIT_S))


def open_source(src: str, fps: float | None = None) -> FrameSource:
    """Open a camera (number), a stream (URL), a video file, a folder of pictures or the demo (``demo:``) as a frame source.

    ``fps`` is the sampling rate in frames/s; None chooses a default for the kind of source; the demo has its own. Raises `SourceError` if a file or
    folder is unusable. A camera or stream may be offline: it is retried, and reported by the source's ``state`` and ``fault``.
    """
    if src.isdecimal():
        return LiveSource(f"camera {src}", camera_opener(int(src)), fps or LIVE_FPS)
    if src == DEMO:
        return FilmSource()
    if "://" in src:
        return LiveSource(redacted(src), stream_opener(src), fps or LIVE_FPS)
    path = Path(src)
    if path.is_dir():
        return PictureFolder(path, fps)
    if path.is_file():
        return VideoFile(path, fps or VIDEO_FPS)
    raise SourceError(
        f"there is no file or folder {src}: use a folder of frames, a video file, a camera's number (0 is the first)"
        " or an address (http:// or rtsp://)"
    )
