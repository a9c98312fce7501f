"""Checks whether camera and table are still at their registered positions, by the markers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from vision.geometry.fitting import Floats
from vision.geometry.registration.aruco_markers import (
    GrayImage,
    detect_markers,
    find_markers,
    refine_corners,
    to_gray,
)
from vision.geometry.registration.registration_findings import FindingCode, RegistrationFinding
from vision.geometry.registration.table_registration import Registration
from vision.pictures.crops import Image

#: Marker displacement from which a warning is given, and from which cards could be confused with neighbors,
#: mm.
WARN_MM: Final = 2.0
MOVED_MM: Final = 5.0
#: Displacement from which the camera was turned or placed elsewhere, not just nudged, mm.
_TURNED_MM: Final = 60.0
#: Margin of the search window around a marker's position, in marker sides.
_SEARCH_MARGIN: Final = 0.6


@dataclass(frozen=True)
class DriftReport:
    """The result of a marker check.

    ``finding``: the main finding. ``others``: hidden or displaced markers. ``moved``: displacement of the
    picture, mm, None if too few markers are visible.
    """

    finding: RegistrationFinding
    others: tuple[RegistrationFinding, ...] = ()
    moved: float | None = None


class DriftDetector:
    """Checks a registered table. A check searches a few small windows if nothing has moved, and the whole
    picture otherwise.
    """

    def __init__(self, registration: Registration) -> None:
        self._registration = registration
        self._markers = registration.markers

    def check(self, bgr: Image) -> DriftReport:
        """Compare a picture (H x W x 3 uint8) with the registration."""
        registration = self._registration
        if not registration.fits(bgr):
            was, now = "×".join(map(str, registration.lens.size)), f"{bgr.shape[1]}×{bgr.shape[0]}"
            return DriftReport(RegistrationFinding(FindingCode.OTHER_SIZE, {"was": was, "now": now}))
        if not self._markers:
            return DriftReport(RegistrationFinding(FindingCode.NOTHING_TO_WATCH))
        gray = to_gray(bgr)
        detected = self._near(gray)
        moved = self._moved(detected)
        if len(detected) < len(self._visible()) or any(mm >= MOVED_MM for mm in moved.values()):
            everywhere = find_markers(gray, enough=len(self._markers))
            detected = {**{one: quad for one, quad in everywhere.items() if one in self._markers}, **detected}
            moved = self._moved(detected)
        return self._report(detected, moved)

    def _report(self, detected: Mapping[int, Floats], moved: Mapping[int, float]) -> DriftReport:
        hidden = tuple(one for one in self._visible() if one not in detected)
        others = (
            [RegistrationFinding(FindingCode.MARKER_HIDDEN, {"markers": _numbers(hidden, self._markers)})]
            if hidden
            else []
        )
        if len(detected) < 2:
            return DriftReport(RegistrationFinding(FindingCode.LOST), tuple(others))
        far = float(np.median(list(moved.values())))
        if far < WARN_MM:
            astray = tuple(one for one, mm in moved.items() if mm >= WARN_MM)
            if astray:
                others.append(
                    RegistrationFinding(
                        FindingCode.MARKER_ASTRAY, {"markers": _numbers(astray, self._markers)}
                    )
                )
            return DriftReport(RegistrationFinding(FindingCode.STEADY, {"mm": far}), tuple(others), far)
        code = (
            FindingCode.TURNED
            if far >= _TURNED_MM
            else FindingCode.MOVED
            if far >= MOVED_MM
            else FindingCode.MOVED_LITTLE
        )
        return DriftReport(RegistrationFinding(code, {"mm": far}), tuple(others), far)

    def _visible(self) -> tuple[int, ...]:
        """Return the ids of the markers that were fully inside the picture at registration."""
        size = np.array(self._registration.lens.size)
        places = {one: self._registration.to_px(quad) for one, quad in self._markers.items()}
        return tuple(one for one, quad in places.items() if (quad >= 2).all() and (quad <= size - 3).all())

    def _near(self, gray: GrayImage) -> dict[int, Floats]:
        """Detect each marker in a window around its position."""
        found = {}
        for one in self._visible():
            quad = self._registration.to_px(self._markers[one])
            reach = _SEARCH_MARGIN * float(np.linalg.norm(quad[1] - quad[0]))
            low = np.maximum(quad.min(axis=0) - reach, 0).astype(int)
            high = np.ceil(quad.max(axis=0) + reach).astype(int)
            window = np.ascontiguousarray(gray[low[1] : high[1], low[0] : high[0]])
            same = [there for number, there in detect_markers(window) if number == one]
            if len(same) == 1:
                found[one] = refine_corners(gray, same[0] + low)
        return found

    def _moved(self, detected: Mapping[int, Floats]) -> dict[int, float]:
        """Return the displacement of each marker, mm."""
        return {
            one: float(np.linalg.norm((self._registration.to_mm(quad) - self._markers[one]).mean(axis=0)))
            for one, quad in detected.items()
        }


def _numbers(ids: tuple[int, ...], markers: Mapping[int, Floats]) -> str:
    """Return marker numbers as text: 1 to 4, clockwise from the far left."""
    first = min(markers)
    return ", ".join(str(one - first + 1) for one in sorted(ids))
