"""Color balance from the mat's white and gray patches: color and brightness of the light, and the gains
that correct them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.fitting import Floats
from vision.geometry.registration.table_registration import Registration
from vision.pictures.crops import Image

#: Fraction of a patch's sides that is sampled, to exclude its outline and blur.
_INNER: Final = 0.6
_PATCH_PX: Final = 12
#: Maximum standard deviation of a patch's levels; above it the patch is covered or at the edge of a shadow.
_MAX_SPREAD: Final = 14.0
#: Level from which a channel is overexposed, and level below which noise dominates the color.
_CLIPPED: Final = 250.0
_DARK: Final = 25.0
#: Maximum gain; light never needs more, so a larger one means a colored object on the patch.
_MAX_GAIN: Final = 2.2
#: Maximum ratio of a patch's gains to the median of all patches; others are dropped.
_AGREE: Final = 1.15


@dataclass(frozen=True)
class PatchLevels:
    """The visible patches: levels (3, BGR 0-255) of the white ones.

    ``gains`` (blue, green, red; green is 1) that make gray neutral, None if the patches disagree or the gains
    are implausible. ``unevenness``: ratio of the brightest to the darkest white patch. ``clipped``: whether
    white is overexposed.
    """

    whites: tuple[NDArray[np.float64], ...]
    gains: tuple[float, float, float] | None
    unevenness: float
    clipped: bool


def read_patches(bgr: Image, registration: Registration) -> PatchLevels | None:
    """Measure the patches of a registered table, or return None if none is visible in the picture (H x W x
    3 uint8).
    """
    whites = _levels(bgr, registration, registration.whites)
    if not whites:
        return None
    bright = [float(level.max()) for level in whites]
    clipped = float(np.median(bright)) >= _CLIPPED
    trusted = [level for level in whites if level.max() < _CLIPPED]
    if len(trusted) < 2:  # gray patches show the color of the light even if the white ones are overexposed
        trusted = [
            level for level in _levels(bgr, registration, registration.grays) if level.max() < _CLIPPED
        ]
    greens = [float(level[1]) for level in whites]
    return PatchLevels(tuple(whites), _gains(trusted), max(greens) / max(min(greens), 1.0), clipped)


def balance_colors(bgr: Image, gains: tuple[float, float, float]) -> Image:
    """Return the picture with the gains applied to its channels."""
    table = np.clip(np.arange(256)[:, None] * np.array(gains), 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(bgr, table[None]), np.uint8)


def _gains(levels: list[NDArray[np.float64]]) -> tuple[float, float, float] | None:
    levels = [level for level in levels if level.min() >= _DARK]
    if len(levels) < 2:
        return None
    gains = np.array([level[1] / level for level in levels])
    middle = np.median(gains, axis=0)
    agree = (np.maximum(gains / middle, middle / gains) < _AGREE).all(axis=1)
    if agree.sum() * 2 <= len(levels):
        return None
    blue, green, red = (float(gain) for gain in gains[agree].mean(axis=0))
    if not all(1 / _MAX_GAIN <= gain <= _MAX_GAIN for gain in (blue, green, red)):
        return None
    return blue, green, red


def _levels(bgr: Image, registration: Registration, quads: tuple[Floats, ...]) -> list[NDArray[np.float64]]:
    """Return the level (3, BGR) of each patch that is uncovered and entirely in the picture."""
    steps = np.linspace(0.5 - _INNER / 2, 0.5 + _INNER / 2, _PATCH_PX)
    found = []
    for quad in quads:
        right, down = quad[1] - quad[0], quad[3] - quad[0]
        places = quad[0] + steps[None, :, None] * right + steps[:, None, None] * down
        there = registration.to_px(places)
        if (there < 1).any() or (there > np.array(registration.lens.size) - 2).any():
            continue
        sampled = cv2.remap(
            cv2.blur(bgr, (3, 3)) if bgr.shape[0] < 400 else bgr,
            there[..., 0].astype(np.float32),
            there[..., 1].astype(np.float32),
            cv2.INTER_LINEAR,
        ).reshape(-1, 3)
        if float(sampled.std(axis=0).max()) <= _MAX_SPREAD:
            found.append(np.median(sampled.astype(np.float64), axis=0))
    return found
