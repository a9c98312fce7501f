"""When a card came down, told afterwards: the frames in motion are looked through for what lies there now.

A hand hides most of a card that it lays down, too much of it for eyes that do not know what to look for. Once the table is still that
is known: where pictures of the table before and after differ, each frame in between shows the one or the other, or a hand.
"""

from __future__ import annotations

from collections import deque
from typing import Final

import cv2
import numpy as np

from vision.sources.frames import GrayImage
from vision.tracking.motion import Mask, Small, soft

__all__ = ["Hindsight"]

#: So many frames of a table in motion are kept: a minute of glimpses.
_KEPT: Final = 120
#: A pixel tells before from after where they differ by this much (of 255), and a place by this many of them.
_TELLS: Final = 20.0
_ENOUGH: Final = 20
#: A pixel is as it is after, or as it was before, within this share of that difference, or this much, the least that noise makes,
_LIKE: Final = 0.2
_NOISE: Final = 7.0
#: but never so far that it may be both.
_EITHER: Final = 0.45
#: A card lies there where it shows at this share of its dark and of its bright pixels (a hand shows at the one or the other), and what
#: was there before at less than that. Where as much of that shows as the last share, it had not come yet.
_SHOWS: Final = 0.2
_TRACES: Final = 0.15
_BEFORE: Final = 0.35


class Hindsight:
    """Keeps the small copies of frames since the table was last still."""

    def __init__(self) -> None:
        self._frames: deque[tuple[float, GrayImage]] = deque(maxlen=_KEPT)

    def keep(self, time: float, small: GrayImage) -> None:
        """Keep a frame (h x w) of ``time`` (s), in order."""
        self._frames.append((time, small))

    def forget(self) -> None:
        """Forget the frames: the table has been still since."""
        self._frames.clear()

    def came(self, before: Small, after: Small, place: np.ndarray) -> float | None:
        """Return when (s) what the still table shows ``after`` at a ``place`` (4 x 2 px) and did not show ``before`` (h x w both) was
        seen there first, and from then on whenever no hand was over it; None where no frame tells.
        """
        low = np.floor(place.min(axis=0)).astype(int).clip(0)
        high = np.ceil(place.max(axis=0)).astype(int).clip(0) + 1
        part = np.s_[low[1] : high[1], low[0] : high[0]]
        then, now = before[part], after[part]
        telling = _inside(place - low, now.shape) & (np.abs(now - then) > _TELLS)
        if np.count_nonzero(telling) < _ENOUGH:
            return None
        then, now = then[telling], now[telling]
        # Halves by rank: a bare table is as bright in one as in the other.
        dark, bright = np.array_split(np.argsort(now, kind="stable"), 2)
        apart = np.abs(now - then)
        near = np.minimum(np.maximum(_LIKE * apart, _NOISE), _EITHER * apart)
        since = None
        for time, small in reversed(self._frames):
            if small.shape != after.shape:
                break
            seen = soft(small)[part][telling]
            shows, showed = np.abs(seen - now) < near, np.abs(seen - then) < near
            if showed.mean() > _BEFORE:
                break
            if showed.mean() < _TRACES and min(shows[dark].mean(), shows[bright].mean()) > _SHOWS:
                since = time
        return since


def _inside(place: np.ndarray, shape: tuple[int, ...]) -> Mask:
    """Return where a quad (4 x 2 px) lies (h x w), its edge left out."""
    inside = np.zeros(shape, np.uint8)
    cv2.fillConvexPoly(inside, np.round(place).astype(np.int32), 1)
    return np.asarray(cv2.erode(inside, np.ones((3, 3), np.uint8), borderValue=0) > 0, np.bool_)
