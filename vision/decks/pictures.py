"""The second vote: a crop laid over the kept pictures of a deck, pixel by pixel, where the crop shows the card."""

from __future__ import annotations

from itertools import product
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.crops import Image

Floats = NDArray[np.float32]

#: Size at which pictures are compared, px: printed lines of a card still stand apart, its corners' errors hardly count.
_SIZE: Final = (16, 24)
#: Edge of the crop that is left out, px of that size: a table, or the card below, shows there.
_EDGE: Final = 1
#: How far a crop may lie off its picture, px of that size each way (a pixel is 6 % of a card's width).
_SHIFTS: Final = tuple(product((-1, 0, 1), repeat=2))
#: The likeliest pictures, from whichever end, that are also laid shifted.
_CHOSEN: Final = 8
_FLOOR: Final = 1e-3


class PictureVote:
    """Correlates crops with ``pictures`` (m x 96 x 64 x 3 uint8 BGR, upright)."""

    def __init__(self, pictures: Image) -> None:
        self._count = len(pictures)
        small = np.stack([_small(picture) for picture in pictures])
        both = np.concatenate((small, small[:, ::-1, ::-1]))
        # Shifted copies, replicated at the edge: shifts x 2m x pixels x 3.
        width, height = _SIZE
        wide = np.pad(both, ((0, 0), (1, 1), (1, 1), (0, 0)), mode="edge")
        shifted = np.stack([wide[:, 1 + y : 1 + y + height, 1 + x : 1 + x + width] for y, x in _SHIFTS])
        centred = shifted - shifted.mean(axis=(2, 3), keepdims=True)
        self._templates = centred.reshape(len(_SHIFTS), len(both), -1, 3).astype(np.float32)

    def correlate(self, crops: Image) -> Floats:
        """Return how like each of n ``crops`` (n x 96 x 64 x 4, the visible part last) is to each picture: n x m x 2.

        The last axis: laid upright, laid turned. Zero-mean normalised correlation over the visible pixels, each colour
        freed of its own mean, so that light and its colour do not count; -1 to 1, 0 for a crop that shows nothing.
        """
        answer = np.zeros((len(crops), 2 * self._count), np.float32)
        if not len(crops):
            return answer.reshape(0, self._count, 2)
        pixels, weights = _prepared(crops)
        unshifted = self._templates[_SHIFTS.index((0, 0))]
        answer[:] = _correlated(pixels, weights, unshifted)
        chosen = np.argsort(-answer, axis=1)[:, :_CHOSEN]
        for row, columns in enumerate(chosen):
            near = self._templates[:, columns].reshape(-1, *unshifted.shape[1:])
            best = _correlated(pixels[row : row + 1], weights[row : row + 1], near)
            answer[row, columns] = best.reshape(len(_SHIFTS), -1).max(axis=0)
        return np.ascontiguousarray(answer.reshape(len(crops), 2, self._count).swapaxes(1, 2))


def _small(image: Image) -> Floats:
    return np.asarray(cv2.resize(image, _SIZE, interpolation=cv2.INTER_AREA), np.float32)


def _prepared(crops: Image) -> tuple[Floats, Floats]:
    """Return n x pixels x 3 values, each colour's mean over the visible pixels taken off, and n x pixels weights."""
    small = np.stack([_small(crop) for crop in crops])
    weights = small[..., 3] / np.float32(255)
    weights[:, :_EDGE] = weights[:, -_EDGE:] = weights[:, :, :_EDGE] = weights[:, :, -_EDGE:] = 0
    weights = weights.reshape(len(crops), -1)
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), _FLOOR)
    pixels = small[..., :3].reshape(len(crops), -1, 3)
    pixels -= (weights[:, :, None] * pixels).sum(axis=1, keepdims=True)
    return pixels, weights


def _correlated(pixels: Floats, weights: Floats, templates: Floats) -> Floats:
    """Return the weighted correlation of each of n crops with each of t templates (t x pixels x 3): n x t."""
    count = len(templates)
    weighted = pixels * weights[:, :, None]
    cross = weighted.reshape(len(pixels), -1) @ templates.reshape(count, -1).T
    squares = weights @ (templates**2).sum(axis=2).T
    for colour in range(3):
        squares -= (weights @ templates[:, :, colour].T) ** 2
    own = (weighted * pixels).sum(axis=(1, 2))
    spread = np.sqrt(np.maximum(own[:, None] * squares, _FLOOR))
    return np.asarray(cross / spread, np.float32)
