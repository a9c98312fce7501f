"""Things on the table that are no cards: a phone, a cup, a slip of paper that somebody puts down between two looks."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from vision.networks.crops import Quads
from vision.tracking.motion import Mask

__all__ = ["Things"]

#: A place that changed and shows no card is a thing from this size on, in cards.
_LEAST: Final = 0.6
#: How far a card's own shadow and edge may reach, in card widths.
_EDGE: Final = 0.35
#: A place of this share of which a thing was noticed before shows that it was taken away, or pushed.
_SAME: Final = 0.4


class Things:
    """Notices what is put down and is no card."""

    def __init__(self) -> None:
        self._known: list[Mask] = []

    def new(self, changed: Mask, cards: Quads, card_px: float) -> bool:
        """Return whether something new that is no card lies where the picture ``changed`` (h x w).

        ``cards``: quads (n x 4 x 2 px of that mask) of all cards that lie there now or lay there before; ``card_px``: a card's width.
        """
        rest = changed.astype(np.uint8)
        reach = round(2 * _EDGE * card_px)
        for quad in np.round(cards).astype(np.int32):
            cv2.fillConvexPoly(rest, quad, 0)
            cv2.polylines(rest, [quad], isClosed=True, color=0, thickness=max(1, reach))
        rest = np.asarray(cv2.morphologyEx(rest, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8)), np.uint8)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(rest)
        least = _LEAST * card_px * card_px * 54 / 33
        noticed = False
        for label in range(1, count):
            if stats[label, cv2.CC_STAT_AREA] < least:
                continue
            place = np.asarray(labels == label, np.bool_)
            again = [
                mask for mask in self._known if mask.shape == place.shape and _share(mask, place) > _SAME
            ]
            if again:
                self._known = [mask for mask in self._known if not any(mask is one for one in again)]
            else:
                self._known.append(place)
                noticed = True
        return noticed


def _share(mask: Mask, place: Mask) -> float:
    return float((mask & place).sum()) / max(float(min(mask.sum(), place.sum())), 1.0)
