"""Computes how placed cards rest on the table and on one another: rigid plates under their own weight.

Plates that do not slide rest where the sum of their heights (their potential energy) is minimal while none
intersects another. The gap between two flat plates is linear over their common area, so it is smallest at a
corner of this area: a few linear constraints per pair describe it completely, and one linear program yields
the resting positions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from companion.hanafuda.cards import CARD_MM

Floats = NDArray[np.float64]

#: Thickness of a hanafuda card, mm.
THICKNESS: Final = 0.8
#: Gap between cards, mm, so that no two surfaces are coplanar.
_GAP: Final = 0.03
#: The corners of a card of width and height 2, clockwise from its own top left, seen from above (y away).
_CORNERS: Final = np.array([(-1, 1), (1, 1), (1, -1), (-1, -1)], float)


@dataclass(frozen=True, eq=False, slots=True)
class Pose:
    """A card at rest: ``center`` (3, mm) of the upper side; ``axes`` 3 x 3: its right, its top, its normal."""

    center: Floats
    axes: Floats

    def points(self, flat: Floats) -> Floats:
        """Return the positions (n x 3, mm) of points (n x 2 or n x 3, mm) in the card's own frame."""
        return np.asarray(self.center + flat @ self.axes[: flat.shape[1]], np.float64)

    @property
    def corners(self) -> Floats:
        """The corners (4 x 3, mm) of the upper side, clockwise from the card's own top left."""
        return self.points(_CORNERS * np.array(CARD_MM) / 2)


def settle(placed: Iterable[tuple[float, float, float]]) -> list[Pose]:
    """Return the resting poses of cards placed one after the other at (x mm, y mm, rotation rad) on the
    table.

    Raises ValueError if the linear program has no solution, for example for numbers that are not finite.
    """
    placements = list(placed)
    outlines = []
    for x, y, turn in placements:
        cos, sin = np.cos(turn), np.sin(turn)
        outlines.append(_CORNERS * np.array(CARD_MM) / 2 @ np.array([[cos, sin], [-sin, cos]]) + (x, y))
    poses = []
    for (x, y, turn), (level, slope_x, slope_y) in zip(placements, _rest(outlines), strict=True):
        normal = np.array([-slope_x, -slope_y, 1.0])
        normal /= np.linalg.norm(normal)
        right = np.array([np.cos(turn), np.sin(turn), slope_x * np.cos(turn) + slope_y * np.sin(turn)])
        right /= np.linalg.norm(right)
        center = np.array([x, y, level + THICKNESS / normal[2]])
        poses.append(Pose(center, np.array([right, np.cross(normal, right), normal])))
    return poses


def _rest(outlines: list[Floats]) -> Floats:
    """Return for each plate the height of its underside at its center and the slopes along x and y (n x 3).

    The underside of a plate must be at least one thickness above the underside of every plate below it; there
    is one constraint for each corner of their common area, in the three unknowns of both.
    """
    rows: list[Floats] = []
    min_gaps: list[float] = []
    unknowns = 3 * len(outlines)
    for upper, outline in enumerate(outlines):
        for lower, other in enumerate((None, *outlines[:upper])):
            for corner in outline if other is None else _intersection(outline, other):
                row = np.zeros(unknowns)
                row[3 * upper : 3 * upper + 3] = 1, *(corner - outline.mean(axis=0))
                if other is not None:
                    row[3 * lower - 3 : 3 * lower] -= 1, *(corner - other.mean(axis=0))
                rows.append(row)
                min_gaps.append(_GAP if other is None else THICKNESS + _GAP)
    solution = linprog(
        np.tile((1.0, 0, 0), len(outlines)),
        A_ub=-np.array(rows),
        b_ub=-np.array(min_gaps),
        bounds=(None, None),
    )
    if not solution.success:
        raise ValueError(f"no resting position was found for these cards: {solution.message}")
    return np.asarray(solution.x, np.float64).reshape(-1, 3)


def _intersection(outline: Floats, other: Floats) -> Floats:
    """Return the corners (n x 2, possibly none) of the intersection of two convex outlines, both clockwise
    (Sutherland-Hodgman).
    """
    for start, end in zip(other, np.roll(other, -1, axis=0), strict=True):
        if not len(outline):
            break
        edge = end - start
        inside = edge[1] * (outline[:, 0] - start[0]) - edge[0] * (outline[:, 1] - start[1])
        kept = []
        for index, side in enumerate(inside):
            previous = inside[index - 1]
            if side * previous < 0:
                fraction = previous / (previous - side)
                kept.append(outline[index - 1] + fraction * (outline[index] - outline[index - 1]))
            if side >= 0:
                kept.append(outline[index])
        outline = np.array(kept)
    return outline
