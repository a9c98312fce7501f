"""Checks whether camera and table are still at their registered positions, by the markers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vision.geometry.registration.aruco_markers import find_markers, to_gray
from vision.geometry.registration.registration_findings import (
    FindingCode,
    RegistrationFinding,
    marker_findings,
)
from vision.geometry.registration.table_registration import Registration
from vision.pictures.crops import Image

#: Marker displacement from which a warning is given, and from which cards could be confused with neighbors,
#: mm.
_WARN_MM: Final = 2.0
_MOVED_MM: Final = 5.0
#: Displacement from which the camera was turned or placed elsewhere, not just nudged, mm.
_TURNED_MM: Final = 60.0


@dataclass(frozen=True)
class DriftReport:
    """The result of a marker check.

    ``finding``: the main finding. ``others``: hidden or displaced markers. ``moved``: displacement of the
    picture, mm, None if too few markers are visible.
    """

    finding: RegistrationFinding
    others: tuple[RegistrationFinding, ...] = ()
    moved: float | None = None


def check_drift(registration: Registration, bgr: Image) -> DriftReport:
    """Compare a picture (H x W x 3 uint8) of a registered table with the registration."""
    if not registration.fits(bgr):
        was, now = "×".join(map(str, registration.size)), f"{bgr.shape[1]}×{bgr.shape[0]}"
        return DriftReport(RegistrationFinding(FindingCode.OTHER_SIZE, {"was": was, "now": now}))
    markers = registration.markers
    if not markers:
        return DriftReport(RegistrationFinding(FindingCode.NOTHING_TO_WATCH))
    displacement = {
        marker: float(np.linalg.norm((registration.to_mm(quad) - markers[marker]).mean(axis=0)))
        for marker, quad in find_markers(to_gray(bgr)).items()
        if marker in markers
    }
    hidden = [marker for marker in _fully_inside(registration) if marker not in displacement]
    if len(displacement) < 2:
        lost = RegistrationFinding(FindingCode.LOST)
        return DriftReport(lost, marker_findings(min(markers), hidden, ()))
    moved = float(np.median(list(displacement.values())))
    code, astray = FindingCode.STEADY, list[int]()
    if moved < _WARN_MM:
        astray = [marker for marker, mm in displacement.items() if mm >= _WARN_MM]
    elif moved < _MOVED_MM:
        code = FindingCode.MOVED_LITTLE
    else:
        code = FindingCode.MOVED if moved < _TURNED_MM else FindingCode.TURNED
    others = marker_findings(min(markers), hidden, astray)
    return DriftReport(RegistrationFinding(code, {"mm": moved}), others, moved)


def _fully_inside(registration: Registration) -> list[int]:
    """Return the ids of the markers that were fully inside the picture at registration."""
    px = {marker: registration.to_px(quad) for marker, quad in registration.markers.items()}
    return [marker for marker, quad in px.items() if registration.lens.shows(quad, 2).all()]
