"""Hands and sleeves over the table: they hide cards and are none."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training.art import CARD_MM, random_colour
from vision.training.cards import blend

Image = NDArray[np.uint8]
Rng = np.random.Generator

#: Id map value of things that lie over cards but are none.
FOREIGN_ID: Final = 255


def add_hand(rng: Rng, image: Image, ids: Image, card_px: float) -> None:
    """Draw a hand or sleeve reaching in from an edge: fingers as thick rounded strokes of skin."""
    height, width = ids.shape
    mm = card_px / CARD_MM[0]
    tip = rng.uniform((0.1 * width, 0.1 * height), (0.9 * width, 0.9 * height))
    angle = rng.uniform(0, 2 * np.pi)
    direction = np.array((np.cos(angle), np.sin(angle)))
    side = np.array((-direction[1], direction[0]))
    skin = np.array(
        [(120, 160, 215), (95, 130, 190), (60, 85, 130), (150, 185, 235)][rng.integers(4)]
    ) * rng.uniform(0.7, 1.1)
    mask = np.zeros((height, width), np.uint8)
    palm = tip + direction * 75 * mm
    for finger in range(-2, 3):
        start = (
            tip
            + side * finger * 15 * mm * rng.uniform(0.7, 1.3)
            + direction * abs(finger) * rng.uniform(4, 14) * mm
        )
        cv2.line(
            mask,
            start.astype(int).tolist(),
            palm.astype(int).tolist(),
            255,
            max(2, int(16 * mm)),
            cv2.LINE_AA,
        )
    cv2.circle(mask, palm.astype(int).tolist(), max(2, int(42 * mm)), 255, -1)
    shade = cv2.resize(
        rng.normal(1, 0.09, (max(2, height // 40), max(2, width // 40))).astype(np.float32),
        (width, height),
        interpolation=cv2.INTER_CUBIC,
    )
    sleeve = np.zeros_like(mask)
    cv2.line(
        sleeve,
        (palm + direction * 50 * mm).astype(int).tolist(),
        (palm + direction * 600 * mm).astype(int).tolist(),
        255,
        max(3, int(85 * mm)),
    )
    ground = cv2.GaussianBlur(np.maximum(mask, sleeve), (0, 0), max(1.0, 5 * mm))
    image[:] = cv2.multiply(image, cv2.merge([255 - (ground * 0.45).astype(np.uint8)] * 3), scale=1 / 255)
    blend(image, np.clip(skin * shade[..., None], 0, 255).astype(np.uint8), mask)
    blend(image, np.clip(np.asarray(random_colour(rng)) * shade[..., None], 0, 255).astype(np.uint8), sleeve)
    ids[(mask > 127) | (sleeve > 127)] = FOREIGN_ID
