"""Comparison of small gray pictures of one table: changed pixels, changed light."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.pictures.crops import GrayImage

SmoothImage = NDArray[np.float32]
"""A small gray picture after smoothing, h x w, 0-255."""
Mask = NDArray[np.bool_]

#: A pixel differs if it changes by more than this (of 255) plus this fraction of its brightness: lamps flicker by a few percent.
MIN_DIFFERENCE: Final = 8.0
FLICKER: Final = 0.06
#: With strong sensor noise, instead of the first: by more than this many medians of all differences, five standard deviations.
_NOISE_MEDIANS: Final = 7.4
#: Number of small pixels that may differ by sensor noise in a still frame.
MAX_SPECKS: Final = 6
#: Added to all pixels, because nearly black ones say little about the light.
FLOOR: Final = 12.0
#: A brightness change by more than this factor counts as changed light.
BRIGHTNESS_FACTOR: Final = 1.25
#: Gaps in a region of up to this many small pixels, where it has the color of the table, are closed; parts that are narrower are its blurred
#: edge, or that of an arm that fidgets.
EDGE: Final = 5
#: The light of a lamp changes the brightness's logarithm by less than this per small pixel along a quarter of the outline of what it changes
#: (measured on still tables: up to 0.007), the edge of an arm by more (from 0.03): by less than a lamp flickers across a blurred edge.
_MAX_LIGHT_GRADIENT: Final = FLICKER / EDGE
#: What takes more than this fraction of a picture is most of it, and what is beside it says little.
MOST: Final = 0.5


def smooth(small: GrayImage) -> SmoothImage:
    """Return a small gray picture (h x w uint8) with reduced noise, for comparison."""
    return np.asarray(cv2.blur(small, (3, 3)), np.float32)


def difference_mask(before: SmoothImage, now: SmoothImage) -> Mask:
    """Return where two pictures differ (h x w), after compensation of overall brightness and noise."""
    reference = match_brightness(before, now)
    difference = np.abs(now - reference)
    # Most of a table is still: the median of the differences measures the noise.
    noise = min(float(np.median(difference[::4, ::4])), MIN_DIFFERENCE / 2)  # more is another picture
    return np.asarray(
        difference > max(MIN_DIFFERENCE, _NOISE_MEDIANS * noise) + FLICKER * reference, np.bool_
    )


def classify_change(
    before: SmoothImage, now: SmoothImage, valid: Mask, min_area: float = math.inf, *, same_place: bool
) -> tuple[Mask, list[str]]:
    """Return where the table changed (h x w) and the notes ``camera-moved`` or ``light-changed``.

    With a note, the whole picture counts as changed. Pixels outside ``valid`` (an arm) count as unchanged. Light that changed a region
    smaller than ``min_area`` (small px) is not recognized. ``same_place``: whether
    the pictures were recognized to show the table from the same place (`vision.geometry.registration.camera_motion`).
    """
    changed = difference_mask(before, now) & valid
    everywhere = np.ones(now.shape, np.bool_)
    if brightness_changed(before, now):
        return everywhere, ["light-changed"]
    if large_regions(changed, min_area, lambda region: is_light(before, now, region)):
        return everywhere, ["light-changed"]
    if np.count_nonzero(changed) > MOST * max(1, int(np.count_nonzero(valid))):
        return everywhere, ["light-changed" if same_place else "camera-moved"]
    return changed, []


def large_regions(mask: Mask, min_area: float, accepted: Callable[[Mask], bool]) -> list[Mask]:
    """Return the accepted connected regions of at least ``min_area`` (small px) of a mask (h x w), gaps closed, each as a mask."""
    closed = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((EDGE, EDGE), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(closed, connectivity=4)
    large = (label for label in range(1, count) if stats[label, cv2.CC_STAT_AREA] >= min_area)
    return [region for label in large if accepted(region := np.asarray(labels == label, np.bool_))]


def is_light(before: SmoothImage, now: SmoothImage, region: Mask) -> bool:
    """Return whether a region that differs (h x w) shows other light on the same things: along a quarter of its outline it has no edge.
    Elsewhere it may end at something that has one, while an arm has one almost everywhere."""
    outline = cv2.morphologyEx(region.astype(np.uint8), cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)) > 0
    ratio = np.log((now + FLOOR) / (before + FLOOR))
    slopes = (cv2.Sobel(ratio, cv2.CV_32F, *axis, scale=1 / 8) for axis in ((1, 0), (0, 1)))
    return float(np.percentile(np.hypot(*slopes)[outline], 25)) < _MAX_LIGHT_GRADIENT


def match_brightness(before: SmoothImage, now: SmoothImage) -> SmoothImage:
    """Return ``before`` scaled to the brightness of ``now``."""
    return np.asarray((before + FLOOR) * _brightness_ratio(before, now) - FLOOR, np.float32)


def brightness_changed(before: SmoothImage, now: SmoothImage) -> bool:
    """Return whether the overall brightness changed as by a lamp that was switched."""
    return abs(math.log(_brightness_ratio(before, now))) > math.log(BRIGHTNESS_FACTOR)


def _brightness_ratio(before: SmoothImage, now: SmoothImage) -> float:
    """Return the median ratio of brightness between two pictures."""
    return float(np.median((now[::4, ::4] + FLOOR) / (before[::4, ::4] + FLOOR)))
