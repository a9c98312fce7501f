"""Least squares for the fits of the table plane: the optimizer, the robust loss, and the placing of shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from vision.pictures.crops import Floats

#: Levenberg-Marquardt: step of the numerical derivative, maximum number of rounds, and relative gain below
#: which it stops.
_STEP: Final = 1e-6
_MAX_ROUNDS: Final = 20
_MIN_GAIN: Final = 1e-3


def slopes(function: Callable[[Floats], Floats], at: Floats) -> tuple[Floats, Floats]:
    """Return the values (n) of a function of many parameter sets (... x p) at one (p), and their derivatives (p x n)."""
    around = function(at + np.concatenate((np.zeros((1, len(at))), np.eye(len(at)) * _STEP)))
    return around[0], (around[1:] - around[0]) / _STEP


def least_squares(errors: Callable[[Floats], Floats], start: Floats) -> Floats:
    """Minimize the sum of squared ``errors`` with the Levenberg-Marquardt method, starting at ``start``
    (p).

    ``errors`` maps many parameter sets at once (... x p) to residuals (... x n). SciPy's solver evaluates one
    set at a time, and for such a small problem the calls dominate: 12 instead of 2 ms of CPU for 30 cards.
    """
    best, damping = start, 1e-3
    for _ in range(_MAX_ROUNDS):
        here, derivatives = slopes(errors, best)
        cost, normal, downhill = here @ here, derivatives @ derivatives.T, -derivatives @ here
        # Try all dampings at once and take the best result.
        dampings = damping * 10.0 ** np.arange(-1, 4)
        systems = normal + dampings[:, None, None] * np.diag(normal.diagonal())
        goals = np.broadcast_to(downhill, (len(dampings), len(start)))[..., None]
        tries = best + np.linalg.solve(systems, goals)[..., 0]
        costs = (errors(tries) ** 2).sum(axis=1)
        chosen = int(np.nanargmin(costs))
        if not costs[chosen] < cost:
            break
        best, damping = tries[chosen], float(dampings[chosen])
        if cost - costs[chosen] < _MIN_GAIN * cost:
            break
    return best


def huber(errors: Floats) -> Floats:
    """Return the signed square roots of the Huber loss, so that false positives and occluded cards do not
    distort a plane.
    """
    size = np.abs(errors)
    return np.asarray(
        np.where(size > 1, np.sqrt(2 * np.maximum(size, 1) - 1), size) * np.sign(errors), np.float64
    )


def plane_maps(lean_x: Floats, lean_y: Floats, across: Floats, down: Floats, shear: Floats) -> Floats:
    """Return the homographies (... x 3 x 3) from a picture to a plane, up to a rigid motion on it (... each).

    ``lean_x``, ``lean_y``: change of scale along the picture; ``across``, ``down``: logarithms of the scales at the origin.
    """
    maps = np.zeros((*lean_x.shape, 3, 3))
    maps[..., 0, 0], maps[..., 0, 1], maps[..., 1, 1] = np.exp(across), shear, np.exp(down)
    maps[..., 2, 0], maps[..., 2, 1], maps[..., 2, 2] = lean_x, lean_y, 1
    return maps


def _turns(shapes: Floats, detected: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the rotations (... x n x 2 x 2), and the weighted centers (... x n x 1 x 2) of the shapes and of their points."""
    normalized = (weights / weights.sum(axis=-1, keepdims=True))[..., None]
    center, middle = ((normalized * points).sum(axis=-2, keepdims=True) for points in (shapes, detected))
    own, there = shapes - center, (detected - middle) * normalized
    cos = (own * there).sum(axis=(-2, -1))
    sin = (own[..., 0] * there[..., 1] - own[..., 1] * there[..., 0]).sum(axis=-1)
    length = np.maximum(np.hypot(cos, sin), 1e-12)
    cos, sin = cos / length, sin / length
    rotations = np.stack((np.stack((cos, -sin), axis=-1), np.stack((sin, cos), axis=-1)), axis=-2)
    return rotations, center, middle


def place_shapes(shapes: Floats, detected: Floats, weights: Floats) -> Floats:
    """Return n shapes (n x m x 2, or m x 2 for all) moved and rotated to their points ``detected`` (... x n x m x 2).

    Weighted least squares (Kabsch); ``weights``: n x m.
    """
    rotation, center, middle = _turns(shapes, detected, weights)
    return np.asarray((shapes - center) @ np.swapaxes(rotation, -1, -2) + middle, np.float64)


def rigid_motion(points: Floats, places: Floats) -> Floats:
    """Return the rigid motion (3 x 3) that best maps points (m x 2) to places (m x 2)."""
    rotation, center, middle = _turns(points[None], places[None], np.ones((1, len(points))))
    rigid = np.eye(3)
    rigid[:2, :2], rigid[:2, 2] = rotation[0], (middle[0] - center[0] @ rotation[0].T)[0]
    return rigid
