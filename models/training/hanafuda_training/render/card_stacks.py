"""Drawing of squared card stacks in oblique view: only the top card is a detection target."""

from __future__ import annotations

from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from hanafuda_training.render.camera import SceneCamera
from hanafuda_training.render.card_drawing import DeckPrint
from hanafuda_training.render.compositing import draw_shadow, draw_sides
from hanafuda_training.render.deck_art import Face, random_color

Image = NDArray[np.uint8]
Rng = np.random.Generator

#: Value in the id map for the sides of a stack: they cover what is behind them and belong to no card.
SIDE_ID = 0


def draw_stack(
    rng: Rng,
    image: Image,
    ids: Image,
    camera: SceneCamera,
    corners: NDArray[np.float64],
    layers: int,
    top: Face,
    deck_print: DeckPrint,
) -> NDArray[np.float64]:
    """Draw a stack without its top card, in place; return the offset of the top card (x, y in mm).

    ``corners`` (4 x 3 mm) is the base, clockwise from above. The stack is drawn as one to four blocks with small
    offsets, as hand-squared stacks have.
    """
    strips = _strip(rng, layers, top, deck_print)
    blocks = 1 if rng.random() < 0.55 else min(int(rng.integers(2, 5)), layers)
    spread = rng.uniform(0.1, 1.2) if blocks > 1 else 0.0
    cuts = np.linspace(0, layers, blocks + 1).round().astype(int)
    middle = corners.mean(axis=0)
    shift = np.zeros(2)
    for low, high in pairwise(cuts.tolist()):
        if high <= low:
            continue
        shift = rng.normal(0, spread, 2)
        angle = rng.normal(0, 0.015 * spread)
        rotation = np.array([[1, angle, 0], [-angle, 1, 0], [0, 0, 1]])
        block = (corners - middle) @ rotation + middle + np.array([*shift, low * deck_print.thickness])
        height = (high - low) * deck_print.thickness
        base = camera.project(block)
        upper = camera.project(block + np.array([0, 0, height]))
        if base is None or upper is None:
            break
        if low == 0 and deck_print.shadow:
            scale = float(np.linalg.norm(base[1] - base[0])) / deck_print.size[0]
            rise = float(np.abs(upper - base).max())
            offset = np.array(deck_print.shadow_shift) * (scale + 0.4 * rise)
            draw_shadow(image, base, offset, deck_print.shadow, max(1, int(1.5 * scale)))
        strip = strips[low * 3 : high * 3]
        draw_sides(rng, image, ids, base, upper, strip, np.array(deck_print.shadow_shift), SIDE_ID)
        upper_px = upper.round().astype(np.int32)
        cv2.fillConvexPoly(image, upper_px, strip[-1, 0].tolist(), cv2.LINE_AA)
        cv2.fillConvexPoly(ids, upper_px, SIDE_ID)
    return shift


def _strip(rng: Rng, layers: int, top: Face, deck_print: DeckPrint) -> Image:
    """Return the texture of the sides: 3 rows for each card (face, core, back) x 48 px, lowest card first."""
    back = top.art[0].reshape(-1, 3).mean(axis=0)
    style = rng.random()
    if style < 0.4:  # wrapped or dark edges: nearly one color
        colors = np.tile(np.asarray(deck_print.edge if rng.random() < 0.4 else back * 0.9), (3, 1))
    elif style < 0.75:  # light paper between dark faces and backs
        paper = np.asarray(random_color(rng, 150, 250))
        colors = np.stack((np.asarray(deck_print.frame or (30, 28, 28)), paper, back))
    else:
        colors = np.stack((np.asarray(random_color(rng, 150, 250)), np.asarray(deck_print.edge), back))
    rows = np.tile(colors, (layers, 1))
    rows = rows * rng.uniform(0.8, 1.15, (len(rows), 1)) + rng.normal(0, 4, (len(rows), 3))
    strip = np.repeat(rows[:, None, :], 48, axis=1)
    if rng.random() < 0.5:
        strip = strip * rng.uniform(0.85, 1.12, (len(rows), 48, 1))
    return np.clip(strip, 0, 255).astype(np.uint8)
