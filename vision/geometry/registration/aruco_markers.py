"""Detects ArUco markers (dictionary 4X4_50) with subpixel corners."""

from __future__ import annotations

from functools import cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.pictures.crops import Floats, GrayImage, Image
from vision.pictures.picture_decoding import resized_to

DICTIONARY: Final = cv2.aruco.DICT_4X4_50
#: Modules along a marker's side, including its black border.
MODULES: Final = 6
#: Two edges of a marker that meet at a smaller angle than this (sine) are not edges of it.
_MIN_SINE: Final = 0.1
#: Long side of the picture in which markers are searched, px; they have more pixels than needed beyond it.
_SEARCHED_SIDE: Final = 2600


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


def find_markers(gray: GrayImage) -> dict[int, Floats]:
    """Return the corners (4 x 2 px, clockwise from the marker's own top left) of all markers by id; ids that occur twice are dropped."""
    small = resized_to(gray, _SEARCHED_SIDE)
    step = np.array((gray.shape[1] / small.shape[1], gray.shape[0] / small.shape[0]))
    quads, ids, _ = _detector().detectMarkers(small)
    found: dict[int, list[Floats]] = {}
    for number, quad in enumerate(quads):  # without any, ids is None
        corners = (np.asarray(quad, np.float64).reshape(4, 2) + 0.5) * step - 0.5
        found.setdefault(int(np.asarray(ids).ravel()[number]), []).append(corners)
    return {marker: _refine_corners(gray, same[0]) for marker, same in found.items() if len(same) == 1}


def _refine_corners(gray: GrayImage, quad: Floats) -> Floats:
    """Return a marker's corners (4 x 2 px) as the intersections of lines fitted to its outer edges.

    A line through many edge points is accurate where blur and compression have rounded the corner.
    """
    lines = []
    for start, end in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        line = _fit_edge(gray, start, end)
        if line is None:
            return quad
        lines.append(line)
    crossings = np.cross(np.roll(lines, 1, axis=0), lines)  # of homogeneous lines
    if (np.abs(crossings[:, 2]) < _MIN_SINE).any():
        return quad
    sharpened = crossings[:, :2] / crossings[:, 2:]
    side = np.linalg.norm(quad[1] - quad[0])
    if np.linalg.norm(sharpened - quad, axis=1).max() > max(2.0, side / MODULES):
        return quad
    return sharpened


def _fit_edge(gray: GrayImage, start: Floats, end: Floats) -> Floats | None:
    """Return the edge near the line between two corners as a homogeneous line (3, a² + b² = 1), or None if there is none."""
    profiles, places, outward = edge_profiles(gray, start, end)
    rise = np.diff(profiles, axis=1)
    steps = (np.arange(rise.shape[1]) + 0.5) / rise.shape[1] * 2 - 1
    rise = np.maximum(rise, 0)
    strength = rise.sum(axis=1)
    good = strength > max(12.0, 0.4 * float(np.median(strength)))
    if good.sum() < 4:
        return None
    shift = (rise * steps).sum(axis=1)[good] / strength[good]
    points = places[good] - start + shift[:, None] * outward
    # Robust against dirt and fingertips: points more than half a px away count little.
    x, y, at_x, at_y = cv2.fitLine(points.astype(np.float32), cv2.DIST_WELSCH, 0.5, 0.01, 0.001).ravel()
    return np.array((-y, x, y * (at_x + start[0]) - x * (at_y + start[1])))


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
