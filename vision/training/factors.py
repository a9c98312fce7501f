"""What makes composed scenes vary, by name: each factor can be switched off, or made stronger, and be looked at."""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

import numpy as np


@dataclass(frozen=True)
class Factors:
    """The strength of each factor: 0 is off, 1 as trained, 2 twice as often or as strong.

    Each factor draws from its own random numbers (``Dice``), so changing one leaves the rest of a scene as it is.
    """

    #: The camera looks down aslant instead of straight.
    tilt: float = 1.0
    #: Lines bow outwards or inwards as a wide lens bows them; the quads follow.
    lens: float = 1.0
    #: Squared stacks of 6-40 cards with their layered sides: one card to find, on top.
    stacks: float = 1.0
    #: Fans and cascades of up to 16 cards, 6-50 mm apart, straight or as arcs.
    cascades: float = 1.0
    #: Captures in parallel rows by kind.
    captures: float = 1.0
    #: Heaps of 4-30 cards thrown on one another.
    heaps: float = 1.0
    #: Cards that rest on others: higher, leaning, with a gap under them.
    lean: float = 1.0
    #: Rows of face-down cards, and plain dark backs.
    backs: float = 1.0
    #: Frames and rounded corners of other widths than the art's own.
    frames: float = 1.0
    #: Hue, saturation, contrast and brightness of the print.
    ink: float = 1.0
    #: Scratches, whitened edges and dog ears.
    wear: float = 1.0
    #: Cards that do not lie flat.
    curl: float = 1.0
    #: Paper that shines: a card brightens towards one side.
    sheen: float = 1.0
    #: Shadows that cards throw on what they lie on.
    card_shadows: float = 1.0
    #: Edges of cards hard, one pixel soft, or blurred.
    seams: float = 1.0
    #: Printed, woven and patterned table tops instead of plain ones.
    cloths: float = 1.0
    #: Papers, boxes, phones, cups, coins, western cards and more among the cards.
    decoys: float = 1.0
    #: A printed mat with ArUco markers and white patches under the cards.
    mats: float = 1.0
    #: Hands and sleeves over the table.
    hands: float = 1.0
    #: Gradients of one to three lamps, warm or cool.
    lamps: float = 1.0
    #: Shadows of heads and boxes, soft or with straight edges.
    shadows: float = 1.0
    #: Bright reflections, 5-60 mm.
    glare: float = 1.0
    #: A picture that went through a lower resolution.
    resize: float = 1.0
    #: Defocus.
    blur: float = 1.0
    #: Movement of the camera or of a card.
    motion: float = 1.0
    #: Stripes where the print's or a screen's pattern meets the sensor's.
    moire: float = 1.0
    #: Contrast, brightness and white balance of the camera.
    exposure: float = 1.0
    #: Halos of sharpening.
    sharpening: float = 1.0
    #: Noise of the sensor.
    noise: float = 1.0


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
