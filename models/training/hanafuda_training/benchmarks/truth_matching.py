"""Matches detections with annotated cards."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from hanafuda_training.benchmarks.ground_truth import TrueCard, same
from vision.occlusion.visible_overlap import quad_iou
from vision.photograph.scan_result import ScannedCard

__all__ = ["MIN_OVERLAP", "match"]

MIN_OVERLAP = 0.5
"""Minimum intersection over union for a card to count as found."""


def match(cards: Sequence[TrueCard], detections: Sequence[ScannedCard]) -> dict[int, int]:
    """Match detections with true cards, each at most once: index of the true card -> index of the detection.

    Detections in order of decreasing confidence take the true card with the largest overlap. Then true cards
    without a quad take a remaining detection that covers their center: one with their name first, else the
    nearest.
    """
    quads = [np.array(card.quad, np.float32) for card in detections]
    matched = _match_by_overlap(cards, detections, quads)
    remaining = [index for index in range(len(detections)) if index not in matched.values()]
    candidates = [
        (
            not same(detections[index].card, card.card),
            math.dist(quads[index].mean(axis=0), card.center),
            true,
            index,
        )
        for true, card in enumerate(cards)
        if card.quad is None and card.center is not None
        for index in remaining
        if cv2.pointPolygonTest(quads[index], card.center, False) >= 0
    ]
    for _, _, true, index in sorted(candidates):
        if true not in matched and index in remaining:
            matched[true] = index
            remaining.remove(index)
    return matched


def _match_by_overlap(
    cards: Sequence[TrueCard], detections: Sequence[ScannedCard], quads: Sequence[NDArray[np.float32]]
) -> dict[int, int]:
    """Match detections, in order of decreasing confidence, with the true card that they overlap most."""
    matched: dict[int, int] = {}
    for index in sorted(range(len(detections)), key=lambda index: -detections[index].confidence):
        overlaps = {
            true: quad_iou(quads[index], card.quad)
            for true, card in enumerate(cards)
            if card.quad is not None and true not in matched
        }
        best = max(overlaps, key=lambda true: overlaps[true], default=None)
        if best is not None and overlaps[best] >= MIN_OVERLAP:
            matched[best] = index
    return matched
