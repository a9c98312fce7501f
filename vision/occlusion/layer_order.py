"""Which of two overlapping cards lies over the other, and what that says of the parts where a visible part is unsure."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.networks.crops import MASK_SIZE, REFINER_MARGIN, Quads, card_frame
from vision.networks.refiner import RefinedCards

__all__ = ["resolve_masks"]

#: A cell of a mask nearer to one half than this is unsure.
_UNSURE: Final = 0.25
#: Cells that two cards must share to have an order.
_LEAST: Final = 3
_FLOOR: Final = 0.02


def resolve_masks(refined: RefinedCards) -> RefinedCards:
    """Return the cards with the cells of their masks that are unsure, and in another card's place, decided by the order.

    The order of two cards is the one their masks speak for: each tells, by its mean log odds in the place both cover,
    how well it shows there. What is under another card's place is then hidden, what is over it seen. A mask
    that shows a neighbour costs more names than no mask at all (vision.md), and by itself a crop hardly tells the lines
    of a fan apart.
    """
    unsure = np.abs(refined.masks - 0.5) < _UNSURE
    if not unsure.any():
        return refined
    odds = np.log((refined.masks + _FLOOR) / (1 - refined.masks + _FLOOR))
    cells = card_frame(MASK_SIZE, REFINER_MARGIN)
    to_cells = [cv2.getPerspectiveTransform(window, cells) for window in refined.windows.astype(np.float32)]
    low, high = refined.quads.min(axis=1), refined.quads.max(axis=1)
    near = (low[:, None] < high[None]).all(axis=2) & (high[:, None] > low[None]).all(axis=2)
    near &= unsure.any(axis=(1, 2))[:, None] | unsure.any(axis=(1, 2))[None]
    masks = refined.masks.copy()
    shared, over = np.zeros_like(unsure), np.zeros_like(unsure)
    for one, other in np.argwhere(np.triu(near, 1)):
        pair = refined.quads[[one, other]]
        places = [_shared(pair, to_cells[index]) for index in (one, other)]
        if min(place.sum() for place in places) < _LEAST:
            continue
        first, second = (
            float(odds[index][place].mean()) for index, place in zip((one, other), places, strict=True)
        )
        for index, place in zip((one, other), places, strict=True):
            shared[index] |= place
        under = 0 if first < second else 1
        over[(one, other)[under]] |= places[under]
    decided = unsure & shared
    masks[decided] = ~over[decided]
    return replace(refined, masks=masks)


def _shared(pair: Quads, to_cells: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which cells of a card both quads of ``pair`` (2 x 4 x 2 px) cover; ``to_cells`` maps the picture to its cells."""
    placed = cv2.perspectiveTransform(pair.astype(np.float32).reshape(1, -1, 2), to_cells).reshape(2, 4, 2)
    # OpenCV counts from the middle of the first cell, in sixteenths with shift=4.
    fixed = np.round((placed - 0.5) * 16).clip(-(2**14), 2**14).astype(np.int32)
    covers = np.zeros((2, MASK_SIZE[1], MASK_SIZE[0]), np.uint8)
    for cover, corners in zip(covers, fixed, strict=True):
        cv2.fillConvexPoly(cover, corners, 1, shift=4)
    return np.asarray(covers.all(axis=0), np.bool_)
