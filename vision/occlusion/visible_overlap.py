"""Telling two cards from one card found twice: cards may overlap almost wholly, their visible parts never."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.networks.crops import MASK_SIZE, REFINER_MARGIN, Quads, card_frame
from vision.networks.detector import Detections, card_widths
from vision.networks.refiner import RefinedCards

#: Two finds nearer than this (card widths) and turned alike are the same card.
_SAME_PLACE: Final = 0.15
_SAME_TURN: Final = 0.15
#: Cards nearer than this (card widths), turned alike and read as the same card are that one card: of a twin that lies on its twin
#: the strip that shows is not as wide.
_READ_TWICE: Final = 0.2
#: A card whose visible part is claimed by surer ones to this share is not there.
_CLAIMED: Final = 0.6
#: A card of whose place more than this share shows no card at all is not there.
_BARE: Final = 0.6
#: A card whose claim is taken is there all the same where it covers this share of its place: other cards reach under
#: there, and nothing else that was seen lies on them.
_COVERS: Final = 0.25
#: Width of a card on the canvas where claims are settled, px, and the canvas's longest side.
_CANVAS_CARD: Final = 16.0
_CANVAS_SIDE: Final = 640.0


def quad_iou(one: Quads, two: Quads) -> float:
    """Return the intersection over union of two convex quads (4 x 2)."""
    shared, _ = cv2.intersectConvexConvex(one, two)
    union = cv2.contourArea(one) + cv2.contourArea(two) - shared
    return float(shared / union) if union > 0 else 0.0


def _together(quads: Quads, near: float) -> NDArray[np.bool_]:
    """Return which of n quads lie nearer to which than ``near`` card widths, and are turned alike (n x n)."""
    centres, widths = quads.mean(axis=1), card_widths(quads)
    axis = quads[:, 0] + quads[:, 1] - quads[:, 2] - quads[:, 3]
    doubled = np.exp(2j * np.arctan2(axis[:, 1], axis[:, 0]))
    close = np.linalg.norm(centres[:, None] - centres, axis=2) < near * np.minimum(widths[:, None], widths)
    return np.asarray(close & (np.abs(np.angle(doubled[:, None] / doubled)) / 2 <= _SAME_TURN), np.bool_)


def duplicate_readings(
    quads: Quads, visible: NDArray[np.float32], classes: NDArray[np.intp]
) -> NDArray[np.bool_]:
    """Return which of n cards are second finds of one that shows more: they lie in its place, and are read as the same kind.

    ``quads`` n x 4 x 2 px, visible ``shares`` (n, 0-1), ``kinds`` (n).
    """
    same = _together(quads, _READ_TWICE) & (classes[:, None] == classes)
    return np.asarray((same & (visible[:, None] < visible)).any(axis=1), np.bool_)


def suppress_duplicates(found: Detections) -> Detections:
    """Drop what was plainly found twice; best score first."""
    same = _together(found.quads, _SAME_PLACE)
    kept: list[int] = []
    for index, alike in enumerate(same):
        if not alike[kept].any():
            kept.append(index)
    return found.take(np.array(kept, np.intp))


class VisibilityCanvas:
    """A small drawing of the picture on which the cards' visible parts are painted, each within its own box."""

    def __init__(self, refined: RefinedCards) -> None:
        self._refined = refined
        corners = np.concatenate((refined.quads, refined.windows), axis=1)
        self._low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
        largest = max(float((high - self._low).max()), 1.0)
        width = max(float(np.median(card_widths(refined.quads))), 1.0)
        self._shrink = min(_CANVAS_CARD / width, _CANVAS_SIDE / largest)
        self.size = np.ceil((high - self._low) * self._shrink).astype(int) + 1

    def empty(self) -> NDArray[np.bool_]:
        """Return an unpainted canvas."""
        return np.zeros((int(self.size[1]), int(self.size[0])), np.bool_)

    def place(self, points: NDArray[np.float32]) -> NDArray[np.float32]:
        """Map px of the picture to px of the canvas."""
        return np.asarray((points - self._low) * self._shrink, np.float32)

    def box(self, points: NDArray[np.float32]) -> tuple[tuple[slice, slice], NDArray[np.float32]]:
        """Return the part of the canvas around ``points`` (px of the picture), and the points within it."""
        placed = self.place(points)
        low = np.maximum(np.floor(placed.min(axis=0)).astype(int) - 4, 0)
        high = np.minimum(np.ceil(placed.max(axis=0)).astype(int) + 5, self.size)
        return (slice(low[1], high[1]), slice(low[0], high[0])), placed - low.astype(np.float32)

    def part(self, index: int) -> tuple[tuple[slice, slice], NDArray[np.bool_]]:
        """Return a box of the canvas and where in it the visible part of card ``index`` lies."""
        box, window = self.box(self._refined.windows[index])
        matrix = cv2.getPerspectiveTransform(card_frame(MASK_SIZE, REFINER_MARGIN), window)
        size = (box[1].stop - box[1].start, box[0].stop - box[0].start)
        return box, np.asarray(cv2.warpPerspective(self._refined.masks[index], matrix, size) > 0.5, np.bool_)

    def whole(self, index: int) -> tuple[tuple[slice, slice], NDArray[np.bool_]]:
        """Return a box of the canvas and where in it card ``index`` lies, seen or not."""
        box, corners = self.box(self._refined.quads[index])
        place = np.zeros((box[0].stop - box[0].start, box[1].stop - box[1].start), np.uint8)
        cv2.fillConvexPoly(place, corners.astype(np.int32), 1)
        return box, place > 0

    def taken(self, cards: Iterable[int], size: tuple[int, int]) -> NDArray[np.bool_]:
        """Return where a card of ``cards`` shows, and what of the canvas lies out of the picture, as `outside` has it."""
        painted = self.outside(size)
        for index in cards:
            box, part = self.part(index)
            painted[box] |= part
        return painted

    def outside(self, size: tuple[int, int]) -> NDArray[np.bool_]:
        """Return what of the canvas lies out of the picture, which is ``size`` (width, height) px."""
        left, top = (max(round(float(v)), 0) for v in self.place(np.zeros(2, np.float32)))
        right, bottom = (max(round(float(v)), 0) for v in self.place(np.array(size, np.float32)))
        out = ~self.empty()
        out[top:bottom, left:right] = False
        return out


def remove_duplicates(
    refined: RefinedCards, scores: NDArray[np.float32], size: tuple[int, int]
) -> NDArray[np.intp]:
    """Return the indices of cards whose visible part is their own and whose hidden part is covered, in the order given.

    ``size`` is the picture's width and height, px. A point of the picture shows one card only: the cards paint their
    visible parts on a small canvas, the surest first, and one that finds most of its part already painted was a second
    find of the same card. Unless it explains what nothing else does: where cards already claimed reach under it and are
    not seen themselves, something must lie on them (in a tight fan the visible part of a card is easily told wrong).
    And what of a card is not seen must lie under another or out of the picture: a pattern that looks like the corner of a
    card has nothing lying on the rest.
    """
    if not len(scores):
        return np.zeros(0, np.intp)
    canvas = VisibilityCanvas(refined)
    painted, outside = canvas.empty(), canvas.outside(size)
    reached = canvas.empty()
    claimed: list[int] = []
    doubted: list[int] = []
    for index in map(int, np.argsort(-scores * np.clip(refined.visible * 2, 0.1, 1))):
        box, part = canvas.part(index)
        own = int(part.sum())
        if own and (part & painted[box]).sum() < _CLAIMED * own:
            painted[box] |= part
            claimed.append(index)
        else:
            doubted.append(index)
    places = {index: canvas.whole(index) for index in claimed + doubted}
    for index in claimed:
        box, place = places[index]
        reached[box] |= place
    shown = painted | outside
    for index in doubted:
        box, place = places[index]
        covers = place & reached[box] & ~shown[box]
        if covers.sum() >= _COVERS * place.sum():
            shown[box] |= covers
            claimed.append(index)
    kept = []
    for index in claimed:
        box, place = places[index]
        if (place & ~shown[box]).sum() <= _BARE * place.sum():
            kept.append(index)
    return np.array(sorted(kept), np.intp)
