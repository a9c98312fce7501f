"""Card faces as one copy of a deck prints them, and their drawing onto the table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import CARD_MM
from hanafuda_training.render.compositing import blend, tint
from hanafuda_training.render.deck_art import Face, random_color
from hanafuda_training.render.ink_variants import (
    MIRRORED,
    Ink,
    exchange_inks,
    mirror_face,
    random_inks,
    random_recolored_fraction,
    recolor_fields,
)
from hanafuda_training.render.scene_factors import TRAINING_FACTORS, NamedGenerators, SceneFactors
from vision.networks.class_ids import BACK

Image = NDArray[np.uint8]
Rng = np.random.Generator

_FRAMES: Final = ((20, 18, 18), (12, 10, 10), (25, 40, 90), (30, 30, 190), (235, 240, 240), (45, 70, 110))


@dataclass(frozen=True)
class DeckPrint:
    """Appearance of one copy of a deck: colors, frame, corners, thickness, wear; lengths in mm."""

    color: NDArray[np.float32]
    curve: Image
    inks: tuple[Ink, ...]
    recolored: float
    mirrored: float
    frame: tuple[int, int, int] | None
    frame_fraction: float
    inset: float
    corner: float
    size: tuple[float, float]
    thickness: float
    edge: tuple[int, int, int]
    shadow: float
    shadow_shift: tuple[float, float]
    shading: Image
    seam: int
    wear: float


def random_print(rng: Rng, factors: SceneFactors = TRAINING_FACTORS) -> DeckPrint:
    """Return a random print and state of wear for one copy of a deck."""
    dice = NamedGenerators(rng)
    frame, frame_fraction, inset = _draw_frame(dice.of("frames"), factors.frames)
    color, curve = _draw_ink(dice.of("ink"), factors.ink)
    body, shade, seams = dice.of("body"), dice.of("card_shadows"), dice.of("seams")
    direction, reach = shade.uniform(0, 2 * np.pi), shade.uniform(0.3, 2.5)
    seam = int(seams.integers(0, 4)) if factors.seams and seams.random() < 0.6 * factors.seams else 1
    shadow = min(0.9, shade.uniform(0.25, 0.8) * factors.card_shadows) if shade.random() < 0.85 else 0.0
    return DeckPrint(
        color=color,
        curve=curve,
        inks=random_inks(dice.of("inks"), factors.inks),
        recolored=random_recolored_fraction(dice.of("fields"), factors.fields),
        mirrored=MIRRORED * factors.mirrors,
        frame=frame,
        frame_fraction=frame_fraction,
        inset=inset,
        corner=float(body.uniform(0.02, 0.14)),
        size=(CARD_MM[0] + body.uniform(-2, 2), CARD_MM[1] + body.uniform(-2.5, 2.5)),
        thickness=float(body.uniform(0.35, 1.1)),
        edge=random_color(body, 150, 250) if body.random() < 0.45 else random_color(body, 0, 90),
        shadow=shadow,
        shading=np.linspace(255, 255 * (1 - shadow), 256).astype(np.uint8),
        shadow_shift=(float(np.cos(direction) * reach), float(np.sin(direction) * reach)),
        seam=seam,
        wear=float(dice.of("wear").uniform(0, 1.2)) * factors.wear if body.random() < 0.5 else 0.0,
    )


def _draw_frame(rng: Rng, strength: float) -> tuple[tuple[int, int, int] | None, float, float]:
    fraction = rng.uniform(0.03, 0.11) if rng.random() < 0.75 else rng.uniform(0.09, 0.16)
    frame = _FRAMES[rng.integers(len(_FRAMES))]
    return (frame if rng.random() < 0.4 * strength else None), float(fraction), float(rng.uniform(0.0, 0.06))


def _draw_ink(rng: Rng, strength: float) -> tuple[NDArray[np.float32], Image]:
    """Return a random 3 x 4 color matrix and tone curve of a print."""
    saturation = 1 + strength * rng.uniform(-0.4, 0.35)
    hue = np.radians(rng.uniform(-9, 9)) * strength
    turn = cv2.Rodrigues(np.array([1.0, 1.0, 1.0]) / np.sqrt(3) * hue)[0]
    color = turn @ (saturation * np.eye(3) + (1 - saturation) * np.full((3, 3), 1 / 3))
    color *= 1 + strength * rng.uniform(-0.12, 0.08, 3)[:, None]
    color *= 1 + strength * (rng.uniform(-0.25, 0.05) if rng.random() < 0.85 else rng.uniform(-0.5, -0.2))
    gamma = np.exp(rng.normal(0, 0.2) * strength)
    black = strength * rng.uniform(0, 45) if rng.random() < 0.5 else 0.0  # printed black is gray under a lamp
    curve = black + (255 - black) * (np.arange(256) / 255) ** gamma
    lift = strength * rng.uniform(-8, 12, 3)
    return np.column_stack((color, lift)).astype(np.float32), np.clip(curve, 0, 255).astype(np.uint8)


def print_face(dice: NamedGenerators, face: Face, deck_print: DeckPrint, width: float, sheen: float) -> Image:
    """Return a face as BGRA art of this print, with alpha 0 outside the rounded corners; ``width`` in px."""
    art = face.at(width)
    height, span = art.shape[:2]
    if deck_print.frame is not None and face.class_id != BACK:
        cut, border = round(span * deck_print.inset), max(1, round(span * deck_print.frame_fraction))
        inner = cv2.resize(
            art[cut : height - cut, cut : span - cut],
            (span - 2 * border, height - 2 * border),
            interpolation=cv2.INTER_LINEAR,
        )
        art = np.asarray(
            cv2.copyMakeBorder(
                inner, border, border, border, border, cv2.BORDER_CONSTANT, value=deck_print.frame
            ),
            np.uint8,
        )
    art = mirror_face(dice.of("mirrors"), art, face.class_id, deck_print.mirrored)
    art = recolor_fields(dice.of("fields"), art, face.class_id, deck_print.recolored)
    if deck_print.inks and face.class_id != BACK:
        art = exchange_inks(art, deck_print.inks)
    art = np.asarray(cv2.transform(cv2.LUT(art, deck_print.curve), deck_print.color), np.uint8)
    if sheen:
        art = _add_sheen(dice.of("sheen"), art, sheen)
    alpha = _card_mask(span, height, max(1, round(span * deck_print.corner)))
    if deck_print.wear:
        alpha = alpha.copy()
        _add_wear(dice.of("wear"), art, alpha, deck_print.wear)
    return np.asarray(cv2.merge((*cv2.split(art), alpha)), np.uint8)


@lru_cache(32)
def _card_mask(span: int, height: int, radius: int) -> Image:
    """Return the mask of a card: 255 inside its rounded corners."""
    alpha = np.zeros((height, span), np.uint8)
    cv2.rectangle(alpha, (radius, 0), (span - 1 - radius, height - 1), 255, -1)
    cv2.rectangle(alpha, (0, radius), (span - 1, height - 1 - radius), 255, -1)
    for x in (radius, span - 1 - radius):
        for y in (radius, height - 1 - radius):
            cv2.circle(alpha, (x, y), radius, 255, -1)
    return alpha


def _add_sheen(rng: Rng, art: Image, strength: float) -> Image:
    """Brighten the card towards one side or corner, as paper does that mirrors a lamp or a window."""
    ramp = np.clip(rng.normal(0, 45 * strength, (2, 2)) + rng.uniform(-10, 30), -40, 120).astype(np.float32)
    field = cv2.resize(ramp, (art.shape[1], art.shape[0]), interpolation=cv2.INTER_LINEAR)
    field16 = field.astype(np.int16)
    return np.asarray(cv2.add(art, cv2.merge((field16, field16, field16)), dtype=cv2.CV_8U), np.uint8)


def _add_wear(rng: Rng, art: Image, alpha: Image, strength: float) -> None:
    """Scratch the art, whiten its edges and bend or tear off corners, in place."""
    height, span = alpha.shape
    bare = [int(level) for level in np.clip(rng.uniform(170, 235) + rng.uniform(-12, 12, 3), 0, 255)]
    unit = max(1, span // 64)
    for _ in range(rng.poisson(2.0 * strength)):
        start = rng.uniform((0, 0), (span, height))
        end = start + rng.normal(0, 0.3 * span, 2)
        cv2.line(art, start.astype(int).tolist(), end.astype(int).tolist(), bare, unit)
    for _ in range(rng.poisson(3.0 * strength)):  # rubbed through along an edge
        along, reach, upright = rng.uniform(0, 1), rng.uniform(0.03, 0.25), rng.random() < 0.5
        length, far = (height, span) if upright else (span, height)
        far = int(rng.integers(2)) * (far - 1)
        low, high = int((along - reach) * length), int((along + reach) * length)
        first, last = ((far, low), (far, high)) if upright else ((low, far), (high, far))
        cv2.line(art, first, last, bare, max(1, round(span * rng.uniform(0.01, 0.035))))
    for x in (0, span - 1):
        for y in (0, height - 1):
            if rng.random() < 0.06 * strength:  # a corner folded up or torn off
                reach = span * rng.uniform(0.08, 0.22)
                inward = (1 if x == 0 else -1, 1 if y == 0 else -1)
                fold = [(x + inward[0] * reach, y), (x, y + inward[1] * reach * rng.uniform(0.6, 1.6))]
                tip = (fold[0][0], fold[1][1])
                if rng.random() < 0.6:
                    cv2.fillConvexPoly(art, np.array([*fold, tip], np.int32), bare)
                cv2.fillConvexPoly(alpha, np.array([*fold, (x, y)], np.int32), 0)


def _curl(art: Image, lift: NDArray[np.float64]) -> tuple[Image, int]:
    """Bend a card between its short edges; its middle is displaced by ``lift`` (px of the art).

    Returns the bent art and the margin (px) added on each side.
    """
    height, span = art.shape[:2]
    margin = int(np.ceil(np.abs(lift).max())) + 1
    ys = np.arange(-margin, height + margin, dtype=np.float32)
    bow = np.clip(1 - (2 * ys / (height - 1) - 1) ** 2, 0, 1).astype(np.float32)
    across = np.arange(-margin, span + margin, dtype=np.float32)[None, :] - np.float32(lift[0]) * bow[:, None]
    down = np.broadcast_to((ys - np.float32(lift[1]) * bow)[:, None], across.shape)
    bowed = cv2.remap(art, across, np.ascontiguousarray(down), cv2.INTER_LINEAR)
    return np.asarray(bowed, np.uint8), margin


@dataclass(frozen=True)
class CardPose:
    """Pose of a card in the picture.

    ``quad`` is its upper face (4 x 2 px) and ``scale`` the px per mm. ``drop`` (px) is the displacement from its upper face to the
    surface below: its thickness and the ``gap`` (mm) under it. ``bow`` (px) is the displacement of its middle by curl, ``gain``
    its brightness.
    """

    quad: NDArray[np.float64]
    scale: float
    drop: NDArray[np.float64]
    gap: float
    bow: NDArray[np.float64] | None
    gain: float


def draw_card(
    image: Image, ids: Image, art: Image, pose: CardPose, number: int, deck_print: DeckPrint
) -> None:
    """Draw a card with shadow and edge into ``image`` and ``ids``, in place, within its bounding box."""
    height, width = ids.shape
    quad, scale = pose.quad, pose.scale
    margin = 0
    rows, columns = art.shape[:2]
    source = np.array([(0, 0), (columns, 0), (columns, rows), (0, rows)], np.float32)
    if pose.bow is not None:
        axes = np.column_stack(((quad[1] - quad[0]) / columns, (quad[3] - quad[0]) / rows))
        art, margin = _curl(art, np.clip(np.linalg.solve(axes, pose.bow), -columns / 4, columns / 4))
    shadow_offset = np.array(deck_print.shadow_shift) * scale * (1 + 0.6 * pose.gap)
    pad = int(np.ceil(np.abs(shadow_offset).max() + np.abs(pose.drop).max() + 1.5 * scale)) + 2
    if pose.bow is not None:
        pad += int(np.abs(pose.bow).max()) + 1
    low = np.floor(quad.min(axis=0)).astype(int) - pad
    high = np.ceil(quad.max(axis=0)).astype(int) + pad + 1
    left, top = max(low[0], 0), max(low[1], 0)
    right, bottom = min(high[0], width), min(high[1], height)
    if right - left < 2 or bottom - top < 2:
        return
    size = (int(right - left), int(bottom - top))
    target = (quad - (left, top)).astype(np.float32)
    warped = cv2.warpPerspective(
        art,
        cv2.getPerspectiveTransform(source + np.float32(margin - 0.5), target - np.float32(0.5)),
        size,
        flags=cv2.INTER_LINEAR,
    )
    alpha = warped[..., 3]
    box = image[top:bottom, left:right]
    if deck_print.shadow:
        dark = cv2.warpAffine(alpha, _shift(shadow_offset + pose.drop), size)
        blur = max(1, int(scale * (1.2 + 0.5 * pose.gap))) * 2 + 1
        dark = cv2.blur(dark, (blur, blur))
        keep = cv2.LUT(dark, deck_print.shading)
        box[:] = cv2.multiply(box, cv2.merge((keep, keep, keep)), scale=1 / 255)
    thick = (
        pose.drop
        if not pose.gap
        else pose.drop * min(1.0, deck_print.thickness / (deck_print.thickness + pose.gap))
    )
    if np.abs(thick).max() > 0.2:
        rim = cv2.warpAffine(alpha, _shift(thick), size)
        tint(box, deck_print.edge, rim)
    color = np.ascontiguousarray(warped[..., :3])
    if pose.gain != 1:
        color = cv2.convertScaleAbs(color, alpha=pose.gain)
    hard = alpha
    if deck_print.seam == 0:
        alpha = cv2.threshold(alpha, 127, 255, cv2.THRESH_BINARY)[1]
    elif deck_print.seam == 2:
        alpha = cv2.blur(alpha, (3, 3))
    elif deck_print.seam == 3:
        alpha = cv2.GaussianBlur(alpha, (5, 5), 1.1)
    blend(box, color, alpha)
    ids[top:bottom, left:right][hard > 127] = number


def _shift(by: NDArray[np.float64]) -> NDArray[np.float32]:
    return np.array([[1, 0, by[0]], [0, 1, by[1]]], np.float32)
