"""The bare table: what is printed on a cloth, or woven into it, lay there before any card came, and is none."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.networks.crops import Quads
from vision.tracking.motion import Mask, Small, differs, in_light_of

__all__ = ["Ground"]

#: A place shows the table where at most this share of it differs: even a white card on a white cloth has more than that printed on it.
_DIFFERS: Final = 0.15
#: Where cards leave less than this share of a place to be seen, nothing is said of it.
_ENOUGH: Final = 0.15
#: How far a card's own shadow and edge may reach, in card widths.
_EDGE: Final = 0.35


class Ground:
    """Knows the table by what it looked like wherever no card lay; all pictures and places are those of the small copies."""

    def __init__(self) -> None:
        self._bare: Small = np.zeros((0, 0), np.float32)
        self._known: Mask = np.zeros((0, 0), np.bool_)

    @property
    def is_known(self) -> bool:
        """Whether anything is known of the table."""
        return bool(self._known.any())

    def forget(self) -> None:
        """Forget the table: from now on the camera sees it from elsewhere."""
        self._known = np.zeros((0, 0), np.bool_)

    def shows(self, now: Small, places: Quads, cards: Quads, *, relit: bool) -> NDArray[np.bool_]:
        """Return at which ``places`` (n x 4 x 2 px) nothing but the table shows in ``now`` (h x w), beside ``cards`` (m x 4 x 2 px).

        ``relit``: in another light nothing can be compared; what is known of the table is taken to show it still.
        """
        if self._known.shape != now.shape:
            return np.zeros(len(places), np.bool_)
        other = ~self._known if relit else ~self._known | differs(self._bare, now)
        free = ~_drawn(cards, now.shape, _EDGE)
        shown = []
        for quad in places:
            place = _drawn(quad[None], now.shape)
            seen = place & free
            enough = np.count_nonzero(seen) > _ENOUGH * np.count_nonzero(place)
            shown.append(enough and float(other[seen].mean()) <= _DIFFERS)
        return np.array(shown, np.bool_)

    def learn(self, now: Small, still: Mask, cards: Quads, *, relit: bool) -> None:
        """Take for the table what shows in ``now`` (h x w) beside ``cards`` (n x 4 x 2 px): wherever it lay ``still`` (h x w) since
        the picture before, in another light (``relit``) wherever it was known, and of the first picture all of that.
        """
        if self._known.shape != now.shape:
            self._bare, self._known, still = now, np.zeros(now.shape, np.bool_), np.ones(now.shape, np.bool_)
        elif relit:
            still = self._known
        bare = still & ~_drawn(cards, now.shape, _EDGE)
        # What lies under cards is kept in the light that all of the table has now.
        self._bare = np.where(bare, now, in_light_of(self._bare, now))
        self._known = self._known | bare


def _drawn(quads: Quads, shape: tuple[int, ...], edge: float = 0.0) -> Mask:
    """Return where quads (n x 4 x 2 px) lie (h x w), each wider by ``edge`` of its own width."""
    drawn = np.zeros(shape, np.uint8)
    for quad in np.round(quads).astype(np.int32):
        cv2.fillConvexPoly(drawn, quad, 1)
        if edge:
            width = min(np.linalg.norm(quad[1] - quad[0]), np.linalg.norm(quad[2] - quad[1]))
            cv2.polylines(drawn, [quad], isClosed=True, color=1, thickness=max(1, round(2 * edge * width)))
    return np.asarray(drawn > 0, np.bool_)
