"""The view in which pictures of a table are processed: unchanged, or rectified if the camera is oblique."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.rectification import MIN_TILT, Objects, RectifiedView
from vision.geometry.registration.camera_drift import check_drift
from vision.geometry.registration.camera_fit import project
from vision.geometry.registration.registration_findings import FindingCode
from vision.geometry.registration.table_registration import Registration, TableCanvas
from vision.photograph.scanner import Scanner
from vision.pictures.crops import Floats, Image, Pyramid
from vision.sources.frames import SMALL, Frame

#: Findings after which a registration is still valid.
_VALID_CODES: Final = frozenset((FindingCode.STEADY, FindingCode.MOVED_LITTLE))


@dataclass(frozen=True)
class _Warp:
    """How frames of one size (width, height) are seen: ``view`` (None for unchanged), then ``motion`` (3 x 3), from px of the view to
    those of the view before the camera moved.
    """

    source: tuple[int, int]
    view: RectifiedView | TableCanvas | None
    motion: Floats | None

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the pictures, px."""
        return self.source if self.view is None else self.view.size

    @cached_property
    def small_map(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """For each pixel of the small gray copy its column and row in the source, as a fraction of its width and height."""
        scale = SMALL / max(self.size)
        columns, rows = (np.arange(max(1, round(side * scale))) / scale for side in self.size)
        points = np.stack(np.meshgrid(columns, rows), axis=-1) + 0.5 / scale
        if self.motion is not None:
            points = project(np.asarray(np.linalg.inv(self.motion), np.float64), points)
        if self.view is not None:
            points = self.view.to_picture(points)
        x, y = np.moveaxis(points / self.source, -1, 0).astype(np.float32)
        return x, y

    def small(self, gray: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the small gray copy, given a gray copy of the source (h x w uint8)."""
        height, width = gray.shape
        x, y = self.small_map
        border = cv2.BORDER_CONSTANT if isinstance(self.view, TableCanvas) else cv2.BORDER_REPLICATE
        small = cv2.remap(gray, x * width - 0.5, y * height - 0.5, cv2.INTER_LINEAR, borderMode=border)
        return np.asarray(small, np.uint8)

    def picture(self, bgr: Image) -> Image:
        """Return the picture, given the source (H x W x 3 uint8 each)."""
        if isinstance(self.view, RectifiedView):
            bgr = self.view.warp(Pyramid(bgr))
        elif self.view is not None:
            bgr = self.view.warp(bgr)
        if self.motion is None:
            return bgr
        size = (bgr.shape[1], bgr.shape[0])
        moved = cv2.warpPerspective(
            bgr, self.motion, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        return np.asarray(moved, np.uint8)


class _WarpedFrame(Frame):
    """A frame seen from another view: its small copy is made at once, the picture on first use, which a quiet table never needs."""

    def __init__(self, frame: Frame, warp: _Warp) -> None:
        super().__init__(frame.name, frame.time, gray=warp.small(frame.gray), size=warp.size)
        self._source, self._warp = frame, warp

    @cached_property
    def bgr(self) -> Image:
        """The picture, H x W x 3 uint8."""
        return self._warp.picture(self._source.bgr)


class TableView:
    """Rectifies pictures once a registration or the cards determine the camera's view of the table."""

    def __init__(self, scanner: Scanner, registration: Registration | None = None) -> None:
        """``registration``: made by ``companion calibrate``; used only if its markers are still at their
        positions.
        """
        self._scanner, self._registration = scanner, registration
        self._known = False
        self._view: RectifiedView | TableCanvas | None = None
        self._motion: Floats | None = None  # from px of the view to those of the view before the camera moved
        self._warp: _Warp | None = None  # made of both

    def apply(self, frame: Frame) -> Frame:
        """Return the frame as it is processed."""
        if not self._known and self._registration is not None:
            self._take_registration(frame.bgr, self._registration)
        if self._view is None and self._motion is None:
            return frame
        warp = self._warp
        if warp is None or warp.source != frame.size:
            self._warp = warp = _Warp(frame.size, self._view, self._motion)
        return _WarpedFrame(frame, warp)

    @property
    def tilt(self) -> float:
        """Tilt of the camera, degrees from vertical; 0 while frames are suitable unchanged."""
        return self._view.tilt if isinstance(self._view, RectifiedView) else 0.0

    def to_picture(self, points: Floats) -> Floats:
        """Map points of frames as they are processed (... x 2 px) to the pictures of the camera (px)."""
        if self._motion is not None:
            points = project(np.asarray(np.linalg.inv(self._motion), np.float64), points)
        return points if self._view is None else self._view.to_picture(points)

    def learn(self, frame: Frame, objects: Objects | None = None) -> Floats | None:
        """Determine the view from a stable frame as it was processed; return the homography (3 x 3) from its px to those of the
        rectified frames from now on, None if they are processed as before. ``objects``: which detections may be cards; None: all.
        """
        if self._known:
            return None
        self._known, view = self._scanner.view_of_table(frame.bgr, objects)
        if view is None:
            return None
        motion = np.eye(3) if self._motion is None else self._motion
        self._view, self._motion, self._warp = replace(view, matrix=view.matrix @ motion), None, None
        return view.matrix

    def learn_again(self, frame: Frame) -> Frame:
        """Determine the view from an unprocessed picture of another position, and return the picture as it is processed."""
        self._known, self._view, self._motion, self._warp = False, None, None, None
        self.learn(frame)
        return self.apply(frame)

    def follow(self, motion: Floats) -> None:
        """Keep showing the table as before after the camera moved.

        ``motion`` (3 x 3) maps px of frames as they are processed now to those of frames before the movement.
        """
        if isinstance(self._view, RectifiedView):
            self._view = replace(self._view, matrix=motion @ self._view.matrix)
        else:
            self._motion = motion if self._motion is None else motion @ self._motion
        self._warp = None

    def _take_registration(self, bgr: Image, registration: Registration) -> None:
        self._registration = None
        if registration.fits(bgr) and check_drift(registration, bgr).finding.code in _VALID_CODES:
            self._known = True
            if registration.tilt >= MIN_TILT:
                self._view, self._warp = registration.canvas(), None
