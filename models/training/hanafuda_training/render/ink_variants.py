"""Variants of card faces as other manufacturers print them: exchanged inks, recolored areas, mirrored faces."""

from __future__ import annotations

from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.networks.class_ids import BACK, CLASS_OF

Image = NDArray[np.uint8]
Rng = np.random.Generator

#: Fraction of decks in which one or two inks are exchanged: manufacturers print the same picture in different colors.
_EXCHANGED_DECKS: Final = 0.4
#: Fraction of decks with recolored areas, and the fraction of their picture cards that have some.
_RECOLORED_DECKS: Final = 0.5
_RECOLORED_CARDS: Final = 0.7
_MAX_AREAS: Final = 6
#: Fraction of faces that are mirrored.
MIRRORED: Final = 0.06
#: Fraction of areas sought in the lower part of a face, where manufacturers differ most.
_LOW: Final = 0.5
#: Limits for the size of an area, as fractions of the card.
_MIN_AREA: Final = 0.01
_MAX_AREA: Final = 0.5
#: Pixels with all channels above this are paper, which is usually left white.
_PAPER: Final = 170
#: Classes with recolored areas: brights and animals. Chaff and ribbons have too few areas to stay recognizable.
_PICTURES: Final = frozenset(
    class_id
    for card, class_id in CLASS_OF.items()
    if not {"chaff", "ribbon", "lightning", "yellow"} & set(card.split("-"))
)


class Ink(NamedTuple):
    """An exchanged ink.

    Hues within ``tolerance`` of ``hue`` (0-180 as in OpenCV) are shifted by ``shift``; their saturation and brightness
    are multiplied.
    """

    hue: float
    tolerance: float
    shift: float
    saturation: float
    brightness: float


def random_inks(rng: Rng, strength: float) -> tuple[Ink, ...]:
    """Return the inks that a deck exchanges; mostly none."""
    if rng.random() >= _EXCHANGED_DECKS * strength:
        return ()
    return tuple(
        Ink(
            hue=float(rng.uniform(0, 180)),
            tolerance=float(rng.uniform(12, 35)),
            shift=0.0 if black else float(rng.uniform(-90, 90)),
            saturation=float(rng.uniform(0.1, 0.6) if black else rng.uniform(0.5, 1.3)),
            brightness=float(rng.uniform(0.1, 0.45) if black else rng.uniform(0.6, 1.3)),
        )
        for black in rng.random(int(rng.integers(1, 3))) < 0.5
    )


def random_recolored_fraction(rng: Rng, strength: float) -> float:
    """Return the fraction of picture cards with recolored areas in a deck; mostly 0."""
    return _RECOLORED_CARDS if rng.random() < _RECOLORED_DECKS * strength else 0.0


def exchange_inks(art: Image, inks: tuple[Ink, ...]) -> Image:
    """Return a face (BGR) with exchanged inks; black, white and grays are unchanged."""
    hsv = cv2.cvtColor(art, cv2.COLOR_BGR2HSV)
    hue, saturation, brightness = (channel.astype(np.float32) for channel in cv2.split(hsv))
    original = hue.copy()
    for ink in inks:
        off = np.abs((original - ink.hue + 90) % 180 - 90)
        # Fade out towards other hues and gray, otherwise mixed pixels along edges would stand out.
        fraction = np.clip((ink.tolerance - off) / 6, 0, 1) * np.clip((saturation - 50) / 40, 0, 1)
        hue += fraction * ink.shift
        saturation *= 1 + fraction * (ink.saturation - 1)
        brightness *= 1 + fraction * (ink.brightness - 1)
    merged = cv2.merge((hue % 180, np.clip(saturation, 0, 255), np.clip(brightness, 0, 255)))
    return np.asarray(cv2.cvtColor(merged.astype(np.uint8), cv2.COLOR_HSV2BGR), np.uint8)


def mirror_face(rng: Rng, art: Image, class_id: int, fraction: float) -> Image:
    """Return a face (BGR), mirrored with probability ``fraction``: some manufacturers mirror a card."""
    if class_id == BACK or rng.random() >= fraction:
        return art
    return np.ascontiguousarray(art[:, ::-1])


def recolor_fields(rng: Rng, art: Image, class_id: int, fraction: float) -> Image:
    """Return a face (BGR); a picture card has up to six areas in another ink with probability ``fraction``.

    An area is a connected region of one color, whole or cut by a line. Manufacturers fill areas differently more often than they
    draw different lines.
    """
    if class_id not in _PICTURES or rng.random() >= fraction:
        return art
    for _ in range(int(rng.integers(1, _MAX_AREAS + 1))):
        art = _recolor_area(rng, art)
    return art


def _recolor_area(rng: Rng, art: Image) -> Image:
    """Return a face (BGR) with one area in another ink; unchanged if the sampled area has an unsuitable size."""
    height, width = art.shape[:2]
    low = rng.random() < _LOW
    x, y = int(rng.uniform(0.06, 0.94) * width), int(rng.uniform(0.7 if low else 0.06, 0.94) * height)
    old = art[y, x].astype(np.float32)
    light = bool(old.min() > _PAPER)
    if light and rng.random() < 0.7:
        return art
    tolerance = float(rng.uniform(15, 45))
    if rng.random() < 0.3:  # all pixels of this ink
        area = np.abs(art - old).max(axis=2) < tolerance
    else:
        mask = np.zeros((height + 2, width + 2), np.uint8)
        cv2.floodFill(
            art.copy(),
            mask,
            (x, y),
            0,
            (tolerance,) * 3,
            (tolerance,) * 3,
            4 | (255 << 8) | cv2.FLOODFILL_MASK_ONLY | cv2.FLOODFILL_FIXED_RANGE,
        )
        area = mask[1:-1, 1:-1] > 0
    if rng.random() < 0.5:
        angle = -np.pi / 2 + rng.normal(0, 0.4) if low else rng.uniform(0, 2 * np.pi)
        xs, ys = np.meshgrid(np.linspace(-1, 1, width), np.linspace(-1, 1, height))
        side = (xs - xs[y, x]) * np.cos(angle) + (ys - ys[y, x]) * np.sin(angle)
        area &= side < rng.uniform(0, 0.7)
    if not _MIN_AREA < area.mean() < _MAX_AREA:
        return art
    soft = cv2.GaussianBlur(cv2.dilate(area.astype(np.float32), np.ones((2, 2))), (0, 0), 0.6)[..., None]
    filled = _random_ink(rng, light) + 0.7 * (art - old)  # lines within the area are kept
    return np.asarray(np.clip(art * (1 - soft) + filled * soft, 0, 255), np.uint8)


def _random_ink(rng: Rng, light: bool) -> NDArray[np.float32]:
    """Return a random ink (BGR): a light one in place of paper, otherwise a saturated one or black."""
    if light:
        low, high = (0, 20, 190), (180, 110, 255)
    elif rng.random() < 0.2:
        low, high = (0, 0, 10), (180, 130, 70)
    else:
        low, high = (0, 110, 90), (180, 255, 255)
    hsv = rng.uniform(low, high).astype(np.uint8).reshape(1, 1, 3)
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR).reshape(3), np.float32)
