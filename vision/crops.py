"""Cutting cards out of a picture: from a quad to an upright crop, without skipping source pixels."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Quads = NDArray[np.float32]

#: Refiner crop, px (width, height), and the margin around the card as a share of the card's width and height.
REFINE_SIZE: Final = (80, 112)
REFINE_MARGIN: Final = 0.2
#: Cells of the refiner's mask (columns, rows).
MASK_SIZE: Final = (20, 28)
#: Recogniser crop, px (width, height), and its margin.
NAME_SIZE: Final = (64, 96)
NAME_MARGIN: Final = 0.02


def frame(size: tuple[int, int], margin: float) -> Quads:
    """Return where the card's corners lie in a crop of ``size`` px with ``margin`` (4 x 2)."""
    width, height = size
    inset_x, inset_y = width * margin / (1 + 2 * margin), height * margin / (1 + 2 * margin)
    left, top, right, bottom = inset_x, inset_y, width - inset_x, height - inset_y
    return np.array([(left, top), (right, top), (right, bottom), (left, bottom)], np.float32)


class Pyramid:
    """A BGR picture (H x W x 3 uint8) and its halvings, made when first asked for."""

    def __init__(self, image: Image) -> None:
        self._levels = [image]

    def cut(self, quad: Quads, size: tuple[int, int], margin: float) -> Image:
        """Rectify the card at ``quad`` (4 x 2 px of the full picture) into a crop of ``size``."""
        span = max(float(np.linalg.norm(quad[1] - quad[0])), float(np.linalg.norm(quad[2] - quad[3])))
        level = 0
        while span > 1.7 * size[0] and min(self._level(level).shape[:2]) > 64:
            span /= 2
            level += 1
        source = self._level(level)
        matrix = cv2.getPerspectiveTransform(
            (quad / 2**level - 0.5).astype(np.float32), frame(size, margin) - np.float32(0.5)
        )
        return np.asarray(
            cv2.warpPerspective(
                source, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
            ),
            np.uint8,
        )

    def _level(self, level: int) -> Image:
        while len(self._levels) <= level:
            last = self._levels[-1]
            size = (max(1, last.shape[1] // 2), max(1, last.shape[0] // 2))
            self._levels.append(np.asarray(cv2.resize(last, size, interpolation=cv2.INTER_AREA), np.uint8))
        return self._levels[level]


def turned(quad: Quads) -> Quads:
    """Return the quad read from its other end: corners rotated by half a turn."""
    return np.asarray(quad[..., [2, 3, 0, 1], :], np.float32)
