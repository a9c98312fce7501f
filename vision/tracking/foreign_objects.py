"""Detection of objects that are not cards, such as a phone or a cup, by the change of the picture between two stable frames."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from vision.geometry.registration.table_registration import card_area
from vision.pictures.crops import Quads
from vision.tracking.background_model import SHADOW
from vision.tracking.motion import EDGE, Mask

#: Minimum size of an object, in card areas.
_MIN_CARD_AREAS: Final = 0.6
#: If a changed region overlaps a known object by more than this fraction, that object was removed or moved.
_SAME_OBJECT: Final = 0.4


class ForeignObjectDetector:
    """Detects new objects on the table and remembers where they are."""

    def __init__(self) -> None:
        self._known: list[Mask] = []

    def update(self, changed: Mask, cards: Quads, card_px: float) -> bool:
        """Return whether a new object appeared where the picture ``changed`` (h x w).

        ``cards`` (n x 4 x 2 px of that mask) are the quads of all current and recent cards, ``card_px`` the width of a card.
        """
        remaining = changed.astype(np.uint8)
        margin = round(2 * SHADOW * card_px)
        for quad in np.round(cards).astype(np.int32):
            cv2.fillConvexPoly(remaining, quad, 0)
            cv2.polylines(remaining, [quad], isClosed=True, color=0, thickness=max(1, margin))
        remaining = np.asarray(
            cv2.morphologyEx(remaining, cv2.MORPH_CLOSE, np.ones((EDGE, EDGE), np.uint8)), np.uint8
        )
        count, labels, stats, _ = cv2.connectedComponentsWithStats(remaining)
        min_area = _MIN_CARD_AREAS * card_area(card_px)
        appeared = False
        for label in range(1, count):
            if stats[label, cv2.CC_STAT_AREA] < min_area:
                continue
            region = np.asarray(labels == label, np.bool_)
            known = [
                mask
                for mask in self._known
                if mask.shape == region.shape and _overlap(mask, region) > _SAME_OBJECT
            ]
            if known:
                self._known = [mask for mask in self._known if not any(mask is one for one in known)]
            else:
                self._known.append(region)
                appeared = True
        return appeared


def at_border(mask: Mask, card_px: float) -> Mask:
    """Return the regions of a mask (h x w) that touch the border and are larger than `_MIN_CARD_AREAS`."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    edge = np.concatenate((labels[0], labels[-1], labels[:, 0], labels[:, -1]))
    large = stats[:, cv2.CC_STAT_AREA] >= _MIN_CARD_AREAS * card_area(card_px)
    return np.asarray(
        np.isin(labels, [label for label in set(edge.tolist()) if label and large[label]]), np.bool_
    )


def _overlap(mask: Mask, region: Mask) -> float:
    """Return the intersection of two masks as a fraction of the smaller one."""
    return float((mask & region).sum()) / max(float(min(mask.sum(), region.sum())), 1.0)
