"""Consistency of the stacking order: of two overlapping cards, the same one must be on top everywhere.

If one card of a fan is placed in the wrong direction, it and its neighbor are each visible in the other's
area; such conflicts are resolved by moving cards to the opposite position of their visible strip.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.networks.refiner import RefinedCards
from vision.occlusion.visible_overlap import VisibilityCanvas

#: Conflicts smaller than this (fraction of a card's area) are caused by errors of the corners.
_MAX_CONFLICT: Final = 0.1
#: Maximum number of rounds in which cards are moved.
_MAX_MOVES: Final = 6


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
