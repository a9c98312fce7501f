"""Squared stacks of cards seen aslant: a top to be found, and layered sides that are no cards."""

from __future__ import annotations

from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training.art import Face, random_colour
from vision.training.camera import Camera
from vision.training.cards import Print, blend

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
    shadowed = False
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
        if not shadowed and look.shadow:
            _shade(image, base, lid, look)
            shadowed = True
        _prism(rng, image, ids, base, lid, strips[low * 3 : high * 3], look)
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


def _shade(image: Image, base: NDArray[np.float64], lid: NDArray[np.float64], look: Print) -> None:
    """Let the stack throw its shadow on the table: the hull of its base and its shifted top."""
    rise = float(np.abs(lid - base).max())
    scale = float(np.linalg.norm(base[1] - base[0])) / look.size[0]
    throw = np.array(look.shadow_shift) * (scale + 0.4 * rise)
    hull = cv2.convexHull(np.concatenate((base, base + throw)).astype(np.float32))
    pad = 6
    low = np.maximum(np.floor(hull.min(axis=(0, 1))).astype(int) - pad, 0)
    high = np.minimum(np.ceil(hull.max(axis=(0, 1))).astype(int) + pad, image.shape[1::-1])
    if (high - low < 2).any():
        return
    mask = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
    cv2.fillConvexPoly(mask, (hull - low).astype(np.int32), int(255 * look.shadow))
    size = max(1, int(1.5 * scale)) * 2 + 1
    keep = cv2.bitwise_not(cv2.blur(mask, (size, size)))
    box = image[low[1] : high[1], low[0] : high[0]]
    box[:] = cv2.multiply(box, cv2.merge((keep, keep, keep)), scale=1 / 255)


def _prism(
    rng: Rng,
    image: Image,
    ids: Image,
    base: NDArray[np.float64],
    lid: NDArray[np.float64],
    strip: Image,
    look: Print,
) -> None:
    """Draw the sides that face the camera, and a plain lid."""
    light = np.array(look.shadow_shift) / max(float(np.linalg.norm(look.shadow_shift)), 1e-6)
    for first in range(4):
        second = (first + 1) % 4
        # Seen from outside, a side's corners go round as the lid's do: the others are hidden behind it.
        side = np.array([base[second], base[first], lid[first], lid[second]])
        if cv2.contourArea(side.astype(np.float32), oriented=True) >= 0:
            continue
        outward = lid[second] - lid[first]
        outward = np.array([outward[1], -outward[0]]) / max(float(np.linalg.norm(outward)), 1e-6)
        gain = float(0.8 - 0.3 * outward @ light) * rng.uniform(0.85, 1.1)
        _side(image, ids, side, cv2.convertScaleAbs(strip, alpha=gain))
    cv2.fillConvexPoly(
        image, lid.round().astype(np.int32), [int(value) for value in strip[-1, 0]], cv2.LINE_AA
    )
    cv2.fillConvexPoly(ids, lid.round().astype(np.int32), SIDE_ID)


def _side(image: Image, ids: Image, side: NDArray[np.float64], strip: cv2.typing.MatLike) -> None:
    """Warp ``strip`` (its first row lowest) onto the quad ``side``: lower edge first, then the upper."""
    low = np.maximum(np.floor(side.min(axis=0)).astype(int) - 1, 0)
    high = np.minimum(np.ceil(side.max(axis=0)).astype(int) + 2, image.shape[1::-1])
    if (high - low < 1).any():
        return
    rise = max(1, round(float(np.linalg.norm(side[3] - side[0]))))
    rows = min(strip.shape[0], max(2, rise))
    strip = cv2.resize(strip, (strip.shape[1], rows), interpolation=cv2.INTER_AREA)
    columns = strip.shape[1]
    source = np.array([(0, 0), (columns, 0), (columns, rows), (0, rows)], np.float32) - np.float32(0.5)
    target = (side - low).astype(np.float32)
    size = (int(high[0] - low[0]), int(high[1] - low[1]))
    warp = cv2.getPerspectiveTransform(source, target - np.float32(0.5))
    colour = cv2.warpPerspective(strip, warp, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    alpha = np.zeros(size[::-1], np.uint8)
    cv2.fillConvexPoly(alpha, (target * 16 - 8).round().astype(np.int32), 255, cv2.LINE_AA, 4)
    blend(image[low[1] : high[1], low[0] : high[0]], colour, alpha)
    ids[low[1] : high[1], low[0] : high[0]][alpha > 127] = SIDE_ID
