"""Fits the table plane to the visible card edges and completes covered cards on it: all cards have the
same size.

The refiner does not see the far corners of a covered card and tends to put them where the covering card
begins. Here the plane is fitted to the visible edges, and covered corners are placed from the visible ones.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import CARD_MM
from vision.geometry.fitting import huber, least_squares, place_shapes, plane_maps
from vision.pictures.crops import Floats, Quads

#: Aspect ratio (height / width) of a hanafuda card, and its spread among makers.
_ASPECT: Final = CARD_MM[1] / CARD_MM[0]
_ASPECT_SPREAD: Final = 0.04
#: Prior spread of the view from straight down: change of scale per card width (x, y), shear, and stretch.
_VIEW_SPREAD: Final = np.array((0.04, 0.04, 0.25, 0.25))
#: Edge error, in card widths, beyond which an edge is an outlier.
_EDGE_SPREAD: Final = 0.04
#: Visibility from which a corner stays at its detected position.
_VISIBLE_CORNER: Final = 0.6
#: Distance from an edge, to both sides, at which another card's edge is searched, and distance from its
#: corner, in card widths.
_PROBE_DISTANCE: Final = 0.1
_PROBE_OFFSET: Final = 0.12
#: Weight of an invisible corner.
_MIN_WEIGHT: Final = 0.01


def _map(parameters: Floats) -> Floats:
    """Return the homographies (... x 3 x 3) from the picture (in typical card widths from its center) to
    the plane (in card widths).
    """
    lean_x, lean_y, stretch, shear, size, _ = np.moveaxis(parameters, -1, 0)
    return plane_maps(lean_x, lean_y, size + stretch, size - stretch, shear)


def _apply(maps: Floats, points: Floats) -> Floats:
    """Apply each of ... homographies to n x 4 points: ... x n x 4 x 2."""
    flat = points.reshape(-1, 2)
    mapped = np.swapaxes(maps[..., :2] @ flat.T + maps[..., 2:], -1, -2)
    return np.asarray(
        (mapped[..., :2] / mapped[..., 2:]).reshape(*maps.shape[:-2], *points.shape), np.float64
    )


def points_in_quads(points: Floats, quads: Floats) -> NDArray[np.bool_]:
    """Return whether each of ... points (... x 2) is in each of m convex clockwise quads: ... x m.

    A point is inside if it is on the right side of all four edges, computed as one matrix product for all
    points and edges.
    """
    along = np.roll(quads, -1, axis=1) - quads
    offset = along[..., 1] * quads[..., 0] - along[..., 0] * quads[..., 1]
    edges = np.stack((-along[..., 1], along[..., 0]), axis=-1).reshape(-1, 2)
    sides = points @ edges.T + offset.reshape(-1)
    return np.asarray((sides.reshape(*points.shape[:-1], len(quads), 4) >= 0).all(axis=-1), np.bool_)


def occluded_corners(quads: Quads) -> NDArray[np.bool_]:
    """Return which corners (n x 4) may belong to another card's edge instead of the card's own.

    Just across an edge from such a corner, another card begins that does not extend under this one: it is on
    top of this card or beside it, so this card's own edge is not visible there.
    """
    here = quads.astype(np.float64)
    following = np.roll(here, -1, axis=1)
    outward = (here + following) / 2 - here.mean(axis=1, keepdims=True)
    width = np.linalg.norm(here[:, 1] - here[:, 0], axis=1)[:, None, None]
    across = (
        outward / np.maximum(np.linalg.norm(outward, axis=2, keepdims=True), 1e-9) * width * _PROBE_DISTANCE
    )
    # Probe near both ends of each edge.
    points = here + (following - here) * np.array((_PROBE_OFFSET, 1 - _PROBE_OFFSET))[:, None, None, None]
    begins = points_in_quads(points + across, here)
    begins &= ~points_in_quads(points - across, here)
    every = np.arange(len(quads))
    begins[:, every, :, every] = False
    first, second = (ends.any(axis=2) for ends in begins)
    return np.asarray(first | np.roll(second, 1, axis=1), np.bool_)


def complete_corners(quads: Quads, visibility: NDArray[np.float32]) -> Quads:
    """Return ``quads`` (n x 4 x 2 px) with invisible corners replaced by those of the card on the fitted
    plane.

    ``visibility`` (n x 4, 0-1): the visibility of each corner.
    """
    weights = np.where(
        occluded_corners(quads), _MIN_WEIGHT, np.maximum(visibility.astype(np.float64) ** 2, _MIN_WEIGHT)
    )
    edges = np.minimum(weights, np.roll(weights, -1, axis=1))  # of the edge from each corner to the next
    hidden = weights < _VISIBLE_CORNER
    if not hidden.any() or (edges > _VISIBLE_CORNER).sum() < 4:
        return quads
    center = quads.reshape(-1, 2).mean(axis=0)
    width = float(np.median(np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)))
    points = (quads.astype(np.float64) - center) / max(width, 1.0)

    both = np.minimum(edges, np.roll(edges, -1, axis=1))

    def errors(parameters: Floats) -> Floats:
        aspect = parameters[..., 5]
        corners = _apply(_map(parameters), points)
        sides = np.roll(corners, -1, axis=-2) - corners
        lengths = np.sqrt((sides**2).sum(axis=-1))
        square = (sides * np.roll(sides, -1, axis=-2)).sum(axis=-1)
        square /= np.maximum(lengths * np.roll(lengths, -1, axis=-1), 1e-9)
        off = lengths.copy()
        off[..., ::2] -= 1
        off[..., 1::2] -= aspect[..., None, None]
        every = np.stack((off * edges, square * both), axis=-3) / _EDGE_SPREAD
        residuals = huber(every.reshape(*parameters.shape[:-1], -1))
        prior = np.concatenate(
            (parameters[..., :4] / _VIEW_SPREAD, (aspect[..., None] - _ASPECT) / _ASPECT_SPREAD), axis=-1
        )
        return np.concatenate((residuals, prior), axis=-1)

    fit = least_squares(errors, np.array((0, 0, 0, 0, 0, _ASPECT)))
    to_plane, aspect = _map(fit), float(fit[5])
    corners = _apply(to_plane, points)
    card = np.array(((-0.5, -0.5 * aspect), (0.5, -0.5 * aspect), (0.5, 0.5 * aspect), (-0.5, 0.5 * aspect)))
    completed = (
        _apply(np.asarray(np.linalg.inv(to_plane)), place_shapes(card, corners, weights)) * width + center
    )
    return np.where(hidden[..., None], completed, quads).astype(np.float32)
