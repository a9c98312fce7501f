"""Of two cards that overlap one lies over the other wherever they do: finds for which that cannot be are not yet right.

Where a fan is told the wrong way round by one card, that card and its neighbour each show in the other's place.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.networks.card_arrays import concatenate_cards
from vision.networks.refiner import RefinedCards
from vision.occlusion.visible_overlap import VisibilityCanvas

__all__ = ["order_conflicts", "resolve_order_conflicts"]

#: Cards that show in one another's place with less than this share of a card each do so by their corners' errors.
_LITTLE: Final = 0.1
#: Cards that are put elsewhere at most; each is one round.
_MOST: Final = 6


def order_conflicts(refined: RefinedCards) -> NDArray[np.float64]:
    """Return how much each two of n cards contradict one another (n x n): what the one shows of itself in the other's place or
    the other in its, whichever is less, as a share of a card.
    """
    count = len(refined.quads)
    crossing = np.zeros((count, count))
    if count < 2:
        return crossing
    canvas = VisibilityCanvas(refined)
    places, parts = np.zeros((2, count, *canvas.empty().shape), np.bool_)
    for index in range(count):
        box, place = canvas.whole(index)
        places[index][box] = place
        box, part = canvas.part(index)
        parts[index][box] = part
    low, high = refined.quads.min(axis=1), refined.quads.max(axis=1)
    near = ((low[:, None] < high) & (high[:, None] > low)).all(axis=2)
    area = max(float(np.median(places.sum(axis=(1, 2)))), 1.0)
    for one, other in np.argwhere(np.triu(near, 1)):
        both = places[one] & places[other]
        shown = min(int((parts[one] & both).sum()), int((parts[other] & both).sum()))
        crossing[one, other] = crossing[other, one] = shown / area
    return crossing


def resolve_order_conflicts(
    refined: RefinedCards, elsewhere: Callable[[NDArray[np.intp]], tuple[NDArray[np.intp], RefinedCards]]
) -> RefinedCards:
    """Return the cards with those put elsewhere, one or two at a time, that cross others where they are and none there.

    ``elsewhere`` takes cards (k indices) and tells which of them may lie elsewhere, and how they look there.
    """
    count = len(refined.quads)
    crossed = np.flatnonzero((order_conflicts(refined) > _LITTLE).any(axis=1))
    if not len(crossed):
        return refined
    cards, others = elsewhere(crossed)
    crossing = order_conflicts(concatenate_cards(refined, others))
    chosen = np.arange(count)

    def total(places: NDArray[np.intp]) -> float:
        return float(crossing[np.ix_(places, places)].sum()) / 2

    for _ in range(_MOST):
        left = [number for number in range(len(cards)) if chosen[cards[number]] < count]
        moves = [[number] for number in left] + [list(pair) for pair in combinations(left, 2)]
        if not moves:
            break
        tries = [chosen.copy() for _ in moves]
        for tried, move in zip(tries, moves, strict=True):
            tried[cards[move]] = count + np.array(move)
        # Of two moves that gain as much the one that moves fewer cards comes first.
        best = min(tries, key=total)
        if total(chosen) - total(best) <= _LITTLE:
            break
        chosen = best
    return concatenate_cards(refined, others).take(chosen)
