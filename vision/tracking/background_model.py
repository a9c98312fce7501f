"""A model of the empty table, used to reject detections of patterns that are printed on it."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.registration.table_registration import card_area
from vision.pictures.crops import Quads
from vision.tracking.motion import MOST, Mask, SmoothImage, difference_mask, match_brightness

#: A quad shows the background if at most this fraction of it differs: even a white card on a white cloth has more print on it. A quad of
#: which cards leave less than this visible is not judged.
_LITTLE: Final = 0.15
#: Margin around cards for their shadows and edges, in card widths.
_SHADOW: Final = 0.35


class BackgroundModel:
    """The appearance of the table wherever it has been seen without cards; all coordinates are small pixels."""

    def __init__(self) -> None:
        self._background: SmoothImage = np.zeros((0, 0), np.float32)
        # Probability that the background is the bare table, 0 where it is not known.
        self._known: NDArray[np.float32] = np.zeros((0, 0), np.float32)
        self._cards: Mask = np.zeros((0, 0), np.bool_)  # where cards were in the last picture

    @property
    def is_known(self) -> bool:
        """Whether any part of the table is known."""
        return bool(self._known.any())

    def reset(self) -> None:
        """Discard the model, because the camera has moved."""
        self._known = np.zeros((0, 0), np.float32)

    def learn(self, now: SmoothImage) -> None:
        """Learn the background from a picture (h x w) without cards."""
        self._background, self._known = now, np.ones(now.shape, np.float32)
        self._cards = np.zeros(now.shape, np.bool_)

    def p_object(
        self, now: SmoothImage, quads: Quads, visible: NDArray[np.float32], *, light_changed: bool
    ) -> NDArray[np.float64]:
        """Return for each of ``quads`` (n x 4 x 2 px) the probability that ``now`` (h x w) shows an object there, not just the table.

        Pixels under quads of which more is visible (``visible``, n, 0-1) are ignored: those cards may lie on it. After a change of
        light pictures cannot be compared; known background then counts as unchanged, except where a card was before.
        """
        if self._known.shape != now.shape:
            return np.ones(len(quads))
        changed = self._cards if light_changed else difference_mask(self._background, now)
        return np.array(
            [
                _p_object(quad, quads[visible > own], changed, self._known)
                for quad, own in zip(quads, visible, strict=True)
            ]
        )

    def shows(self, now: SmoothImage, cards: Quads) -> Mask:
        """Return where ``now`` (h x w) shows the known table, or one of ``cards`` (n x 4 x 2 px) with its shadow."""
        covered = fill_quads(cards, now.shape, _SHADOW)
        if self._known.shape != now.shape:
            return covered
        return covered | ((self._known > 0) & ~difference_mask(self._background, now))

    def update(
        self,
        now: SmoothImage,
        cards: Quads,
        p_object: NDArray[np.float64],
        *,
        still: Mask,
        light_changed: bool,
    ) -> None:
        """Learn the background from ``now`` (h x w) outside of ``cards`` (n x 4 x 2 px), and under those that are perhaps no objects
        (``p_object``, n, 0-1).

        Only pixels that were ``still`` (h x w) since the picture before are learned; after a change of light, those that were
        known before; from the first picture, all.
        """
        if self._known.shape != now.shape:
            self._background, self._known = now, np.zeros(now.shape, np.float32)
            still = np.ones(now.shape, np.bool_)
        elif light_changed:
            still = self._known > 0
        self._cards = fill_quads(cards[p_object > MOST], now.shape)
        table = still.astype(np.float32)
        for quad, p in zip(cards, p_object, strict=True):
            table[fill_quads(quad[None], now.shape, _SHADOW)] *= np.float32(1 - p)
        # Background under cards is adjusted to the current brightness.
        learned = (table > 0) & (table >= self._known)
        self._background = np.where(learned, now, match_brightness(self._background, now))
        self._known = np.maximum(self._known, table)


def _p_object(quad: NDArray[np.float32], above: Quads, differs: Mask, known: NDArray[np.float32]) -> float:
    """Return the probability that a quad (4 x 2 px) is an object; 1 if cards ``above`` leave too little of it.

    ``differs``, ``known`` (h x w): where the picture differs from the background, and the probability that that is the table.
    """
    inside = fill_quads(quad[None], differs.shape)
    for margin in (_SHADOW, 0.0):  # beside cards that are close to each other are only shadows
        uncovered = inside & ~fill_quads(above, differs.shape, margin)
        if np.count_nonzero(uncovered) > _LITTLE * np.count_nonzero(inside):
            same = uncovered & (known > 0) & ~differs
            like_table = max(0.0, 1 - (1 - np.count_nonzero(same) / np.count_nonzero(uncovered)) / _LITTLE)
            return 1 - like_table * float(known[same].mean()) if like_table else 1.0
    return 1.0


def fill_quads(quads: Quads, shape: tuple[int, ...], margin: float = 0.0) -> Mask:
    """Return the mask (h x w) of quads (n x 4 x 2 px), each extended by ``margin`` of its own width."""
    mask = np.zeros(shape, np.uint8)
    for quad in np.round(quads).astype(np.int32):
        cv2.fillConvexPoly(mask, quad, 1)
        if margin:
            width = min(np.linalg.norm(quad[1] - quad[0]), np.linalg.norm(quad[2] - quad[1]))
            cv2.polylines(mask, [quad], isClosed=True, color=1, thickness=max(1, round(2 * margin * width)))
    return np.asarray(mask > 0, np.bool_)


def at_border(mask: Mask, card_px: float) -> Mask:
    """Return the regions of a mask (h x w) that touch the border and are larger than half a card."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    edge = np.concatenate((labels[0], labels[-1], labels[:, 0], labels[:, -1]))
    large = stats[:, cv2.CC_STAT_AREA] >= MOST * card_area(card_px)
    return np.asarray(
        np.isin(labels, [label for label in set(edge.tolist()) if label and large[label]]), np.bool_
    )
