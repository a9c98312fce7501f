"""How laid cards come to rest on the table and on one another: stiff plates under their own weight.

Plates that do not slide rest where the sum of their heights, their potential energy, is least while none is inside
another. The air between two flat plates is linear over the part they share, so it is least in a corner of this part:
a handful of linear rows for each pair says all, and the place of rest is the answer of one linear programme.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from vision.render.deck_art import CARD_MM

Floats = NDArray[np.float64]

#: A hanafuda card's thickness, mm.
THICKNESS: Final = 0.8
#: Air between cards, mm: no two surfaces are in one plane.
_AIR: Final = 0.03
#: The corners of a card of width and height 2, clockwise from its own top left, seen from above (y away).
_CORNERS: Final = np.array([(-1, 1), (1, 1), (1, -1), (-1, -1)], float)


@dataclass(frozen=True, eq=False, slots=True)
class Pose:
    """A card at rest: ``centre`` (3, mm) of the side that shows; ``axes`` 3 x 3: its right, its top, its normal."""

    centre: Floats
    axes: Floats

    def points(self, flat: Floats) -> Floats:
        """Return the places (n x 3, mm) of points (n x 2 or n x 3, mm) told in the card's own frame."""
        return np.asarray(self.centre + flat @ self.axes[: flat.shape[1]], np.float64)

    @property
    def corners(self) -> Floats:
        """The corners (4 x 3, mm) of the side that shows, clockwise from the card's own top left."""
        return self.points(_CORNERS * np.array(CARD_MM) / 2)


def settle(laid: Iterable[tuple[float, float, float]]) -> list[Pose]:
    """Return where cards come to rest that are laid one after the other at (x mm, y mm, turn rad) of the table.

    Raises ValueError where no rest is found, which numbers that are not finite bring about.
    """
    spots = list(laid)
    outlines = []
    for x, y, turn in spots:
        cos, sin = np.cos(turn), np.sin(turn)
        outlines.append(_CORNERS * np.array(CARD_MM) / 2 @ np.array([[cos, sin], [-sin, cos]]) + (x, y))
    poses = []
    for (x, y, turn), (level, along, away) in zip(spots, _rest(outlines), strict=True):
        normal = np.array([-along, -away, 1.0])
        normal /= np.linalg.norm(normal)
        right = np.array([np.cos(turn), np.sin(turn), along * np.cos(turn) + away * np.sin(turn)])
        right /= np.linalg.norm(right)
        centre = np.array([x, y, level + THICKNESS / normal[2]])
        poses.append(Pose(centre, np.array([right, np.cross(normal, right), normal])))
    return poses


def _rest(outlines: list[Floats]) -> Floats:
    """Return for each plate its underside's height in the middle and its slopes along x and y (n x 3).

    One plate's underside must be a thickness above another's wherever it lies over it: a row says so of each corner
    of what the two share, in the three unknowns of both.
    """
    rows: list[Floats] = []
    least: list[float] = []
    unknowns = 3 * len(outlines)
    for upper, outline in enumerate(outlines):
        for lower, other in enumerate((None, *outlines[:upper])):
            for corner in outline if other is None else _common(outline, other):
                row = np.zeros(unknowns)
                row[3 * upper : 3 * upper + 3] = 1, *(corner - outline.mean(axis=0))
                if other is not None:
                    row[3 * lower - 3 : 3 * lower] -= 1, *(corner - other.mean(axis=0))
                rows.append(row)
                least.append(_AIR if other is None else THICKNESS + _AIR)
    found = linprog(
        np.tile((1.0, 0, 0), len(outlines)),
        A_ub=-np.array(rows),
        b_ub=-np.array(least),
        bounds=(None, None),
    )
    if not found.success:
        raise ValueError(f"no rest is found for these cards: {found.message}")
    return np.asarray(found.x, np.float64).reshape(-1, 3)


def _common(outline: Floats, other: Floats) -> Floats:
    """Return the corners (n x 2, maybe none) of what two convex outlines share (both clockwise; Sutherland-Hodgman)."""
    for start, end in zip(other, np.roll(other, -1, axis=0), strict=True):
        if not len(outline):
            break
        edge = end - start
        inside = edge[1] * (outline[:, 0] - start[0]) - edge[0] * (outline[:, 1] - start[1])
        kept = []
        for index, way in enumerate(inside):
            before = inside[index - 1]
            if way * before < 0:
                share = before / (before - way)
                kept.append(outline[index - 1] + share * (outline[index] - outline[index - 1]))
            if way >= 0:
                kept.append(outline[index])
        outline = np.array(kept)
    return outline
