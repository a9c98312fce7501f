"""Card refinement: exact corners and visibility masks of detected cards."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.geometry.table_plane import complete_corners
from vision.networks.card_arrays import CardArrays
from vision.networks.detector import card_widths
from vision.networks.onnx_sessions import open_session
from vision.pictures.crops import (
    MASK_SIZE,
    REFINER_MARGIN,
    REFINER_SIZE,
    Pyramid,
    Quads,
    card_frame,
    crop_to_picture,
    for_opencv,
    map_points,
    warp,
)

#: Position at which the visibility of a corner is sampled, as a fraction of the way to the card's center.
_INSIDE: Final = 0.2
#: A card is refined only once if no corner moved by more than this (card widths) and at least `_WHOLE` of it
#: is visible: refining all cards twice names no more of them correctly.
_MAX_SETTLED_MOVE: Final = 0.1
#: Visible fraction of such a card.
_WHOLE: Final = 0.9
#: Probability of its position from which a card is not tried at the opposite position.
_CONFIDENT_POSITION: Final = 0.9
#: Minimum probability of the opposite position for moving one of two conflicting cards there.
_LIKELY_POSITION: Final = 0.5
#: A strip spans at least this fraction of one side of the card and less than `_STRIP_MAX_WIDTH` of the other.
_STRIP_MIN_LENGTH: Final = 0.85
_STRIP_MAX_WIDTH: Final = 0.8
#: A row or column of mask cells belongs to the strip if it contains at least this fraction of the fullest
#: one.
_MIN_ROW_FILL: Final = 0.5
#: Mask value from which a cell is visible.
_VISIBLE_CELL: Final = 0.5


@dataclass(frozen=True)
class RefinedCards(CardArrays):
    """Refined cards: ``quads`` (n x 4 x 2 px), visible fractions ``visible`` (n, 0-1), and visibility
    ``masks`` (n x 28 x 20, 0-1) over ``windows`` (n x 4 x 2 px), the quads that were cropped.
    """

    quads: Quads
    visible: NDArray[np.float32]
    masks: NDArray[np.float32]
    windows: Quads


class Refiner:
    """Crop network that corrects a quad and predicts which of its pixels show the card."""

    def __init__(self, models: Path, fast: bool = False) -> None:
        self._session = open_session(models / ("refiner-int8.onnx" if fast else "refiner.onnx"))

    def refine(
        self,
        pyramid: Pyramid,
        quads: Quads,
        points: NDArray[np.float32] | None = None,
        beside: RefinedCards | None = None,
    ) -> RefinedCards:
        """Refine ``quads`` (n x 4 x 2 px); those that moved far or are covered are refined a second time.

        ``points`` (n x 2 px): a point on the visible part of each card, if known. ``beside``: cards of the
        same picture that are already refined and help to fit the table plane.
        """
        if not len(quads):
            empty = np.zeros(0, np.float32)
            return RefinedCards(quads, empty, np.zeros((0, *MASK_SIZE[::-1]), np.float32), quads)
        once, corner_visibility, probability = self._refine_once(pyramid, quads)
        latest, completed = once, self._completed(once, corner_visibility, beside)
        moved = np.linalg.norm(completed.quads - quads, axis=2).max(axis=1) > _MAX_SETTLED_MOVE * card_widths(
            quads
        )
        twice = np.flatnonzero(moved | (completed.visible < _WHOLE))
        if len(twice):
            closer, corner_visibility[twice], probability[twice] = self._refine_once(
                pyramid, completed.quads[twice]
            )
            latest = latest.replaced(twice, closer)
        latest = self._try_opposite_sides(pyramid, latest, corner_visibility, probability, points)
        return completed if latest is once else self._completed(latest, corner_visibility, beside)

    def try_opposite(
        self, pyramid: Pyramid, refined: RefinedCards, points: NDArray[np.float32], cards: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], RefinedCards]:
        """Return which of ``cards`` (k indices) may lie at the opposite position of their visible strip,
        and these cards refined there.
        """
        strips, positions = opposite_positions(refined.windows[cards], refined.masks[cards], points[cards])
        if not len(strips):
            return strips, refined.take(strips)
        moved, corner_visibility, probability = self._refine_once(pyramid, positions)
        likely = np.flatnonzero(probability >= _LIKELY_POSITION)
        return cards[strips[likely]], self._completed(moved.take(likely), corner_visibility[likely], refined)

    def _try_opposite_sides(
        self,
        pyramid: Pyramid,
        refined: RefinedCards,
        corner_visibility: NDArray[np.float32],
        position_probability: NDArray[np.float32],
        points: NDArray[np.float32] | None,
    ) -> RefinedCards:
        """Move cards to the opposite position of their visible strip where that is more probable.

        Updates ``corner_visibility`` in place. Returns ``refined`` itself if no card moves.
        """
        probability = position_probability * visible_at(refined, points)
        doubtful = np.flatnonzero(probability < _CONFIDENT_POSITION)
        known_points = None if points is None else points[doubtful]
        strips, positions = opposite_positions(
            refined.windows[doubtful], refined.masks[doubtful], known_points
        )
        if not len(strips):
            return refined
        cards = doubtful[strips]
        moved, moved_visibility, moved_probability = self._refine_once(pyramid, positions)
        better = (
            moved_probability * visible_at(moved, None if points is None else points[cards])
            > probability[cards]
        )
        if not better.any():
            return refined
        corner_visibility[cards[better]] = moved_visibility[better]
        return refined.replaced(cards[better], moved.take(np.flatnonzero(better)))

    def _refine_once(
        self, pyramid: Pyramid, windows: Quads
    ) -> tuple[RefinedCards, NDArray[np.float32], NDArray[np.float32]]:
        """Return the cards refined once within ``windows`` (n x 4 x 2 px), the visibility of their corners
        (n x 4, 0-1), and the probability of each position (n), as opposed to the opposite side of the
        visible strip.
        """
        crops = pyramid.cut_all(windows, REFINER_SIZE, REFINER_MARGIN)
        outputs, masks = (np.asarray(part, np.float32) for part in self._session.run(None, {"crops": crops}))
        frame = card_frame(REFINER_SIZE, REFINER_MARGIN)
        corners = frame + outputs[:, :8].reshape(-1, 4, 2) * (frame[2] - frame[0])
        quads = map_points(crop_to_picture(windows, REFINER_SIZE, REFINER_MARGIN), corners)
        refined = RefinedCards(quads, outputs[:, 8].copy(), masks, windows.copy())
        return refined, _corner_visibility(masks, corners), outputs[:, 9]

    def _completed(
        self, refined: RefinedCards, corner_visibility: NDArray[np.float32], beside: RefinedCards | None
    ) -> RefinedCards:
        if beside is None:
            return replace(refined, quads=complete_corners(refined.quads, corner_visibility))
        to_crops = np.asarray(
            np.linalg.inv(crop_to_picture(beside.windows, REFINER_SIZE, REFINER_MARGIN)), np.float64
        )
        corner_visibility = np.concatenate(
            (corner_visibility, _corner_visibility(beside.masks, map_points(to_crops, beside.quads)))
        )
        completed = complete_corners(np.concatenate((refined.quads, beside.quads)), corner_visibility)
        return replace(refined, quads=completed[: len(refined.quads)])


def _corner_visibility(masks: NDArray[np.float32], corners: Quads) -> NDArray[np.float32]:
    """Return the visibility of each corner (n x 4, 0-1): the mask just inside it. ``corners``: n x 4 x 2
    px of the crop.
    """
    inward = corners + (corners.mean(axis=1, keepdims=True) - corners) * _INSIDE
    cells = inward * (np.array(MASK_SIZE) / np.array(REFINER_SIZE)) - 0.5
    columns = np.clip(np.round(cells[..., 0]).astype(int), 0, MASK_SIZE[0] - 1)
    rows = np.clip(np.round(cells[..., 1]).astype(int), 0, MASK_SIZE[1] - 1)
    return np.asarray(masks[np.arange(len(masks))[:, None], rows, columns], np.float32)


def visible_at(refined: RefinedCards, points: NDArray[np.float32] | None) -> NDArray[np.float32]:
    """Return the mask value of each card (n, 0-1) at its point (n x 2 px), or 1 if no points are given."""
    if points is None or not len(points):
        return np.ones(len(refined.quads), np.float32)
    to_cells = np.asarray(np.linalg.inv(crop_to_picture(refined.windows, MASK_SIZE, REFINER_MARGIN)))
    cells = map_points(to_cells, points[:, None])[:, 0]
    columns = np.clip(cells[:, 0].astype(int), 0, MASK_SIZE[0] - 1)
    rows = np.clip(cells[:, 1].astype(int), 0, MASK_SIZE[1] - 1)
    return np.asarray(refined.masks[np.arange(len(points)), rows, columns], np.float32)


def masks_in_crops(refined: RefinedCards, size: tuple[int, int], margin: float) -> NDArray[np.uint8]:
    """Return the visibility masks (n x height x width, 0-255) resampled to crops of ``size`` px with
    ``margin``.
    """
    resampled = np.empty((len(refined.quads), size[1], size[0]), np.uint8)
    to_cells = np.linalg.inv(crop_to_picture(refined.windows, MASK_SIZE, REFINER_MARGIN))
    maps = for_opencv(to_cells @ crop_to_picture(refined.quads, size, margin))
    for mask, back, out in zip((refined.masks * 255).astype(np.uint8), maps, resampled, strict=True):
        warp(mask, back, out)
    return resampled


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
