"""What makes composed scenes vary, by name: each factor can be switched off, or made stronger, and be looked at."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import numpy as np


def _factor(about: str) -> Any:
    """Return a field for a strength, 1 as trained; ``about`` tells what it makes vary."""
    return field(default=1.0, metadata={"about": about})


@dataclass(frozen=True)
class Factors:
    """The strength of each factor: 0 is off, 1 as trained, 2 twice as often or as strong.

    Each factor draws from its own random numbers (``Dice``), so changing one leaves the rest of a scene as it is.
    """

    tilt: float = _factor("The camera looks down aslant instead of straight.")
    lens: float = _factor("Lines bow outwards or inwards as a wide lens bows them; the quads follow.")
    stacks: float = _factor(
        "Squared stacks of 6-40 cards with their layered sides: one card to find, on top."
    )
    cascades: float = _factor("Fans and cascades of up to 16 cards, 6-50 mm apart, straight or as arcs.")
    captures: float = _factor("Captures in parallel rows by kind.")
    heaps: float = _factor("Heaps of 4-30 cards thrown on one another.")
    lean: float = _factor("Cards that rest on others: higher, leaning, with a gap under them.")
    backs: float = _factor("Rows of face-down cards, and plain dark backs.")
    frames: float = _factor("Frames and rounded corners of other widths than the art's own.")
    ink: float = _factor("Hue, saturation, contrast and brightness of the print.")
    inks: float = _factor("Single inks exchanged: purple flowers black, green leaves blue, as makers differ.")
    fields: float = _factor(
        "Single fields of picture cards in another ink: a black ground yellow, a red robe green."
    )
    mirrors: float = _factor("Single faces in a mirror.")
    wear: float = _factor("Scratches, whitened edges and dog ears.")
    curl: float = _factor("Cards that do not lie flat.")
    sheen: float = _factor("Paper that shines: a card brightens towards one side.")
    card_shadows: float = _factor("Shadows that cards throw on what they lie on.")
    seams: float = _factor("Edges of cards hard, one pixel soft, or blurred.")
    cloths: float = _factor("Printed, woven and patterned table tops instead of plain ones.")
    decoys: float = _factor("Papers, boxes, phones, cups, coins, western cards and more among the cards.")
    mats: float = _factor("A printed mat with ArUco markers and white patches under the cards.")
    hands: float = _factor("Hands and sleeves over the table.")
    lamps: float = _factor("Gradients of one to three lamps, warm or cool.")
    shadows: float = _factor("Shadows of heads and boxes, soft or with straight edges.")
    glare: float = _factor("Bright reflections, 5-60 mm.")
    resize: float = _factor("A picture that went through a lower resolution.")
    blur: float = _factor("Defocus.")
    motion: float = _factor("Movement of the camera.")
    moire: float = _factor("Stripes where the print's or a screen's pattern meets the sensor's.")
    exposure: float = _factor("Contrast, brightness and white balance of the camera.")
    sharpening: float = _factor("Halos of sharpening.")
    noise: float = _factor("Noise of the sensor.")


#: Every factor as trained.
TRAINED = Factors()


class Dice:
    """Random numbers of one scene: a generator of its own for each name."""

    def __init__(self, rng: np.random.Generator) -> None:
        """Draw the scene's seed from ``rng``."""
        self._seed = int(rng.integers(2**62))

    def of(self, name: str) -> np.random.Generator:
        """Return the generator called ``name``, always at its start."""
        return np.random.Generator(np.random.PCG64((self._seed, crc32(name.encode()))))
