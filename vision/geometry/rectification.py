"""Rectification: finds the view from straight above implied by the cards of an oblique photograph, and
warps the picture to it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import CARD_MM
from vision.geometry.plane_fit import DEFAULT_FOCAL, PlaneFit, PlaneView, fit_plane
from vision.geometry.registration.camera_fit import project
from vision.pictures.crops import Floats, Image, Pyramid, Quads

#: Tilt, degrees, from which a picture is rectified: up to about 30° the networks, trained with tilted
#: cameras, recognize as well without.
MIN_TILT: Final = 33.0
#: Tilt measured in the unrectified photograph, degrees, below which no further check is needed, and tilt
#: worth another round.
_CLEARLY_BELOW: Final = 28.0
_WORTH_A_ROUND: Final = 15.0
#: Maximum rounds of rectifying, detecting, and fitting, and the change of tilt (degrees) at which they end.
_MAX_ROUNDS: Final = 3
_CONVERGED: Final = 6.0
#: Views tried if too few cards are detected to fit a plane: tilts (degrees) and directions, starting with
#: "top is far".
_CANDIDATE_TILTS: Final = (45.0, 58.0)
_CANDIDATE_DIRECTIONS: Final = (-90.0, 90.0, 0.0, 180.0)
#: Long sides of the candidate views, px: one for tables, one for cards that fill the picture.
_CANDIDATE_SIDES: Final = (512, 224)
#: Requirements for a good fit: maximum `PlaneFit.error`, and minimum score of the most confident card.
_MAX_ERROR: Final = 0.55
_MIN_SCORE: Final = 0.5
#: Width of a card, px, and maximum number of pixels of the pictures in which the plane is fitted again.
_DETECTION_CARD_PX: Final = 44.0
_DETECTION_PIXELS: Final = 700_000
#: Range of card widths, px, and maximum number of pixels of the rectified picture.
_READING_CARD_PX: Final = (48.0, 110.0)
_READING_PIXELS: Final = 9_000_000
#: Margin around all detections in the rectified picture, and in those for fitting the plane, card widths.
_MARGIN: Final = 2.0
_SEARCH_MARGIN: Final = 6.0
#: Number of cards from which no other object determines the plane of a camera table, nor the scale of a picture.
MIN_PLANE_CARDS: Final = 3
#: Odds of a view that would have to be rectified differently, below which the cards determine the view.
_RIVAL_ODDS: Final = 0.05
#: Margin around the cards and least distance of the border from their center (card widths: players lay cards down
#: to 40 cm apart), range of card widths (px), and maximum number of pixels of the frames.
_TABLE_MARGIN: Final = 8.0
_TABLE_REACH: Final = 12.0
_WATCHED_CARD_PX: Final = (44.0, 72.0)
_WATCHED_PIXELS: Final = 2_000_000
#: Angle, degrees from vertical, beyond which the plane is too foreshortened to show a card.
_MAX_INCIDENCE: Final = 79.0


@dataclass(frozen=True)
class RefinedDetections:
    """Detections for fitting the plane. Of the best, with refined corners: ``quads`` (n x 4 x 2 px),
    detector ``scores`` and visible fractions ``visible`` (n, 0-1). ``everything``: unrefined quads (m x 4
    x 2 px) of all detections. ``fit``: the plane fitted to the best, None before that and without cards.
    """

    quads: Quads
    scores: NDArray[np.float32]
    visible: NDArray[np.float32]
    everything: Quads
    fit: PlaneFit | None = None

    def take(self, chosen: NDArray[np.bool_]) -> RefinedDetections:
        """Return the ``chosen`` ones (n) of the best."""
        return RefinedDetections(
            self.quads[chosen], self.scores[chosen], self.visible[chosen], self.everything
        )

    def fitted(self, size: tuple[int, int], focal: float | None) -> RefinedDetections:
        """Return them with the plane fitted to them; ``size``, ``focal``: of the picture, see `fit_plane`."""
        fit = fit_plane(self.quads, self.weights, size, focal) if len(self.quads) else None
        return replace(self, fit=fit)

    @property
    def weights(self) -> NDArray[np.float32]:
        """Weight of each card for the fit (n, 0-1)."""
        return np.asarray(self.scores * self.visible, np.float32)

    @property
    def evidence(self) -> float:
        """Amount of evidence, in units of confident and fully visible cards."""
        return float((self.scores * self.weights).sum())

    @property
    def is_good(self) -> bool:
        """Whether the cards are confident and agree on one plane."""
        return self.fit is not None and self.fit.error <= _MAX_ERROR and self.scores.max() >= _MIN_SCORE

    @property
    def quality(self) -> float:
        """Quality of the view: the evidence for cards, reduced where their shapes do not agree on one
        plane.
        """
        return 0.0 if self.fit is None else self.evidence / (_MAX_ERROR / 2 + self.fit.error)

    @property
    def tilt(self) -> float:
        """Tilt of the fitted view, degrees; 0 without cards."""
        return 0.0 if self.fit is None else self.fit.view.tilt


NO_DETECTIONS: Final = RefinedDetections(
    np.zeros((0, 4, 2), np.float32),
    np.zeros(0, np.float32),
    np.zeros(0, np.float32),
    np.zeros((0, 4, 2), np.float32),
)

#: Detects cards in a picture (H x W x 3 uint8) resized by a factor.
Detect = Callable[[Image, float], RefinedDetections]
#: Returns which quads (n x 4 x 2 px) may show cards, because the picture shows more than the table there.
Objects = Callable[[Quads], NDArray[np.bool_]]


@dataclass(frozen=True)
class RectifiedView:
    """A view from above of a photograph.

    ``matrix`` (3 x 3) maps px of the photograph to px of the view. ``size``: width and height of the view,
    px. ``card_px``: width of a card in it, px. ``tilt``: that of the camera, degrees from vertical.
    ``reduction``: px of the photograph per px of the view, where the cards are.
    """

    matrix: Floats
    size: tuple[int, int]
    card_px: float
    tilt: float
    reduction: float

    def warp(self, pyramid: Pyramid) -> Image:
        """Return the rectified picture."""
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
        return project(np.asarray(np.linalg.inv(self.matrix), np.float64), points)


def find_view(
    pyramid: Pyramid, detections: RefinedDetections, detect: Detect, focal: float | None = None
) -> RectifiedView | None:
    """Return the rectified view for a photograph, or None if it needs none.

    ``detections``: those of a first pass over the photograph. ``detect``: detects cards in a view. ``focal``:
    focal length, px, if known.
    """
    size = pyramid.size
    unrectified = detections.fitted(size, focal)
    if unrectified.is_good and unrectified.tilt < _CLEARLY_BELOW:
        return None
    best = _improve(pyramid, unrectified, detect, focal)
    if not best.is_good:
        candidate = _best_candidate(pyramid, detect, focal)
        if candidate is not None:
            best = max(best, _improve(pyramid, candidate, detect, focal), key=lambda attempt: attempt.quality)
    if best.fit is None or best.tilt < MIN_TILT:
        return None
    return _view_of_cards(best.fit.view, size, best, _MARGIN, _READING_CARD_PX, _READING_PIXELS)


def find_table_view(
    pyramid: Pyramid, detections: RefinedDetections, detect: Detect, objects: Objects | None = None
) -> tuple[bool, RectifiedView | None]:
    """Return whether a camera frame shows enough cards to determine the view of the table, and the
    rectified view. ``objects``: which detections (px of the frame) may be cards; None: all.

    The view is None if the camera is steep enough. It extends beyond the cards, because a game spreads over
    the table. A view that shows the cards no better than the unchanged frame is not the camera's.
    """
    unrectified = detections.fitted(pyramid.size, None)
    best = _improve(pyramid, unrectified, detect, None, objects)
    if best.fit is None or not best.is_good or np.count_nonzero(best.fit.inliers) < MIN_PLANE_CARDS:
        return False, None
    if best.fit.rival_odds(MIN_TILT) > _RIVAL_ODDS:
        return False, None
    if best.tilt < MIN_TILT:
        return True, None
    if best is unrectified:
        return False, None
    return True, _view_of_cards(
        best.fit.view,
        pyramid.size,
        best,
        _TABLE_MARGIN,
        _WATCHED_CARD_PX,
        _WATCHED_PIXELS,
        _TABLE_REACH,
    )


def _improve(
    pyramid: Pyramid,
    start: RefinedDetections,
    detect: Detect,
    focal: float | None,
    objects: Objects | None = None,
) -> RefinedDetections:
    """Return the best of ``start`` and the attempts made by repeatedly rectifying with the latest fit and
    detecting again.
    """
    size = pyramid.size
    best = latest = start
    for _ in range(_MAX_ROUNDS):
        if latest.fit is None or latest.tilt < _WORTH_A_ROUND:
            break
        rectified = _view_of_cards(
            latest.fit.view,
            size,
            latest,
            _SEARCH_MARGIN,
            (_DETECTION_CARD_PX,) * 2,
            _DETECTION_PIXELS,
        )
        if rectified is None:
            break
        before, detections = latest, _to_picture(detect(rectified.warp(pyramid), 1.0), rectified)
        chosen = detections if objects is None else detections.take(objects(detections.quads))
        latest = chosen.fitted(size, focal)
        best = max(best, latest, key=lambda attempt: attempt.quality)
        if latest.is_good and abs(latest.tilt - before.tilt) < _CONVERGED:
            break
    return best


def _to_picture(detections: RefinedDetections, rectified: RectifiedView) -> RefinedDetections:
    quads, everything = (
        rectified.to_picture(each).astype(np.float32) for each in (detections.quads, detections.everything)
    )
    return RefinedDetections(quads, detections.scores, detections.visible, everything)


def _best_candidate(pyramid: Pyramid, detect: Detect, focal: float | None) -> RefinedDetections | None:
    """Return the attempt from the candidate view that shows cards best, or None if none shows a card."""
    size = pyramid.size
    attempts = []
    for tilt in _CANDIDATE_TILTS:
        for direction in _CANDIDATE_DIRECTIONS:
            rectified = _whole_view(
                PlaneView(tilt, direction, focal or DEFAULT_FOCAL * max(size)), size, max(_CANDIDATE_SIDES)
            )
            image = rectified.warp(pyramid)
            for side in _CANDIDATE_SIDES:
                detections = detect(image, side / max(rectified.size))
                attempts.append(_to_picture(detections, rectified).fitted(size, focal))
        if any(attempt.is_good and attempt.tilt >= MIN_TILT for attempt in attempts):
            break
    return max(
        (one for one in attempts if one.tilt >= MIN_TILT), key=lambda attempt: attempt.quality, default=None
    )


def _footprint(view: PlaneView, size: tuple[int, int]) -> NDArray[np.float32]:
    """Return the part of the picture (m x 2 px) in which the plane is seen at less than `_MAX_INCIDENCE`."""
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


def _fit_to_box(
    matrix: Floats, corners: Floats, scale: float, max_pixels: int
) -> tuple[Floats, tuple[int, int], float]:
    """Return ``matrix`` scaled and moved so that the box between two ``corners`` (2 x 2 px of its plane)
    fills a picture, the picture's size, and the scale, reduced if the picture would exceed
    ``max_pixels``.
    """
    low, extent = corners[0], np.maximum(corners[1] - corners[0], 1e-6)
    scale = float(min(scale, np.sqrt(max_pixels / (extent[0] * extent[1]))))
    shift = np.array(((scale, 0, -scale * low[0]), (0, scale, -scale * low[1]), (0, 0, 1.0)))
    width, height = np.maximum(np.ceil(extent * scale), 16).astype(int).tolist()
    return np.asarray(shift @ matrix, np.float64), (width, height), scale


def _whole_view(view: PlaneView, size: tuple[int, int], side: int) -> RectifiedView:
    """Return a view of the whole photograph whose longer side has ``side`` px."""
    matrix = view.homography(size)
    mapped = project(matrix, _footprint(view, size))
    corners = np.stack((mapped.min(axis=0), mapped.max(axis=0)))
    matrix, box, scale = _fit_to_box(matrix, corners, side / float(np.ptp(mapped, axis=0).max()), side * side)
    return RectifiedView(matrix, box, 0.0, view.tilt, 1 / scale)


def _view_of_cards(
    view: PlaneView,
    size: tuple[int, int],
    detections: RefinedDetections,
    margin: float,
    card_px: tuple[float, float],
    max_pixels: int,
    reach: float = 0.0,
) -> RectifiedView | None:
    """Return a view of everything detected in a photograph with a ``margin``, and of what is within ``reach`` of the center of the
    cards (card widths each); None if the plane is too foreshortened.

    Cards are as wide as in the photograph, within ``card_px``.
    """
    matrix, footprint = view.homography(size), _footprint(view, size)
    quads = _inside(footprint, detections.quads)
    if not len(quads):
        return None
    above, whole = project(matrix, quads), project(matrix, footprint)
    width = float(np.median(_widths(above)))
    around = np.concatenate((above, project(matrix, _inside(footprint, detections.everything))))
    low, high = (ends.reshape(-1, 2) for ends in (around.min(axis=(0, 1)), around.max(axis=(0, 1))))
    center = above.mean(axis=(0, 1))
    low = np.maximum(np.minimum(low - margin * width, center - reach * width), whole.min(axis=0))
    high = np.minimum(np.maximum(high + margin * width, center + reach * width), whole.max(axis=0))
    native = _widths(quads)
    wanted = float(np.clip(np.percentile(native, 80), *card_px))
    matrix, canvas, scale = _fit_to_box(matrix, np.concatenate((low, high)), wanted / width, max_pixels)
    return RectifiedView(matrix, canvas, width * scale, view.tilt, float(np.median(native)) / (width * scale))


def _inside(area: NDArray[np.float32], quads: Quads) -> Quads:
    """Return the quads (n x 4 x 2 px) entirely within a convex area (m x 2 px)."""
    detections = [
        all(cv2.pointPolygonTest(area, (float(x), float(y)), True) >= -1 for x, y in quad) for quad in quads
    ]
    return quads[np.array(detections, np.bool_)]


def _widths(quads: NDArray[np.floating[Any]]) -> Floats:
    """Return the width of a whole card with the area of each quad (n), px."""
    areas = [cv2.contourArea(quad) for quad in quads.astype(np.float32)]
    return np.sqrt(np.array(areas, np.float64) * CARD_MM[0] / CARD_MM[1])
