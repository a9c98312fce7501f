"""The view in which camera frames are processed: unchanged, or rectified if the camera is oblique."""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np

from vision.geometry.rectification import MIN_TILT, RectifiedView
from vision.geometry.registration.camera_drift import DriftDetector
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
        """Return whether the frame determines the view, and the rectified view (None if frames are
        suitable unchanged).
        """


class TableView:
    """Rectifies frames once a registration or the cards determine the camera's view of the table."""

    def __init__(self, viewer: TableViewFinder, registration: Registration | None = None) -> None:
        """``registration``: made by ``companion calibrate``; used only if its markers are still at their
        positions.
        """
        self._viewer, self._registration = viewer, registration
        self._known = False
        self._view: RectifiedView | TableCanvas | None = None

    def apply(self, frame: Frame) -> Frame:
        """Return the frame as it is processed."""
        if not self._known and self._registration is not None:
            self._take_registration(frame.bgr, self._registration)
        if self._view is None:
            return frame
        bgr = (
            self._view.warp(Pyramid(frame.bgr))
            if isinstance(self._view, RectifiedView)
            else self._view.warp(frame.bgr)
        )
        return Frame(frame.name, frame.time, bgr=np.asarray(bgr, np.uint8))

    def learn(self, frame: Frame) -> bool:
        """Determine the view from a stable frame that was processed unchanged; return whether frames are
        rectified from now on.
        """
        if self._known:
            return False
        self._known, self._view = self._viewer.view_of_table(frame.bgr)
        return self._view is not None

    def _take_registration(self, bgr: Image, registration: Registration) -> None:
        self._registration = None
        if registration.fits(bgr) and DriftDetector(registration).check(bgr).finding.code in _VALID_CODES:
            self._known = True
            if registration.tilt >= MIN_TILT:
                self._view = registration.canvas(_CARD_PX)
