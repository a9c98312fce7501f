"""The stacking order of cards: of two overlapping cards, the same one is on top everywhere.

If one card of a fan is placed in the wrong direction, it and its neighbor are each visible in the other's
area; such conflicts are resolved by moving cards to the opposite position of their visible strip. Mask cells that are
uncertain are resolved by which of two cards is on top.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.networks.refiner import RefinedCards
from vision.occlusion.visible_overlap import VisibilityCanvas
from vision.pictures.crops import MASK_SIZE, REFINER_MARGIN, Quads, card_frame

#: Conflicts smaller than this (fraction of a card's area) are caused by errors of the corners.
_MAX_CONFLICT: Final = 0.1
#: Maximum number of rounds in which cards are moved.
_MAX_MOVES: Final = 6
#: A mask cell is uncertain if its value is nearer to 0.5 than this.
_MAX_CERTAINTY: Final = 0.25
#: Cells that two cards must share to be ordered.
_MIN_SHARED_CELLS: Final = 3
#: Offset of the log odds, which keeps them finite.
_FLOOR: Final = 0.02


def order_conflicts(refined: RefinedCards) -> NDArray[np.float64]:
    """Return how much each two of n cards conflict (n x n): the smaller of their visible areas in the
    other card's area, as a fraction of a card's area.
    """
    count = len(refined.quads)
    conflict = np.zeros((count, count))
    if count < 2:
        return conflict
    canvas = VisibilityCanvas(refined)
    areas, visible = np.zeros((2, count, *canvas.empty().shape), np.bool_)
    for index in range(count):
        box, area = canvas.whole(index)
        areas[index][box] = area
        box, part = canvas.part(index)
        visible[index][box] = part
    low, high = refined.quads.min(axis=1), refined.quads.max(axis=1)
    near = ((low[:, None] < high) & (high[:, None] > low)).all(axis=2)
    card_area = max(float(np.median(areas.sum(axis=(1, 2)))), 1.0)
    for one, other in np.argwhere(np.triu(near, 1)):
        both = areas[one] & areas[other]
        mutual = min(int((visible[one] & both).sum()), int((visible[other] & both).sum()))
        conflict[one, other] = conflict[other, one] = mutual / card_area
    return conflict


def resolve_order_conflicts(
    refined: RefinedCards, alternatives: Callable[[NDArray[np.intp]], tuple[NDArray[np.intp], RefinedCards]]
) -> RefinedCards:
    """Return the cards with one or two at a time moved to another position where that removes conflicts.

    ``alternatives`` takes k card indices and returns which of these cards have another position, and these cards
    refined there.
    """
    count = len(refined.quads)
    conflicting = np.flatnonzero((order_conflicts(refined) > _MAX_CONFLICT).any(axis=1))
    if not len(conflicting):
        return refined
    cards, others = alternatives(conflicting)
    conflict = order_conflicts(refined.beside(others))
    chosen = np.arange(count)

    def total_conflict(selection: NDArray[np.intp]) -> float:
        return float(conflict[np.ix_(selection, selection)].sum()) / 2

    for _ in range(_MAX_MOVES):
        movable = [number for number in range(len(cards)) if chosen[cards[number]] < count]
        moves = [[number] for number in movable] + [list(pair) for pair in combinations(movable, 2)]
        if not moves:
            break
        attempts = [chosen.copy() for _ in moves]
        for attempt, move in zip(attempts, moves, strict=True):
            attempt[cards[move]] = count + np.array(move)
        # Moves of fewer cards come first and win ties.
        best = min(attempts, key=total_conflict)
        if total_conflict(chosen) - total_conflict(best) <= _MAX_CONFLICT:
            break
        chosen = best
    return refined.beside(others).take(chosen)


def resolve_masks(refined: RefinedCards) -> RefinedCards:
    """Return the cards with the uncertain mask cells in the area of another card resolved by the order of
     the two cards.

     The card with the higher mean log odds in the shared area is on top: its cells there are visible, the
     other card's hidden. A mask that includes part of a neighbor costs more correct names than no mask at all
    , and a single crop hardly separates the borders in a fan.
    """
    uncertain = np.abs(refined.masks - 0.5) < _MAX_CERTAINTY
    if not uncertain.any():
        return refined
    log_odds = np.log((refined.masks + _FLOOR) / (1 - refined.masks + _FLOOR))
    cells = card_frame(MASK_SIZE, REFINER_MARGIN)
    to_cells = [cv2.getPerspectiveTransform(window, cells) for window in refined.windows.astype(np.float32)]
    low, high = refined.quads.min(axis=1), refined.quads.max(axis=1)
    near = (low[:, None] < high[None]).all(axis=2) & (high[:, None] > low[None]).all(axis=2)
    near &= uncertain.any(axis=(1, 2))[:, None] | uncertain.any(axis=(1, 2))[None]
    masks = refined.masks.copy()
    shared, on_top = np.zeros_like(uncertain), np.zeros_like(uncertain)
    for one, other in np.argwhere(np.triu(near, 1)):
        pair = refined.quads[[one, other]]
        areas = [_shared_cells(pair, to_cells[index]) for index in (one, other)]
        if min(area.sum() for area in areas) < _MIN_SHARED_CELLS:
            continue
        first, second = (
            float(log_odds[index][area].mean()) for index, area in zip((one, other), areas, strict=True)
        )
        for index, area in zip((one, other), areas, strict=True):
            shared[index] |= area
        under = 0 if first < second else 1
        on_top[(one, other)[under]] |= areas[under]
    resolved = uncertain & shared
    masks[resolved] = ~on_top[resolved]
    return replace(refined, masks=masks)


def _shared_cells(pair: Quads, to_cells: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which mask cells of a card are covered by both quads of ``pair`` (2 x 4 x 2 px). ``to_cells``
    maps the picture to the card's mask cells.
    """
    placed = cv2.perspectiveTransform(pair.astype(np.float32).reshape(1, -1, 2), to_cells).reshape(2, 4, 2)
    # OpenCV's origin is the center of the first cell; shift=4 means sixteenths.
    fixed = np.round((placed - 0.5) * 16).clip(-(2**14), 2**14).astype(np.int32)
    covers = np.zeros((2, MASK_SIZE[1], MASK_SIZE[0]), np.uint8)
    for cover, corners in zip(covers, fixed, strict=True):
        cv2.fillConvexPoly(cover, corners, 1, shift=4)
    return np.asarray(covers.all(axis=0), np.bool_)
