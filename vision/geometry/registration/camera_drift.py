"""Watching a registered table: whether camera and table still stand as they stood, told by the markers' places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from vision.geometry.registration.aruco_markers import (
    GrayImage,
    detect_markers,
    find_markers,
    refine_corners,
    to_gray,
)
from vision.geometry.registration.camera_fit import Floats
from vision.geometry.registration.registration_findings import FindingCode, RegistrationFinding
from vision.geometry.registration.registration_methods import MIN_MARKERS, refit
from vision.geometry.registration.table_registration import Registration
from vision.networks.crops import Image

#: Markers this far from their places, mm, are worth a warning; this far, cards would be taken for others' neighbours.
WARN_MM: Final = 2.0
MOVED_MM: Final = 5.0
#: From this many mm on the whole picture is another: the camera was turned or put elsewhere, not nudged.
_TURNED_MM: Final = 60.0
#: A marker is looked for this many of its sides around its place.
_AROUND: Final = 0.6


@dataclass(frozen=True)
class DriftReport:
    """What a look at the markers says. ``finding`` is the main thing, ``others`` markers that are hidden or astray.

    ``moved``: how far the picture lies from where it was registered, mm, None where too few markers tell. ``again``: the table registered
    anew by the same markers, where the camera moved and enough of them are seen.
    """

    finding: RegistrationFinding
    others: tuple[RegistrationFinding, ...] = ()
    moved: float | None = None
    again: Registration | None = None


class DriftDetector:
    """Watches a registered table. A look costs a few small windows while all is well, and a whole picture when it is not."""

    def __init__(self, registration: Registration) -> None:
        self._registration = registration
        self._markers = registration.markers

    def look(self, bgr: Image) -> DriftReport:
        """Compare a picture (H x W x 3 uint8) with the registration."""
        registration = self._registration
        if not registration.fits(bgr):
            was, now = "×".join(map(str, registration.lens.size)), f"{bgr.shape[1]}×{bgr.shape[0]}"
            return DriftReport(RegistrationFinding(FindingCode.OTHER_SIZE, {"was": was, "now": now}))
        if not self._markers:
            return DriftReport(RegistrationFinding(FindingCode.NOTHING_TO_WATCH))
        grey = to_gray(bgr)
        seen = self._near(grey)
        moved = self._moved(seen)
        if len(seen) < len(self._visible()) or any(mm >= MOVED_MM for mm in moved.values()):
            everywhere = find_markers(grey, enough=len(self._markers))
            seen = {**{one: quad for one, quad in everywhere.items() if one in self._markers}, **seen}
            moved = self._moved(seen)
        return self._judge(seen, moved)

    def _judge(self, seen: Mapping[int, Floats], moved: Mapping[int, float]) -> DriftReport:
        hidden = tuple(one for one in self._visible() if one not in seen)
        others = (
            [RegistrationFinding(FindingCode.MARKER_HIDDEN, {"markers": _numbers(hidden, self._markers)})]
            if hidden
            else []
        )
        if len(seen) < 2:
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
        again = self._again(seen)
        code = (
            FindingCode.TURNED
            if far >= _TURNED_MM
            else FindingCode.MOVED
            if far >= MOVED_MM
            else FindingCode.MOVED_LITTLE
        )
        return DriftReport(RegistrationFinding(code, {"mm": far}), tuple(others), far, again)

    def _visible(self) -> tuple[int, ...]:
        """The markers that the picture showed whole when it was registered."""
        size = np.array(self._registration.lens.size)
        places = {one: self._registration.to_px(quad) for one, quad in self._markers.items()}
        return tuple(one for one, quad in places.items() if (quad >= 2).all() and (quad <= size - 3).all())

    def _near(self, grey: GrayImage) -> dict[int, Floats]:
        """Find each marker in a window around its place."""
        found = {}
        for one in self._visible():
            quad = self._registration.to_px(self._markers[one])
            reach = _AROUND * float(np.linalg.norm(quad[1] - quad[0]))
            low = np.maximum(quad.min(axis=0) - reach, 0).astype(int)
            high = np.ceil(quad.max(axis=0) + reach).astype(int)
            window = np.ascontiguousarray(grey[low[1] : high[1], low[0] : high[0]])
            same = [there for number, there in detect_markers(window) if number == one]
            if len(same) == 1:
                found[one] = refine_corners(grey, same[0] + low)
        return found

    def _moved(self, seen: Mapping[int, Floats]) -> dict[int, float]:
        """Return how far each marker lies from its place, mm."""
        return {
            one: float(np.linalg.norm((self._registration.to_mm(quad) - self._markers[one]).mean(axis=0)))
            for one, quad in seen.items()
        }

    def _again(self, seen: Mapping[int, Floats]) -> Registration | None:
        if len(seen) < MIN_MARKERS:
            return None
        fitted = refit(self._markers, seen, self._registration.lens.size)
        return None if fitted is None else self._registration.moved(*fitted[:3])


def _numbers(ids: tuple[int, ...], markers: Mapping[int, Floats]) -> str:
    """Say markers by their place, 1 to 4 clockwise from the far left."""
    first = min(markers)
    return ", ".join(str(one - first + 1) for one in sorted(ids))
