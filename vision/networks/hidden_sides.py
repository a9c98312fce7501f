"""Cards of which only a strip is visible: the position of the card if that strip is its opposite side."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.pictures.crops import MASK_SIZE, REFINER_MARGIN, Quads, card_frame, crop_to_picture, map_points

#: A strip spans at least this fraction of one side of the card and less than `_STRIP_MAX_WIDTH` of the other.
_STRIP_MIN_LENGTH: Final = 0.85
_STRIP_MAX_WIDTH: Final = 0.8
#: A row or column of mask cells belongs to the strip if it contains at least this fraction of the fullest
#: one.
_MIN_ROW_FILL: Final = 0.5
#: Mask value from which a cell is visible.
_VISIBLE_CELL: Final = 0.5


def opposite_positions(
    windows: Quads, masks: NDArray[np.float32], points: NDArray[np.float32] | None = None
) -> tuple[NDArray[np.intp], Quads]:
    """Return the cards of which only a strip is visible (k indices), and the quads (k x 4 x 2 px) at which
    that strip would be the opposite side of the card.

    In a fan of cards the strips look alike whichever way the fan is laid; a card placed in the wrong
    direction has its hidden half on a neighbor. ``windows``: n x 4 x 2 px, the assumed positions. ``masks``:
    n x 28 x 20 (0-1), the visibility there. ``points`` (n x 2 px): where each card was detected; if that
    point is not on the strip, the strip belongs to a neighbor and the card's own strip is the one next to it.
    """
    (left, top), _, (right, bottom), _ = card_frame(MASK_SIZE, REFINER_MARGIN).round().astype(int)
    visible = masks[:, top:bottom, left:right] > _VISIBLE_CELL
    across, along = (_extent(visible.mean(axis=axis)) for axis in (1, 2))
    horizontal = (
        (across[1] - across[0] >= _STRIP_MIN_LENGTH)
        & (along[1] - along[0] < _STRIP_MAX_WIDTH)
        & (along[1] > along[0])
    )
    vertical = (
        (along[1] - along[0] >= _STRIP_MIN_LENGTH)
        & (across[1] - across[0] < _STRIP_MAX_WIDTH)
        & (across[1] > across[0])
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
    return cards, (quads + move * edge).astype(np.float32)


def _extent(visibility: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where the visible part of each row (n x cells, 0-1) begins and ends, as fractions of its
    length; 0 and 0 if nothing is visible.
    """
    cells = visibility.shape[1]
    fullest = visibility.max(axis=1, keepdims=True, initial=0)
    own = visibility >= np.maximum(_MIN_ROW_FILL * fullest, 1e-6)
    some = own.any(axis=1)
    first = np.where(some, own.argmax(axis=1), 0) / cells
    last = np.where(some, cells - own[:, ::-1].argmax(axis=1), 0) / cells
    return first, last
