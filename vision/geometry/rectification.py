"""Photographs taken at an angle, seen from straight above: which view the cards imply, and the picture warped to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.plane_fit import DEFAULT_FOCAL, PlaneFit, PlaneView, fit_plane
from vision.geometry.registration.camera_fit import project
from vision.geometry.registration.table_registration import CARD_MM
from vision.networks.crops import Image, Pyramid, Quads

__all__ = ["RectifiedView", "RefinedDetections", "find_table_view", "find_view"]

Floats = NDArray[np.float64]

#: Tilt, degrees, from which a picture is rectified: to some 30° the networks, which were trained with tilted cameras, read as well without.
MIN_TILT: Final = 33.0
#: A tilt, degrees, measured in the photograph as it is, below which it needs no closer look; and one worth another round.
_CLEARLY_BELOW: Final = 28.0
_WORTH_A_ROUND: Final = 15.0
#: Rounds of rectifying, detecting, and fitting the plane again, and the change of tilt (degrees) that ends them.
_MAX_ROUNDS: Final = 3
_SETTLED: Final = 6.0
#: Views tried where too little is detected to fit a plane: tilts (degrees) and directions, "top is far" first.
_CANDIDATE_TILTS: Final = (45.0, 58.0)
_CANDIDATE_DIRECTIONS: Final = (-90.0, 90.0, 0.0, 180.0)
#: Long sides of the candidate views, px: one for tables, one for cards that fill the picture.
_CANDIDATE_SIDES: Final = (512, 224)
#: Cards whose shapes agree on one plane: the most error (`PlaneFit.error`), and the score of the surest.
_MAX_ERROR: Final = 0.55
_CERTAIN: Final = 0.5
#: Width of a card, px, and most pixels of a picture in which the plane is fitted again.
_DETECTION_CARD_PX: Final = 44.0
_DETECTION_PIXELS: Final = 700_000
#: Width of a card, px, in the picture that is read, where the photograph has as many, and that picture's most pixels.
_READING_CARD_PX: Final = (48.0, 110.0)
_READING_PIXELS: Final = 9_000_000
#: Margin around all detections in the picture that is read, and in those in which the plane is fitted again, in card widths.
_MARGIN: Final = 2.0
_SEARCH_MARGIN: Final = 6.0
#: Cards that must agree on the plane of a table that is watched, the margin around them in card widths, the width of a card, px, and most
#: pixels of the frames.
_TABLE_CARDS: Final = 6
_TABLE_MARGIN: Final = 8.0
_WATCHED_CARD_PX: Final = (44.0, 72.0)
_WATCHED_PIXELS: Final = 2_000_000
#: What is seen at a flatter angle than this, degrees from vertical, shows no card.
_MAX_INCIDENCE: Final = 79.0
#: Cards that the plane is fitted to, at most.
_FITTED: Final = 16


@dataclass(frozen=True)
class RefinedDetections:
    """Cards detected in a picture. Of the best, with refined corners: ``quads`` (n x 4 x 2 px), detector ``scores`` and visible
    fractions ``visible`` (n, 0-1). ``everything``: the rough quads (m x 4 x 2 px) of whatever may be a card.
    """

    quads: Quads
    scores: NDArray[np.float32]
    visible: NDArray[np.float32]
    everything: Quads

    @property
    def weights(self) -> NDArray[np.float32]:
        """How much each card says about the plane (n, 0-1)."""
        return np.asarray(self.scores * self.visible, np.float32)

    @property
    def evidence(self) -> float:
        """How much was detected, in certain and wholly visible cards."""
        return float((self.scores * self.weights).sum())


Detect = Callable[[Image, float], RefinedDetections]
"""Detects cards in a picture (H x W x 3 uint8) resized by a factor."""


@dataclass(frozen=True)
class RectifiedView:
    """A view from above of a photograph: ``matrix`` (3 x 3) maps px of the photograph to px of the view, which is ``size`` (width,
    height) px large and shows cards ``card_px`` wide. ``tilt``: that of the camera, degrees from vertical; ``reduction``: px of the
    photograph a px of the view covers where the cards are.
    """

    matrix: Floats
    size: tuple[int, int]
    card_px: float
    tilt: float
    reduction: float

    def warp(self, pyramid: Pyramid) -> Image:
        """Return the view of a photograph."""
        picture, level = pyramid.above(1 / max(self.reduction, 1.0))
        matrix = self.matrix @ np.diag((2.0**level, 2.0**level, 1.0))
        return np.asarray(
            cv2.warpPerspective(
                picture, matrix, self.size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
            ),
            np.uint8,
        )

    def to_picture(self, points: NDArray[np.floating[Any]]) -> Floats:
        """Map points (... x 2 px) of the view to the photograph."""
        return _mapped(np.asarray(np.linalg.inv(self.matrix), np.float64), points)


@dataclass(frozen=True)
class _Attempt:
    """Cards detected in one view of a photograph (quads in px of the photograph), and the plane fitted to them, None without cards."""

    found: RefinedDetections
    fit: PlaneFit | None

    @property
    def is_good(self) -> bool:
        """Whether the cards are surely cards and their shapes agree on one plane."""
        return self.fit is not None and self.fit.error <= _MAX_ERROR and self.found.scores.max() >= _CERTAIN

    @property
    def quality(self) -> float:
        """How well this view shows cards: the evidence for them, less where their shapes do not agree on one plane."""
        return 0.0 if self.fit is None else self.found.evidence / (_MAX_ERROR / 2 + self.fit.error)

    @property
    def tilt(self) -> float:
        """The tilt of the fitted view, degrees; 0 without cards."""
        return 0.0 if self.fit is None else self.fit.view.tilt


def find_view(
    pyramid: Pyramid, detections: RefinedDetections, detect: Detect, focal: float | None = None
) -> RectifiedView | None:
    """Return the view from above in which to read a photograph; None where it is read as it is.

    ``detections``: what a first pass over the photograph found. ``detect`` detects cards in a view. ``focal``: the focal length, px,
    where it is known.
    """
    size = pyramid.size
    as_it_is = _attempt(detections, size, focal)
    if as_it_is.is_good and as_it_is.tilt < _CLEARLY_BELOW:
        return None
    best = _refined(pyramid, as_it_is, detect, focal)
    if not best.is_good:
        candidate = _best_candidate(pyramid, detect, focal)
        if candidate is not None:
            best = max(best, _refined(pyramid, candidate, detect, focal), key=lambda attempt: attempt.quality)
    if best.fit is None or best.tilt < MIN_TILT:
        return None
    return _rectified(best.fit.view, size, best.found, _MARGIN, _READING_CARD_PX, _READING_PIXELS)


def find_table_view(
    pyramid: Pyramid, detections: RefinedDetections, detect: Detect
) -> tuple[bool, RectifiedView | None]:
    """Return whether a camera's frame shows enough cards to tell its view of the table, and the view from above in which to watch it.

    The view is None where the camera looks down steeply enough. It reaches beyond the cards, for a game spreads over the table.
    """
    best = _refined(pyramid, _attempt(detections, pyramid.size, None), detect, None)
    if best.fit is None or not best.is_good or len(best.found.quads) < _TABLE_CARDS:
        return False, None
    if best.tilt < MIN_TILT:
        return True, None
    return True, _rectified(
        best.fit.view, pyramid.size, best.found, _TABLE_MARGIN, _WATCHED_CARD_PX, _WATCHED_PIXELS
    )


def _attempt(found: RefinedDetections, size: tuple[int, int], focal: float | None) -> _Attempt:
    chosen = np.argsort(-found.weights)[:_FITTED]
    fit = fit_plane(found.quads[chosen], found.weights[chosen], size, focal) if len(chosen) else None
    return _Attempt(found, fit)


def _refined(pyramid: Pyramid, start: _Attempt, detect: Detect, focal: float | None) -> _Attempt:
    """Return the best of ``start`` and what is detected once the plane is fitted again and again in its own view from above."""
    size = pyramid.size
    best = latest = start
    for _ in range(_MAX_ROUNDS):
        if latest.fit is None or latest.tilt < _WORTH_A_ROUND:
            break
        rectified = _rectified(
            latest.fit.view, size, latest.found, _SEARCH_MARGIN, (_DETECTION_CARD_PX,) * 2, _DETECTION_PIXELS
        )
        if rectified is None:
            break
        before = latest
        latest = _attempt(_in_picture(detect(rectified.warp(pyramid), 1.0), rectified), size, focal)
        best = max(best, latest, key=lambda attempt: attempt.quality)
        if latest.is_good and abs(latest.tilt - before.tilt) < _SETTLED:
            break
    return best


def _in_picture(seen: RefinedDetections, rectified: RectifiedView) -> RefinedDetections:
    quads, everything = (
        rectified.to_picture(each).astype(np.float32) for each in (seen.quads, seen.everything)
    )
    return RefinedDetections(quads, seen.scores, seen.visible, everything)


def _best_candidate(pyramid: Pyramid, detect: Detect, focal: float | None) -> _Attempt | None:
    """Return what is detected in the candidate view that shows cards best; None where none shows a card."""
    size = pyramid.size
    attempts = []
    for tilt in _CANDIDATE_TILTS:
        for direction in _CANDIDATE_DIRECTIONS:
            rectified = _whole(
                PlaneView(tilt, direction, focal or DEFAULT_FOCAL * max(size)), size, max(_CANDIDATE_SIDES)
            )
            image = rectified.warp(pyramid)
            for side in _CANDIDATE_SIDES:
                seen = detect(image, side / max(rectified.size))
                attempts.append(_attempt(_in_picture(seen, rectified), size, focal))
        if any(attempt.is_good and attempt.tilt >= MIN_TILT for attempt in attempts):
            break
    return max(
        (one for one in attempts if one.tilt >= MIN_TILT), key=lambda attempt: attempt.quality, default=None
    )


def _mapped(matrix: Floats, points: NDArray[np.floating[Any]]) -> Floats:
    """Map points (... x 2) by a homography (3 x 3)."""
    return project(matrix, np.asarray(points, np.float64))


def _footprint(view: PlaneView, size: tuple[int, int]) -> NDArray[np.float32]:
    """Return the part of the picture (m x 2 px) in which the plane is seen at no flatter angle than `_MAX_INCIDENCE`."""
    width, height = size
    turn = np.radians(view.direction)
    picture = np.array(((0, 0), (width, 0), (width, height), (0, height)), np.float32)
    limit = view.focal * np.tan(np.radians(max(_MAX_INCIDENCE - view.tilt, 1.0)))
    along, across = np.array((np.cos(turn), np.sin(turn))), np.array((-np.sin(turn), np.cos(turn)))
    middle, reach = np.array(size) / 2, 4.0 * max(size)
    near = np.array(
        [
            middle + along * a + across * b
            for a, b in ((limit, -reach), (limit, reach), (-reach, reach), (-reach, -reach))
        ],
        np.float32,
    )
    _, inside = cv2.intersectConvexConvex(picture, near)
    return np.asarray(picture if inside is None else inside, np.float32).reshape(-1, 2)


def _boxed(
    matrix: Floats, corners: Floats, scale: float, most_pixels: int
) -> tuple[Floats, tuple[int, int], float]:
    """Return ``matrix`` scaled and moved so that a box between two ``corners`` (2 x 2 px of its plane) fills a picture, that picture's size,
    and the scale, which is smaller than the one wanted where the picture would have more than ``most_pixels``.
    """
    low, extent = corners[0], np.maximum(corners[1] - corners[0], 1e-6)
    scale = float(min(scale, np.sqrt(most_pixels / (extent[0] * extent[1]))))
    shift = np.array(((scale, 0, -scale * low[0]), (0, scale, -scale * low[1]), (0, 0, 1.0)))
    width, height = np.maximum(np.ceil(extent * scale), 16).astype(int).tolist()
    return np.asarray(shift @ matrix, np.float64), (width, height), scale


def _whole(view: PlaneView, size: tuple[int, int], side: int) -> RectifiedView:
    """Return a view of the whole photograph whose longer side has ``side`` px."""
    matrix = view.homography(size)
    mapped = _mapped(matrix, _footprint(view, size))
    corners = np.stack((mapped.min(axis=0), mapped.max(axis=0)))
    matrix, box, scale = _boxed(matrix, corners, side / float(np.ptp(mapped, axis=0).max()), side * side)
    return RectifiedView(matrix, box, 0.0, view.tilt, 1 / scale)


def _rectified(
    view: PlaneView,
    size: tuple[int, int],
    found: RefinedDetections,
    margin: float,
    card_px: tuple[float, float],
    most_pixels: int,
) -> RectifiedView | None:
    """Return a view of everything detected in a photograph and a ``margin`` (card widths) around it, in which cards are as wide as in the
    photograph, within ``card_px``; None where the plane is seen too flatly there.
    """
    matrix, footprint = view.homography(size), _footprint(view, size)
    quads = _inside(footprint, found.quads)
    if not len(quads):
        return None
    above, whole = _mapped(matrix, quads), _mapped(matrix, footprint)
    width = float(np.median(_widths(above)))
    around = np.concatenate((above, _mapped(matrix, _inside(footprint, found.everything))))
    low, high = (ends.reshape(-1, 2) for ends in (around.min(axis=(0, 1)), around.max(axis=(0, 1))))
    low = np.maximum(low - margin * width, whole.min(axis=0))
    high = np.minimum(high + margin * width, whole.max(axis=0))
    native = _widths(quads)
    wanted = float(np.clip(np.percentile(native, 80), *card_px))
    matrix, canvas, scale = _boxed(matrix, np.concatenate((low, high)), wanted / width, most_pixels)
    return RectifiedView(matrix, canvas, width * scale, view.tilt, float(np.median(native)) / (width * scale))


def _inside(area: NDArray[np.float32], quads: Quads) -> Quads:
    """Return the quads (n x 4 x 2 px) that lie wholly in a convex area (m x 2 px)."""
    seen = [
        all(cv2.pointPolygonTest(area, (float(x), float(y)), True) >= -1 for x, y in quad) for quad in quads
    ]
    return quads[np.array(seen, np.bool_)]


def _widths(quads: NDArray[np.floating[Any]]) -> Floats:
    """Return the width of a whole card of each quad's area (n), px."""
    areas = [cv2.contourArea(quad) for quad in quads.astype(np.float32)]
    return np.sqrt(np.array(areas, np.float64) * CARD_MM[0] / CARD_MM[1])
