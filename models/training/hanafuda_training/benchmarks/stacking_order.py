"""Stacking order of overlapping cards: the annotated order and the detected one."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from hanafuda_training.benchmarks.ground_truth import TrueCard
from vision.networks.detector import card_widths
from vision.networks.refiner import RefinedCards
from vision.pictures.crops import MASK_SIZE, REFINER_MARGIN, Quads, card_frame

__all__ = ["seen_over", "true_order"]

_MIN_COVERED = 0.05
"""A pair counts if the upper card visibly covers at least this fraction of the lower one."""
_VISIBLE_TOLERANCE = 0.03
"""Maximum difference between the annotated visible fraction and the one computed from the file's order."""
_CARD_PX = 48.0
"""Card width at which the two visible parts are compared, px."""


def true_order(cards: Sequence[TrueCard], width: int, height: int) -> list[tuple[int, int]]:
    """Return the overlapping pairs of cards as (lower, upper) indices.

    The truth file does not state the stacking order, but its cards are listed as they were placed. All cards
    are painted in this order in a picture of ``width`` x ``height`` px; the order is used only for cards
    whose annotated visible fraction it reproduces.
    """
    painted = np.zeros((height, width), np.int32)
    for index, card in enumerate(cards):
        if card.quad is not None:
            cv2.fillConvexPoly(painted, _fixed_point(card.quad), index + 1, shift=4)
    covering: dict[int, NDArray[np.intp]] = {}
    for index, card in enumerate(cards):
        if card.quad is None or card.visible is None:
            continue
        card_mask = np.zeros((height, width), np.uint8)
        cv2.fillConvexPoly(card_mask, _fixed_point(card.quad), 1, shift=4)
        pixel_counts = np.bincount(painted[card_mask > 0], minlength=len(cards) + 1)[1:]
        area = max(cv2.contourArea(card.quad), 1.0)
        if abs(pixel_counts[index] / area - card.visible) <= _VISIBLE_TOLERANCE:
            covering[index] = np.flatnonzero(pixel_counts >= _MIN_COVERED * area)
    return [
        (lower, int(upper))
        for lower, uppers in covering.items()
        for upper in uppers
        if upper > lower and int(upper) in covering
    ]


def seen_over(refined: RefinedCards, quads: Quads, lower: int, upper: int) -> bool:
    """Return whether card ``upper`` was detected above card ``lower`` (indices): more of it is visible in the
    region that both cover.

    ``quads``: n x 4 x 2 px, the cards of the refiner's result ``refined``.
    """
    shared_area, region = cv2.intersectConvexConvex(quads[lower], quads[upper])
    if shared_area <= 0:
        return False
    low = region.reshape(-1, 2).min(axis=0)
    scale = _CARD_PX / max(float(card_widths(quads[[lower, upper]]).min()), 1.0)
    points = (region.reshape(-1, 2) - low) * scale
    columns, rows = (int(v) for v in np.ceil(points.max(axis=0)) + 1)
    both = np.zeros((rows, columns), np.uint8)
    cv2.fillConvexPoly(both, _fixed_point(points), 1, shift=4)
    visible_pixels = []
    for index in (lower, upper):
        window = ((refined.windows[index] - low) * scale).astype(np.float32)
        matrix = cv2.getPerspectiveTransform(card_frame(MASK_SIZE, REFINER_MARGIN), window)
        mask = cv2.warpPerspective(refined.masks[index], matrix, (columns, rows))
        visible_pixels.append(float(mask[both > 0].sum()))
    return visible_pixels[1] > visible_pixels[0]


def _fixed_point(points: NDArray[np.floating]) -> NDArray[np.int32]:
    """Return points in sixteenths of a pixel, as OpenCV draws them with ``shift=4``."""
    return np.round(points * 16).astype(np.int32)
