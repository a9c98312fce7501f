"""Duplicate detections: cards may overlap almost completely, but their visible parts never do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.networks.detector import Detections, card_widths
from vision.networks.refiner import RefinedCards
from vision.pictures.crops import MASK_SIZE, REFINER_MARGIN, Quads, card_frame

#: Maximum distance (card widths) and angle (rad) of two detections of the same card.
_SAME_PLACE: Final = 0.15
_SAME_ANGLE: Final = 0.15
#: Maximum distance (card widths) of two detections recognized as the same card; the visible strip of a twin
#: under its twin is wider.
_SAME_NAME_DISTANCE: Final = 0.2
#: Fraction of its visible part taken by more confident cards from which a detection is a duplicate.
_MAX_TAKEN: Final = 0.6
#: Maximum fraction of a card's area in which neither it nor any other card is visible.
_MAX_UNCOVERED: Final = 0.6
#: A duplicate is kept if it explains at least this fraction of its area: other cards extend under it there,
#: and no card is visible there.
_MIN_EXPLAINED: Final = 0.25
#: Width of a card on the canvas, px, and the canvas's longest side, px.
_CANVAS_CARD: Final = 16.0
_CANVAS_SIDE: Final = 640.0


def quad_iou(one: Quads, two: Quads) -> float:
    """Return the intersection over union of two convex quads (4 x 2)."""
    shared, _ = cv2.intersectConvexConvex(one, two)
    union = cv2.contourArea(one) + cv2.contourArea(two) - shared
    return float(shared / union) if union > 0 else 0.0


def overlap(quad: Quads | NDArray[np.float64], other: Quads | NDArray[np.float64]) -> float:
    """Return the intersection of two convex quads (4 x 2) as a fraction of the first."""
    if (quad.max(axis=0) < other.min(axis=0)).any() or (other.max(axis=0) < quad.min(axis=0)).any():
        return 0.0
    shared, _ = cv2.intersectConvexConvex(quad.astype(np.float32), other.astype(np.float32))
    area = float(cv2.contourArea(quad.astype(np.float32)))
    return float(shared / area) if area > 0 else 0.0


def _same_position(quads: Quads, near: float) -> NDArray[np.bool_]:
    """Return which pairs of n quads are nearer than ``near`` card widths and have the same orientation (n
    x n).
    """
    centers, widths = quads.mean(axis=1), card_widths(quads)
    axis = quads[:, 0] + quads[:, 1] - quads[:, 2] - quads[:, 3]
    doubled = np.exp(2j * np.arctan2(axis[:, 1], axis[:, 0]))
    close = np.linalg.norm(centers[:, None] - centers, axis=2) < near * np.minimum(widths[:, None], widths)
    return np.asarray(close & (np.abs(np.angle(doubled[:, None] / doubled)) / 2 <= _SAME_ANGLE), np.bool_)


def duplicate_readings(
    quads: Quads, visible: NDArray[np.float32], classes: NDArray[np.intp]
) -> NDArray[np.bool_]:
    """Return which of n cards are duplicates of a more visible card: same position, same class.

    ``quads``: n x 4 x 2 px. ``visible``: visible fractions (n, 0-1). ``classes``: class indices (n).
    """
    same = _same_position(quads, _SAME_NAME_DISTANCE) & (classes[:, None] == classes)
    return np.asarray((same & (visible[:, None] < visible)).any(axis=1), np.bool_)


def suppress_duplicates(found: Detections) -> Detections:
    """Non-maximum suppression: drop detections at the position and angle of a better one. Best score
    first.
    """
    same = _same_position(found.quads, _SAME_PLACE)
    kept: list[int] = []
    for index, alike in enumerate(same):
        if not alike[kept].any():
            kept.append(index)
    return found.take(np.array(kept, np.intp))


class VisibilityCanvas:
    """A reduced drawing of the picture on which the visible parts of cards are painted, each within its
    own box.
    """

    def __init__(self, refined: RefinedCards) -> None:
        self._refined = refined
        corners = np.concatenate((refined.quads, refined.windows), axis=1)
        self._low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
        largest = max(float((high - self._low).max()), 1.0)
        width = max(float(np.median(card_widths(refined.quads))), 1.0)
        self._shrink = min(_CANVAS_CARD / width, _CANVAS_SIDE / largest)
        self.size = np.ceil((high - self._low) * self._shrink).astype(int) + 1

    def empty(self) -> NDArray[np.bool_]:
        """Return an empty canvas."""
        return np.zeros((int(self.size[1]), int(self.size[0])), np.bool_)

    def place(self, points: NDArray[np.float32]) -> NDArray[np.float32]:
        """Map points of the picture to the canvas, px."""
        return np.asarray((points - self._low) * self._shrink, np.float32)

    def box(self, points: NDArray[np.float32]) -> tuple[tuple[slice, slice], NDArray[np.float32]]:
        """Return the slices of the canvas around ``points`` (px of the picture), and the points relative
        to them.
        """
        placed = self.place(points)
        low = np.maximum(np.floor(placed.min(axis=0)).astype(int) - 4, 0)
        high = np.minimum(np.ceil(placed.max(axis=0)).astype(int) + 5, self.size)
        return (slice(low[1], high[1]), slice(low[0], high[0])), placed - low.astype(np.float32)

    def part(self, index: int) -> tuple[tuple[slice, slice], NDArray[np.bool_]]:
        """Return slices of the canvas and the mask of the visible part of card ``index`` within them."""
        box, window = self.box(self._refined.windows[index])
        matrix = cv2.getPerspectiveTransform(card_frame(MASK_SIZE, REFINER_MARGIN), window)
        size = (box[1].stop - box[1].start, box[0].stop - box[0].start)
        return box, np.asarray(cv2.warpPerspective(self._refined.masks[index], matrix, size) > 0.5, np.bool_)

    def whole(self, index: int) -> tuple[tuple[slice, slice], NDArray[np.bool_]]:
        """Return slices of the canvas and the mask of the whole area of card ``index`` within them."""
        box, corners = self.box(self._refined.quads[index])
        area = np.zeros((box[0].stop - box[0].start, box[1].stop - box[1].start), np.uint8)
        cv2.fillConvexPoly(area, corners.astype(np.int32), 1)
        return box, area > 0

    def taken(self, cards: Iterable[int], size: tuple[int, int]) -> NDArray[np.bool_]:
        """Return where any card of ``cards`` is visible, or the canvas is outside the picture of ``size``
        (width, height) px.
        """
        painted = self.outside(size)
        for index in cards:
            box, part = self.part(index)
            painted[box] |= part
        return painted

    def outside(self, size: tuple[int, int]) -> NDArray[np.bool_]:
        """Return which part of the canvas is outside the picture of ``size`` (width, height) px."""
        left, top = (max(round(float(v)), 0) for v in self.place(np.zeros(2, np.float32)))
        right, bottom = (max(round(float(v)), 0) for v in self.place(np.array(size, np.float32)))
        out = ~self.empty()
        out[top:bottom, left:right] = False
        return out


def remove_duplicates(
    refined: RefinedCards, scores: NDArray[np.float32], size: tuple[int, int]
) -> NDArray[np.intp]:
    """Return the indices of cards that have a visible part of their own and a covered hidden part, in the
    given order.

    A point of the picture shows only one card. The cards paint their visible parts on a canvas, the most
    confident first; a card whose visible part is mostly painted already is a duplicate. It is kept all the
    same if it explains something: where accepted cards extend under it and are not visible, something must
    cover them (in a tight fan the mask of a card is often wrong). Then cards are dropped whose hidden part
    has nothing on it: the hidden part of a card must be below another card or outside the picture of
    ``size`` (width, height) px, unlike a pattern that looks like the corner of a card.
    """
    if not len(scores):
        return np.zeros(0, np.intp)
    canvas = VisibilityCanvas(refined)
    painted, outside = canvas.empty(), canvas.outside(size)
    extended = canvas.empty()
    accepted: list[int] = []
    duplicates: list[int] = []
    for index in map(int, np.argsort(-scores * np.clip(refined.visible * 2, 0.1, 1))):
        box, part = canvas.part(index)
        own_area = int(part.sum())
        if own_area and (part & painted[box]).sum() < _MAX_TAKEN * own_area:
            painted[box] |= part
            accepted.append(index)
        else:
            duplicates.append(index)
    areas = {index: canvas.whole(index) for index in accepted + duplicates}
    for index in accepted:
        box, area = areas[index]
        extended[box] |= area
    explained_area = painted | outside
    for index in duplicates:
        box, area = areas[index]
        explained = area & extended[box] & ~explained_area[box]
        if explained.sum() >= _MIN_EXPLAINED * area.sum():
            explained_area[box] |= explained
            accepted.append(index)
    kept = []
    for index in accepted:
        box, area = areas[index]
        if (area & ~explained_area[box]).sum() <= _MAX_UNCOVERED * area.sum():
            kept.append(index)
    return np.array(sorted(kept), np.intp)
