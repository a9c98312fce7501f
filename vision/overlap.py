"""Telling two cards from one card found twice: cards may overlap almost wholly, their visible parts never."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.crops import MASK_SIZE, REFINE_MARGIN, frame
from vision.detector import Found, card_widths
from vision.refiner import Refined

#: Two finds nearer than this (card widths) and turned alike are the same card.
_SAME_PLACE: Final = 0.15
_SAME_TURN: Final = 0.15
#: A card whose visible part is claimed by surer ones to this share is not there.
_CLAIMED: Final = 0.6
#: Width of a card on the canvas where claims are settled, px.
_CANVAS_CARD: Final = 24.0


def distinct(found: Found) -> Found:
    """Drop what was plainly found twice; best score first."""
    centres, widths = found.quads.mean(axis=1), found.widths
    axis = found.quads[:, 0] + found.quads[:, 1] - found.quads[:, 2] - found.quads[:, 3]
    doubled = np.exp(2j * np.arctan2(axis[:, 1], axis[:, 0]))
    kept: list[int] = []
    for index in range(len(widths)):
        near = [
            k
            for k in kept
            if np.linalg.norm(centres[k] - centres[index]) < _SAME_PLACE * min(widths[k], widths[index])
        ]
        if all(abs(np.angle(doubled[k] / doubled[index])) / 2 > _SAME_TURN for k in near):
            kept.append(index)
    return found.take(np.array(kept, np.intp))


def one_claim_each(refined: Refined, scores: NDArray[np.float32]) -> NDArray[np.intp]:
    """Return the indices of cards whose visible part is their own, in the order given.

    A point of the picture shows one card only. The cards paint their visible parts on a small canvas, the
    surest first; one that finds most of its part already painted was a second find of the same card, or of none.
    """
    if not len(scores):
        return np.zeros(0, np.intp)
    widths = card_widths(refined.quads)
    shrink = _CANVAS_CARD / max(float(np.median(widths)), 1.0)
    low, high = refined.quads.min(axis=(0, 1)), refined.quads.max(axis=(0, 1))
    size = np.minimum(np.ceil((high - low) * shrink).astype(int) + 1, 2048)
    painted = np.zeros((int(size[1]), int(size[0])), np.uint8)
    cells = frame(MASK_SIZE, REFINE_MARGIN)
    strength = scores * np.clip(refined.shares * 2, 0.1, 1)
    kept: list[int] = []
    for index in np.argsort(-strength):
        window = ((refined.windows[index] - low) * shrink).astype(np.float32)
        corner = np.maximum(np.floor(window.min(axis=0)).astype(int) - 4, 0)
        end = np.minimum(np.ceil(window.max(axis=0)).astype(int) + 5, size)
        if (end - corner < 1).any():
            continue
        matrix = cv2.getPerspectiveTransform(cells, window - corner.astype(np.float32))
        extent = (int(end[0] - corner[0]), int(end[1] - corner[1]))
        part = cv2.warpPerspective(refined.masks[index], matrix, extent) > 0.5
        before = painted[corner[1] : end[1], corner[0] : end[0]]
        own = int(part.sum())
        if own and (part & (before > 0)).sum() < _CLAIMED * own:
            before[part] = 1
            kept.append(int(index))
    return np.array(sorted(kept), np.intp)
