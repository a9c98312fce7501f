"""Card candidates: detections of a picture after refinement and recognition, before acceptance and naming."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.networks.card_arrays import CardArrays
from vision.networks.recognizer import Recognitions
from vision.networks.refiner import RefinedCards
from vision.pictures.crops import Quads, rotate_half_turn


@dataclass(frozen=True)
class CardCandidates(CardArrays):
    """Cards of one picture before acceptance and naming.

    ``refined``: refiner output (n), whose quads may start at either end. ``recognized``: recognizer output (n).
    ``scores``: detector scores (n, 0-1). ``size``: width and height of the picture, px. ``ms``: duration of each
    stage: ``detect`` (detector passes), ``refine``, ``deduplicate`` (duplicate removal), ``recognize``. ``deck``:
    the name of the deck that was chosen, empty before that.
    """

    refined: RefinedCards
    recognized: Recognitions
    scores: NDArray[np.float32]
    size: tuple[int, int]
    ms: Mapping[str, float]
    deck: str = ""

    @property
    def quads(self) -> Quads:
        """Quads (n x 4 x 2 px) that start at the card's own top left."""
        quads = self.refined.quads
        return np.where(self.recognized.upright[:, None, None], quads, rotate_half_turn(quads))

    @property
    def visible(self) -> NDArray[np.float32]:
        """Visible fractions (n, 0-1)."""
        return self.refined.visible
