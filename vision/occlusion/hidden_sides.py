"""A card of which only a strip shows: where it lies if that strip is its one side, and if it is its other side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.networks.crops import MASK_SIZE, REFINER_MARGIN, Quads, card_frame, crop_to_picture, map_points

__all__ = ["OppositePositions", "opposite_positions"]

#: A strip goes along a whole side of the card, at least this much of it, and not this far across it.
_LONG: Final = 0.85
_WIDE: Final = 0.8
#: A row or column of cells is of the strip if it shows this share of what the fullest one does.
_ROW: Final = 0.5
#: Cells that show this much are seen.
_SEEN: Final = 0.5


@dataclass(frozen=True)
class OppositePositions:
    """Of which cards a strip shows (k indices), and the quads (k x 4 x 2 px) of which it would be the opposite strip."""

    cards: NDArray[np.intp]
    quads: Quads


def opposite_positions(
    windows: Quads, masks: NDArray[np.float32], points: NDArray[np.float32] | None = None
) -> OppositePositions:
    """Return where cards lie of which a strip shows, were it their other side.

    ``windows`` (n x 4 x 2 px): where cards are taken to lie; ``masks`` n x 28 x 20 (0-1): what shows of each there. In a fan of
    cards the strips look alike whichever way it is laid, and one that is told the wrong way round has its hidden half on
    a neighbour's place. ``points`` (n x 2 px): where each was seen; what shows is the neighbour's strip if the point is not on
    it, and the card's own is the one beside.
    """
    (left, top), _, (right, bottom), _ = card_frame(MASK_SIZE, REFINER_MARGIN).round().astype(int)
    seen = masks[:, top:bottom, left:right] > _SEEN
    across, along = (_extent(seen.mean(axis=axis)) for axis in (1, 2))
    lying = (across[1] - across[0] >= _LONG) & (along[1] - along[0] < _WIDE) & (along[1] > along[0])
    standing = (along[1] - along[0] >= _LONG) & (across[1] - across[0] < _WIDE) & (across[1] > across[0])
    cards = np.flatnonzero(lying | standing)
    first, last = (np.where(standing, *both)[cards] for both in zip(across, along, strict=True))
    if points is not None:
        to_card = np.asarray(np.linalg.inv(crop_to_picture(windows[cards], (1, 1), 0.0)), np.float64)
        placed = map_points(to_card, points[cards][:, None])[:, 0]
        at = np.where(standing[cards], placed[:, 0], placed[:, 1])
        before, after = at < first, at > last
        first, last = (
            np.where(before, 0, np.where(after, last, first)),
            np.where(before, first, np.where(after, 1, last)),
        )
    quads, move = windows[cards], (first + last - 1)[:, None, None]
    edge = np.where(
        standing[cards][:, None, None], quads[:, 1:2] - quads[:, 0:1], quads[:, 3:4] - quads[:, 0:1]
    )
    return OppositePositions(cards, (quads + move * edge).astype(np.float32))


def _extent(shown: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where in each row (n x cells, 0-1) what shows begins and ends, as shares of its length; 0 and 0 where nothing does."""
    cells = shown.shape[1]
    fullest = shown.max(axis=1, keepdims=True, initial=0)
    own = shown >= np.maximum(_ROW * fullest, 1e-6)
    some = own.any(axis=1)
    first = np.where(some, own.argmax(axis=1), 0) / cells
    last = np.where(some, cells - own[:, ::-1].argmax(axis=1), 0) / cells
    return first, last
