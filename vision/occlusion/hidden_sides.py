"""Second hypothesis for a card of which only a strip along one side is visible: the strip may be the opposite side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.networks.crops import MASK_SIZE, REFINER_MARGIN, Quads, card_frame, crop_to_picture, map_points

__all__ = ["OppositePositions", "opposite_positions"]

#: A strip covers at least this fraction of the card along its side, and less than this fraction across it.
_MIN_LENGTH: Final = 0.85
_MAX_WIDTH: Final = 0.8
#: A row or column belongs to the strip if its visible fraction is at least this fraction of the largest one.
_ROW_FRACTION: Final = 0.5
#: Mask values above this count as visible.
_VISIBLE: Final = 0.5


@dataclass(frozen=True)
class OppositePositions:
    """Indices of the k cards of which only a strip is visible, and their quads (k x 4 x 2 px) if it is the opposite strip."""

    cards: NDArray[np.intp]
    quads: Quads


def opposite_positions(
    windows: Quads, masks: NDArray[np.float32], points: NDArray[np.float32] | None = None
) -> OppositePositions:
    """Return the alternative positions of cards of which only a strip is visible.

    In a fan of cards the strips look alike at either end. If the wrong end is assumed, the hidden part of the card overlaps its
    neighbor.

    ``windows`` (n x 4 x 2 px): the assumed quads. ``masks`` (n x 28 x 20, 0-1): the visible part of each. ``points`` (n x 2 px): where
    each card was detected; if a point is outside the visible strip, that strip is the neighbor's and the card's own is beside it.
    """
    (left, top), _, (right, bottom), _ = card_frame(MASK_SIZE, REFINER_MARGIN).round().astype(int)
    visible = masks[:, top:bottom, left:right] > _VISIBLE
    across, along = (_extent(visible.mean(axis=axis)) for axis in (1, 2))
    horizontal = (
        (across[1] - across[0] >= _MIN_LENGTH) & (along[1] - along[0] < _MAX_WIDTH) & (along[1] > along[0])
    )
    vertical = (
        (along[1] - along[0] >= _MIN_LENGTH) & (across[1] - across[0] < _MAX_WIDTH) & (across[1] > across[0])
    )
    cards = np.flatnonzero(horizontal | vertical)
    first, last = (np.where(vertical, *both)[cards] for both in zip(across, along, strict=True))
    if points is not None:
        to_card = np.asarray(np.linalg.inv(crop_to_picture(windows[cards], (1, 1), 0.0)), np.float64)
        placed = map_points(to_card, points[cards][:, None])[:, 0]
        at = np.where(vertical[cards], placed[:, 0], placed[:, 1])
        before, after = at < first, at > last
        first, last = (
            np.where(before, 0, np.where(after, last, first)),
            np.where(before, first, np.where(after, 1, last)),
        )
    quads, move = windows[cards], (first + last - 1)[:, None, None]
    edge = np.where(
        vertical[cards][:, None, None], quads[:, 1:2] - quads[:, 0:1], quads[:, 3:4] - quads[:, 0:1]
    )
    return OppositePositions(cards, (quads + move * edge).astype(np.float32))


def _extent(visible: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where the visible part of each row (n x cells, 0-1) begins and ends, as fractions of its length; 0 and 0 if there is none."""
    cells = visible.shape[1]
    fullest = visible.max(axis=1, keepdims=True, initial=0)
    own = visible >= np.maximum(_ROW_FRACTION * fullest, 1e-6)
    some = own.any(axis=1)
    first = np.where(some, own.argmax(axis=1), 0) / cells
    last = np.where(some, cells - own[:, ::-1].argmax(axis=1), 0) / cells
    return first, last
