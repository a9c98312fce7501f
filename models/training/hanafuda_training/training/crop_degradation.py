"""Motion blur and reflections in recognizer crops: what a moving camera and a lamp do to a card."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from vision.pictures.crops import RECOGNIZER_SIZE, Image

Rng = np.random.Generator

#: Fraction of crops that are left as they are, and of those with motion blur, a reflection, or (the rest) both.
_UNCHANGED: Final = 0.42
_BLURRED: Final = 0.28
_DAZZLED: Final = 0.26
#: Motion, px of a crop, in which a card is 62 px wide: gamma distributed with this shape and scale (a median of 9.5 px), within limits.
_MOTION_SHAPE: Final = 4.0
_MOTION_SCALE: Final = 2.6
_MOTION_LIMITS: Final = (2.5, 24.0)
#: Standard deviation of how far the path of the motion bends to the side, as a fraction of its length.
_BEND: Final = 0.12
#: Reflections: levels added (0-1 of white; at 1 nothing of the card would be left), half axes and softness of the edge in crop widths.
_STRENGTH: Final = (0.3, 0.97)
_HALF_AXES: Final = (0.35, 1.3)
_SOFTNESS: Final = (0.05, 0.4)


def smeared(rng: Rng, crop: Image) -> Image:
    """Return a crop (H x W x 3) with motion blur along a nearly straight path in a random direction."""
    px = float(np.clip(rng.gamma(_MOTION_SHAPE, _MOTION_SCALE), *_MOTION_LIMITS))
    side = (int(np.ceil(px)) | 1) + 2
    kernel = np.zeros((side, side), np.float32)
    angle, center = rng.uniform(0, np.pi), side // 2
    half = np.array((np.cos(angle), np.sin(angle))) * px / 2
    across = np.array((-half[1], half[0])) * rng.normal(0, _BEND)
    path = np.array((center - half, center + across, center + half)).round().astype(np.int32)
    cv2.polylines(kernel, [path], False, 1.0)
    return np.asarray(cv2.filter2D(crop, -1, kernel / kernel.sum(), borderType=cv2.BORDER_REFLECT), np.uint8)


def dazzled(rng: Rng, crop: Image) -> Image:
    """Return a crop (H x W x 3 of `RECOGNIZER_SIZE`) with one or two soft reflections, added as light is."""
    width, height = RECOGNIZER_SIZE
    light = np.zeros((height, width), np.float32)
    for _ in range(1 if rng.random() < 0.8 else 2):
        x, y = rng.normal((width / 2, height / 2), (0.22 * width, 0.22 * height))
        axes = rng.uniform(*_HALF_AXES, 2) * width
        box = ((float(x), float(y)), (2 * float(axes[0]), 2 * float(axes[1])), float(rng.uniform(0, 180)))
        cv2.ellipse(light, box, 255 * float(rng.uniform(*_STRENGTH)), -1)
    soft = cv2.GaussianBlur(light, (0, 0), width * float(rng.uniform(*_SOFTNESS)))
    tint = 1 - np.abs(rng.normal(0, 0.04, 3))
    return np.asarray(np.clip(crop + soft[..., None] * tint, 0, 255), np.uint8)


def degraded(rng: Rng, crop: Image) -> Image:
    """Return a crop (3 x H x W) as a bad photograph shows it, or unchanged.

    The noise of the sensor and JPEG's errors come after the light.
    """
    chance = rng.random()
    if chance < _UNCHANGED:
        return crop
    picture = np.ascontiguousarray(crop.transpose(1, 2, 0))
    if not _UNCHANGED + _BLURRED <= chance < _UNCHANGED + _BLURRED + _DAZZLED:
        picture = smeared(rng, picture)
    if chance >= _UNCHANGED + _BLURRED:
        picture = dazzled(rng, picture)
    noise = rng.normal(0, rng.uniform(0, 4), picture.shape)
    if rng.random() < 0.3:
        noise = np.asarray(cv2.blur(noise, (2, 2)) * 1.6, np.float64)
    picture = np.clip(picture + noise, 0, 255).astype(np.uint8)
    if rng.random() < 0.4:
        jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(60, 96))])[1]
        picture = np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), np.uint8)
    return np.ascontiguousarray(picture.transpose(2, 0, 1))
