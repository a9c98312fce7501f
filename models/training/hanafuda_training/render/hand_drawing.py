"""Drawing of hands and sleeves that cover cards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hanafuda_training.render.compositing import blend, darken
from hanafuda_training.render.deck_art import random_color

Image = NDArray[np.uint8]
Rng = np.random.Generator

#: Value in the id map for objects on top of cards.
FOREIGN_ID: Final = 255

#: Skin tones from light to dark, BGR under white light.
_SKINS: Final = (
    (178, 200, 240),
    (150, 182, 230),
    (125, 162, 218),
    (100, 136, 198),
    (78, 110, 170),
    (60, 85, 135),
    (44, 62, 104),
    (34, 45, 76),
)
#: Fingers from index to little finger: knuckle position across the palm, length, width; mm.
_FINGERS: Final = ((-28.0, 74.0, 17.0), (-9.0, 82.0, 17.5), (10.0, 77.0, 16.5), (28.0, 60.0, 14.5))


@dataclass(frozen=True)
class _Stroke:
    """A round brush stroke of ``width`` mm through ``points`` (n x 2 mm, in the hand's frame: across, towards the arm)."""

    points: NDArray[np.float64]
    width: float


def _pose(rng: Rng) -> list[_Stroke]:
    """Return random strokes for palm, fingers and thumb; the tip of the middle finger is near the origin."""
    stretch = rng.uniform(0.35, 1.0)  # from bent to stretched fingers
    spread = rng.uniform(0.0, 0.22)
    pointing = rng.random() < 0.25
    strokes = []
    knuckles = 80.0 * stretch
    for number, (across, length, width) in enumerate(_FINGERS):
        curled = pointing and number != 0
        long = length * stretch * rng.uniform(0.9, 1.05) * (0.45 if curled else 1.0)
        angle = (number - 1.4) * spread * rng.uniform(0.6, 1.3) + rng.normal(0, 0.05)
        bend = rng.normal(0, 0.12)
        root = np.array((across, knuckles + 0.0018 * across**2 * 10))
        middle = root - 0.5 * long * np.array((-np.sin(angle), np.cos(angle)))
        tip = middle - 0.5 * long * np.array((-np.sin(angle + bend), np.cos(angle + bend)))
        strokes.append(_Stroke(np.array((root, middle, tip)), width * rng.uniform(0.92, 1.08)))
    palm = np.array([(-16.0, knuckles + 22), (0.0, knuckles + 60), (14.0, knuckles + 22)])
    strokes.insert(0, _Stroke(palm, 58.0))
    strokes.insert(0, _Stroke(np.array([(0.0, knuckles + 60), (rng.normal(0, 12), knuckles + 210)]), 50.0))
    if rng.random() < 0.8:
        out = rng.uniform(0.2, 1.0)
        base = np.array((-30.0, knuckles + 50))
        joint = base + np.array((-26.0 * out - 6, -24.0))
        end = joint + np.array((6.0 - 14 * out, -30.0))
        strokes.append(_Stroke(np.array((base, joint, end)), 20.0))
    return strokes


def add_hand(
    rng: Rng, image: Image, ids: Image, tip: tuple[float, float], angle: float, scale: float
) -> None:
    """Draw a random hand with fingertips at ``tip`` px and the arm in direction ``angle`` (radians), in place.

    ``scale`` is in px per mm. Right or left hand, stretched, bent or pointing fingers, usually with a sleeve.
    """
    along = np.array((np.cos(angle), np.sin(angle)))
    across = np.array((-along[1], along[0])) * (1 if rng.random() < 0.5 else -1)
    scale *= rng.uniform(0.85, 1.3)  # hand sizes differ, and hands are nearer to the camera than the table

    def to_px(points: NDArray[np.float64]) -> NDArray[np.int32]:
        placed = np.array(tip) + (points[:, :1] * across + points[:, 1:] * along) * scale
        return np.asarray((placed * 16).round(), np.int32)

    skin = np.array(_SKINS[rng.integers(len(_SKINS))]) * rng.uniform(0.8, 1.08, 3)
    light = rng.normal(0, 1, 2)
    light = light / max(float(np.linalg.norm(light)), 1e-6) * 16 * scale
    layer, mask = np.zeros_like(image), np.zeros_like(ids)
    strokes = _pose(rng)
    for stroke in strokes:
        path = to_px(stroke.points)
        for fraction, gain, shift in ((1.0, 0.68, 0.0), (0.84, 0.9, 1.0), (0.55, 1.04, 2.0)):
            color = np.clip(skin * gain, 0, 255).tolist()
            width = max(1, round(stroke.width * fraction * scale))
            shifted = (path + light * shift * stroke.width / 24).astype(np.int32)
            cv2.polylines(layer, [shifted], False, color, width, cv2.LINE_AA, 4)
            if fraction == 1.0:
                cv2.polylines(mask, [path], False, 255, width, cv2.LINE_AA, 4)
    _nails(layer, strokes, to_px, skin, scale, rng)
    soft = max(1, round(1.6 * scale))
    layer = np.asarray(cv2.blur(layer, (2 * soft + 1, 2 * soft + 1)), np.uint8)
    if rng.random() < 0.85:
        start = strokes[0].points[-1, 1] - rng.uniform(20, 160)
        _sleeve(rng, layer, mask, to_px(np.array([(0.0, start + 40), (rng.normal(0, 60), 900.0)])), scale)
    blur = max(1, round(rng.uniform(3, 9) * scale))
    offset = rng.normal(0, 8, 2) * scale
    shadow = cv2.warpAffine(
        mask, np.array([[1, 0, offset[0]], [0, 1, offset[1]]], np.float32), ids.shape[::-1]
    )
    shadow = cv2.blur(shadow, (2 * blur + 1, 2 * blur + 1))
    darken(image, cv2.convertScaleAbs(shadow, alpha=rng.uniform(0.2, 0.6)))
    blend(image, layer, mask)
    ids[mask > 127] = FOREIGN_ID


def _nails(
    layer: Image,
    strokes: list[_Stroke],
    to_px: Callable[[NDArray[np.float64]], NDArray[np.int32]],
    skin: NDArray[np.float64],
    scale: float,
    rng: Rng,
) -> None:
    if rng.random() < 0.4:  # palm up or bent fingers: no nails visible
        return
    nail = np.clip(skin * 0.8 + np.array((48, 46, 56)), 0, 255).tolist()
    for stroke in strokes[2:]:
        last, before = stroke.points[-1], stroke.points[-2]
        step = (last - before) / max(float(np.linalg.norm(last - before)), 1e-6)
        ends = to_px(np.array((last - 1.0 * step, last + 3.0 * step)))
        cv2.polylines(layer, [ends], False, nail, max(1, round(stroke.width * 0.42 * scale)), cv2.LINE_AA, 4)


def _sleeve(rng: Rng, layer: Image, mask: Image, path: NDArray[np.int32], scale: float) -> None:
    """Draw a shaded, sometimes striped sleeve along ``path`` (2 x 2, in 1/16 px), in place."""
    cloth = np.array(random_color(rng))
    width = rng.uniform(75, 130) * scale
    cv2.polylines(mask, [path], False, 255, max(2, round(width)), cv2.LINE_AA, 4)
    for fraction, gain in ((1.0, 0.65), (0.86, 0.85), (0.6, 1.0), (0.3, 1.1)):
        color = np.clip(cloth * gain, 0, 255).tolist()
        cv2.polylines(layer, [path], False, color, max(1, round(width * fraction)), cv2.LINE_AA, 4)
    step = (path[1] - path[0]) / max(float(np.linalg.norm(path[1] - path[0])), 1e-6)
    side = np.array((-step[1], step[0])) * width * 8
    if rng.random() < 0.4:
        other = random_color(rng)
        pitch = rng.uniform(8, 40) * scale * 16
        for number in range(1, int(np.linalg.norm(path[1] - path[0]) / pitch)):
            at = path[0] + step * number * pitch
            ends = np.array((at - side, at + side)).astype(np.int32)
            cv2.polylines(layer, [ends], False, other, max(1, round(pitch / 16 * 0.3)), cv2.LINE_AA, 4)
    if rng.random() < 0.6:  # a cuff
        ends = np.array((path[0] - side * 0.97, path[0] + side * 0.97)).astype(np.int32)
        cuff = np.clip(cloth * rng.uniform(0.5, 1.3), 0, 255).tolist()
        cv2.polylines(layer, [ends], False, cuff, max(1, round(rng.uniform(6, 30) * scale)), cv2.LINE_AA, 4)
        cv2.polylines(mask, [ends], False, 255, max(1, round(6 * scale)), cv2.LINE_AA, 4)
