"""OpenCV captures for local cameras and network streams."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from vision.pictures.crops import Image
from vision.sources.frames import SourceError
from vision.sources.live_source import Capture
from vision.sources.mjpeg import no_stream_error, open_motion_jpeg

#: Requested from a camera, px; the driver chooses the nearest mode it has.
_SIZE: Final = (1920, 1080)
_FPS: Final = 30
#: Seconds that exposure, white balance and focus get to converge before they are locked.
_WARM_UP_S: Final = 2.0
#: Timeouts of a stream for opening and for the next frame, ms.
_OPEN_TIMEOUT_MS: Final = 8000
_READ_TIMEOUT_MS: Final = 5000
_MJPG: Final = cv2.VideoWriter.fourcc(*"MJPG")
#: V4L2's value for manual exposure (3 is automatic).
_MANUAL_EXPOSURE: Final = 1

# Faults are reported by the sources; warnings of FFmpeg and OpenCV would mix with the output.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_ERROR)


class _OpenCVCapture:
    """A `Capture` that reads through OpenCV. With ``raw`` the driver's JPEG frames are returned undecoded."""

    def __init__(self, capture: cv2.VideoCapture, raw: bool = False) -> None:
        self._capture, self._raw = capture, raw

    def grab(self) -> bool:
        return self._capture.grab()

    def retrieve(self) -> Image | bytes | None:
        ok, pixels = self._capture.retrieve()
        if not ok or pixels is None or not pixels.size:
            return None
        if self._raw:
            return pixels.tobytes()
        return np.asarray(pixels if pixels.ndim == 3 else cv2.cvtColor(pixels, cv2.COLOR_GRAY2BGR), np.uint8)

    def release(self) -> None:
        self._capture.release()


def camera_opener(number: int) -> Callable[[], Capture]:
    """Return a function that opens a camera by its number.

    It requests 1920 x 1080 MJPEG and locks exposure, white balance and focus after they have converged.
    """

    def open_camera() -> Capture:
        linux = sys.platform == "linux"
        capture = cv2.VideoCapture(number, cv2.CAP_V4L2 if linux else cv2.CAP_ANY)
        if not capture.isOpened():
            capture.release()
            raise SourceError(_no_camera_message(number))
        # The format comes first: V4L2 drivers offer different sizes for each format.
        for setting, value in (
            (cv2.CAP_PROP_FOURCC, _MJPG),
            (cv2.CAP_PROP_FRAME_WIDTH, _SIZE[0]),
            (cv2.CAP_PROP_FRAME_HEIGHT, _SIZE[1]),
            (cv2.CAP_PROP_FPS, _FPS),
        ):
            capture.set(setting, value)
        # Undecoded JPEG lets quiet frames be decoded at a quarter of the size, in a third of the time.
        raw = linux and int(capture.get(cv2.CAP_PROP_FOURCC)) == _MJPG
        if raw:
            capture.set(cv2.CAP_PROP_CONVERT_RGB, 0)
        _warm_up(capture)
        return _OpenCVCapture(capture, raw)

    return open_camera


def stream_opener(url: str, token: str | None = None) -> Callable[[], Capture]:
    """Return a function that opens a stream: MJPEG over HTTP, with a bearer ``token``, or anything FFmpeg reads (RTSP, HLS)."""

    def open_stream() -> Capture:
        if url.startswith(("http://", "https://")) and (frames := open_motion_jpeg(url, token)):
            return frames
        # OpenCV's default transport for RTSP is TCP.
        timeouts = [
            cv2.CAP_PROP_OPEN_TIMEOUT_MSEC,
            _OPEN_TIMEOUT_MS,
            cv2.CAP_PROP_READ_TIMEOUT_MSEC,
            _READ_TIMEOUT_MS,
        ]
        capture = cv2.VideoCapture(url, cv2.CAP_FFMPEG, timeouts)
        if not capture.isOpened():
            capture.release()
            raise no_stream_error(url)
        return _OpenCVCapture(capture)

    return open_stream


def list_cameras() -> list[str]:
    """Return the connected cameras as ``NUMBER (NAME)``; always empty except on Linux."""
    return [f"{number} ({name})" for number, name in sorted(_v4l2_devices())]


def _v4l2_devices() -> Iterator[tuple[int, str]]:
    for entry in Path("/sys/class/video4linux").glob("video*"):
        try:
            # Devices of a camera with an index other than 0 deliver metadata, not pictures.
            if (entry / "index").read_text().strip() == "0":
                yield int(entry.name.removeprefix("video")), (entry / "name").read_text().strip()
        except (OSError, ValueError):
            continue


def _no_camera_message(number: int) -> str:
    cameras = list_cameras()
    available = f"cameras found: {', '.join(cameras)}" if cameras else "no camera was found here"
    return f"camera {number} cannot be opened: check that it is plugged in and that no other program uses it; {available}"


def _warm_up(capture: cv2.VideoCapture) -> None:
    """Wait for the automatic settings to converge, then lock them: a hand in the picture must not change the exposure."""
    deadline = time.monotonic() + _WARM_UP_S
    while time.monotonic() < deadline:
        if not capture.grab():
            return
    for automatic, manual, setting in (
        (cv2.CAP_PROP_AUTO_EXPOSURE, _MANUAL_EXPOSURE, cv2.CAP_PROP_EXPOSURE),
        (cv2.CAP_PROP_AUTO_WB, 0, cv2.CAP_PROP_WB_TEMPERATURE),
        (cv2.CAP_PROP_AUTOFOCUS, 0, cv2.CAP_PROP_FOCUS),
    ):
        value, previous = capture.get(setting), capture.get(automatic)
        # Some drivers change the value when they switch to manual; if it cannot be restored, automatic stays on.
        if capture.set(automatic, manual) and not (
            capture.set(setting, value) and capture.get(setting) == value
        ):
            capture.set(automatic, previous)
