"""From what a person writes to a source of frames."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from vision.sources.cameras import camera, stream
from vision.sources.frames import FrameSource, SourceError
from vision.sources.live import Live
from vision.sources.mjpeg import without_password
from vision.sources.recorded import VIDEO_FPS, Folder, Video

__all__ = ["DEMO", "LIVE_FPS", "open_source"]

#: Frames a second that are looked at of a camera where nobody says.
LIVE_FPS: Final = 10.0
#: What stands for a game that is played by itself; a number may follow, another one for another evening.
DEMO: Final = "demo:"


def open_source(src: str, fps: float | None = None) -> FrameSource:
    """Return the frames of a camera (its number), a stream (its address), a video file, a folder or the demo (``demo:``), ``fps`` a
    second (None: what suits it).

    Raises `SourceError`, which says what is wrong and what to do, for a file or folder. A camera or stream may be away; its
    `Live.state` and `Live.fault` tell.
    """
    if src.isdecimal():
        return Live(f"camera {src}", camera(int(src)), fps or LIVE_FPS)
    if src.startswith(DEMO):
        return _demo(src.removeprefix(DEMO), fps)
    if "://" in src:
        return Live(without_password(src), stream(src), fps or LIVE_FPS)
    path = Path(src)
    if path.is_dir():
        return Folder(path, fps)
    if path.is_file():
        return Video(path, fps or VIDEO_FPS)
    raise SourceError(
        f"there is no file or folder {src}: give a folder of frames, a video file, a camera's number (0 is the first) or"
        " an address (http:// or rtsp://)"
    )


def _demo(seed: str, fps: float | None) -> FrameSource:
    from vision.demo import demo_source  # noqa: PLC0415  # only the demo needs the card faces

    if seed and not seed.isdecimal():
        raise SourceError(f"{DEMO}{seed} is no demo: write {DEMO} alone, or a number after it")
    return demo_source.source(int(seed) if seed else demo_source.SEED, fps or LIVE_FPS)
