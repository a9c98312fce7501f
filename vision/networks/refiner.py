"""Looking closely at each card found: exact corners and the visible part."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.geometry.table_plane import complete_corners
from vision.networks.card_arrays import replace_cards
from vision.networks.crops import (
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
from vision.networks.detector import card_widths
from vision.networks.onnx_sessions import open_session
from vision.networks.pipeline_steps import ALL_STEPS, PipelineSteps
from vision.occlusion.hidden_sides import opposite_positions

#: How far in from a corner, towards the middle, one looks whether the card is seen there.
_INSIDE: Final = 0.2
#: A card of which no corner moved by more than this, in card widths, and which shows at least this share of itself, gains
#: nothing by a second look: of the same cards as many are named right when all of them get one.
_STILL: Final = 0.1
_WHOLE: Final = 0.9
#: A card that lies where it was found at least this surely is not looked for on the other side of what shows of it.
_HERE: Final = 0.9
#: Of two cards that contradict one another one is put on its strip's other side only where it lies there this likely.
_RATHER_HERE: Final = 0.5


@dataclass(frozen=True)
class RefinedCards:
    """Cards after a close look: ``quads`` n x 4 x 2 px, ``shares`` visible (n, 0-1), and ``masks`` n x 28 x 20 (0-1), the
    visible part over ``windows``, the quads looked at.
    """

    quads: Quads
    visible: NDArray[np.float32]
    masks: NDArray[np.float32]
    windows: Quads

    def take(self, chosen: NDArray[np.intp]) -> RefinedCards:
        """Return the chosen cards."""
        return RefinedCards(
            self.quads[chosen], self.visible[chosen], self.masks[chosen], self.windows[chosen]
        )


class Refiner:
    """The crop network that corrects a quad and says which pixels of it show the card."""

    def __init__(self, models: Path, steps: PipelineSteps = ALL_STEPS, fast: bool = False) -> None:
        self._session, self.form = open_session(models, "refiner", fast)
        self._steps = steps

    def look(
        self,
        pyramid: Pyramid,
        quads: Quads,
        points: NDArray[np.float32] | None = None,
        beside: RefinedCards | None = None,
    ) -> RefinedCards:
        """Look at each quad (n x 4 x 2 px), and once more at the corrected ones of those that were far off or are covered.

        ``points`` (n x 2 px) lie on what shows of each, where that is known; ``beside`` are cards of the same picture that
        need no look; they help to tell the plane.
        """
        if not len(quads):
            nothing = np.zeros(0, np.float32)
            return RefinedCards(quads, nothing, np.zeros((0, *MASK_SIZE[::-1]), np.float32), quads)
        first, seen, here = self._refine_once(pyramid, quads)
        looked, refined = first, self._completed(first, seen, beside)
        moved = np.linalg.norm(refined.quads - quads, axis=2).max(axis=1) > _STILL * card_widths(quads)
        again = np.flatnonzero(moved | (refined.visible < _WHOLE))
        if self._steps.second_look and len(again):
            closer, seen[again], here[again] = self._refine_once(pyramid, refined.quads[again])
            looked = replace_cards(looked, again, closer)
        if self._steps.sides:
            looked = self._try_opposite_sides(pyramid, looked, seen, here, points)
        return refined if looked is first else self._completed(looked, seen, beside)

    def across(
        self, pyramid: Pyramid, refined: RefinedCards, points: NDArray[np.float32], cards: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], RefinedCards]:
        """Return of which of ``cards`` (k indices) a strip shows that may be the other side of them, and how they look there."""
        sides = opposite_positions(refined.windows[cards], refined.masks[cards], points[cards])
        if not len(sides.cards):
            return sides.cards, refined.take(sides.cards)
        looked, seen, here = self._refine_once(pyramid, sides.quads)
        likely = np.flatnonzero(here >= _RATHER_HERE)
        return cards[sides.cards[likely]], self._completed(looked.take(likely), seen[likely], refined)

    def _try_opposite_sides(
        self,
        pyramid: Pyramid,
        looked: RefinedCards,
        seen: NDArray[np.float32],
        here: NDArray[np.float32],
        points: NDArray[np.float32] | None,
    ) -> RefinedCards:
        """Return the cards with those on their strip's other side that lie there more likely; ``seen`` is changed with them.

        The very same object where there are none.
        """
        likely = here * visible_at(looked, points)
        doubtful = np.flatnonzero(likely < _HERE)
        looked_at = None if points is None else points[doubtful]
        sides = opposite_positions(looked.windows[doubtful], looked.masks[doubtful], looked_at)
        if not len(sides.cards):
            return looked
        cards = doubtful[sides.cards]
        other, other_seen, other_here = self._refine_once(pyramid, sides.quads)
        better = other_here * visible_at(other, None if points is None else points[cards]) > likely[cards]
        if not better.any():
            return looked
        seen[cards[better]] = other_seen[better]
        return replace_cards(looked, cards[better], other.take(np.flatnonzero(better)))

    def _refine_once(
        self, pyramid: Pyramid, windows: Quads
    ) -> tuple[RefinedCards, NDArray[np.float32], NDArray[np.float32]]:
        """Return what one look at ``windows`` (n x 4 x 2 px) tells of each card by itself, how well its corners are seen (n x
        4, 0-1), and whether it lies there at all and not on the other side of what shows of it (n, 0-1).
        """
        crops = pyramid.cut_all(windows, REFINER_SIZE, REFINER_MARGIN)
        numbers, masks = (np.asarray(part, np.float32) for part in self._session.run(None, {"crops": crops}))
        inner = card_frame(REFINER_SIZE, REFINER_MARGIN)
        corners = inner + numbers[:, :8].reshape(-1, 4, 2) * (inner[2] - inner[0])
        quads = map_points(crop_to_picture(windows, REFINER_SIZE, REFINER_MARGIN), corners)
        refined = RefinedCards(quads, numbers[:, 8].copy(), masks, windows.copy())
        return refined, _corners_seen(masks, corners), numbers[:, 9]

    def _completed(
        self, looked: RefinedCards, seen: NDArray[np.float32], beside: RefinedCards | None
    ) -> RefinedCards:
        if not self._steps.plane:
            return looked
        if beside is None:
            return replace(looked, quads=complete_corners(looked.quads, seen))
        to_crops = np.asarray(
            np.linalg.inv(crop_to_picture(beside.windows, REFINER_SIZE, REFINER_MARGIN)), np.float64
        )
        seen = np.concatenate((seen, _corners_seen(beside.masks, map_points(to_crops, beside.quads))))
        completed = complete_corners(np.concatenate((looked.quads, beside.quads)), seen)
        return replace(looked, quads=completed[: len(looked.quads)])


def _corners_seen(masks: NDArray[np.float32], corners: Quads) -> NDArray[np.float32]:
    """Return how well each corner is seen (n x 4, 0-1): the visible part just inside it.

    ``corners`` n x 4 x 2 in px of the crop.
    """
    inward = corners + (corners.mean(axis=1, keepdims=True) - corners) * _INSIDE
    cells = inward * (np.array(MASK_SIZE) / np.array(REFINER_SIZE)) - 0.5
    columns = np.clip(np.round(cells[..., 0]).astype(int), 0, MASK_SIZE[0] - 1)
    rows = np.clip(np.round(cells[..., 1]).astype(int), 0, MASK_SIZE[1] - 1)
    return np.asarray(masks[np.arange(len(masks))[:, None], rows, columns], np.float32)


def visible_at(refined: RefinedCards, points: NDArray[np.float32] | None) -> NDArray[np.float32]:
    """Return how well each card shows at its point (n x 2 px; n, 0-1); 1 where no points are known."""
    if points is None or not len(points):
        return np.ones(len(refined.quads), np.float32)
    to_cells = np.asarray(np.linalg.inv(crop_to_picture(refined.windows, MASK_SIZE, REFINER_MARGIN)))
    cells = map_points(to_cells, points[:, None])[:, 0]
    columns = np.clip(cells[:, 0].astype(int), 0, MASK_SIZE[0] - 1)
    rows = np.clip(cells[:, 1].astype(int), 0, MASK_SIZE[1] - 1)
    return np.asarray(refined.masks[np.arange(len(points)), rows, columns], np.float32)


def masks_in_crops(refined: RefinedCards, size: tuple[int, int], margin: float) -> NDArray[np.uint8]:
    """Return the visible part of each card (0-255) in crops of ``size`` px with ``margin``: n x height x width."""
    shown = np.empty((len(refined.quads), size[1], size[0]), np.uint8)
    to_cells = np.linalg.inv(crop_to_picture(refined.windows, MASK_SIZE, REFINER_MARGIN))
    maps = for_opencv(to_cells @ crop_to_picture(refined.quads, size, margin))
    for mask, back, out in zip((refined.masks * 255).astype(np.uint8), maps, shown, strict=True):
        warp(mask, back, out)
    return shown
