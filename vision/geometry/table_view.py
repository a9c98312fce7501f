"""How a camera's frames are watched: as they are, or, where the camera looks at the table from the side, seen from above."""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np

from vision.geometry.rectification import MIN_TILT, RectifiedView
from vision.geometry.registration.camera_drift import DriftDetector
from vision.geometry.registration.registration_findings import FindingCode
from vision.geometry.registration.table_registration import Registration, TableCanvas
from vision.networks.crops import Image, Pyramid
from vision.sources import Frame

__all__ = ["TableView"]

#: Width of a card in frames of a registered table, px.
_CARD_PX: Final = 60.0
#: What a registration's markers may say of the camera for the registration to hold.
_HOLDS: Final = frozenset((FindingCode.STEADY, FindingCode.MOVED_LITTLE))


class TableViewFinder(Protocol):
    """What tells from the cards how a camera looks at a table; `vision.photograph.scanner.Scanner`."""

    def view_of_table(self, bgr: Image) -> tuple[bool, RectifiedView | None]:
        """Return whether a frame tells, and the view from above."""


class TableView:
    """Turns frames into views from above, once a registration or the cards tell how the camera looks at the table."""

    def __init__(self, viewer: TableViewFinder, registration: Registration | None = None) -> None:
        """``registration``: what ``companion calibrate`` kept; it counts while its markers are where they were."""
        self._viewer, self._registration = viewer, registration
        self._known = False
        self._view: RectifiedView | TableCanvas | None = None

    def apply(self, frame: Frame) -> Frame:
        """Return a frame as it is watched."""
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
        """Learn from a settled frame, watched as it is, how the camera looks at the table; return whether frames look different from now on."""
        if self._known:
            return False
        self._known, self._view = self._viewer.view_of_table(frame.bgr)
        return self._view is not None

    def _take_registration(self, bgr: Image, registration: Registration) -> None:
        self._registration = None
        if registration.fits(bgr) and DriftDetector(registration).look(bgr).finding.code in _HOLDS:
            self._known = True
            if registration.tilt >= MIN_TILT:
                self._view = registration.canvas(_CARD_PX)
