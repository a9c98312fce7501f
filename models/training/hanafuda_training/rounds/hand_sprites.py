"""Hands as sprites: rendered once, then blended into each frame at the position of the fingertips."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hanafuda_training.render.hand_drawing import FOREIGN_ID, add_hand

__all__ = ["HandSprite", "draw_hand"]

Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class HandSprite:
    """A hand with its shadow.

    ``keep``: factor for the background (0-255). ``add``: color to add. ``covers``: mask of the pixels that the hand hides.
    ``tip``: position of the fingertips in the sprite, px.
    """

    keep: Image
    add: Image
    covers: NDArray[np.bool_]
    tip: tuple[int, int]

    def lay(self, image: Image, ids: Image, at: tuple[float, float]) -> None:
        """Blend the hand into ``image`` and ``ids``, in place, with its fingertips at ``at`` px."""
        height, width = ids.shape
        left, top = round(at[0]) - self.tip[0], round(at[1]) - self.tip[1]
        rows, columns = self.covers.shape
        x0, x1 = max(left, 0), min(left + columns, width)
        y0, y1 = max(top, 0), min(top + rows, height)
        if x1 <= x0 or y1 <= y0:
            return
        crop = np.s_[y0 - top : y1 - top, x0 - left : x1 - left]
        region = image[y0:y1, x0:x1]
        region[:] = cv2.add(cv2.multiply(region, self.keep[crop], scale=1 / 255), self.add[crop])
        ids[y0:y1, x0:x1][self.covers[crop]] = FOREIGN_ID


def draw_hand(seed: int, seat: int, bearing: float, size: tuple[int, int], scale: float) -> HandSprite:
    """Render the hand of the player at ``seat`` for pictures of ``size`` px at ``scale`` px per mm; deterministic for a seed.

    ``bearing``: direction of the arm, radians. The hand is drawn on white and on black; the difference gives its transparency.
    """
    direction = np.array((np.cos(bearing), np.sin(bearing)))
    span, rise = (round(float(side)) for side in size * (0.75 + 0.75 * np.abs(direction)))
    margin = 60 * scale
    middle = np.array((span, rise)) / 2
    # Place the fingertips near one edge of the sprite, which leaves room for an arm across the whole picture.
    tip = middle - direction * (middle - margin)
    lean = np.random.default_rng((seed, seat)).uniform(-0.35, 0.35)
    layers = []
    ids = np.zeros((rise, span), np.uint8)
    for background in (255, 0):
        layer = np.full((rise, span, 3), background, np.uint8)
        rng = np.random.default_rng((seed, seat, 1))
        add_hand(rng, layer, ids, (float(tip[0]), float(tip[1])), bearing + lean, scale)
        layers.append(layer)
    used = np.asarray(layers[0].min(axis=2) < 253, np.uint8)
    left, top, wide, high = cv2.boundingRect(used)
    box = np.s_[top : top + high, left : left + wide]
    keep = np.asarray(cv2.subtract(layers[0][box], layers[1][box]), np.uint8)
    return HandSprite(
        keep,
        np.ascontiguousarray(layers[1][box]),
        ids[box] == FOREIGN_ID,
        (round(float(tip[0])) - left, round(float(tip[1])) - top),
    )
