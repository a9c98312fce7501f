"""Faces as another maker would print them: single inks exchanged, fields filled with another ink, in a mirror."""

from __future__ import annotations

from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.networks.class_ids import BACK, KIND_OF

Image = NDArray[np.uint8]
Rng = np.random.Generator

#: The share of copies in which an ink or two are exchanged: the same picture has other colours from maker to maker.
_OTHER_INKS: Final = 0.4
#: The share of copies in which picture cards have fields in another ink, and of these copies the share of such cards.
_OTHER_FIELDS: Final = 0.5
_REFILLED: Final = 0.7
_MOST_FIELDS: Final = 6
#: The share of faces that are printed in a mirror.
MIRRORED: Final = 0.06
#: Of the fields, how many are sought low down, where the ground is: makers differ in it most.
_LOW: Final = 0.5
#: A field is this share of the card.
_LEAST_FIELD: Final = 0.01
_LARGEST_FIELD: Final = 0.5
#: Brighter than this in every channel is paper, which most makers leave white.
_PAPER: Final = 170
#: Kinds whose fields change: brights and animals. Chaff and ribbons have too few fields to be known by the rest.
_PICTURES: Final = frozenset(
    kind
    for card, kind in KIND_OF.items()
    if not {"chaff", "ribbon", "lightning", "yellow"} & set(card.split("-"))
)


class Ink(NamedTuple):
    """What this copy prints instead of an ink: pixels of hues around ``hue`` (of OpenCV's 180, ``reach`` to each side) are turned by
    ``turn`` and their saturation and brightness multiplied."""

    hue: float
    reach: float
    turn: float
    saturation: float
    brightness: float


def draw_inks(rng: Rng, strength: float) -> tuple[Ink, ...]:
    """Draw which inks a copy of a deck exchanges; mostly none."""
    if rng.random() >= _OTHER_INKS * strength:
        return ()
    return tuple(
        Ink(
            hue=float(rng.uniform(0, 180)),
            reach=float(rng.uniform(12, 35)),
            turn=0.0 if black else float(rng.uniform(-90, 90)),
            saturation=float(rng.uniform(0.1, 0.6) if black else rng.uniform(0.5, 1.3)),
            brightness=float(rng.uniform(0.1, 0.45) if black else rng.uniform(0.6, 1.3)),
        )
        for black in rng.random(int(rng.integers(1, 3))) < 0.5
    )


def draw_refilled(rng: Rng, strength: float) -> float:
    """Draw which share of its picture cards a copy of a deck prints with other fields; mostly none."""
    return _REFILLED if rng.random() < _OTHER_FIELDS * strength else 0.0


def exchanged(art: Image, inks: tuple[Ink, ...]) -> Image:
    """Return a face (BGR) printed with other inks; black, white and greys stay."""
    hsv = cv2.cvtColor(art, cv2.COLOR_BGR2HSV)
    hue, saturation, brightness = (channel.astype(np.float32) for channel in cv2.split(hsv))
    then = hue.copy()
    for ink in inks:
        off = np.abs((then - ink.hue + 90) % 180 - 90)
        # Soft towards other hues and towards grey, or the mixed pixels along an edge would stand out.
        share = np.clip((ink.reach - off) / 6, 0, 1) * np.clip((saturation - 50) / 40, 0, 1)
        hue += share * ink.turn
        saturation *= 1 + share * (ink.saturation - 1)
        brightness *= 1 + share * (ink.brightness - 1)
    merged = cv2.merge((hue % 180, np.clip(saturation, 0, 255), np.clip(brightness, 0, 255)))
    return np.asarray(cv2.cvtColor(merged.astype(np.uint8), cv2.COLOR_HSV2BGR), np.uint8)


def mirrored(rng: Rng, art: Image, kind: int, share: float) -> Image:
    """Return a face (BGR) of ``kind``, a ``share`` of them in a mirror: some makers draw a card the other way round."""
    if kind == BACK or rng.random() >= share:
        return art
    return np.ascontiguousarray(art[:, ::-1])


def refilled(rng: Rng, art: Image, kind: int, share: float) -> Image:
    """Return a face (BGR) of ``kind``; of picture cards a ``share`` has up to six fields in another ink.

    A field is a part of one colour, whole or on one side of a line. Makers differ in what they fill a field with more than in
    its outline: the ground is black here and yellow there.
    """
    if kind not in _PICTURES or rng.random() >= share:
        return art
    for _ in range(int(rng.integers(1, _MOST_FIELDS + 1))):
        art = _with_another_field(rng, art)
    return art


def _with_another_field(rng: Rng, art: Image) -> Image:
    """Return a face (BGR) with a field in another ink; the same face where what was drawn is no field."""
    height, width = art.shape[:2]
    low = rng.random() < _LOW
    x, y = int(rng.uniform(0.06, 0.94) * width), int(rng.uniform(0.7 if low else 0.06, 0.94) * height)
    old = art[y, x].astype(np.float32)
    pale = bool(old.min() > _PAPER)
    if pale and rng.random() < 0.7:
        return art
    reach = float(rng.uniform(15, 45))
    if rng.random() < 0.3:  # wherever the card has this ink
        field = np.abs(art - old).max(axis=2) < reach
    else:
        mask = np.zeros((height + 2, width + 2), np.uint8)
        cv2.floodFill(
            art.copy(),
            mask,
            (x, y),
            0,
            (reach,) * 3,
            (reach,) * 3,
            4 | (255 << 8) | cv2.FLOODFILL_MASK_ONLY | cv2.FLOODFILL_FIXED_RANGE,
        )
        field = mask[1:-1, 1:-1] > 0
    if rng.random() < 0.5:
        angle = -np.pi / 2 + rng.normal(0, 0.4) if low else rng.uniform(0, 2 * np.pi)
        across, down = np.meshgrid(np.linspace(-1, 1, width), np.linspace(-1, 1, height))
        side = (across - across[y, x]) * np.cos(angle) + (down - down[y, x]) * np.sin(angle)
        field &= side < rng.uniform(0, 0.7)
    if not _LEAST_FIELD < field.mean() < _LARGEST_FIELD:
        return art
    soft = cv2.GaussianBlur(cv2.dilate(field.astype(np.float32), np.ones((2, 2))), (0, 0), 0.6)[..., None]
    filled = _any_ink(rng, pale) + 0.7 * (art - old)  # the drawing within the field stays
    return np.asarray(np.clip(art * (1 - soft) + filled * soft, 0, 255), np.uint8)


def _any_ink(rng: Rng, pale: bool) -> NDArray[np.float32]:
    """Draw an ink (BGR): a pale one instead of paper, else a full one, now and then black."""
    if pale:
        low, high = (0, 20, 190), (180, 110, 255)
    elif rng.random() < 0.2:
        low, high = (0, 0, 10), (180, 130, 70)
    else:
        low, high = (0, 110, 90), (180, 255, 255)
    hsv = rng.uniform(low, high).astype(np.uint8).reshape(1, 1, 3)
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR).reshape(3), np.float32)
