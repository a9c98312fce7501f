"""Comparison of small gray pictures of one table: changed pixels, changed light."""

from __future__ import annotations

import math
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.sources.frames import GrayImage

SmoothImage = NDArray[np.float32]
"""A small gray picture after smoothing, h x w, 0-255."""
Mask = NDArray[np.bool_]

#: A pixel differs if it changes by more than this (of 255) plus this fraction of its brightness: lamps flicker by a few percent.
_MIN_DIFFERENCE: Final = 8.0
_FLICKER: Final = 0.06
#: With strong sensor noise the threshold is this many standard deviations.
_NOISE_SIGMAS: Final = 5.0
#: Largest standard deviation that counts as noise; more means another picture.
_MAX_NOISE: Final = 6.0
#: Median of the absolute value of a normal distribution, in standard deviations.
_MEDIAN_SIGMA: Final = 0.6745
#: Added to all pixels, because nearly black ones say little about the light.
_FLOOR: Final = 12.0
#: A brightness change by more than this factor counts as changed light.
_BRIGHTNESS_FACTOR: Final = 1.25
#: If more than this fraction of the picture differs, the light or the camera has changed.
_MAX_CHANGED: Final = 0.35


def smooth(small: GrayImage) -> SmoothImage:
    """Return a small gray picture (h x w uint8) with reduced noise, for comparison."""
    return np.asarray(cv2.blur(small, (3, 3)), np.float32)


def difference_mask(before: SmoothImage, now: SmoothImage) -> Mask:
    """Return where two pictures differ (h x w), after compensation of overall brightness and noise."""
    reference = match_brightness(before, now)
    difference = np.abs(now - reference)
    # Most of a table is still: the median of the differences measures the noise.
    noise = min(float(np.median(difference[::4, ::4])) / _MEDIAN_SIGMA, _MAX_NOISE)
    return np.asarray(
        difference > max(_MIN_DIFFERENCE, _NOISE_SIGMAS * noise) + _FLICKER * reference, np.bool_
    )


def classify_change(
    before: SmoothImage, now: SmoothImage, valid: Mask, *, same_place: bool
) -> tuple[Mask, list[str]]:
    """Return where the table changed (h x w) and the notes ``camera-moved`` or ``light-changed``.

    With a note, the whole picture counts as changed. Pixels outside ``valid`` (an arm) count as unchanged. ``same_place``: whether
    the pictures were recognized to show the table from the same place (`vision.geometry.registration.camera_motion`).
    """
    changed = difference_mask(before, now) & valid
    everywhere = np.ones(now.shape, np.bool_)
    if brightness_changed(before, now):
        return everywhere, ["light-changed"]
    if np.count_nonzero(changed) > _MAX_CHANGED * max(1, int(np.count_nonzero(valid))):
        return everywhere, ["light-changed" if same_place else "camera-moved"]
    return changed, []


def match_brightness(before: SmoothImage, now: SmoothImage) -> SmoothImage:
    """Return ``before`` scaled to the brightness of ``now``."""
    return np.asarray((before + _FLOOR) * _brightness_ratio(before, now) - _FLOOR, np.float32)


def brightness_changed(before: SmoothImage, now: SmoothImage) -> bool:
    """Return whether the overall brightness changed as by a lamp that was switched."""
    return abs(math.log(_brightness_ratio(before, now))) > math.log(_BRIGHTNESS_FACTOR)


def _brightness_ratio(before: SmoothImage, now: SmoothImage) -> float:
    """Return the median ratio of brightness between two pictures."""
    return float(np.median((now[::4, ::4] + _FLOOR) / (before[::4, ::4] + _FLOOR)))
