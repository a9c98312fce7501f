"""Fits the camera's view of the table plane to card quads: rectangles of known size seen by a pinhole
camera.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import CARD_MM
from vision.geometry.fitting import huber, least_squares
from vision.pictures.crops import Floats, Quads

#: Focal length assumed without EXIF, relative to the longer side of the picture: between a wide-angle and a
#: telephoto phone lens.
DEFAULT_FOCAL: Final = 1.1
#: Standard deviation of the logarithm of an assumed and of a known focal length.
_FOCAL_SPREAD: Final = 0.15
_FOCAL_KNOWN: Final = 1e-3
#: Standard deviations of a detected quad's shape: log aspect ratio, cosine of its angle, log size, and log
#: ratios of both pairs of opposite edges.
_SHAPE_SPREAD: Final = np.array((0.10, 0.10, 0.12, 0.07, 0.07))
#: Tilts, degrees, and number of directions of the initial grid search. A finer one begins more often at a false optimum.
_COARSE_TILTS: Final = (20.0, 40.0, 60.0)
_COARSE_DIRECTIONS: Final = 12
#: Depth, relative to that of the picture's center seen from above, below which a point counts as at the
#: horizon.
_MIN_DEPTH: Final = 1e-2
#: Shape error, in standard deviations, beyond which a card does not fit the plane.
_OUTLIER: Final = 3.0


@dataclass(frozen=True)
class PlaneView:
    """A camera's view of a plane: ``tilt`` (degrees from vertical), ``direction`` (degrees towards the far
    side: 0 right, 90 down in the picture), ``focal`` (px).
    """

    tilt: float
    direction: float
    focal: float

    def homography(self, size: tuple[int, int]) -> Floats:
        """Return the homography (3 x 3) from px of a picture of ``size`` (width, height) to px of a camera
        looking straight down.
        """
        turn = np.radians(self.direction)
        axis = np.array((-np.sin(turn), np.cos(turn), 0.0)) * np.radians(self.tilt)
        rotation = cv2.Rodrigues(axis)[0]  # from this camera's axes to those of the other
        intrinsics = np.array(((self.focal, 0, size[0] / 2), (0, self.focal, size[1] / 2), (0, 0, 1.0)))
        return np.asarray(intrinsics @ rotation @ np.linalg.inv(intrinsics), np.float64)


@dataclass(frozen=True)
class PlaneFit:
    """A fitted ``view``, the ``inliers`` (n, bool) among the quads, and the ``error`` of their shapes:
    root mean square, in standard deviations of a good detection. ``excess``: how much worse than ``view`` each of the
    `_coarse_views` explains the quads, chi-squared.
    """

    view: PlaneView
    inliers: NDArray[np.bool_]
    error: float
    excess: Floats

    def rival_odds(self, angle: float) -> float:
        """Return how likely the likeliest view is that differs by ``angle`` (degrees) or more, relative to ``view``."""
        tilt, direction = np.radians((self.view.tilt, self.view.direction))
        normal = np.array((np.tan(tilt) * np.cos(direction), np.tan(tilt) * np.sin(direction), 1.0))
        normals = _coarse_views() + np.array((0, 0, 1))
        cosine = normals @ normal / np.linalg.norm(normals, axis=1) / np.linalg.norm(normal)
        return float(np.exp(-self.excess[cosine <= np.cos(np.radians(angle))].min() / 2))


def _shape_errors(parameters: Floats, centered: Floats, focal: float) -> Floats:
    """Return the shape errors (v x n x 5) of n quads (n x 4 x 2 px from the picture's center) for v views,
    in units of `_SHAPE_SPREAD`.

    ``parameters`` (v x 3): tangent of the tilt along the picture's x and y, and log ratio of the focal length
    to ``focal`` (px).
    """
    slope = np.hypot(parameters[:, 0], parameters[:, 1])
    tilt = np.arctan(slope)[:, None, None]
    direction = np.arctan2(parameters[:, 1], parameters[:, 0])[:, None, None]
    cos, sin = np.cos(direction), np.sin(direction)
    rays = centered / (focal * np.exp(parameters[:, 2]))[:, None, None, None]
    along = cos * rays[..., 0] + sin * rays[..., 1]
    across = cos * rays[..., 1] - sin * rays[..., 0]
    depth = np.maximum(np.cos(tilt) - np.sin(tilt) * along, _MIN_DEPTH)
    points = np.stack(((np.cos(tilt) * along + np.sin(tilt)) / depth, across / depth), axis=-1)
    edges = np.roll(points, -1, axis=-2) - points
    short = (edges[..., 0, :] - edges[..., 2, :]) / 2
    long = (edges[..., 1, :] - edges[..., 3, :]) / 2
    width, height = np.linalg.norm(short, axis=-1), np.linalg.norm(long, axis=-1)
    size = np.log(np.maximum(width * height, 1e-12)) / 2
    # Foreshortening may make a card's long edge the shorter one, so the quad's corner order does not determine which is which.
    proportions = np.abs(np.log(np.maximum(height, 1e-9) / np.maximum(width, 1e-9))) - np.log(
        CARD_MM[1] / CARD_MM[0]
    )
    cosine = (short * long).sum(axis=-1) / np.maximum(width * height, 1e-12)
    lengths = np.log(np.maximum(np.linalg.norm(edges, axis=-1), 1e-9))
    taper = lengths[..., :2] - lengths[..., 2:]
    errors = np.stack(
        (proportions, cosine, size - np.median(size, axis=-1, keepdims=True), taper[..., 0], taper[..., 1]),
        axis=-1,
    )
    return np.asarray(errors / _SHAPE_SPREAD, np.float64)


def _coarse_views() -> Floats:
    """Return the parameters (v x 3) of the initial grid search."""
    turns = np.linspace(0, 2 * np.pi, _COARSE_DIRECTIONS, endpoint=False)
    tilts, directions = np.meshgrid(np.radians(_COARSE_TILTS), turns)
    slopes = np.stack(
        (np.tan(tilts) * np.cos(directions), np.tan(tilts) * np.sin(directions), np.zeros_like(tilts)),
        axis=-1,
    )
    return np.concatenate((np.zeros((1, 3)), slopes.reshape(-1, 3)))


def fit_plane(
    quads: Quads, weights: NDArray[np.floating[Any]], size: tuple[int, int], focal: float | None = None
) -> PlaneFit:
    """Fit the view of the table plane to card quads (n x 4 x 2 px, starting at any corner; n at least 1).

    ``weights`` (n, 0-1): visibility of each card. ``size``: width and height of the picture, px. ``focal``:
    focal length, px, if known. One or two cards hardly determine which side is far.
    """
    assumed = float(focal) if focal is not None else DEFAULT_FOCAL * max(size)
    centered = quads.astype(np.float64) - np.array(size) / 2
    root = np.sqrt(weights.astype(np.float64))[:, None]
    spread = _FOCAL_SPREAD if focal is None else _FOCAL_KNOWN

    def residuals(parameters: Floats) -> Floats:
        rows = parameters.reshape(-1, 3)
        errors = huber(_shape_errors(rows, centered, assumed)) * root
        every = np.concatenate((errors.reshape(len(rows), -1), rows[:, 2:] / spread), axis=1)
        return every.reshape(*parameters.shape[:-1], -1)

    views = _coarse_views()
    costs = (residuals(views) ** 2).sum(axis=1)
    found = least_squares(residuals, views[int(costs.argmin())])
    tilt = float(np.degrees(np.arctan(np.hypot(found[0], found[1]))))
    direction = float(np.degrees(np.arctan2(found[1], found[0])))
    off = np.sqrt((_shape_errors(found[None], centered, assumed)[0] ** 2).mean(axis=1))
    inliers = off < _OUTLIER
    error = float(np.sqrt((off[inliers] ** 2).mean())) if inliers.any() else float(off.min())
    view = PlaneView(tilt, direction, assumed * float(np.exp(found[2])))
    return PlaneFit(view, np.asarray(inliers, np.bool_), error, costs - float((residuals(found) ** 2).sum()))


def expected_sizes(
    quads: NDArray[np.floating[Any]], sizes: NDArray[np.floating[Any]], reference: NDArray[np.bool_]
) -> Floats:
    """Return the expected size of a card at each of n positions (``quads``, n x 4 x 2 px), fitted to the
    ``sizes`` (n) of the ``reference`` cards (n, bool).

    In an oblique view, the size varies linearly across the picture.
    """
    centers = np.column_stack((quads.mean(axis=1), np.ones(len(quads))))
    return np.asarray(centers @ np.linalg.lstsq(centers[reference], sizes[reference])[0], np.float64)
