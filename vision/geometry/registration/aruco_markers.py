"""Finding ArUco markers (4 x 4, 50 of them) in a picture, to a fraction of a pixel."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.networks.crops import Image

Floats = NDArray[np.float64]
GrayImage = NDArray[np.uint8]

DICTIONARY: Final = cv2.aruco.DICT_4X4_50
#: Modules along a marker's side, its black border counted.
MODULES: Final = 6
#: The long side a first look is brought to, px. A marker found there is looked at again in the full picture.
_FIRST_LOOK: Final = 1000
#: And for a second look, where markers are missing: beyond this a marker has more pixels than it needs.
_SECOND_LOOK: Final = 2600


@cache
def _detector() -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    parameters.adaptiveThreshWinSizeMax = 33
    parameters.minMarkerPerimeterRate = 0.025
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(DICTIONARY), parameters)


def pattern(marker: int) -> NDArray[np.bool_]:
    """Return which of a marker's 6 x 6 modules are white."""
    image = cv2.aruco.generateImageMarker(cv2.aruco.getPredefinedDictionary(DICTIONARY), marker, MODULES)
    return np.asarray(image > 127, np.bool_)


def to_gray(bgr: Image) -> GrayImage:
    """Return a picture (H x W x 3 uint8) in grey (H x W)."""
    return np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.uint8)


def detect_markers(grey: GrayImage) -> Iterator[tuple[int, Floats]]:
    """Yield id and corners (4 x 2 px, clockwise from the marker's own top left) of each marker in a grey picture."""
    corners, ids, _ = _detector().detectMarkers(grey)
    for number, quad in enumerate(corners):  # without any, ids is None
        yield int(np.asarray(ids).ravel()[number]), np.asarray(quad, np.float64).reshape(4, 2)


def find_markers(grey: GrayImage, enough: int) -> dict[int, Floats]:
    """Return the markers of a picture by id, corners 4 x 2 px; ids that are there twice are left out.

    ``enough`` markers end the search at a first, smaller look.
    """
    longest = max(grey.shape)
    found: dict[int, list[Floats]] = {}
    for most in (_FIRST_LOOK, _SECOND_LOOK):
        scale = min(1.0, most / longest)
        small = grey
        if scale < 1:
            width, height = round(grey.shape[1] * scale), round(grey.shape[0] * scale)
            small = np.asarray(cv2.resize(grey, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
        found = {}
        step = np.array((grey.shape[1] / small.shape[1], grey.shape[0] / small.shape[0]))
        for marker, quad in detect_markers(small):
            found.setdefault(marker, []).append((quad + 0.5) * step - 0.5)
        if len(found) >= enough or scale == 1:
            break
    return {marker: refine_corners(grey, quads[0]) for marker, quads in found.items() if len(quads) == 1}


def refine_corners(grey: GrayImage, quad: Floats) -> Floats:
    """Return a marker's corners (4 x 2 px) where its outer edges, followed along their whole length, cross.

    A line through many points of an edge stays true where blur and compression have rounded the corner off.
    """
    lines = []
    for start, end in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        line = _edge(grey, start, end)
        if line is None:
            return quad
        lines.append(line)
    corners = []
    for before, after in zip(np.roll(np.arange(4), 1), range(4), strict=True):
        (one, along), (other, beside) = lines[before], lines[after]
        both = np.column_stack((along, -beside))
        if abs(np.linalg.det(both)) < 0.1:
            return quad
        corners.append(one + along * np.linalg.solve(both, other - one)[0])
    sharpened = np.array(corners)
    side = np.linalg.norm(quad[1] - quad[0])
    if np.linalg.norm(sharpened - quad, axis=1).max() > max(2.0, side / MODULES):
        return quad
    return sharpened


def _edge(grey: GrayImage, start: Floats, end: Floats) -> tuple[Floats, Floats] | None:
    """Return a point and the unit direction of the edge near the line between two corners; None where there is none."""
    profiles, places, outward = edge_profiles(grey, start, end)
    rise = np.diff(profiles, axis=1)
    steps = (np.arange(rise.shape[1]) + 0.5) / rise.shape[1] * 2 - 1
    rise = np.maximum(rise, 0)
    strength = rise.sum(axis=1)
    good = strength > max(12.0, 0.4 * float(np.median(strength)))
    if good.sum() < 4:
        return None
    reach = float(np.linalg.norm(outward))
    shift = (rise * steps).sum(axis=1)[good] / strength[good]
    points = places[good] + shift[:, None] * outward
    middle = np.median(points, axis=0)
    for _ in range(2):  # the second time without what lies off the line: dirt, a finger's tip
        middle = points.mean(axis=0)
        direction = np.linalg.svd(points - middle, full_matrices=False)[2][0]
        off = np.abs((points - middle) @ np.array((-direction[1], direction[0])))
        keep = off <= max(2.5 * float(np.median(off)), 0.15)
        if keep.sum() < 4 or reach <= 0:
            return None
        points = points[keep]
    return middle, np.asarray(direction, np.float64)


def edge_profiles(grey: GrayImage, start: Floats, end: Floats) -> tuple[Floats, Floats, Floats]:
    """Sample across a marker's edge: profiles (n x m, inside to outside), their middles (n x 2 px), and the reach outward (2, px).

    Profiles stay within a module to either side, where a marker has one colour each.
    """
    along = end - start
    length = float(np.linalg.norm(along))
    outward = np.array((along[1], -along[0])) / max(length, 1e-9)  # clockwise corners: outside is to the left
    outward = outward * max(1.5, 0.6 * length / MODULES)
    count = int(np.clip(length, 8, 60))
    places = start + along * np.linspace(0.1, 0.9, count)[:, None]
    across = np.linspace(-1, 1, max(9, 2 * int(2 * np.linalg.norm(outward)) + 1))
    samples = places[:, None] + across[None, :, None] * outward
    values = cv2.remap(
        grey,
        samples[..., 0].astype(np.float32),
        samples[..., 1].astype(np.float32),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(values, np.float64), places, outward
