"""Which captured pile each card of a photograph belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from math import dist
from statistics import median_high
from typing import Final

_MIN_GAP: Final = 0.4
"""Two piles are at least this far apart, in heights of a card; cards of one pile overlap or lie side by side."""


def split_piles(quads: Sequence[Sequence[Sequence[float]]]) -> list[int | None]:
    """Return the pile of each card: 0 for the upper or left one, 1 for the other, None for cards between them, on the field.

    Cards of one pile are closer together than two piles. With more than three groups, only the widest gap counts.
    """
    if not quads:
        return []
    min_gap = _MIN_GAP * median_high(dist(quad[0], quad[3]) for quad in quads)
    for axis in (1, 0):  # players sit above and below the field, or left and right of it
        borders = _gaps(quads, axis, min_gap)
        if len(borders) > 2:
            borders = borders[:1]
        if borders:
            low, high = min(borders), max(borders)
            return [_side(quad, axis, low, high) for quad in quads]
    return [0] * len(quads)


def _gaps(quads: Sequence[Sequence[Sequence[float]]], axis: int, min_gap: float) -> list[float]:
    """Return the middles of the gaps between cards along an axis, the widest first."""
    spans = sorted(
        (min(corner[axis] for corner in quad), max(corner[axis] for corner in quad)) for quad in quads
    )
    gaps, end = [], spans[0][1]
    for low, high in spans[1:]:
        if low - end >= min_gap:
            gaps.append((low - end, (low + end) / 2))
        end = max(end, high)
    return [middle for _, middle in sorted(gaps, reverse=True)]


def _side(quad: Sequence[Sequence[float]], axis: int, low: float, high: float) -> int | None:
    center = sum(corner[axis] for corner in quad) / len(quad)
    return 0 if center < low else 1 if center > high else None
