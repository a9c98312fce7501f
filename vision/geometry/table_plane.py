"""All cards are one size and lie on one plane: what the whole ones show tells where the covered ones end.

A refiner sees a covered card's far corners nowhere and tends to put them where the covering card begins. Here the plane
is fitted to the edges that are seen, and cards are completed on it from the corners that are seen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.networks.crops import Quads

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
#: The corner after each.
_NEXT: Final = np.array((1, 2, 3, 0))
#: The fit of the plane: step of a slope, most rounds, and the share of the errors whose gain is worth no more of them.
_STEP: Final = 1e-6
_MOST_ROUNDS: Final = 20
_ENOUGH: Final = 1e-3
#: What an unseen corner still says.
_HARDLY: Final = 0.01


def _map(parameters: Floats) -> Floats:
    """Return the ... x 3 x 3 maps from the picture (in typical card widths from the middle) to the plane (in card widths)."""
    lean_x, lean_y, stretch, shear, size, _ = np.moveaxis(parameters, -1, 0)
    maps = np.zeros((*parameters.shape[:-1], 3, 3))
    maps[..., 0, 0], maps[..., 0, 1], maps[..., 1, 1] = np.exp(stretch + size), shear, np.exp(size - stretch)
    maps[..., 2, 0], maps[..., 2, 1], maps[..., 2, 2] = lean_x, lean_y, 1
    return maps


def _apply(maps: Floats, points: Floats) -> Floats:
    """Map n x 4 points by each of ... maps: ... x n x 4 x 2."""
    flat = points.reshape(-1, 2)
    mapped = np.swapaxes(maps[..., :2] @ flat.T + maps[..., 2:], -1, -2)
    return np.asarray(
        (mapped[..., :2] / mapped[..., 2:]).reshape(*maps.shape[:-2], *points.shape), np.float64
    )


def points_in_quads(points: Floats, quads: Floats) -> NDArray[np.bool_]:
    """Return whether each of ... points (... x 2) lies in each of m convex quads, clockwise: ... x m.

    A point is in a quad where it is on the right side of all four edges: one product of matrices for all points and edges.
    """
    along = np.roll(quads, -1, axis=1) - quads
    offset = along[..., 1] * quads[..., 0] - along[..., 0] * quads[..., 1]
    edges = np.stack((-along[..., 1], along[..., 0]), axis=-1).reshape(-1, 2)
    sides = points @ edges.T + offset.reshape(-1)
    return np.asarray((sides.reshape(*points.shape[:-1], len(quads), 4) >= 0).all(axis=-1), np.bool_)


def occluded_corners(quads: Quads) -> NDArray[np.bool_]:
    """Return which corners (n x 4) may be another card's edge rather than the card's own.

    Just across an edge from such a corner another card begins that does not reach under this one: so it lies over this
    card, or beside it, and where this card ends is not to be seen there.
    """
    here = quads.astype(np.float64)
    following = np.roll(here, -1, axis=1)
    outward = (here + following) / 2 - here.mean(axis=1, keepdims=True)
    width = np.linalg.norm(here[:, 1] - here[:, 0], axis=1)[:, None, None]
    across = outward / np.maximum(np.linalg.norm(outward, axis=2, keepdims=True), 1e-9) * width * _BESIDE
    # Near the edge's first corner, and near its second.
    points = here + (following - here) * np.array((_ALONG, 1 - _ALONG))[:, None, None, None]
    begins = points_in_quads(points + across, here)
    begins &= ~points_in_quads(points - across, here)
    every = np.arange(len(quads))
    begins[:, every, :, every] = False
    first, second = (ends.any(axis=2) for ends in begins)
    return np.asarray(first | np.roll(second, 1, axis=1), np.bool_)


def least_squares(errors: Callable[[Floats], Floats], start: Floats) -> Floats:
    """Return the parameters of least squared errors, by Levenberg and Marquardt's method.

    ``errors`` takes many sets of parameters at once (... x p) and gives ... x n. SciPy's solver asks for one set at a
    time, and for so small a problem it is the asking that costs: 12 ms of the processor for 30 cards, this one 2.
    """
    best, damping = start, 1e-3
    steps = np.concatenate((np.zeros((1, len(start))), np.eye(len(start)) * _STEP))
    for _ in range(_MOST_ROUNDS):
        around = errors(best + steps)
        here, slopes = around[0], (around[1:] - around[0]) / _STEP
        cost, normal, downhill = here @ here, slopes @ slopes.T, -slopes @ here
        # All dampings at once, and the best of what comes of them.
        dampings = damping * 10.0 ** np.arange(-1, 4)
        systems = normal + dampings[:, None, None] * np.diag(normal.diagonal())
        tries = (
            best
            + np.linalg.solve(systems, np.broadcast_to(downhill, (len(dampings), len(start)))[..., None])[
                ..., 0
            ]
        )
        costs = (errors(tries) ** 2).sum(axis=1)
        chosen = int(np.nanargmin(costs))
        if not costs[chosen] < cost:
            break
        best, damping = tries[chosen], float(dampings[chosen])
        if cost - costs[chosen] < _ENOUGH * cost:
            break
    return best


def complete_corners(quads: Quads, seen: NDArray[np.float32]) -> Quads:
    """Return ``quads`` (n x 4 x 2 px) with the corners that are not seen put where the rest of the card says.

    ``seen`` (n x 4, 0-1) says how well each corner is seen.
    """
    weights = np.where(occluded_corners(quads), _HARDLY, np.maximum(seen.astype(np.float64) ** 2, _HARDLY))
    edges = np.minimum(weights, np.roll(weights, -1, axis=1))  # of the edge from each corner to the next
    hidden = weights < _SEEN
    if not hidden.any() or (edges > _SEEN).sum() < 4:
        return quads
    middle = quads.reshape(-1, 2).mean(axis=0)
    width = float(np.median(np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)))
    points = (quads.astype(np.float64) - middle) / max(width, 1.0)

    both = np.minimum(edges, np.roll(edges, -1, axis=1))

    def errors(parameters: Floats) -> Floats:
        aspect = parameters[..., 5]
        corners = _apply(_map(parameters), points)
        sides = corners[..., _NEXT, :] - corners
        lengths = np.sqrt((sides**2).sum(axis=-1))
        square = (sides * sides[..., _NEXT, :]).sum(axis=-1) / np.maximum(lengths * lengths[..., _NEXT], 1e-9)
        off = lengths.copy()
        off[..., ::2] -= 1
        off[..., 1::2] -= aspect[..., None, None]
        every = np.stack((off * edges, square * both), axis=-3) / _EDGE_SPREAD
        residuals = every.reshape(*parameters.shape[:-1], -1)
        # The square root of Huber's loss, so that wrong finds and cards that stand on edge do not bend the plane.
        size = np.abs(residuals)
        residuals = np.where(size > 1, np.sign(residuals) * np.sqrt(2 * np.maximum(size, 1) - 1), residuals)
        prior = np.concatenate(
            (parameters[..., :4] / _VIEW_SPREAD, (aspect[..., None] - _ASPECT) / _ASPECT_SPREAD), axis=-1
        )
        return np.concatenate((residuals, prior), axis=-1)

    fit = least_squares(errors, np.array((0, 0, 0, 0, 0, _ASPECT)))
    to_plane, aspect = _map(fit), float(fit[5])
    corners = _apply(to_plane, points)
    card = np.array(((-0.5, -0.5 * aspect), (0.5, -0.5 * aspect), (0.5, 0.5 * aspect), (-0.5, 0.5 * aspect)))
    completed = _apply(np.asarray(np.linalg.inv(to_plane)), _place(card, corners, weights)) * width + middle
    return np.where(hidden[..., None], completed, quads).astype(np.float32)


def _place(card: Floats, corners: Floats, weights: Floats) -> Floats:
    """Move and turn ``card`` (4 x 2) onto each of ``corners`` (n x 4 x 2) by least squares weighted n x 4 (Kabsch)."""
    share = (weights / weights.sum(axis=1, keepdims=True))[..., None]
    card_middle, middle = (
        (share * card).sum(axis=1, keepdims=True),
        (share * corners).sum(axis=1, keepdims=True),
    )
    cross = np.swapaxes(card - card_middle, 1, 2) @ ((corners - middle) * share)
    angle = np.arctan2(cross[:, 0, 1] - cross[:, 1, 0], cross[:, 0, 0] + cross[:, 1, 1])
    cos, sin = np.cos(angle), np.sin(angle)
    turn = np.stack((np.stack((cos, sin), axis=-1), np.stack((-sin, cos), axis=-1)), axis=-2)
    return np.asarray((card - card_middle) @ turn + middle, np.float64)
