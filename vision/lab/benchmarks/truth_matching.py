"""Which card seen is which true card."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np

from vision.lab.benchmarks.ground_truth import TrueCard, same
from vision.occlusion.visible_overlap import quad_iou
from vision.photograph.scan_result import ScannedCard

__all__ = ["LEAST_OVERLAP", "match"]

LEAST_OVERLAP = 0.5
"""The intersection over union from which on a card counts as found."""


def match(cards: Sequence[TrueCard], seen: Sequence[ScannedCard]) -> dict[int, int]:
    """Match cards seen to true ones, each at most once: index of the true one -> index of the one seen.

    The surest card seen chooses first, the true card it overlaps most. True cards with no quad come after: one seen
    over their centre under their name, else the nearest one left that lies over it.
    """
    quads = [np.array(card.quad, np.float32) for card in seen]
    matched: dict[int, int] = {}
    left = sorted(range(len(seen)), key=lambda index: -seen[index].confidence)
    for index in list(left):
        over = {
            true: quad_iou(quads[index], card.quad)
            for true, card in enumerate(cards)
            if card.quad is not None and true not in matched
        }
        best = max(over, key=lambda true: over[true], default=None)
        if best is not None and over[best] >= LEAST_OVERLAP:
            matched[best] = index
            left.remove(index)
    near = [
        (
            not same(seen[index].card, card.card),
            math.dist(quads[index].mean(axis=0), card.centre),
            true,
            index,
        )
        for true, card in enumerate(cards)
        if card.quad is None and card.centre is not None
        for index in left
        if cv2.pointPolygonTest(quads[index], card.centre, False) >= 0
    ]
    for _, _, true, index in sorted(near):
        if true not in matched and index in left:
            matched[true] = index
            left.remove(index)
    return matched
