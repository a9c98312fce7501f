"""A stream of frames of one table: what has not changed is neither looked at nor read again.

Cards lie still between two moves. A frame is compared with the picture that each place was last read from, on a small
copy of both; a place counts as unchanged only where every small pixel of it is. Light that changes over the whole
picture is allowed for, but as a smooth field over all of it, too stiff to explain away a card, a hand or a patch of glare.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.networks.crops import Image, Quads
from vision.photograph.read_cards import CardCandidates
from vision.photograph.scanner import Scanner

__all__ = ["Memory", "changes"]

#: Long side of the small copies, px. Sensor noise averages out in them; a card still has hundreds of pixels.
_SIDE: Final = 320
#: A small pixel that differs by more than this in a colour (of 255), with its neighbours, has changed.
_DIFFERENT: Final = 9.0
#: Light may change to this share of what it was, or its inverse, before everything is read again,
_LIGHT: Final = 0.75
#: and from pixel to pixel the smooth field of light is fitted to those that it explains this well.
_EXPLAINED: Final = 0.06
#: Nearly black pixels say little of the light; this is added to all.
_FLOOR: Final = 12.0
#: A pixel brighter than this may have been cut off at 255.
_WHITE: Final = 252.0
#: Where more than this share of the picture changed, it is read afresh.
_MOST: Final = 0.5

_Small = NDArray[np.float32]


class Memory:
    """Reads the frames of a camera, each as far as it differs from those before."""

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._seen: CardCandidates | None = None
        self._small: _Small = np.zeros((0, 0, 3), np.float32)

    def detect_cards(self, bgr: Image, doubted: Quads | None = None) -> CardCandidates:
        """Return what is seen in the next frame (H x W x 3 uint8): the very same object where nothing changed.

        Places that are ``doubted`` (n x 4 x 2 px) are read again all the same.
        """
        small = _shrink(bgr)
        before, self._seen = self._seen, None  # should reading fail, the next frame is read afresh
        seen, self._small = self._read(bgr, small, before, doubted)
        self._seen = seen
        return seen

    def correct(self, seen: CardCandidates) -> None:
        """Take ``seen`` for what the frame before shows: somebody who knows the table has looked again."""
        self._seen = seen

    def glimpse(self, bgr: Image) -> CardCandidates:
        """Return what is seen in a frame that is not to be remembered, with hands in it perhaps."""
        return self._read(bgr, _shrink(bgr), self._seen)[0]

    def _read(
        self, bgr: Image, small: _Small, before: CardCandidates | None, doubted: Quads | None = None
    ) -> tuple[CardCandidates, _Small]:
        """Return what is seen, and the small picture that the next frame is to be compared with."""
        if before is None or small.shape != self._small.shape:
            return self._scanner.detect_cards(bgr), small
        changed, light = changes(self._small, small)
        if doubted is not None and len(doubted):
            again = changed.astype(np.uint8)
            for quad in np.round(doubted * (small.shape[1] / bgr.shape[1])).astype(np.int32):
                cv2.fillConvexPoly(again, quad, 1)
            changed = np.asarray(again > 0, np.bool_)
        if not changed.any():
            return before, self._small
        if changed.mean() > _MOST:
            return self._scanner.detect_cards(bgr), small
        factor = small.shape[1] / bgr.shape[1]
        seen = self._scanner.update_cards(bgr, before, lambda quads: _touched(quads * factor, changed))
        # What did not change is still compared with the picture it was read from, in that picture's light: else a
        # change could creep in, each step of it too small.
        return seen, np.where(changed[..., None], small / light, self._small).astype(np.float32)


def changes(before: _Small, now: _Small) -> tuple[NDArray[np.bool_], _Small]:
    """Return where one small picture differs from another (h x w), and the light now over the light then (h x w x 1).

    Both h x w x 3, 0-255.
    """
    light = _light(before, now)
    if light.min() < _LIGHT or light.max() > 1 / _LIGHT:
        return np.ones(now.shape[:2], np.bool_), np.ones_like(light)
    least = np.minimum(before * light, 255)
    most = np.where(
        before > _WHITE, 255, least
    )  # what was too bright for the sensor may have been brighter still
    off = np.maximum(np.maximum(least - now, now - most), 0)
    differs = cv2.blur(off, (3, 3)).reshape(now.shape).max(axis=2) > _DIFFERENT
    return np.asarray(cv2.dilate(differs.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0, np.bool_), light


def _light(before: _Small, now: _Small) -> _Small:
    """Return how the light changed: a field whose logarithm is a plane, fitted to the pixels that one explains."""
    height, width = now.shape[:2]
    then, here = (cv2.cvtColor(picture[::4, ::4], cv2.COLOR_BGR2GRAY) + _FLOOR for picture in (before, now))
    values = np.log(here / then)
    rows, columns = (np.linspace(-1, 1, side, dtype=np.float32) for side in values.shape)
    terms = np.stack(np.broadcast_arrays(np.float32(1), columns, rows[:, None]), axis=-1).reshape(-1, 3)
    values = values.ravel()
    plane = np.array((np.median(values), 0, 0), np.float32)
    for _ in range(3):
        fits = np.abs(values - terms @ plane) < _EXPLAINED
        if fits.mean() < 1 - _MOST:
            break
        normal = terms[fits].T @ terms[fits]
        plane = np.linalg.solve(normal + 1e-3 * np.eye(3, dtype=np.float32), terms[fits].T @ values[fits])
    rows, columns = (np.linspace(-1, 1, side, dtype=np.float32) for side in (height, width))
    across, down = np.exp(plane[0] + plane[1] * columns), np.exp(plane[2] * rows)
    return np.asarray((down[:, None] * across)[..., None], np.float32)


def _touched(quads: Quads, changed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return in which of n x 4 x 2 px quads anything changed; those that lie out of the picture count as changed."""
    touched = np.ones(len(quads), np.bool_)
    for index, quad in enumerate(quads):
        low = np.floor(quad.min(axis=0)).astype(int).clip(0)
        high = np.ceil(quad.max(axis=0)).astype(int) + 1
        part = changed[low[1] : max(high[1], 0), low[0] : max(high[0], 0)]
        if part.size:
            place = np.zeros(part.shape, np.uint8)
            cv2.fillConvexPoly(place, np.round(quad - low).astype(np.int32), 1)
            touched[index] = bool((part & (place > 0)).any())
    return touched


def _shrink(bgr: Image) -> _Small:
    height, width = bgr.shape[:2]
    scale = min(1.0, _SIDE / max(height, width))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_AREA), np.float32)
