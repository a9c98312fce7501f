"""Which of two overlapping cards lies over the other: what the truth says, and what was seen."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.lab.benchmarks.ground_truth import TrueCard
from vision.networks.crops import MASK_SIZE, REFINER_MARGIN, Quads, card_frame
from vision.networks.detector import card_widths
from vision.networks.refiner import RefinedCards

__all__ = ["seen_over", "true_order"]

_LEAST_COVERED = 0.05
"""A pair counts where the upper card is seen on at least this share of the lower one."""
_EXPLAINED = 0.03
"""How near the visible share must be to what laying the cards in the file's order gives."""
_CARD_PX = 48.0
"""Width of a card where the two visible parts are compared, px."""


def true_order(cards: Sequence[TrueCard], width: int, height: int) -> list[tuple[int, int]]:
    """Return pairs (lower, upper) of the indices of overlapping cards.

    A truth tells no order, but its cards are listed as they were laid. That is believed of cards whose visible share it
    explains: all are painted in the file's order, in a picture of ``width`` x ``height`` px, and compared.
    """
    painted = np.zeros((height, width), np.int32)
    for index, card in enumerate(cards):
        if card.quad is not None:
            cv2.fillConvexPoly(painted, _fixed(card.quad), index + 1, shift=4)
    explained: dict[int, NDArray[np.intp]] = {}
    for index, card in enumerate(cards):
        if card.quad is None or card.visible is None:
            continue
        place = np.zeros((height, width), np.uint8)
        cv2.fillConvexPoly(place, _fixed(card.quad), 1, shift=4)
        over = np.bincount(painted[place > 0], minlength=len(cards) + 1)[1:]
        area = max(cv2.contourArea(card.quad), 1.0)
        if abs(over[index] / area - card.visible) <= _EXPLAINED:
            explained[index] = np.flatnonzero(over >= _LEAST_COVERED * area)
    return [
        (lower, int(upper))
        for lower, uppers in explained.items()
        for upper in uppers
        if upper > lower and int(upper) in explained
    ]


def seen_over(looked: RefinedCards, quads: Quads, lower: int, upper: int) -> bool:
    """Return whether ``upper`` was seen over ``lower`` (indices): it has more of the place both cover to show.

    ``quads`` n x 4 x 2 px, the cards that were ``looked`` at.
    """
    shared, region = cv2.intersectConvexConvex(quads[lower], quads[upper])
    if shared <= 0:
        return False
    low = region.reshape(-1, 2).min(axis=0)
    scale = _CARD_PX / max(float(card_widths(quads[[lower, upper]]).min()), 1.0)
    placed = (region.reshape(-1, 2) - low) * scale
    columns, rows = (int(v) for v in np.ceil(placed.max(axis=0)) + 1)
    both = np.zeros((rows, columns), np.uint8)
    cv2.fillConvexPoly(both, _fixed(placed), 1, shift=4)
    shown = []
    for index in (lower, upper):
        window = ((looked.windows[index] - low) * scale).astype(np.float32)
        matrix = cv2.getPerspectiveTransform(card_frame(MASK_SIZE, REFINER_MARGIN), window)
        mask = cv2.warpPerspective(looked.masks[index], matrix, (columns, rows))
        shown.append(float(mask[both > 0].sum()))
    return shown[1] > shown[0]


def _fixed(points: NDArray[np.floating]) -> NDArray[np.int32]:
    """Return points in sixteenths of a pixel, as OpenCV draws them with ``shift=4``."""
    return np.round(points * 16).astype(np.int32)
