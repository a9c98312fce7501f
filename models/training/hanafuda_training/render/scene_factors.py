"""Factors of variation of composed scenes; each can be switched off or strengthened."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import numpy as np


def _factor(about: str) -> Any:
    """Return a dataclass field for a strength (default 1); ``about`` describes what varies."""
    return field(default=1.0, metadata={"about": about})


@dataclass(frozen=True)
class SceneFactors:
    """Strength of each factor: 0 is off, 1 is the strength used in training, 2 is twice as often or as strong.

    Each factor has its own random numbers (`NamedGenerators`): changing one leaves the rest of a scene unchanged.
    """

    tilt: float = _factor("Oblique instead of vertical view.")
    lens: float = _factor("Barrel or pincushion distortion of the lens; the quads are distorted too.")
    stacks: float = _factor("Squared stacks of 6-40 cards with layered sides; only the top card is a target.")
    cascades: float = _factor("Fans and cascades of up to 16 cards, 6-50 mm apart, straight or as arcs.")
    captures: float = _factor("Captured cards in parallel rows by card type.")
    heaps: float = _factor("Heaps of 4-30 cards.")
    lean: float = _factor("Cards that rest on others: raised, tilted, with a gap under them.")
    backs: float = _factor("Rows of face-down cards, and plain dark backs.")
    frames: float = _factor("Frames and rounded corners with widths that differ from the art.")
    ink: float = _factor("Hue, saturation, contrast and brightness of the print.")
    inks: float = _factor(
        "Single inks exchanged: purple flowers black, green leaves blue, as manufacturers differ."
    )
    fields: float = _factor(
        "Single areas of picture cards in another ink: a black hill yellow, a red robe green."
    )
    mirrors: float = _factor("Single faces mirrored.")
    wear: float = _factor("Scratches, whitened edges and bent corners.")
    curl: float = _factor("Curled cards.")
    sheen: float = _factor("Glossy paper: a card is brighter towards one side.")
    card_shadows: float = _factor("Shadows of cards.")
    seams: float = _factor("Hard, antialiased or blurred card edges.")
    cloths: float = _factor("Contrast of printed, woven and patterned tabletops.")
    distractors: float = _factor("Papers, boxes, phones, cups, coins, western cards and other objects.")
    mats: float = _factor("A printed mat with ArUco markers and white patches under the cards.")
    hands: float = _factor("Hands and sleeves over the table.")
    lamps: float = _factor("Brightness gradients of one to three warm or cool lamps.")
    shadows: float = _factor("Shadows of heads and boxes, soft or with straight edges.")
    glare: float = _factor("Bright reflections, 5-60 mm.")
    resize: float = _factor("Downscaling to a lower resolution and back.")
    blur: float = _factor("Defocus.")
    motion: float = _factor("Motion blur.")
    moire: float = _factor("Moiré stripes.")
    exposure: float = _factor("Contrast, brightness and white balance of the camera.")
    sharpening: float = _factor("Sharpening halos.")
    noise: float = _factor("Sensor noise.")


#: Every factor at the strength used in training.
TRAINING_FACTORS = SceneFactors()


class NamedGenerators:
    """Independent random generators of one scene, one for each name. The names are part of the seed."""

    def __init__(self, rng: np.random.Generator) -> None:
        """Take the scene's seed from ``rng``."""
        self._seed = int(rng.integers(2**62))

    def of(self, name: str) -> np.random.Generator:
        """Return a new generator for ``name``; it always starts with the same numbers."""
        return np.random.Generator(np.random.PCG64((self._seed, crc32(name.encode()))))
