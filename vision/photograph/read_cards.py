"""What was seen in a picture, before any name is decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.networks.card_arrays import concatenate_cards
from vision.networks.crops import Quads
from vision.networks.recognizer import Recognitions
from vision.networks.refiner import RefinedCards


@dataclass(frozen=True)
class CardCandidates:
    """What was seen, before any name is decided and doubtful finds are left out: ``quads`` n x 4 x 2 px from the card's own
    top left as far as the recogniser can tell, visible ``shares`` (n, 0-1), the detector's ``scores`` (n, 0-1), ``named``,
    what the recogniser says of each (n), and ``looked``, the close look each card was read from (n; its quads may begin
    at the card's other end). ``size``: width and height of the picture, px. ``ms``: how long each stage took: ``find`` (the
    detector's passes), ``look`` (corners and visible parts), ``claim`` (doubles dropped), ``name``.
    """

    quads: Quads
    visible: NDArray[np.float32]
    scores: NDArray[np.float32]
    recognized: Recognitions
    refined: RefinedCards
    size: tuple[int, int]
    ms: Mapping[str, float]

    def take(self, chosen: NDArray[np.intp]) -> CardCandidates:
        """Return the chosen cards."""
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
        """Return these cards and those ``other`` ones of the same picture."""
        return CardCandidates(
            np.concatenate((self.quads, other.quads)),
            np.concatenate((self.visible, other.visible)),
            np.concatenate((self.scores, other.scores)),
            concatenate_cards(self.recognized, other.recognized),
            concatenate_cards(self.refined, other.refined),
            self.size,
            self.ms,
        )
