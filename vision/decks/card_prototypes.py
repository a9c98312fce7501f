"""Card prototypes: embeddings of a card's picture under several lightings, whole and partly covered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.networks.recognizer import EMBEDDING, Recognizer
from vision.pictures.crops import RECOGNIZER_MARGIN, RECOGNIZER_SIZE, Image, Pyramid, Quads

_WIDTH, _HEIGHT = RECOGNIZER_SIZE
#: Simulated lightings: gain of each channel (BGR), gamma, blur (sigma, px), shift (x, y px), and scale.
_LIGHTINGS: Final = (
    ((1.0, 1.0, 1.0), 1.0, 0.0, (0, 0), 1.0),
    ((0.7, 0.85, 0.95), 1.25, 0.6, (1, -1), 1.02),
    ((1.1, 1.0, 0.9), 0.8, 0.9, (-1, 1), 0.98),
    ((0.6, 0.6, 0.62), 0.9, 0.4, (0, 2), 1.0),
)
#: Visible parts, as rows and columns of the crop: the whole card, and its halves.
_ALL: Final = slice(None)
_PARTS: Final = (
    (_ALL, _ALL),
    (slice(_HEIGHT // 2), _ALL),
    (slice(_HEIGHT // 2, None), _ALL),
    (_ALL, slice(_WIDTH // 2)),
    (_ALL, slice(_WIDTH // 2, None)),
)
#: Crops per inference: enough to use all cores, few enough for the memory of a small computer.
_BATCH: Final = 96


@dataclass(frozen=True, eq=False)
class CardPrototypes:
    """P embeddings of known cards: ``embeddings`` (P x 128 float32, unit length), ``classes`` (P, class
    indices in the profile), and ``upright`` (P, bool).
    """

    embeddings: NDArray[np.float32]
    classes: NDArray[np.intp]
    upright: NDArray[np.bool_]


def whole_picture(picture: Image) -> Image:
    """Return a picture that shows exactly one card as a recognizer crop (96 x 64 x 3), framed as the
    scanner frames cards.
    """
    height, width = picture.shape[:2]
    corners: Quads = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    return Pyramid(picture).cut(corners, RECOGNIZER_SIZE, RECOGNIZER_MARGIN)


def make_prototypes(recognizer: Recognizer, pictures: Image, classes: NDArray[np.intp]) -> CardPrototypes:
    """Embed upright ``pictures`` (n x 96 x 64 x 3 uint8 BGR) of cards of the given ``classes`` (n).

    Each picture yields ten prototypes: the whole card and four halves, upright and upside down, each the mean
    over four lightings. The hidden half is covered by another picture of the deck, as in a fan.
    """
    if not len(pictures):
        return CardPrototypes(
            np.zeros((0, EMBEDDING), np.float32), np.zeros(0, np.intp), np.zeros(0, np.bool_)
        )
    lit = [_relight(pictures, lighting) for lighting in _LIGHTINGS]
    means = []
    for end in (1, -1):
        for part in _PARTS:
            total = np.zeros((len(pictures), EMBEDDING), np.float32)
            for each in lit:
                crops = _partly_covered(each, part)[:, ::end, ::end]
                for start in range(0, len(crops), _BATCH):
                    total[start : start + _BATCH] += recognizer.infer(crops[start : start + _BATCH])[2]
            means.append(total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-9))
    return CardPrototypes(
        np.concatenate(means),
        np.tile(classes, 2 * len(_PARTS)),
        np.repeat((True, False), len(_PARTS) * len(pictures)),
    )


def _relight(
    pictures: Image, lighting: tuple[tuple[float, float, float], float, float, tuple[int, int], float]
) -> Image:
    """Return the pictures under a simulated lighting (see `_LIGHTINGS`)."""
    gains, gamma, blur, (x, y), size = lighting
    ramp = (np.arange(256) / 255)[:, None] ** gamma * 255 * np.array(gains)
    curve = np.clip(ramp, 0, 255).astype(np.uint8).reshape(256, 1, 3)
    move = np.array(
        ((size, 0, x + (1 - size) * _WIDTH / 2), (0, size, y + (1 - size) * _HEIGHT / 2)), np.float32
    )
    lit = []
    for picture in pictures:
        moved = cv2.warpAffine(
            cv2.LUT(picture, curve), move, RECOGNIZER_SIZE, borderMode=cv2.BORDER_REPLICATE
        )
        lit.append(cv2.GaussianBlur(moved, (0, 0), blur) if blur else moved)
    return np.asarray(lit, np.uint8)


def _partly_covered(pictures: Image, part: tuple[slice, slice]) -> Image:
    """Return crops (n x 96 x 64 x 4) of which only ``part`` is visible; the next picture of the deck
    covers the rest.
    """
    rows, columns = part
    crops = np.zeros((len(pictures), _HEIGHT, _WIDTH, 4), np.uint8)
    crops[..., :3] = np.roll(pictures, 1, axis=0)
    crops[:, rows, columns, :3] = pictures[:, rows, columns]
    crops[:, rows, columns, 3] = 255
    return crops
