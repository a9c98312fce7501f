"""Squared stacks of cards seen aslant: a top to be found, and layered sides that are no cards."""

from __future__ import annotations

from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.render.camera import Camera
from vision.render.card_drawing import Print
from vision.render.compositing import cast_shadow, draw_sides
from vision.render.deck_art import Face, random_colour

Image = NDArray[np.uint8]
Rng = np.random.Generator

#: Id map value of a stack's side: it hides what is behind it and is nobody's.
SIDE_ID = 0


def draw_stack(
    rng: Rng,
    image: Image,
    ids: Image,
    camera: Camera,
    corners: NDArray[np.float64],
    layers: int,
    top: Face,
    look: Print,
) -> NDArray[np.float64]:
    """Draw all of a stack but its uppermost card, in place; return how the card on top lies askew to it, 2 mm.

    ``corners`` 4 x 3 mm of its base, clockwise seen from above. The stack is drawn in one to four blocks, each
    pushed a little aside, as hands square them.
    """
    strips = _strip(rng, layers, top, look)
    blocks = 1 if rng.random() < 0.55 else min(int(rng.integers(2, 5)), layers)
    askew = rng.uniform(0.1, 1.2) if blocks > 1 else 0.0
    cuts = np.linspace(0, layers, blocks + 1).round().astype(int)
    middle = corners.mean(axis=0)
    shift = np.zeros(2)
    for low, high in pairwise(cuts.tolist()):
        if high <= low:
            continue
        shift = rng.normal(0, askew, 2)
        turn = rng.normal(0, 0.015 * askew)
        spin = np.array([[1, turn, 0], [-turn, 1, 0], [0, 0, 1]])
        block = (corners - middle) @ spin + middle + np.array([*shift, low * look.thickness])
        height = (high - low) * look.thickness
        base = camera.project(block)
        lid = camera.project(block + np.array([0, 0, height]))
        if base is None or lid is None:
            break
        if low == 0 and look.shadow:
            scale = float(np.linalg.norm(base[1] - base[0])) / look.size[0]
            rise = float(np.abs(lid - base).max())
            throw = np.array(look.shadow_shift) * (scale + 0.4 * rise)
            cast_shadow(image, base, throw, look.shadow, max(1, int(1.5 * scale)))
        strip = strips[low * 3 : high * 3]
        draw_sides(rng, image, ids, base, lid, strip, np.array(look.shadow_shift), SIDE_ID)
        lid_px = lid.round().astype(np.int32)
        cv2.fillConvexPoly(image, lid_px, strip[-1, 0].tolist(), cv2.LINE_AA)
        cv2.fillConvexPoly(ids, lid_px, SIDE_ID)
    return shift


def _strip(rng: Rng, layers: int, top: Face, look: Print) -> Image:
    """Return what the sides show, 3 rows a card (face, core, back) x 48 px, the lowest card first."""
    back = top.art[0].reshape(-1, 3).mean(axis=0)
    style = rng.random()
    if style < 0.4:  # wrapped or dark edges: one colour, hardly a line
        colours = np.tile(np.asarray(look.edge if rng.random() < 0.4 else back * 0.9), (3, 1))
    elif style < 0.75:  # paper between dark covers
        paper = np.asarray(random_colour(rng, 150, 250))
        colours = np.stack((np.asarray(look.frame or (30, 28, 28)), paper, back))
    else:
        colours = np.stack((np.asarray(random_colour(rng, 150, 250)), np.asarray(look.edge), back))
    rows = np.tile(colours, (layers, 1))
    rows = rows * rng.uniform(0.8, 1.15, (len(rows), 1)) + rng.normal(0, 4, (len(rows), 3))
    strip = np.repeat(rows[:, None, :], 48, axis=1)
    if rng.random() < 0.5:
        strip = strip * rng.uniform(0.85, 1.12, (len(rows), 48, 1))
    return np.clip(strip, 0, 255).astype(np.uint8)
