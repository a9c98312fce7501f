"""Cards as this scene's copy of a deck shows them, and how they are drawn onto the table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.networks.class_ids import BACK
from vision.render.compositing import blend, tint
from vision.render.deck_art import CARD_MM, Face, random_colour
from vision.render.ink_variants import MIRRORED, Ink, draw_inks, draw_refilled, exchanged, mirrored, refilled
from vision.render.scene_factors import TRAINED, Dice, Factors

Image = NDArray[np.uint8]
Rng = np.random.Generator

_FRAMES: Final = ((20, 18, 18), (12, 10, 10), (25, 40, 90), (30, 30, 190), (235, 240, 240), (45, 70, 110))


@dataclass(frozen=True)
class Print:
    """How this scene's copy of a deck looks: colours, frame, corners, thickness, wear; lengths in mm."""

    colour: NDArray[np.float32]
    curve: Image
    inks: tuple[Ink, ...]
    refilled: float
    mirrored: float
    frame: tuple[int, int, int] | None
    frame_share: float
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


def make_print(rng: Rng, factors: Factors = TRAINED) -> Print:
    """Draw how this scene's copy of a deck is printed and worn."""
    dice = Dice(rng)
    frame, frame_share, inset = _draw_frame(dice.of("frames"), factors.frames)
    colour, curve = _draw_ink(dice.of("ink"), factors.ink)
    body, shade, seams = dice.of("body"), dice.of("card_shadows"), dice.of("seams")
    direction, reach = shade.uniform(0, 2 * np.pi), shade.uniform(0.3, 2.5)
    seam = int(seams.integers(0, 4)) if factors.seams and seams.random() < 0.6 * factors.seams else 1
    shadow = min(0.9, shade.uniform(0.25, 0.8) * factors.card_shadows) if shade.random() < 0.85 else 0.0
    return Print(
        colour=colour,
        curve=curve,
        inks=draw_inks(dice.of("inks"), factors.inks),
        refilled=draw_refilled(dice.of("fields"), factors.fields),
        mirrored=MIRRORED * factors.mirrors,
        frame=frame,
        frame_share=frame_share,
        inset=inset,
        corner=float(body.uniform(0.02, 0.14)),
        size=(CARD_MM[0] + body.uniform(-2, 2), CARD_MM[1] + body.uniform(-2.5, 2.5)),
        thickness=float(body.uniform(0.35, 1.1)),
        edge=random_colour(body, 150, 250) if body.random() < 0.45 else random_colour(body, 0, 90),
        shadow=shadow,
        shading=np.linspace(255, 255 * (1 - shadow), 256).astype(np.uint8),
        shadow_shift=(float(np.cos(direction) * reach), float(np.sin(direction) * reach)),
        seam=seam,
        wear=float(dice.of("wear").uniform(0, 1.2)) * factors.wear if body.random() < 0.5 else 0.0,
    )


def _draw_frame(rng: Rng, strength: float) -> tuple[tuple[int, int, int] | None, float, float]:
    share = rng.uniform(0.03, 0.11) if rng.random() < 0.75 else rng.uniform(0.09, 0.16)
    frame = _FRAMES[rng.integers(len(_FRAMES))]
    return (frame if rng.random() < 0.4 * strength else None), float(share), float(rng.uniform(0.0, 0.06))


def _draw_ink(rng: Rng, strength: float) -> tuple[NDArray[np.float32], Image]:
    """Return a 3 x 4 colour map and a curve for each channel: how this copy of a deck is printed."""
    saturation = 1 + strength * rng.uniform(-0.4, 0.35)
    hue = np.radians(rng.uniform(-9, 9)) * strength
    turn = cv2.Rodrigues(np.array([1.0, 1.0, 1.0]) / np.sqrt(3) * hue)[0]
    colour = turn @ (saturation * np.eye(3) + (1 - saturation) * np.full((3, 3), 1 / 3))
    colour *= 1 + strength * rng.uniform(-0.12, 0.08, 3)[:, None]
    colour *= 1 + strength * (rng.uniform(-0.25, 0.05) if rng.random() < 0.85 else rng.uniform(-0.5, -0.2))
    gamma = np.exp(rng.normal(0, 0.2) * strength)
    black = strength * rng.uniform(0, 45) if rng.random() < 0.5 else 0.0  # printed black is grey under a lamp
    curve = black + (255 - black) * (np.arange(256) / 255) ** gamma
    lift = strength * rng.uniform(-8, 12, 3)
    return np.column_stack((colour, lift)).astype(np.float32), np.clip(curve, 0, 255).astype(np.uint8)


def printed(dice: Dice, face: Face, look: Print, width: float, sheen: float) -> Image:
    """Return the face as BGRA art of this scene's print, alpha 0 outside the rounded corners."""
    art = face.at(width)
    height, span = art.shape[:2]
    if look.frame is not None and face.kind != BACK:
        cut, border = round(span * look.inset), max(1, round(span * look.frame_share))
        inner = cv2.resize(
            art[cut : height - cut, cut : span - cut],
            (span - 2 * border, height - 2 * border),
            interpolation=cv2.INTER_LINEAR,
        )
        art = np.asarray(
            cv2.copyMakeBorder(inner, border, border, border, border, cv2.BORDER_CONSTANT, value=look.frame),
            np.uint8,
        )
    art = mirrored(dice.of("mirrors"), art, face.kind, look.mirrored)
    art = refilled(dice.of("fields"), art, face.kind, look.refilled)
    if look.inks and face.kind != BACK:
        art = exchanged(art, look.inks)
    art = np.asarray(cv2.transform(cv2.LUT(art, look.curve), look.colour), np.uint8)
    if sheen:
        art = _shining(dice.of("sheen"), art, sheen)
    alpha = _rounded(span, height, max(1, round(span * look.corner)))
    if look.wear:
        alpha = alpha.copy()
        _wear(dice.of("wear"), art, alpha, look.wear)
    return np.asarray(cv2.merge((*cv2.split(art), alpha)), np.uint8)


@lru_cache(32)
def _rounded(span: int, height: int, radius: int) -> Image:
    """Return the shape of a card, 255 inside its rounded corners."""
    alpha = np.zeros((height, span), np.uint8)
    cv2.rectangle(alpha, (radius, 0), (span - 1 - radius, height - 1), 255, -1)
    cv2.rectangle(alpha, (0, radius), (span - 1, height - 1 - radius), 255, -1)
    for x in (radius, span - 1 - radius):
        for y in (radius, height - 1 - radius):
            cv2.circle(alpha, (x, y), radius, 255, -1)
    return alpha


def _shining(rng: Rng, art: Image, strength: float) -> Image:
    """Brighten the card towards one side or corner, as paper does that mirrors a lamp or a window."""
    ramp = np.clip(rng.normal(0, 45 * strength, (2, 2)) + rng.uniform(-10, 30), -40, 120).astype(np.float32)
    field = cv2.resize(ramp, (art.shape[1], art.shape[0]), interpolation=cv2.INTER_LINEAR)
    field16 = field.astype(np.int16)
    return np.asarray(cv2.add(art, cv2.merge((field16, field16, field16)), dtype=cv2.CV_8U), np.uint8)


def _wear(rng: Rng, art: Image, alpha: Image, strength: float) -> None:
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


def _curled(art: Image, lift: NDArray[np.float64]) -> tuple[Image, int]:
    """Bow the card between its short edges: its middle is displaced by ``lift`` (art px); return it with its margin."""
    height, span = art.shape[:2]
    margin = int(np.ceil(np.abs(lift).max())) + 1
    ys = np.arange(-margin, height + margin, dtype=np.float32)
    bow = np.clip(1 - (2 * ys / (height - 1) - 1) ** 2, 0, 1).astype(np.float32)
    across = np.arange(-margin, span + margin, dtype=np.float32)[None, :] - np.float32(lift[0]) * bow[:, None]
    down = np.broadcast_to((ys - np.float32(lift[1]) * bow)[:, None], across.shape)
    bowed = cv2.remap(art, across, np.ascontiguousarray(down), cv2.INTER_LINEAR)
    return np.asarray(bowed, np.uint8), margin


@dataclass(frozen=True)
class Lying:
    """How a card lies in the picture: quad 4 x 2 px of its upper face, px per mm, what its height moves it by.

    ``drop`` px from its upper face to what it lies on: its thickness, and the gap under it, ``gap`` mm.
    ``bow`` px by which curl lifts its middle; ``gain`` how far it leans into the light.
    """

    quad: NDArray[np.float64]
    scale: float
    drop: NDArray[np.float64]
    gap: float
    bow: NDArray[np.float64] | None
    gain: float


def paste(image: Image, ids: Image, art: Image, lying: Lying, number: int, look: Print) -> None:
    """Draw one card with its shadow and edge into ``image`` and ``ids``, in place, only within its own box."""
    height, width = ids.shape
    quad, scale = lying.quad, lying.scale
    margin = 0
    rows, columns = art.shape[:2]
    source = np.array([(0, 0), (columns, 0), (columns, rows), (0, rows)], np.float32)
    if lying.bow is not None:
        axes = np.column_stack(((quad[1] - quad[0]) / columns, (quad[3] - quad[0]) / rows))
        art, margin = _curled(art, np.clip(np.linalg.solve(axes, lying.bow), -columns / 4, columns / 4))
    throw = np.array(look.shadow_shift) * scale * (1 + 0.6 * lying.gap)
    pad = int(np.ceil(np.abs(throw).max() + np.abs(lying.drop).max() + 1.5 * scale)) + 2
    if lying.bow is not None:
        pad += int(np.abs(lying.bow).max()) + 1
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
    if look.shadow:
        dark = cv2.warpAffine(alpha, _shift(throw + lying.drop), size)
        blur = max(1, int(scale * (1.2 + 0.5 * lying.gap))) * 2 + 1
        dark = cv2.blur(dark, (blur, blur))
        keep = cv2.LUT(dark, look.shading)
        box[:] = cv2.multiply(box, cv2.merge((keep, keep, keep)), scale=1 / 255)
    thick = (
        lying.drop if not lying.gap else lying.drop * min(1.0, look.thickness / (look.thickness + lying.gap))
    )
    if np.abs(thick).max() > 0.2:
        rim = cv2.warpAffine(alpha, _shift(thick), size)
        tint(box, look.edge, rim)
    colour = np.ascontiguousarray(warped[..., :3])
    if lying.gain != 1:
        colour = cv2.convertScaleAbs(colour, alpha=lying.gain)
    hard = alpha
    if look.seam == 0:
        alpha = cv2.threshold(alpha, 127, 255, cv2.THRESH_BINARY)[1]
    elif look.seam == 2:
        alpha = cv2.blur(alpha, (3, 3))
    elif look.seam == 3:
        alpha = cv2.GaussianBlur(alpha, (5, 5), 1.1)
    blend(box, colour, alpha)
    ids[top:bottom, left:right][hard > 127] = number


def _shift(by: NDArray[np.float64]) -> NDArray[np.float32]:
    return np.array([[1, 0, by[0]], [0, 1, by[1]]], np.float32)
