"""Picture matching: pixel-wise correlation of crops with the stored pictures of a deck, over the visible
part.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.pictures.crops import Image

Floats = NDArray[np.float32]

#: Size at which pictures are compared, px: printed lines are still distinct, and errors of the corners hardly matter.
_SIZE: Final = (16, 24)
#: Margin of the crop that is ignored, px at that size: it may show the table or the card below.
_EDGE: Final = 1
#: Shifts of the crop that are tried, px at that size (1 px is 6 % of a card's width); the first is no shift.
_SHIFTS: Final = ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1))
#: Number of most similar pictures, in either orientation, that are also compared shifted.
_SHIFTED_COUNT: Final = 6
_FLOOR: Final = 1e-3
#: Standard deviation (of 255) below which the visible part of a card has too little contrast for correlation.
_MIN_CONTRAST: Final = 10.0


class PictureMatcher:
    """Correlates crops with ``pictures`` (m x 96 x 64 x 3 uint8 BGR, upright)."""

    def __init__(self, pictures: Image) -> None:
        self._count = len(pictures)
        small = np.stack([_small(picture) for picture in pictures])
        both = np.concatenate((small, small[:, ::-1, ::-1]))
        width, height = _SIZE
        padded = np.pad(both, ((0, 0), (1, 1), (1, 1), (0, 0)), mode="edge")
        shifted = np.stack([padded[:, 1 + y : 1 + y + height, 1 + x : 1 + x + width] for y, x in _SHIFTS])
        centered = (shifted - shifted.mean(axis=(2, 3), keepdims=True)).astype(np.float32)
        # 2m x shifts x colors x pixels, and their squares summed over the colors.
        self._templates = np.ascontiguousarray(
            centered.reshape(len(_SHIFTS), len(both), -1, 3).transpose(1, 0, 3, 2)
        )
        self._squares = (self._templates**2).sum(axis=2)

    def correlate(self, crops: Image) -> tuple[Floats, Floats]:
        """Return the correlation of n ``crops`` (n x 96 x 64 x 4, mask last) with each picture (n x m x 2:
        upright, upside down), and its reliability (n, 0-1).

        Zero-mean normalized cross-correlation over the visible pixels, with the mean of each color channel
        removed, so that brightness and color cast do not count: -1 to 1, and 0 for crops without a visible
        part.
        """
        if not len(crops):
            return np.zeros((0, self._count, 2), np.float32), np.zeros(0, np.float32)
        weighted, weights, variance = _prepare(crops)
        count, unshifted = len(crops), self._templates[:, 0]
        correlation = _correlation(
            weighted.reshape(count, -1) @ unshifted.reshape(2 * self._count, -1).T,
            weights @ self._squares[:, 0].T,
            np.stack([weights @ unshifted[:, color].T for color in range(3)], axis=-1),
            variance[:, None],
        )
        chosen = np.argpartition(-correlation, min(_SHIFTED_COUNT, correlation.shape[1]) - 1, axis=1)[
            :, :_SHIFTED_COUNT
        ]
        # Crops x chosen x shifts x ..., as one product per crop.
        templates, squares = self._templates[chosen, 1:], self._squares[chosen, 1:]
        shape = templates.shape[:3]
        shifted = _correlation(
            (templates.reshape(count, shape[1] * shape[2], -1) @ weighted.reshape(count, -1, 1)).reshape(
                shape
            ),
            (squares.reshape(count, shape[1] * shape[2], -1) @ weights[:, :, None]).reshape(shape),
            (templates.reshape(count, shape[1] * shape[2] * 3, -1) @ weights[:, :, None]).reshape(*shape, 3),
            variance[:, None, None],
        )
        best = np.maximum(np.take_along_axis(correlation, chosen, axis=1), shifted.max(axis=2))
        np.put_along_axis(correlation, chosen, best, axis=1)
        likeness = np.ascontiguousarray(correlation.reshape(count, 2, self._count).swapaxes(1, 2))
        return likeness, variance / (variance + np.float32(3 * _MIN_CONTRAST**2))


def _small(image: Image) -> Floats:
    return np.asarray(cv2.resize(image, _SIZE, interpolation=cv2.INTER_AREA), np.float32)


def _prepare(crops: Image) -> tuple[Floats, Floats, Floats]:
    """Return weighted pixel values without the mean of each color (n x 3 x pixels), weights (n x pixels),
    and variances (n).
    """
    small = np.stack([_small(crop) for crop in crops])
    weights = small[..., 3] / np.float32(255)
    weights[:, :_EDGE] = weights[:, -_EDGE:] = weights[:, :, :_EDGE] = weights[:, :, -_EDGE:] = 0
    weights = weights.reshape(len(crops), -1)
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), _FLOOR)
    pixels = small[..., :3].reshape(len(crops), -1, 3).swapaxes(1, 2)
    pixels = pixels - (weights[:, None] * pixels).sum(axis=2, keepdims=True)
    weighted = np.ascontiguousarray(pixels * weights[:, None])
    return weighted, weights, (weighted * pixels).sum(axis=(1, 2))


def _correlation(cross: Floats, squares: Floats, means: Floats, variance: Floats) -> Floats:
    """Return correlations of crops with templates from weighted sums of products, squares, and colors
    (last axis).
    """
    spread = np.sqrt(np.maximum(variance * np.maximum(squares - (means**2).sum(axis=-1), 0), _FLOOR))
    return np.asarray(cross / spread, np.float32)
