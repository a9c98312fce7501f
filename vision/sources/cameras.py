"""Opening cameras by their number and streams by their address, with OpenCV."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from vision.sources.frames import SourceError
from vision.sources.live import Capture, Pixels
from vision.sources.mjpeg import no_pictures, open_motion_jpeg

__all__ = ["camera", "cameras_here", "stream"]

#: What a camera is asked for, px; it gives what it can.
_SIZE: Final = (1920, 1080)
_FPS: Final = 30
#: Exposure, white balance and focus settle for this long, s, before they are held.
_WARM_UP_S: Final = 2.0
#: How long a stream may take to answer, and to send its next frame, ms.
_OPEN_MS: Final = 8000
_READ_MS: Final = 5000
_MJPG: Final = cv2.VideoWriter.fourcc(*"MJPG")
#: V4L2 counts the ways of automatic exposure: 1 is by hand, 3 by itself.
_BY_HAND: Final = 1


class _Camera:
    """A capture of OpenCV's. ``raw``: the driver's frames are JPEG, and are given as they come."""

    def __init__(self, capture: cv2.VideoCapture, raw: bool = False) -> None:
        self._capture, self._raw = capture, raw

    def grab(self) -> bool:
        return self._capture.grab()

    def retrieve(self) -> Pixels | bytes | None:
        there, pixels = self._capture.retrieve()
        if not there or pixels is None or not pixels.size:
            return None
        if self._raw:
            return pixels.tobytes()
        return np.asarray(pixels if pixels.ndim == 3 else cv2.cvtColor(pixels, cv2.COLOR_GRAY2BGR), np.uint8)

    def release(self) -> None:
        self._capture.release()


def camera(number: int) -> Callable[[], Capture]:
    """Return what opens the camera of a number: 1920 x 1080 as MJPEG where it can, its automatics held once they have settled."""

    def opened() -> Capture:
        linux = sys.platform == "linux"
        capture = cv2.VideoCapture(number, cv2.CAP_V4L2 if linux else cv2.CAP_ANY)
        if not capture.isOpened():
            capture.release()
            raise SourceError(_no_camera(number))
        # The order counts: V4L2 drivers choose sizes by the format.
        for what, value in (
            (cv2.CAP_PROP_FOURCC, _MJPG),
            (cv2.CAP_PROP_FRAME_WIDTH, _SIZE[0]),
            (cv2.CAP_PROP_FRAME_HEIGHT, _SIZE[1]),
            (cv2.CAP_PROP_FPS, _FPS),
        ):
            capture.set(what, value)
        # Frames that stay JPEG are decoded at a quarter of their size while nothing happens, in a third of the time.
        raw = linux and int(capture.get(cv2.CAP_PROP_FOURCC)) == _MJPG
        if raw:
            capture.set(cv2.CAP_PROP_CONVERT_RGB, 0)
        _warm_up(capture)
        return _Camera(capture, raw)

    return opened


def stream(url: str) -> Callable[[], Capture]:
    """Return what opens a stream by its address: MJPEG over HTTP, or whatever else FFmpeg reads (RTSP, HLS)."""

    # What is wrong the source tells in a sentence; FFmpeg and OpenCV would write theirs between the lines of a game.
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_ERROR)

    def opened() -> Capture:
        if url.startswith(("http://", "https://")) and (frames := open_motion_jpeg(url)):
            return frames
        # RTSP goes over TCP first, by OpenCV's own default.
        patience = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, _OPEN_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, _READ_MS]
        capture = cv2.VideoCapture(url, cv2.CAP_FFMPEG, patience)
        if not capture.isOpened():
            capture.release()
            raise no_pictures(url)
        return _Camera(capture)

    return opened


def cameras_here() -> list[str]:
    """Return the cameras that the system lists, each with its number and name; empty where it lists none (only Linux does)."""
    return [f"{number} ({name})" for number, name in sorted(_listed())]


def _listed() -> Iterator[tuple[int, str]]:
    for entry in Path("/sys/class/video4linux").glob("video*"):
        try:
            # A camera's second device gives metadata, no pictures.
            if (entry / "index").read_text().strip() == "0":
                yield int(entry.name.removeprefix("video")), (entry / "name").read_text().strip()
        except (OSError, ValueError):
            continue


def _no_camera(number: int) -> str:
    found = cameras_here()
    seen = f"cameras found: {', '.join(found)}" if found else "no camera was found here"
    return f"no camera {number}: is it plugged in, and is no other program using it? {seen}"


def _warm_up(capture: cv2.VideoCapture) -> None:
    """Let the automatics settle, then hold what they came to: a hand that reaches in must not change the light of the cards."""
    until = time.monotonic() + _WARM_UP_S
    while time.monotonic() < until:
        if not capture.grab():
            return
    for automatic, held, value in (
        (cv2.CAP_PROP_AUTO_EXPOSURE, _BY_HAND, cv2.CAP_PROP_EXPOSURE),
        (cv2.CAP_PROP_AUTO_WB, 0, cv2.CAP_PROP_WB_TEMPERATURE),
        (cv2.CAP_PROP_AUTOFOCUS, 0, cv2.CAP_PROP_FOCUS),
    ):
        now, before = capture.get(value), capture.get(automatic)
        # Some drivers take the switch and then jump to another value: it is set again, and left to itself where it does not stay.
        if capture.set(automatic, held) and not (capture.set(value, now) and capture.get(value) == now):
            capture.set(automatic, before)
