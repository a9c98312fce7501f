"""The mat's white and grey patches: what the lamp's colour and brightness are, and the gains that undo them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.registration.camera_fit import Floats
from vision.geometry.registration.table_registration import Registration
from vision.networks.crops import Image

#: A patch is looked at within this share of its sides, so that its outline and blur stay out.
_INNER: Final = 0.6
_PATCH_PX: Final = 12
#: A patch whose levels spread more is covered, or lies in a shadow's edge.
_MOST_SPREAD: Final = 14.0
#: A level above is cut off; below, noise decides the colour.
_CLIPPED: Final = 250.0
_DARK: Final = 25.0
#: No lamp and camera need more; beyond this something coloured lies on the patch.
_MOST_GAIN: Final = 2.2
#: White patches of one table agree about the lamp's colour this well, as a ratio; one that does not is left out.
_AGREE: Final = 1.15


@dataclass(frozen=True)
class PatchLevels:
    """What the patches show: levels (3, BGR 0-255) of the white and grey ones that lie open.

    ``gains`` (blue, green, red; green is 1) bring grey to grey; None where the patches do not agree or say something no lamp does.
    ``unevenness``: how many times brighter the brightest white patch is than the darkest. ``clipped``: whether white is cut off.
    """

    whites: tuple[NDArray[np.float64], ...]
    gains: tuple[float, float, float] | None
    unevenness: float
    clipped: bool


def read_patches(bgr: Image, registration: Registration) -> PatchLevels | None:
    """Read the patches of a registered table; None where none lies open in the picture (H x W x 3 uint8)."""
    whites = _levels(bgr, registration, registration.whites)
    if not whites:
        return None
    bright = [float(level.max()) for level in whites]
    clipped = float(np.median(bright)) >= _CLIPPED
    trusted = [level for level in whites if level.max() < _CLIPPED]
    if len(trusted) < 2:  # the grey beside a white that is cut off still tells the lamp's colour
        trusted = [
            level for level in _levels(bgr, registration, registration.greys) if level.max() < _CLIPPED
        ]
    greens = [float(level[1]) for level in whites]
    return PatchLevels(tuple(whites), _gains(trusted), max(greens) / max(min(greens), 1.0), clipped)


def balance_colors(bgr: Image, gains: tuple[float, float, float]) -> Image:
    """Return the picture with each channel brought to where grey is grey."""
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
    if not all(1 / _MOST_GAIN <= gain <= _MOST_GAIN for gain in (blue, green, red)):
        return None
    return blue, green, red


def _levels(bgr: Image, registration: Registration, quads: tuple[Floats, ...]) -> list[NDArray[np.float64]]:
    """Return the level (3, BGR) of each patch that lies open and wholly in the picture."""
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
        if float(sampled.std(axis=0).max()) <= _MOST_SPREAD:
            found.append(np.median(sampled.astype(np.float64), axis=0))
    return found
