"""Detects ArUco markers (dictionary 4X4_50) with subpixel corners."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.pictures.crops import Image

Floats = NDArray[np.float64]
GrayImage = NDArray[np.uint8]

DICTIONARY: Final = cv2.aruco.DICT_4X4_50
#: Modules along a marker's side, including its black border.
MODULES: Final = 6
#: Long side of the picture in the first detection pass, px.
_FIRST_PASS_SIDE: Final = 1000
#: Long side in the second pass, made if markers are missing; markers have more pixels than needed beyond it.
_SECOND_PASS_SIDE: Final = 2600


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
    """Return a BGR picture (H x W x 3 uint8) in grayscale (H x W)."""
    return np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.uint8)


def detect_markers(gray: GrayImage) -> Iterator[tuple[int, Floats]]:
    """Yield id and corners (4 x 2 px, clockwise from the marker's own top left) of each marker in a
    grayscale picture.
    """
    corners, ids, _ = _detector().detectMarkers(gray)
    for number, quad in enumerate(corners):  # without any, ids is None
        yield int(np.asarray(ids).ravel()[number]), np.asarray(quad, np.float64).reshape(4, 2)


def find_markers(gray: GrayImage, enough: int) -> dict[int, Floats]:
    """Return the corners (4 x 2 px) of all markers by id; ids that occur twice are dropped.

    The search ends after the first pass if it finds ``enough`` markers.
    """
    longest = max(gray.shape)
    found: dict[int, list[Floats]] = {}
    for max_side in (_FIRST_PASS_SIDE, _SECOND_PASS_SIDE):
        scale = min(1.0, max_side / longest)
        small = gray
        if scale < 1:
            width, height = round(gray.shape[1] * scale), round(gray.shape[0] * scale)
            small = np.asarray(cv2.resize(gray, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
        found = {}
        step = np.array((gray.shape[1] / small.shape[1], gray.shape[0] / small.shape[0]))
        for marker, quad in detect_markers(small):
            found.setdefault(marker, []).append((quad + 0.5) * step - 0.5)
        if len(found) >= enough or scale == 1:
            break
    return {marker: refine_corners(gray, quads[0]) for marker, quads in found.items() if len(quads) == 1}


def refine_corners(gray: GrayImage, quad: Floats) -> Floats:
    """Return a marker's corners (4 x 2 px) as the intersections of lines fitted to its outer edges.

    A line through many edge points is accurate where blur and compression have rounded the corner.
    """
    lines = []
    for start, end in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        line = _fit_edge(gray, start, end)
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


def _fit_edge(gray: GrayImage, start: Floats, end: Floats) -> tuple[Floats, Floats] | None:
    """Return a point and the unit direction of the edge near the line between two corners, or None if
    there is none.
    """
    profiles, places, outward = edge_profiles(gray, start, end)
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
    for _ in range(2):  # the second time without outliers: dirt, a fingertip
        middle = points.mean(axis=0)
        direction = np.linalg.svd(points - middle, full_matrices=False)[2][0]
        off = np.abs((points - middle) @ np.array((-direction[1], direction[0])))
        keep = off <= max(2.5 * float(np.median(off)), 0.15)
        if keep.sum() < 4 or reach <= 0:
            return None
        points = points[keep]
    return middle, np.asarray(direction, np.float64)


def edge_profiles(gray: GrayImage, start: Floats, end: Floats) -> tuple[Floats, Floats, Floats]:
    """Sample across a marker's edge: profiles (n x m, inside to outside), their centers (n x 2 px), and
    the sampling reach outward (2, px).

    Profiles stay within one module on each side, which has a uniform color.
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
        gray,
        samples[..., 0].astype(np.float32),
        samples[..., 1].astype(np.float32),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(values, np.float64), places, outward
