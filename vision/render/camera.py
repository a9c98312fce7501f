"""Where a scene is looked at from, and how the lens bends it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.render.deck_art import CARD_MM

Image = NDArray[np.uint8]
Rng = np.random.Generator


@dataclass(frozen=True)
class Camera:
    """A pinhole: ``matrix`` 3 x 4 maps (x, y, height above the table, 1) in mm to homogeneous px."""

    matrix: NDArray[np.float64]

    def project(self, points: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Map n x 3 mm to n x 2 px; None where a point lies too near the camera or behind it."""
        mapped = points @ self.matrix[:, :3].T + self.matrix[:, 3]
        if mapped[:, 2].min() < 0.3 * self.matrix[2, 3]:
            return None
        return np.asarray(mapped[:, :2] / mapped[:, 2:], np.float64)

    def mm_per_px(self) -> float:
        """Return the mm a pixel spans at the table's middle, across the tilt."""
        shown = self.matrix[:, [3, 3, 3]] + np.column_stack((np.zeros(3), self.matrix[:, :2]))
        points = shown[:2] / shown[2]
        return float(1 / np.linalg.norm(points[:, 1:] - points[:, :1], axis=0).max())


def look_down(rng: Rng, width: int, height: int, card_px: float, strength: float = 1.0) -> Camera:
    """Return a camera that sees a card at the table's middle ``card_px`` wide; ``strength`` scales its tilt."""
    focal = width * rng.uniform(1.0, 4.0) / (2 * np.tan(np.radians(rng.uniform(50, 88)) / 2))
    tilt = np.radians(abs(rng.normal(0, 22))) if rng.random() < 0.8 else 0.0
    tilt = min(tilt * strength, np.radians(52))
    direction, roll = rng.uniform(0, 2 * np.pi, 2)
    axis = np.array([np.cos(direction), np.sin(direction), 0]) * tilt
    rotation = cv2.Rodrigues(axis)[0] @ cv2.Rodrigues(np.array([0, 0, roll]))[0]
    intrinsics = np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1.0]])
    # The camera looks along +z of the table's frame, so that height counts against it.
    axes = np.column_stack((rotation[:, 0], rotation[:, 1], -rotation[:, 2]))
    middle = np.array([0, 0, focal * CARD_MM[0] / card_px])
    return Camera(intrinsics @ np.column_stack((axes, middle)))


def draw_bend(rng: Rng, strength: float) -> float:
    """Draw how far a lens bends (``bend_image``): mostly a little outwards (barrel), sometimes inwards."""
    if rng.random() > 0.6 * strength:
        return 0.0
    return float(rng.uniform(-0.06, 0.16) * strength)


def _swell(radius: NDArray[np.float64], bend: float) -> NDArray[np.float64]:
    return radius * (1 + bend * radius**2)


def _shrink(radius: NDArray[np.float64], bend: float) -> NDArray[np.float64]:
    """Undo ``_swell``: the one real root of ``bend r^3 + r = radius`` for ``bend`` > 0."""
    root = np.sqrt(3 * bend)
    return np.asarray(2 / root * np.sinh(np.arcsinh(1.5 * root * radius) / 3), np.float64)


def bend_points(points: NDArray[np.float32], bend: float, width: int, height: int) -> NDArray[np.float32]:
    """Return where the lens shows ``points`` (... x 2 px) of the straight picture.

    ``bend`` > 0 is a barrel: a point at distance r from the middle (1 is a corner of the picture) comes from
    r (1 + bend r²) / (1 + bend), about Brown's k1 = -bend at a half diagonal of 45°; < 0 a pincushion, the other way.
    """
    if not bend or not points.size:
        return points
    centre = np.array((width / 2, height / 2))
    reach = float(np.hypot(*centre))
    offset = (points - centre) / reach
    radius = np.maximum(np.linalg.norm(offset, axis=-1, keepdims=True), 1e-9)
    shown = _shrink(radius * (1 + bend), bend) if bend > 0 else _swell(radius, -bend)
    return np.asarray(centre + offset * (shown / radius) * reach, np.float32)


def bend_image(image: Image, ids: Image, bend: float) -> tuple[Image, Image]:
    """Return a picture and its id map as the lens shows them (``bend_points``)."""
    if not bend:
        return image, ids
    height, width = ids.shape
    xs = np.arange(width, dtype=np.float32) + 0.5 - width / 2
    ys = np.arange(height, dtype=np.float32) + 0.5 - height / 2
    square = (xs**2)[None, :] + (ys**2)[:, None]
    square *= 4 / (width**2 + height**2)
    if bend > 0:
        factor = (1 + np.float32(bend) * square) / np.float32(1 + bend)
    else:
        steps = np.linspace(0, 1.02, 65)
        radius = np.sqrt(steps[1:])
        factors = np.concatenate(([1.0], _shrink(radius, -bend) / radius))
        factor = np.interp(square.ravel(), steps, factors).astype(np.float32).reshape(square.shape)
    across = xs[None, :] * factor + np.float32(width / 2 - 0.5)
    down = ys[:, None] * factor + np.float32(height / 2 - 0.5)
    fixed, rest = cv2.convertMaps(across, down, cv2.CV_16SC2)
    bent = cv2.remap(image, fixed, rest, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    nearest = cv2.remap(ids, across, down, cv2.INTER_NEAREST, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(bent, np.uint8), np.asarray(nearest, np.uint8)
