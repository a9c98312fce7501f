"""The camera of a composed scene: pinhole projection and radial lens distortion."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import CARD_MM

Image = NDArray[np.uint8]
Rng = np.random.Generator


#: Points nearer to the camera than this fraction of its distance to the table are rejected.
_MIN_DEPTH = 0.3


@dataclass(frozen=True)
class SceneCamera:
    """A pinhole camera; the 3 x 4 ``matrix`` maps (x, y, height above the table, 1) in mm to homogeneous px."""

    matrix: NDArray[np.float64]

    def project(self, points: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Project n x 3 points (mm) to n x 2 px; None if a point is too near the camera or behind it."""
        mapped = points @ self.matrix[:, :3].T + self.matrix[:, 3]
        if mapped[:, 2].min() < _MIN_DEPTH * self.matrix[2, 3]:
            return None
        return np.asarray(mapped[:, :2] / mapped[:, 2:], np.float64)

    def mm_per_px(self) -> float:
        """Return the resolution at the table's center, in mm per px, perpendicular to the tilt."""
        projected = self.matrix[:, [3, 3, 3]] + np.column_stack((np.zeros(3), self.matrix[:, :2]))
        points = projected[:2] / projected[2]
        return float(1 / np.linalg.norm(points[:, 1:] - points[:, :1], axis=0).max())


def random_camera(rng: Rng, width: int, height: int, card_px: float, strength: float = 1.0) -> SceneCamera:
    """Return a random camera in which a card at the table's center is ``card_px`` wide; ``strength`` scales its tilt."""
    focal = width * rng.uniform(1.0, 4.0) / (2 * np.tan(np.radians(rng.uniform(50, 88)) / 2))
    tilt = np.radians(abs(rng.normal(0, 22))) if rng.random() < 0.8 else 0.0
    tilt = min(tilt * strength, np.radians(52))
    direction, roll = rng.uniform(0, 2 * np.pi, 2)
    axis = np.array([np.cos(direction), np.sin(direction), 0]) * tilt
    rotation = cv2.Rodrigues(axis)[0] @ cv2.Rodrigues(np.array([0, 0, roll]))[0]
    intrinsics = np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1.0]])
    # The camera looks along the table's +z axis; heights above the table are negative z.
    axes = np.column_stack((rotation[:, 0], rotation[:, 1], -rotation[:, 2]))
    middle = np.array([0, 0, focal * CARD_MM[0] / card_px])
    return SceneCamera(intrinsics @ np.column_stack((axes, middle)))


def random_distortion(rng: Rng, strength: float) -> float:
    """Return a random coefficient for `distort_image`: mostly slight barrel distortion, sometimes pincushion."""
    if rng.random() > 0.6 * strength:
        return 0.0
    return float(rng.uniform(-0.06, 0.16) * strength)


def _distorted_radius(radius: NDArray[np.float64], k: float) -> NDArray[np.float64]:
    return radius * (1 + k * radius**2)


def _undistorted_radius(radius: NDArray[np.float64], k: float) -> NDArray[np.float64]:
    """Invert `_distorted_radius`: the real root of ``k r^3 + r = radius`` for ``k`` > 0."""
    root = np.sqrt(3 * k)
    return np.asarray(2 / root * np.sinh(np.arcsinh(1.5 * root * radius) / 3), np.float64)


def distort_points(points: NDArray[np.float32], k: float, width: int, height: int) -> NDArray[np.float32]:
    """Return ``points`` (... x 2 px) of the undistorted picture as the lens shows them.

    ``k`` > 0 is barrel distortion: a point at distance r from the center (1 is a corner of the picture) comes from
    r (1 + k r²) / (1 + k), about Brown's k1 = -k at a half diagonal of 45°; ``k`` < 0 is pincushion, its inverse.
    """
    if not k or not points.size:
        return points
    center = np.array((width / 2, height / 2))
    half_diagonal = float(np.hypot(*center))
    offset = (points - center) / half_diagonal
    radius = np.maximum(np.linalg.norm(offset, axis=-1, keepdims=True), 1e-9)
    projected = _undistorted_radius(radius * (1 + k), k) if k > 0 else _distorted_radius(radius, -k)
    return np.asarray(center + offset * (projected / radius) * half_diagonal, np.float32)


def distort_image(image: Image, ids: Image, k: float) -> tuple[Image, Image]:
    """Return a picture and its id map with lens distortion, as in `distort_points`."""
    if not k:
        return image, ids
    height, width = ids.shape
    xs = np.arange(width, dtype=np.float32) + 0.5 - width / 2
    ys = np.arange(height, dtype=np.float32) + 0.5 - height / 2
    square = (xs**2)[None, :] + (ys**2)[:, None]
    square *= 4 / (width**2 + height**2)
    if k > 0:
        factor = (1 + np.float32(k) * square) / np.float32(1 + k)
    else:
        steps = np.linspace(0, 1.02, 65)
        radius = np.sqrt(steps[1:])
        factors = np.concatenate(([1.0], _undistorted_radius(radius, -k) / radius))
        factor = np.interp(square.ravel(), steps, factors).astype(np.float32).reshape(square.shape)
    across = xs[None, :] * factor + np.float32(width / 2 - 0.5)
    down = ys[:, None] * factor + np.float32(height / 2 - 0.5)
    fixed, rest = cv2.convertMaps(across, down, cv2.CV_16SC2)
    distorted = cv2.remap(image, fixed, rest, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    nearest = cv2.remap(ids, across, down, cv2.INTER_NEAREST, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(distorted, np.uint8), np.asarray(nearest, np.uint8)
