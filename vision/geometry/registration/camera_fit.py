"""Fits the mapping from picture px to table mm, from objects of known shape lying on one plane.

An object is a sheet with four markers, a corner card with one, or a playing card: its points are known
relative to each other in mm, its position is unknown. The camera model is a homography, up to a rigid motion
per object, and one lens coefficient (Fitzgibbon, "Simultaneous linear estimation of multiple view geometry
and lens distortion", 2001: the division model, which has a closed-form inverse).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.fitting import least_squares, place_shapes, plane_maps, slopes
from vision.pictures.crops import Floats

#: Prior spread of the lens coefficient of webcams and phones, over half the picture's diagonal.
_LENS_SPREAD: Final = 0.15
#: Prior spread of the plane's slope per half diagonal. Wide: it only stabilizes fits to cards in a small
#: area.
_LEAN_SPREAD: Final = 0.5
#: Range of the lens coefficient in which the model has an inverse.
_LENS_RANGE: Final = (-0.6, 0.6)
#: Minimum depth: nothing is behind the camera.
_MIN_DEPTH: Final = 0.05


@dataclass(frozen=True)
class Lens:
    """Radial distortion with one coefficient for pictures of ``size`` (width, height px).

    undistorted = distorted / (1 + k1 r²) from the picture's center, r in half diagonals; negative k1 is
    barrel distortion.
    """

    size: tuple[int, int]
    k1: float

    @property
    def middle(self) -> Floats:
        """Center of the picture, px."""
        return (np.array(self.size, np.float64) - 1) / 2

    @property
    def radius(self) -> float:
        """Half the picture's diagonal, px."""
        return float(np.hypot(*self.size)) / 2

    def shows(self, points: Floats, margin: float = 0.0) -> NDArray[np.bool_]:
        """Return which points (... x 2 px) are in the picture, ``margin`` px from its border or more."""
        last = np.array(self.size) - 1 - margin
        return np.asarray(((points >= margin) & (points <= last)).all(axis=-1), np.bool_)

    def straighten(self, points: Floats) -> Floats:
        """Return the undistorted positions of points (... x 2 px) of the picture, px."""
        away = (points - self.middle) / self.radius
        straight = away / (1 + self.k1 * (away**2).sum(axis=-1, keepdims=True))
        return np.asarray(self.middle + self.radius * straight, np.float64)

    def bend(self, points: Floats) -> Floats:
        """Return the distorted positions of undistorted points (... x 2 px), px; the inverse of
        `straighten`.
        """
        away = (points - self.middle) / self.radius
        square = (away**2).sum(axis=-1, keepdims=True)
        # r = 2 R / (1 + sqrt(1 - 4 k1 R²)); points beyond the range of a strong pincushion are clipped to its edge.
        bent = away * 2 / (1 + np.sqrt(np.maximum(1 - 4 * self.k1 * square, 0)))
        return np.asarray(self.middle + self.radius * bent, np.float64)


def project(matrix: Floats, points: NDArray[np.floating[Any]]) -> Floats:
    """Apply a homography (3 x 3) to points (... x 2)."""
    mapped = np.concatenate((points, np.ones((*points.shape[:-1], 1))), axis=-1) @ matrix.T
    return np.asarray(mapped[..., :2] / mapped[..., 2:], np.float64)


@dataclass(frozen=True)
class CameraFit:
    """A fitted camera.

    ``plane`` (3 x 3) maps undistorted px to mm on a plane with arbitrary origin. ``placed`` (n x m x 2 mm):
    the fitted positions of each object's points. ``errors`` (n x m mm): distances of the detected points from
    them. ``scale_error``: relative standard error of a length at the worst point of the picture.
    """

    plane: Floats
    k1: float
    placed: Floats
    errors: Floats
    scale_error: float


def _plane(parameters: Floats, lens: Lens) -> Floats:
    middle, radius = lens.middle, lens.radius
    shrink = np.array(((1 / radius, 0, -middle[0] / radius), (0, 1 / radius, -middle[1] / radius), (0, 0, 1)))
    return np.asarray(plane_maps(*parameters[:5]) @ shrink, np.float64)


def _to_plane(parameters: Floats, points: Floats, size: tuple[int, int]) -> Floats:
    """Map points (n x m x 2 px) to the plane by each of many parameter sets (... x 6): ... x n x m x 2."""
    lean_x, lean_y, across, down, shear, k1 = np.moveaxis(parameters[..., None, None, :], -1, 0)
    lens = Lens(size, 0.0)
    away = (points - lens.middle) / lens.radius
    away = away / (1 + np.clip(k1, *_LENS_RANGE) * (away**2).sum(axis=-1))[..., None]
    x, y = away[..., 0], away[..., 1]
    mapped = np.stack((np.exp(across) * x + shear * y, np.exp(down) * y), axis=-1)
    return np.asarray(mapped / np.maximum(1 + lean_x * x + lean_y * y, _MIN_DEPTH)[..., None], np.float64)


def _initial_parameters(shape: Floats, points: Floats, lens: Lens) -> Floats | None:
    """Return initial parameters that fit one object (m x 2 mm, m x 2 px), or None if it is seen from
    behind or edge-on.
    """
    away = (points - lens.middle) / lens.radius
    matrix, _ = cv2.findHomography(away, shape)
    if matrix is None or abs(matrix[2, 2]) < 1e-9:
        return None
    matrix = matrix / matrix[2, 2]
    turned = matrix[:2, :2] - np.outer(matrix[:2, 2], matrix[2, :2])
    metric = np.linalg.qr(turned)[1]
    signs = np.sign(np.diag(metric))
    if np.linalg.det(turned) <= 0 or not signs.all():
        return None
    metric = metric * signs[:, None]
    lean = matrix[2, :2]
    if ((away @ lean) < _MIN_DEPTH - 1).any():
        return None
    return np.array((*lean, np.log(metric[0, 0]), np.log(metric[1, 1]), metric[0, 1], 0.0))


def fit_camera(
    shapes: Floats,
    points: Floats,
    weights: Floats,
    size: tuple[int, int],
    spread: float,
    lens_spread: float = _LENS_SPREAD,
) -> CameraFit | None:
    """Fit a camera to n objects of m points: ``shapes`` mm, ``points`` px (n x m x 2), ``weights`` (n x m,
    0 for unused points).

    ``spread``: expected error of a point, mm. Returns None if the objects cannot be seen like this from
    above.
    """
    root = np.sqrt(weights)[..., None]

    def errors(parameters: Floats) -> Floats:
        detected = _to_plane(parameters, points, size)
        away = (detected - place_shapes(shapes, detected, weights)) * root / spread
        prior = parameters[..., [0, 1, 5]] / (_LEAN_SPREAD, _LEAN_SPREAD, lens_spread)
        return np.concatenate((away.reshape(*prior.shape[:-1], -1), prior), axis=-1)

    straight = Lens(size, 0.0)
    starts = []
    for shape, detected, weight in zip(shapes, points, weights, strict=True):
        start = _initial_parameters(shape[weight > 0], detected[weight > 0], straight)
        if start is not None:
            starts.append(start)
            starts.append(np.concatenate((np.zeros(2), np.full(2, start[2:4].mean()), np.zeros(2))))
    if not starts:
        return None
    found = least_squares(errors, starts[int((errors(np.array(starts)) ** 2).sum(axis=1).argmin())])
    if not np.isfinite(found).all():
        return None
    k1 = float(np.clip(found[5], *_LENS_RANGE))
    detected = _to_plane(found, points, size)
    placed = place_shapes(shapes, detected, weights)
    away = np.where(weights > 0, np.linalg.norm(detected - placed, axis=-1), 0.0)
    scale_error = _scale_error(found, *slopes(errors, found), size)
    return CameraFit(_plane(found, Lens(size, k1)), k1, placed, away, scale_error)


def _scale_error(parameters: Floats, residuals: Floats, derivatives: Floats, size: tuple[int, int]) -> float:
    """Return the relative standard error of the local scale, the maximum over the centers of the picture's
    nine parts. ``derivatives``: of the ``residuals`` (n) by the parameters (p x n).
    """
    spare = max(len(residuals) - len(parameters), 1)
    noise = max(float((residuals**2).sum()) / spare, 0.05)
    covariance = np.linalg.pinv(derivatives @ derivatives.T) * noise
    width, height = size
    places = np.array([(width * x, height * y) for y in (1 / 6, 1 / 2, 5 / 6) for x in (1 / 6, 1 / 2, 5 / 6)])

    def scales(at: Floats) -> Floats:
        right, down = (
            _to_plane(at, (places + step)[None], size) - _to_plane(at, (places - step)[None], size)
            for step in np.eye(2)
        )
        area = np.abs(right[..., 0] * down[..., 1] - right[..., 1] * down[..., 0])[..., 0, :]
        return np.asarray(np.log(np.maximum(area, 1e-12)) / 2, np.float64)

    slope = slopes(scales, parameters)[1]
    return float(np.sqrt(np.maximum(np.einsum("ip,ij,jp->p", slope, covariance, slope), 0)).max())
