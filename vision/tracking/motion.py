"""Comparing small grey pictures of one table: what differs though light and sensor are never quite the same."""

from __future__ import annotations

import math
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.sources.frames import GrayImage

__all__ = ["Mask", "Small", "differs", "how_it_changed", "in_light_of", "other_light", "soft"]

Small = NDArray[np.float32]
"""A small grey picture, softened, h x w, 0-255."""
Mask = NDArray[np.bool_]

#: Two pixels differ from this much on (of 255), and this share of their brightness: lamps flicker by some hundredths.
_DIFFERENT: Final = 8.0
_FLICKER: Final = 0.06
#: Where the sensor's noise (its standard deviation) is strong, from this many times it on.
_SURE: Final = 5.0
#: More noise than this is none: it is another picture.
_MOST_NOISE: Final = 6.0
#: The median of a normal distribution's absolute value, in standard deviations.
_MEDIAN_SIGMA: Final = 0.6745
#: Nearly black pixels say little of the light; this is added to all.
_FLOOR: Final = 12.0
#: Light that changed by more than this factor is told of,
_OTHER_LIGHT: Final = 1.25
#: and where more than this share of the picture differs it was light or camera, whatever else.
_MOST: Final = 0.35
#: A shift of the picture by this many small pixels is a camera that was knocked, where it explains this share of what differs.
_SHIFT: Final = 0.7
_EXPLAINED: Final = 0.5
#: Edges of pictures that correlate this well are those of the same things.
_SAME_EDGES: Final = 0.4


def soft(small: GrayImage) -> Small:
    """Return a small picture (h x w uint8) as it is compared: its noise averaged over neighbours."""
    return np.asarray(cv2.blur(small, (3, 3)), np.float32)


def differs(before: Small, now: Small) -> Mask:
    """Return where two pictures differ (h x w) though the one's light and noise were the other's."""
    then = in_light_of(before, now)
    off = np.abs(now - then)
    # Most of a table is still: half of its pixels tell how far noise alone goes.
    noise = min(float(np.median(off[::4, ::4])) / _MEDIAN_SIGMA, _MOST_NOISE)
    return np.asarray(off > max(_DIFFERENT, _SURE * noise) + _FLICKER * then, np.bool_)


def how_it_changed(before: Small, now: Small, told: Mask) -> tuple[Mask, list[str]]:
    """Return where a settled table differs from the one before (h x w), everywhere if another camera or light shows it, and
    what is to be noted. ``told``: where the pictures tell of the table; the rest counts as unchanged.
    """
    changed = differs(before, now) & told
    share = np.count_nonzero(changed) / max(1, int(np.count_nonzero(told)))
    everywhere = np.ones(now.shape, np.bool_)
    if changed.any() and _knocked(before, now, changed):
        return everywhere, ["camera-moved"]
    if other_light(before, now):
        return everywhere, ["light-changed"]
    if share > _MOST:
        return everywhere, ["light-changed" if _edges_alike(before, now) > _SAME_EDGES else "camera-moved"]
    return changed, []


def in_light_of(before: Small, now: Small) -> Small:
    """Return a picture as bright as another of the same table."""
    return np.asarray((before + _FLOOR) * _light(before, now) - _FLOOR, np.float32)


def other_light(before: Small, now: Small) -> bool:
    """Return whether the whole table is so much brighter or darker that somebody switched a lamp."""
    return abs(math.log(_light(before, now))) > math.log(_OTHER_LIGHT)


def _light(before: Small, now: Small) -> float:
    """Return how many times brighter a picture is than another, by most of its pixels."""
    then, here = before[::4, ::4] + _FLOOR, now[::4, ::4] + _FLOOR
    return float(np.median(here / then))


def _knocked(before: Small, now: Small, changed: Mask) -> bool:
    """Return whether the whole picture moved, and that explains what differs."""
    window = cv2.createHanningWindow(now.shape[::-1], cv2.CV_32F)
    # Copies: it multiplies the window into what it is given.
    (x, y), _ = cv2.phaseCorrelate(before.copy(), now.copy(), window)
    if np.hypot(x, y) < _SHIFT or max(abs(x), abs(y)) > max(now.shape) / 4:
        return False
    height, width = now.shape
    back = np.array(((1, 0, x), (0, 1, y)), np.float32)
    moved = cv2.warpAffine(before, back, (width, height), borderMode=cv2.BORDER_REPLICATE)
    left = differs(np.asarray(moved, np.float32), now)
    return bool(np.count_nonzero(left) < _EXPLAINED * np.count_nonzero(changed))


def _edges_alike(before: Small, now: Small) -> float:
    """Return how well the edges of two pictures correlate, 1 for the same."""
    edges = [cv2.Laplacian(cv2.GaussianBlur(picture, (0, 0), 1.5), cv2.CV_32F) for picture in (before, now)]
    return float(np.corrcoef(edges[0].ravel(), edges[1].ravel())[0, 1])
