"""Lighting of a composed scene: lamps, shadows of objects outside the picture, reflections."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import CARD_MM
from hanafuda_training.render.scene_factors import NamedGenerators, SceneFactors

Image = NDArray[np.uint8]
Rng = np.random.Generator


def apply_lighting(dice: NamedGenerators, factors: SceneFactors, image: Image, card_px: float) -> Image:
    """Return the picture with lamp gradients, soft and straight-edged shadows, and glare."""
    height, width = image.shape[:2]
    rows, columns = height // 8 + 1, width // 8 + 1
    field = np.ones((rows, columns, 3), np.float32)
    if factors.lamps:
        _lamps(dice.of("lamps"), field, factors.lamps)
    rng = dice.of("shadows")
    for _ in range(rng.poisson(0.5 * factors.shadows)):
        _shadow(rng, field)
    lit = np.asarray(cv2.resize(np.clip(field, 0.06, 3), (width, height)), np.float32)
    if rng.random() < 0.25 * factors.shadows:
        _straight_shadow(rng, lit)
    image = np.asarray(cv2.multiply(image, lit, dtype=cv2.CV_8U), np.uint8)
    rng = dice.of("glare")
    if rng.random() < 0.33 * factors.glare:
        image = _glare(rng, image, card_px / CARD_MM[0])
    return image


def _lamps(rng: Rng, field: NDArray[np.float32], strength: float) -> None:
    rows, columns = field.shape[:2]
    ys, xs = np.mgrid[0:rows, 0:columns].astype(np.float32)
    for _ in range(rng.integers(1, 4)):
        angle = rng.uniform(0, 2 * np.pi)
        ramp = np.cos(angle) * (xs / columns - 0.5) + np.sin(angle) * (ys / rows - 0.5)
        warm = np.array([rng.uniform(0.75, 1.1), 1.0, rng.uniform(0.95, 1.2)], np.float32)
        field += (strength * rng.uniform(0, 0.9) * ramp)[..., None] * warm
    if rng.random() < 0.3:  # a lamp near the table
        at = rng.uniform((0, 0), (columns, rows))
        radius = columns * rng.uniform(0.25, 0.9)
        pool = np.exp(-((xs - at[0]) ** 2 + (ys - at[1]) ** 2) / (2 * radius**2))
        field += (strength * rng.uniform(0.2, 0.9) * (pool - 0.5))[..., None]
    color = 1 + strength * rng.uniform(-0.15, 0.15, 3)
    field *= (color * min(1.4, np.exp(rng.normal(0.0, 0.25) * strength))).astype(np.float32)


def _shadow(rng: Rng, field: NDArray[np.float32]) -> None:
    """Darken ``field`` by the soft shadow of a head, a hand or a box, in place."""
    rows, columns = field.shape[:2]
    mask = np.zeros((rows, columns), np.float32)
    if rng.random() < 0.5:
        spread = rng.normal(0, columns * 0.3, (rng.integers(3, 6), 2))
        cv2.fillPoly(mask, [(spread + rng.uniform((0, 0), (columns, rows))).astype(np.int32)], 1.0)
    else:
        at = (int(rng.integers(columns)), int(rng.integers(rows)))
        axes = (int(rng.integers(4, columns)), int(rng.integers(4, rows)))
        cv2.ellipse(mask, at, axes, float(rng.uniform(0, 180)), 0, 360, 1.0, -1)
    # The field has an eighth of the picture's size: unblurred edges would show steps.
    mask = np.asarray(cv2.GaussianBlur(mask, (0, 0), float(rng.uniform(0.9, 6))), np.float32)
    field *= 1 - rng.uniform(0.15, 0.6) * mask[..., None]


def _straight_shadow(rng: Rng, lit: NDArray[np.float32]) -> None:
    """Darken a half-plane, a band or a corner with straight edges, in place, at full size."""
    height, width = lit.shape[:2]
    mask = np.zeros((height, width), np.uint8)
    at = rng.uniform((0, 0), (width, height))
    angle = rng.uniform(0, 2 * np.pi)
    along = np.array((np.cos(angle), np.sin(angle)))
    across = np.array((-along[1], along[0]))
    depth = width * (3.0 if rng.random() < 0.5 else rng.uniform(0.05, 0.6))
    ends = (2.5 * width, 2.5 * width) if rng.random() < 0.6 else (0.0, 2.5 * width)
    points = np.array([at - along * ends[0], at + along * ends[1]])
    far = points[::-1] + across * depth + along * rng.normal(0, 0.3 * depth, (2, 1))
    cv2.fillPoly(mask, [np.concatenate((points, far)).astype(np.int32)], 255, cv2.LINE_AA)
    if rng.random() < 0.6:
        size = int(rng.integers(1, 8)) * 2 + 1
        mask = np.asarray(cv2.blur(mask, (size, size)), np.uint8)
    curve = np.linspace(1, 1 - rng.uniform(0.2, 0.65), 256).astype(np.float32)
    keep = cv2.LUT(mask, curve)
    lit *= keep[..., None]


def _glare(rng: Rng, image: Image, scale: float) -> Image:
    """Add reflections of 5-60 mm; ``scale`` is in px per mm."""
    height, width = image.shape[:2]
    glare = np.zeros((height // 2, width // 2), np.uint8)
    for _ in range(rng.integers(1, 4)):
        at = (int(rng.integers(width // 2)), int(rng.integers(height // 2)))
        axes = np.maximum(1, scale / 4 * rng.uniform(5, 60, 2)).astype(int)
        turn, strength = float(rng.uniform(0, 180)), int(255 * rng.uniform(0.2, 0.9))
        if rng.random() < 0.75:
            cv2.ellipse(glare, at, (int(axes[0]), int(axes[1])), turn, 0, 360, strength, -1)
        else:  # a window or a tube
            corners = cv2.boxPoints((at, (float(axes[0]) * 2, float(axes[1])), turn))
            cv2.fillConvexPoly(glare, corners.astype(np.int32), strength)
    glare = np.asarray(
        cv2.GaussianBlur(glare, (0, 0), min(12.0, max(0.5, scale * float(rng.uniform(0.5, 6))))), np.uint8
    )
    glare = np.asarray(cv2.resize(glare, (width, height)), np.uint8)
    return np.asarray(cv2.add(image, cv2.merge((glare, glare, glare))), np.uint8)
