"""Deciding on names: each card of a deck exists once, and a wrong name is worse than none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from vision.kinds import HANAFUDA_KINDS

Kinds = Sequence[Sequence[str]]
"""Card ids that look alike, kind by kind. In a posterior the kinds come first, then a back, then a stranger."""

#: A name is given from this probability on (chosen on held-out composed scenes, models/README.md).
COMMIT: Final = 0.6
#: A card that is surely no hanafuda is told as a back from this probability on: a plain back in a crop of its own looks
#: like any plain thing, and nothing is lost where one takes it for the other.
_BACK: Final = 0.25
#: Of a card that shows less than this, much more is asked: a strip is like a strip of many a thing.
_SLIVER: Final = 0.3
_COMMIT_SLIVER: Final = 0.9
_FLOOR: Final = 1e-6


def assign(
    posterior: NDArray[np.float64], shares: NDArray[np.float32], kinds: Kinds = HANAFUDA_KINDS
) -> list[tuple[str | None, float]]:
    """Give each card a name and its probability, no card twice, None where unsure.

    ``posterior`` n x (len(kinds) + 2), the last two a back and a stranger; ``shares`` visible, n.
    Cards that look alike are as many places of one kind. Backs and strangers may be as many as they like.
    """
    count = len(posterior)
    if not count:
        return []
    slots = [(kind, card) for kind, cards in enumerate(kinds) for card in cards]
    back, unknown = len(kinds), len(kinds) + 1
    cost = np.empty((count, len(slots) + count))
    cost[:, : len(slots)] = -np.log(np.maximum(posterior[:, [kind for kind, _ in slots]], _FLOOR))
    other = np.maximum(posterior[:, back], posterior[:, unknown])
    # Being left unnamed costs about as much as a name hardly believed, so that doubles push none aside.
    cost[:, len(slots) :] = -np.log(np.maximum(other, 0.02))[:, None]
    names: list[tuple[str | None, float]] = [(None, 0.0)] * count
    for row, column in zip(*linear_sum_assignment(cost), strict=True):
        best = float(posterior[row].max())
        if column < len(slots):
            kind, card = slots[column]
            sure = float(posterior[row, kind])
            enough = COMMIT if shares[row] >= _SLIVER else _COMMIT_SLIVER
            names[row] = (card, sure) if sure >= enough else (None, best)
        elif posterior[row, back] >= _BACK and posterior[row, [back, unknown]].sum() >= COMMIT:
            names[row] = ("back", float(posterior[row, [back, unknown]].sum()))
        else:
            names[row] = (None, best)
    return names


def alternatives(
    row: NDArray[np.float64], kinds: Kinds = HANAFUDA_KINDS, most: int = 5
) -> tuple[tuple[str, float], ...]:
    """Return the likeliest card ids of one card's posterior, look-alikes by their first, ``"back"`` included."""
    back, unknown = len(kinds), len(kinds) + 1
    order = [int(kind) for kind in np.argsort(-row) if kind != unknown][:most]
    return tuple(
        (kinds[kind][0] if kind != back else "back", float(row[kind])) for kind in order if row[kind] > 1e-3
    )
