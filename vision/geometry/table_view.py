"""The view in which pictures of a table are processed: unchanged, or rectified if the camera is oblique."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Protocol

import cv2
import numpy as np

from vision.geometry.rectification import MIN_TILT, RectifiedView
from vision.geometry.registration.camera_drift import DriftDetector
from vision.geometry.registration.camera_fit import Floats
from vision.geometry.registration.registration_findings import FindingCode
from vision.geometry.registration.table_registration import Registration, TableCanvas
from vision.pictures.crops import Image, Pyramid
from vision.sources import Frame

#: Width of a card in frames of a registered table, px.
_CARD_PX: Final = 60.0
#: Findings after which a registration is still valid.
_VALID_CODES: Final = frozenset((FindingCode.STEADY, FindingCode.MOVED_LITTLE))


class TableViewFinder(Protocol):
    """Determines the camera's view of the table from the cards; implemented by
    `vision.photograph.scanner.Scanner`.
    """

    def view_of_table(self, bgr: Image) -> tuple[bool, RectifiedView | None]:
        """Return whether the picture determines the view, and the rectified view (None if pictures are
        suitable unchanged).
        """


class TableView:
    """Rectifies pictures once a registration or the cards determine the camera's view of the table."""

    def __init__(self, viewer: TableViewFinder, registration: Registration | None = None) -> None:
        """``registration``: made by ``companion calibrate``; used only if its markers are still at their
        positions.
        """
        self._viewer, self._registration = viewer, registration
        self._known = False
        self._view: RectifiedView | TableCanvas | None = None
        self._motion: Floats | None = None  # from px of the view to those of the view before the camera moved

    def apply(self, frame: Frame) -> Frame:
        """Return the frame as it is processed."""
        if not self._known and self._registration is not None:
            self._take_registration(frame.bgr, self._registration)
        if self._view is None and self._motion is None:
            return frame
        return Frame(frame.name, frame.time, bgr=self._seen_from_view(frame.bgr))

    def learn(self, frame: Frame) -> bool:
        """Determine the view from a stable frame as it was processed; return whether frames are rectified from now on."""
        if self._known:
            return False
        self._known, view = self._viewer.view_of_table(frame.bgr)
        if view is None:
            return False
        if self._motion is not None:
            view, self._motion = replace(view, matrix=view.matrix @ self._motion), None
        self._view = view
        return True

    def learn_again(self, frame: Frame) -> Frame:
        """Determine the view from an unprocessed picture of another position, and return the picture as it is processed."""
        self._known, self._view, self._motion = False, None, None
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

    def _seen_from_view(self, bgr: Image) -> Image:
        if isinstance(self._view, RectifiedView):
            return self._view.warp(Pyramid(bgr))
        seen = bgr if self._view is None else self._view.warp(bgr)
        if self._motion is None:
            return seen
        size = (seen.shape[1], seen.shape[0])
        moved = cv2.warpPerspective(
            seen, self._motion, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        return np.asarray(moved, np.uint8)

    def _take_registration(self, bgr: Image, registration: Registration) -> None:
        self._registration = None
        if registration.fits(bgr) and DriftDetector(registration).check(bgr).finding.code in _VALID_CODES:
            self._known = True
            if registration.tilt >= MIN_TILT:
                self._view = registration.canvas(_CARD_PX)
