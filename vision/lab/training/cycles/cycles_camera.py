"""The camera over a rendered table, and what it can see of each card: corners in px and visible shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.lab.training.cycles.resting_poses import THICKNESS, Pose
from vision.render.deck_art import CARD_MM

Floats = NDArray[np.float64]
Rng = np.random.Generator

#: How far from the cards' middle the camera may be, mm.
_NEAREST: Final = 350.0
_FARTHEST: Final = 1100.0
#: The share of the picture's width or height that cards should take, if some way of holding the camera allows it.
_FILLED: Final = 0.6


@dataclass(frozen=True, eq=False, slots=True)
class Camera:
    """A pinhole camera: ``place`` (3, mm); ``axes`` 3 x 3: right, down, forward; ``focal`` px; the picture's size, px."""

    place: Floats
    axes: Floats
    focal: float
    width: int
    height: int

    def project(self, points: Floats) -> tuple[Floats, Floats]:
        """Return px (n x 2; the first pixel covers 0 to 1) and depths (n, mm) of points (n x 3, mm)."""
        local = (points - self.place) @ self.axes.T
        middle = (self.width / 2, self.height / 2)
        return local[:, :2] / local[:, 2:] * self.focal + middle, local[:, 2]


def aim(rng: Rng, points: Floats, width: int, height: int) -> Camera:
    """Hold a camera over ``points`` (n x 3, mm) so that all are in the picture and mostly fill it.

    Field of view 50-80 degrees, tilt 0-40, .35-1.1 m away, turned by a few degrees. Raises ValueError where the points
    are too far apart for that.
    """
    held = []
    for _ in range(12):
        camera = _held(rng, points, width, height)
        if camera is None:
            continue
        fill = float((np.ptp(camera.project(points)[0], axis=0) / (width, height)).max())
        if fill > _FILLED:
            return camera
        held.append((fill, camera))
    if not held:
        raise ValueError("these cards lie too far apart for one picture")
    return max(held, key=lambda pair: pair[0])[1]


def _held(rng: Rng, points: Floats, width: int, height: int) -> Camera | None:
    """Hold a camera as near as lets it see all ``points``; None where even 1.1 m is too near."""
    focal = width / 2 / np.tan(np.radians(rng.uniform(50, 80)) / 2)
    turn, tilt, roll = rng.normal(0, 0.15), np.radians(rng.uniform(0, 40)), rng.normal(0, 0.1)
    # Looking straight down, the picture's right is x, its bottom is near (-y), and forward is into the table.
    down = np.array([[1, 0, 0], [0, -1, 0], [0, 0, -1.0]])
    axes = _about(2, roll) @ _about(0, tilt) @ down @ _about(2, turn)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    spare = rng.uniform(0.03, 0.12) * width
    for distance in np.arange(_NEAREST, _FARTHEST, 15):
        camera = Camera(middle - axes[2] * distance, axes, float(focal), width, height)
        seen = camera.project(points)[0]
        if (seen > spare).all() and (seen < np.array([width, height]) - spare).all():
            return camera
    return None


def _about(axis: int, angle: float) -> Floats:
    """Return the turn (3 x 3) by ``angle`` rad about an axis of space."""
    turn = np.eye(3)
    first, second = (axis + 1) % 3, (axis + 2) % 3
    turn[first, first] = turn[second, second] = np.cos(angle)
    turn[first, second], turn[second, first] = -np.sin(angle), np.sin(angle)
    return turn


def outline(radius: float, steps: int = 6) -> Floats:
    """Return a card's outline (n x 2, mm, its own frame), corners rounded by ``radius`` mm, against the clock."""
    arc = np.linspace(0, np.pi / 2, steps)
    parts = []
    for quarter, (x, y) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        middle = np.array([x, y]) * (np.array(CARD_MM) / 2 - radius)
        angle = arc + quarter * np.pi / 2
        parts.append(middle + radius * np.column_stack((np.cos(angle), np.sin(angle))))
    return np.concatenate(parts)


def shares(camera: Camera, poses: Sequence[Pose], rim: Floats) -> tuple[Floats, NDArray[np.uint8]]:
    """Return how much (0-1) of the side that shows is seen of each card, and the card that each pixel shows (height x width,
    0 for none, else one more than its number), by a depth buffer at the picture's size.

    ``rim`` is a card's outline (n x 2, mm, its own frame). What lies out of the picture is not seen; the edges of
    cards hide what is behind them, but are no part of the side that shows.
    """
    near = np.full((camera.height, camera.width), np.inf)
    owner = np.full((camera.height, camera.width), -1)
    whole = np.zeros(len(poses))
    for number, pose in enumerate(poses):
        top = pose.points(rim)
        under = top - pose.axes[2] * THICKNESS
        whole[number] = _fill(camera, top, near, owner, number)
        for index in range(len(rim)):
            wall = np.array([top[index - 1], top[index], under[index], under[index - 1]])
            _fill(camera, wall, near, owner, -1)
    counts = np.bincount(owner[owner >= 0], minlength=len(poses))
    return np.asarray(counts / np.maximum(whole, 1), np.float64), (owner + 1).astype(np.uint8)


def _fill(camera: Camera, polygon: Floats, near: Floats, owner: NDArray[np.intp], number: int) -> int:
    """Draw a flat convex polygon (n x 3, mm) where it is nearest; return how many pixels it has, in the picture or not."""
    corners, _ = camera.project(polygon)
    left, top = np.floor(corners.min(axis=0)).astype(int)
    right, bottom = np.ceil(corners.max(axis=0)).astype(int) + 1
    xs, ys = np.arange(left, right) + 0.5, (np.arange(top, bottom) + 0.5)[:, None]
    sides = [
        (end[0] - start[0]) * (ys - start[1]) - (end[1] - start[1]) * (xs - start[0])
        for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True)
    ]
    inside = np.all([side >= 0 for side in sides], axis=0) | np.all([side <= 0 for side in sides], axis=0)
    normal = np.cross(polygon[1] - polygon[0], polygon[2] - polygon[0]) @ camera.axes.T
    first = (polygon[0] - camera.place) @ camera.axes.T
    slope = normal[0] * (xs - camera.width / 2) + normal[1] * (ys - camera.height / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        depth = normal @ first / (slope / camera.focal + normal[2])
    rows = slice(max(top, 0) - top, max(min(bottom, camera.height) - top, 0))
    columns = slice(max(left, 0) - left, max(min(right, camera.width) - left, 0))
    place = (slice(rows.start + top, rows.stop + top), slice(columns.start + left, columns.stop + left))
    if rows.stop > rows.start and columns.stop > columns.start:
        nearer = inside[rows, columns] & (depth[rows, columns] < near[place])
        near[place][nearer] = depth[rows, columns][nearer]
        owner[place][nearer] = number
    return int(inside.sum())
