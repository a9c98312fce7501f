"""All cards are one size and lie on one plane: what the whole ones show tells where the covered ones end.

A refiner sees a covered card's far corners nowhere and tends to put them where the covering card begins. Here the plane
is fitted to the edges that are seen, and cards are completed on it from the corners that are seen.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from vision.crops import Quads

Floats = NDArray[np.float64]

#: A hanafuda card's height over its width (33 x 54 mm), and how far makers depart from it.
_ASPECT: Final = 54 / 33
_ASPECT_SPREAD: Final = 0.04
#: How far a camera's view is expected to depart from looking straight down: change of scale a card width, shear, stretch.
_VIEW_SPREAD: Final = np.array((0.04, 0.04, 0.25, 0.25))
#: An edge error, in card widths, from which on a card is an outlier.
_EDGE_SPREAD: Final = 0.04
#: Corners seen at least this well stay where they were seen.
_SEEN: Final = 0.6
#: How far across an edge, both ways, one looks for another card's edge, in card widths, and how far along it.
_BESIDE: Final = 0.1
_ALONG: Final = 0.12
#: What an unseen corner still says.
_HARDLY: Final = 0.01


def _map(parameters: Floats) -> Floats:
    """Return the 3 x 3 map from the picture (in typical card widths from the middle) to the plane (in card widths)."""
    lean_x, lean_y, stretch, shear, size, _ = parameters
    flat = np.array(((1, 0, 0), (0, 1, 0), (lean_x, lean_y, 1)))
    metric = np.array(((np.exp(stretch + size), shear, 0), (0, np.exp(size - stretch), 0), (0, 0, 1)))
    return np.asarray(metric @ flat, np.float64)


def _apply(matrix: Floats, points: Floats) -> Floats:
    mapped = np.concatenate((points, np.ones((*points.shape[:-1], 1))), axis=-1) @ matrix.T
    return np.asarray(mapped[..., :2] / mapped[..., 2:], np.float64)


def _inside(points: Floats, quads: Floats) -> NDArray[np.bool_]:
    """Return whether each of n x 4 points lies in each of m convex quads, clockwise: n x 4 x m."""
    following = np.roll(quads, -1, axis=1)
    along = following - quads
    to_point = points[:, :, None, None, :] - quads
    cross = along[..., 0] * to_point[..., 1] - along[..., 1] * to_point[..., 0]
    return np.asarray((cross >= 0).all(axis=3), np.bool_)


def borrowed(quads: Quads) -> NDArray[np.bool_]:
    """Return which corners (n x 4) may be another card's edge rather than the card's own.

    Just across an edge from such a corner another card begins that does not reach under this one: so it lies over this
    card, or beside it, and where this card ends is not to be seen there.
    """
    here = quads.astype(np.float64)
    following = np.roll(here, -1, axis=1)
    outward = (here + following) / 2 - here.mean(axis=1, keepdims=True)
    width = np.linalg.norm(here[:, 1] - here[:, 0], axis=1)[:, None, None]
    across = outward / np.maximum(np.linalg.norm(outward, axis=2, keepdims=True), 1e-9) * width * _BESIDE
    every = np.arange(len(quads))
    ends = []
    for share in (_ALONG, 1 - _ALONG):  # near the edge's first corner, and near its second
        points = here + (following - here) * share
        begins = _inside(points + across, here) & ~_inside(points - across, here)
        begins[every, :, every] = False
        ends.append(begins.any(axis=2))
    return np.asarray(ends[0] | np.roll(ends[1], 1, axis=1), np.bool_)


def complete(quads: Quads, seen: NDArray[np.float32]) -> Quads:
    """Return ``quads`` (n x 4 x 2 px) with the corners that are not seen put where the rest of the card says.

    ``seen`` (n x 4, 0-1) says how well each corner is seen.
    """
    weights = np.where(borrowed(quads), _HARDLY, np.maximum(seen.astype(np.float64) ** 2, _HARDLY))
    edges = np.minimum(weights, np.roll(weights, -1, axis=1))  # of the edge from each corner to the next
    hidden = weights < _SEEN
    if not hidden.any() or (edges > _SEEN).sum() < 4:
        return quads
    middle = quads.reshape(-1, 2).mean(axis=0)
    width = float(np.median(np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)))
    points = (quads.astype(np.float64) - middle) / max(width, 1.0)

    def errors(parameters: Floats) -> Floats:
        aspect = parameters[5]
        corners = _apply(_map(parameters), points)
        sides = np.roll(corners, -1, axis=1) - corners
        lengths = np.linalg.norm(sides, axis=2)
        following = np.roll(sides, -1, axis=1)
        square = (sides * following).sum(axis=2) / np.maximum(lengths * np.roll(lengths, -1, axis=1), 1e-9)
        wanted = np.array((1, aspect, 1, aspect))
        both = np.minimum(edges, np.roll(edges, -1, axis=1))
        residuals = (
            np.concatenate((((lengths - wanted) * edges).ravel(), (square * both).ravel())) / _EDGE_SPREAD
        )
        # The square root of Huber's loss, so that wrong finds and cards that stand on edge do not bend the plane.
        large = np.abs(residuals) > 1
        residuals[large] = np.sign(residuals[large]) * np.sqrt(2 * np.abs(residuals[large]) - 1)
        prior = np.concatenate((parameters[:4] / _VIEW_SPREAD, [(aspect - _ASPECT) / _ASPECT_SPREAD]))
        return np.concatenate((residuals, prior))

    fit = least_squares(
        errors, np.array((0, 0, 0, 0, 0, _ASPECT)), method="lm", ftol=1e-4, xtol=1e-4, max_nfev=120
    )
    to_plane, aspect = _map(fit.x), float(fit.x[5])
    corners = _apply(to_plane, points)
    card = np.array(((-0.5, -0.5 * aspect), (0.5, -0.5 * aspect), (0.5, 0.5 * aspect), (-0.5, 0.5 * aspect)))
    placed = np.stack([_place(card, own, weight) for own, weight in zip(corners, weights, strict=True)])
    completed = _apply(np.asarray(np.linalg.inv(to_plane), np.float64), placed) * width + middle
    return np.where(hidden[..., None], completed, quads).astype(np.float32)


def _place(card: Floats, corners: Floats, weights: Floats) -> Floats:
    """Move and turn ``card`` (4 x 2) onto ``corners`` by weighted least squares (Kabsch)."""
    share = weights / weights.sum()
    card_middle, middle = share @ card, share @ corners
    cross = (card - card_middle).T @ ((corners - middle) * share[:, None])
    angle = np.arctan2(cross[0, 1] - cross[1, 0], cross[0, 0] + cross[1, 1])
    cos, sin = np.cos(angle), np.sin(angle)
    return np.asarray((card - card_middle) @ np.array(((cos, sin), (-sin, cos))) + middle, np.float64)
