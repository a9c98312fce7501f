"""Card candidates: detections of a picture after refinement and recognition, before acceptance and naming."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.networks.card_arrays import concatenate_cards
from vision.networks.recognizer import Recognitions
from vision.networks.refiner import RefinedCards
from vision.pictures.crops import Quads


@dataclass(frozen=True)
class CardCandidates:
    """Cards of one picture before acceptance and naming.

    ``quads``: n x 4 x 2 px, starting at the card's own top left as estimated by the recognizer. ``visible``:
    visible fractions (n, 0-1). ``scores``: detector scores (n, 0-1). ``recognized``: recognizer output (n).
    ``refined``: refiner output (n), whose quads may start at the other end. ``size``: width and height of the
    picture, px. ``ms``: duration of each stage: ``find`` (detector passes), ``look`` (refinement), ``claim``
    (duplicate removal), ``name`` (recognition).
    """

    quads: Quads
    visible: NDArray[np.float32]
    scores: NDArray[np.float32]
    recognized: Recognitions
    refined: RefinedCards
    size: tuple[int, int]
    ms: Mapping[str, float]

    def take(self, chosen: NDArray[np.intp]) -> CardCandidates:
        """Return the cards with the indices ``chosen``."""
        return CardCandidates(
            self.quads[chosen],
            self.visible[chosen],
            self.scores[chosen],
            self.recognized.take(chosen),
            self.refined.take(chosen),
            self.size,
            self.ms,
        )

    def beside(self, other: CardCandidates) -> CardCandidates:
        """Return these cards followed by ``other`` cards of the same picture."""
        return CardCandidates(
            np.concatenate((self.quads, other.quads)),
            np.concatenate((self.visible, other.visible)),
            np.concatenate((self.scores, other.scores)),
            concatenate_cards(self.recognized, other.recognized),
            concatenate_cards(self.refined, other.refined),
            self.size,
            self.ms,
        )
