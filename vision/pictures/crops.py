"""Crops: rectifying the area of a quad into an upright image, sampled at a resolution that skips no source
pixels.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Quads = NDArray[np.float32]
Floats = NDArray[np.float64]
GrayImage = NDArray[np.uint8]

#: Size of the refiner's crop, px (width, height).
REFINER_SIZE: Final = (80, 112)
#: Margin around the card in the refiner's crop, as a fraction of the card's width and height.
REFINER_MARGIN: Final = 0.2
#: Size of the refiner's visibility mask, cells (columns, rows).
MASK_SIZE: Final = (20, 28)
#: From pixel coordinates whose origin is the center of the first pixel to those whose origin is its corner, and back.
_TO_CORNER: Final = np.array(((1, 0, 0.5), (0, 1, 0.5), (0, 0, 1)))
_TO_CENTER: Final = np.linalg.inv(_TO_CORNER)
#: Size of the recognizer's crop, px (width, height).
RECOGNIZER_SIZE: Final = (64, 96)
#: Margin around the card in the recognizer's crop, as a fraction of its width and height.
RECOGNIZER_MARGIN: Final = 0.02


def card_frame(size: tuple[int, int], margin: float) -> Quads:
    """Return the corners (4 x 2 px) of the card within a crop of ``size`` px with ``margin``."""
    width, height = size
    inset_x, inset_y = width * margin / (1 + 2 * margin), height * margin / (1 + 2 * margin)
    left, top, right, bottom = inset_x, inset_y, width - inset_x, height - inset_y
    return np.array([(left, top), (right, top), (right, bottom), (left, bottom)], np.float32)


def crop_to_picture(quads: Quads, size: tuple[int, int], margin: float) -> Floats:
    """Return the homographies (n x 3 x 3) from crops of ``size`` px with ``margin`` to the picture of
    ``quads`` (n x 4 x 2 px).

    Uses the closed form of Heckbert (Fundamentals of Texture Mapping and Image Warping, 1989, section 2.2.3),
    for all quads at once.
    """
    (x0, x1, x2, x3), (y0, y1, y2, y3) = quads.astype(np.float64).transpose(2, 1, 0)
    across, along = (x1 - x2, y1 - y2), (x3 - x2, y3 - y2)
    excess = (x0 - x1 + x2 - x3, y0 - y1 + y2 - y3)
    area = across[0] * along[1] - along[0] * across[1]
    area = np.where(np.abs(area) < 1e-9, 1e-9, area)
    g = (excess[0] * along[1] - along[0] * excess[1]) / area
    h = (across[0] * excess[1] - excess[0] * across[1]) / area
    square = np.stack(
        (
            x1 - x0 + g * x1,
            x3 - x0 + h * x3,
            x0,
            y1 - y0 + g * y1,
            y3 - y0 + h * y3,
            y0,
            g,
            h,
            np.ones_like(g),
        ),
        axis=-1,
    ).reshape(-1, 3, 3)
    (left, top), _, (right, bottom), _ = card_frame(size, margin).astype(np.float64)
    width, height = right - left, bottom - top
    to_square = np.array(((1 / width, 0, -left / width), (0, 1 / height, -top / height), (0, 0, 1)))
    return np.asarray(square @ to_square, np.float64)


def map_points(maps: Floats, points: Quads) -> Quads:
    """Apply n homographies to n x m x 2 points: row i of ``points`` by ``maps[i]``."""
    mapped = points @ np.swapaxes(maps[:, :2, :2], 1, 2) + maps[:, None, :2, 2]
    depth = points @ maps[:, 2, :2, None] + maps[:, None, 2:, 2]
    return np.asarray(mapped / depth, np.float32)


def for_opencv(maps: Floats) -> Floats:
    """Return the maps (n x 3 x 3) for OpenCV's pixel coordinates, whose origin is the center of the first
    pixel instead of its corner.
    """
    return np.asarray(_TO_CENTER @ maps @ _TO_CORNER, np.float64)


def warp(source: Image, back: Floats, out: Image) -> None:
    """Fill ``out`` with pixels of ``source``; ``back`` (3 x 3, see `for_opencv`) maps points of ``out`` to
    points of ``source``.
    """
    size = (out.shape[1], out.shape[0])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    cv2.warpPerspective(source, back, size, dst=out, flags=flags, borderMode=cv2.BORDER_REPLICATE)


class Pyramid:
    """A BGR picture (H x W x 3 uint8) and its successive halvings, which are computed when first needed."""

    def __init__(self, image: Image) -> None:
        self._levels = [image]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture, px."""
        return self._levels[0].shape[1], self._levels[0].shape[0]

    def above(self, scale: float) -> tuple[Image, int]:
        """Return the smallest level at least as large as the picture resized by ``scale``, and the number
        of that level.
        """
        level = 0
        while scale <= 0.5 ** (level + 1) and min(self._level(level).shape[:2]) > 64:
            level += 1
        return self._level(level), level

    def cut(self, quad: Quads, size: tuple[int, int], margin: float) -> Image:
        """Rectify the card at ``quad`` (4 x 2 px of the full picture) into a crop of ``size``."""
        return np.asarray(self.cut_all(quad[None], size, margin)[0], np.uint8)

    def cut_all(self, quads: Quads, size: tuple[int, int], margin: float) -> Image:
        """Rectify the cards at ``quads`` (n x 4 x 2 px of the full picture) into crops: n x height x width x 3."""
        crops = np.empty((len(quads), size[1], size[0], 3), np.uint8)
        maps = crop_to_picture(quads, size, margin)
        spans = np.linalg.norm(quads[:, (1, 2)] - quads[:, (0, 3)], axis=2).max(axis=1)
        levels = []
        for wide in spans.tolist():
            level = 0
            while wide > 1.7 * size[0] * 2**level and min(self._level(level).shape[:2]) > 64:
                level += 1
            levels.append(level)
        maps[:, :2] *= np.power(0.5, levels)[:, None, None]
        for crop, back, level in zip(crops, for_opencv(maps), levels, strict=True):
            warp(self._level(level), back, crop)
        return crops

    def _level(self, level: int) -> Image:
        while len(self._levels) <= level:
            last = self._levels[-1]
            size = (max(1, last.shape[1] // 2), max(1, last.shape[0] // 2))
            self._levels.append(np.asarray(cv2.resize(last, size, interpolation=cv2.INTER_AREA), np.uint8))
        return self._levels[level]


def rotate_half_turn(quad: Quads) -> Quads:
    """Return the quad (or quads) starting at the opposite corner, which rotates the card by half a turn."""
    return np.asarray(quad[..., [2, 3, 0, 1], :], np.float32)
