"""The camera over a rendered table: projection of corners (px) and visible fraction of each card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import CARD_MM
from hanafuda_training.training.cycles.resting_poses import THICKNESS, Pose

Floats = NDArray[np.float64]
Rng = np.random.Generator

#: Minimum and maximum distance of the camera from the center of the cards, mm.
_MIN_DISTANCE: Final = 350.0
_MAX_DISTANCE: Final = 1100.0
#: Fraction of the picture's width or height that the cards should fill, if one of the camera poses tried allows it.
_MIN_FILL: Final = 0.6


@dataclass(frozen=True, eq=False, slots=True)
class CyclesCamera:
    """A pinhole camera: ``place`` (3, mm), ``axes`` (3 x 3: right, down, forward), ``focal`` length (px),
    picture size (px).
    """

    place: Floats
    axes: Floats
    focal: float
    width: int
    height: int

    def project(self, points: Floats) -> tuple[Floats, Floats]:
        """Return px (n x 2; the first pixel covers 0 to 1) and depths (n, mm) of points (n x 3, mm)."""
        local = (points - self.place) @ self.axes.T
        center = (self.width / 2, self.height / 2)
        return local[:, :2] / local[:, 2:] * self.focal + center, local[:, 2]


def aim(rng: Rng, points: Floats, width: int, height: int) -> CyclesCamera:
    """Return a camera that has all ``points`` (n x 3, mm) in its picture and mostly fills it with them.

    Field of view 50-80 degrees, tilt 0-40, distance .35-1.1 m, rotated by a few degrees. Raises ValueError if
    the points are too far apart.
    """
    candidates = []
    for _ in range(12):
        camera = _random_pose(rng, points, width, height)
        if camera is None:
            continue
        fill = float((np.ptp(camera.project(points)[0], axis=0) / (width, height)).max())
        if fill > _MIN_FILL:
            return camera
        candidates.append((fill, camera))
    if not candidates:
        raise ValueError("the cards are too far apart for one picture")
    return max(candidates, key=lambda pair: pair[0])[1]


def _random_pose(rng: Rng, points: Floats, width: int, height: int) -> CyclesCamera | None:
    """Return a random camera as near as possible with all ``points`` in view; None if even 1.1 m is too near."""
    focal = width / 2 / np.tan(np.radians(rng.uniform(50, 80)) / 2)
    turn, tilt, roll = rng.normal(0, 0.15), np.radians(rng.uniform(0, 40)), rng.normal(0, 0.1)
    # Seen straight from above, the picture's right is x, its bottom is -y, and forward is into the table.
    down = np.array([[1, 0, 0], [0, -1, 0], [0, 0, -1.0]])
    axes = _rotation(2, roll) @ _rotation(0, tilt) @ down @ _rotation(2, turn)
    center = (points.min(axis=0) + points.max(axis=0)) / 2
    margin = rng.uniform(0.03, 0.12) * width
    for distance in np.arange(_MIN_DISTANCE, _MAX_DISTANCE, 15):
        camera = CyclesCamera(center - axes[2] * distance, axes, float(focal), width, height)
        projected = camera.project(points)[0]
        if (projected > margin).all() and (projected < np.array([width, height]) - margin).all():
            return camera
    return None


def _rotation(axis: int, angle: float) -> Floats:
    """Return the rotation (3 x 3) by ``angle`` rad about a coordinate axis."""
    rotation = np.eye(3)
    first, second = (axis + 1) % 3, (axis + 2) % 3
    rotation[first, first] = rotation[second, second] = np.cos(angle)
    rotation[first, second], rotation[second, first] = -np.sin(angle), np.sin(angle)
    return rotation


def outline(radius: float, steps: int = 6) -> Floats:
    """Return a card's outline (n x 2, mm, in its own frame), counterclockwise, corners rounded by ``radius``
    mm.
    """
    arc = np.linspace(0, np.pi / 2, steps)
    parts = []
    for quarter, (x, y) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        center = np.array([x, y]) * (np.array(CARD_MM) / 2 - radius)
        angle = arc + quarter * np.pi / 2
        parts.append(center + radius * np.column_stack((np.cos(angle), np.sin(angle))))
    return np.concatenate(parts)


def visible_fractions(
    camera: CyclesCamera, poses: Sequence[Pose], rim: Floats
) -> tuple[Floats, NDArray[np.uint8]]:
    """Return the visible fraction (0-1) of the upper side of each card, and the card at each pixel (height x
    width; 0 for none, else its index + 1), computed with a depth buffer of the picture's size.

    ``rim``: a card's outline (n x 2, mm, in its own frame). Parts outside the picture count as hidden; the
    edges of cards hide what is behind them, but are not part of the upper side.
    """
    depth_buffer = np.full((camera.height, camera.width), np.inf)
    owner = np.full((camera.height, camera.width), -1)
    total = np.zeros(len(poses))
    for number, pose in enumerate(poses):
        top = pose.points(rim)
        bottom = top - pose.axes[2] * THICKNESS
        total[number] = _fill(camera, top, depth_buffer, owner, number)
        for index in range(len(rim)):
            wall = np.array([top[index - 1], top[index], bottom[index], bottom[index - 1]])
            _fill(camera, wall, depth_buffer, owner, -1)
    counts = np.bincount(owner[owner >= 0], minlength=len(poses))
    return np.asarray(counts / np.maximum(total, 1), np.float64), (owner + 1).astype(np.uint8)


def _fill(
    camera: CyclesCamera, polygon: Floats, depth_buffer: Floats, owner: NDArray[np.intp], number: int
) -> int:
    """Draw a flat convex polygon (n x 3, mm) where it is nearest; return its number of pixels, including
    those outside the picture.
    """
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
    region = (slice(rows.start + top, rows.stop + top), slice(columns.start + left, columns.stop + left))
    if rows.stop > rows.start and columns.stop > columns.start:
        nearer = inside[rows, columns] & (depth[rows, columns] < depth_buffer[region])
        depth_buffer[region][nearer] = depth[rows, columns][nearer]
        owner[region][nearer] = number
    return int(inside.sum())
