"""How the camera moved between two pictures of one table: the homography that the cards and the print of the table agree on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import cv2
import numpy as np

from vision.geometry.registration.camera_fit import project
from vision.pictures.crops import Floats, Image

#: Long side of the pictures in which landmarks are searched, px: a card has about 40 of them.
_SIDE: Final = 960
_MAX_LANDMARKS: Final = 1500
#: Landmarks agree if they are this close (px of the searched pictures). A motion needs this many, spread over this fraction of the
#: picture: more than a few cards that were moved together.
_AGREE_PX: Final = 2.0
_MIN_AGREEING: Final = 25
_MIN_SPREAD: Final = 0.01


@dataclass(frozen=True)
class CameraMotion:
    """``matrix`` (3 x 3) maps px of the newer picture to px of the older one; ``moved``: whether it is more than noise."""

    matrix: Floats
    moved: bool


class LandmarkPicture:
    """A picture (H x W x 3 uint8), and its landmarks once they are needed."""

    def __init__(self, bgr: Image) -> None:
        self._bgr = bgr

    @cached_property
    def landmarks(self) -> tuple[Floats, Any, float, tuple[int, int]]:
        """Points (n x 2 px of the reduced picture), their descriptors, the reduction, and the reduced size (width, height)."""
        gray = cv2.cvtColor(self._bgr, cv2.COLOR_BGR2GRAY)
        scale = min(1.0, _SIDE / max(gray.shape))
        reduced = cv2.resize(gray, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        # A low threshold, because felt and dark corners have little contrast.
        found, descriptors = cv2.ORB.create(_MAX_LANDMARKS, fastThreshold=8).detectAndCompute(reduced, None)
        points = np.array([each.pt for each in found], np.float64).reshape(-1, 2)
        return points, descriptors, scale, (reduced.shape[1], reduced.shape[0])


def camera_motion(before: LandmarkPicture, now: LandmarkPicture) -> CameraMotion | None:
    """Return how the camera moved between two pictures of one size; None if too little of the table is recognizable in both."""
    then_points, then_descriptors, scale, size = before.landmarks
    now_points, now_descriptors, _, now_size = now.landmarks
    if size != now_size or min(len(then_points), len(now_points)) < _MIN_AGREEING:
        return None
    matches = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True).match(now_descriptors, then_descriptors)
    here = now_points[[match.queryIdx for match in matches]]
    there = then_points[[match.trainIdx for match in matches]]
    stayed = int((np.linalg.norm(here - there, axis=1) < _AGREE_PX).sum())
    if len(matches) < _MIN_AGREEING:
        return None
    found, agreeing = cv2.findHomography(here, there, cv2.USAC_MAGSAC, _AGREE_PX)
    matrix = np.asarray(found, np.float64)
    if matrix.shape != (3, 3):
        return None
    inside = here[agreeing.ravel() > 0]
    if len(inside) < _MIN_AGREEING or _spread(inside, size) < _MIN_SPREAD:
        return None
    shift = np.linalg.norm(project(matrix, inside) - inside, axis=1)
    # Where many landmarks stayed, the others lie on something that was moved, such as a pile that was tidied.
    moved = float(np.median(shift)) > _AGREE_PX / 2 and stayed < len(inside) / 2
    resized = np.diag((scale, scale, 1.0))
    return CameraMotion(np.linalg.inv(resized) @ matrix @ resized if moved else np.eye(3), moved)


def _spread(points: Floats, size: tuple[int, int]) -> float:
    """Return the area that ``points`` (n x 2 px) span, as a fraction of a picture of ``size`` px."""
    hull = cv2.convexHull(points.astype(np.float32))
    return float(cv2.contourArea(hull)) / (size[0] * size[1])
