"""Probability calibration: temperatures and thresholds fitted on held-out decks, stored beside the
weights.

Written by ``python -m hanafuda_training.training.fit_calibration``; new weights need a new fit.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

FILE: Final = "calibration.json"

#: Lower bounds of the bands of visible fraction that have their own threshold; below the last one no card is
#: named. Of 29 names with a probability below .9 given to cards with a visible fraction of .25-.35, in 434
#: rendered and composed pictures, five were wrong; of 43 at .35-.5, three. Of 29 names below .2 with a
#: probability above .87, in 212 rendered and composed pictures and 18 variants of the photographed heap, five
#: were wrong; of 88 at .2-.25, three.
BANDS: Final = (0.5, 0.35, 0.2)


@dataclass(frozen=True, slots=True)
class Calibration:
    """Parameters fitted for one set of weights.

    ``whole`` and ``hidden``: softmax temperatures (Guo et al. 2017) for a fully visible and a hardly visible
    card, interpolated geometrically in between. ``commit``: minimum probability for naming a card, one for
    each band of visible fraction (`BANDS`). ``back``: minimum probability of a back for reporting a card that
    shows none of the deck's faces as face down.
    """

    whole: float = 0.8
    hidden: float = 0.8
    commit: tuple[float, float, float] = (0.8, 0.8, 0.9)
    back: float = 0.25

    def temperatures(self, visible: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the softmax temperature of each card (n) for its visible fraction (n, 0-1)."""
        return np.asarray(self.hidden * (self.whole / self.hidden) ** visible.astype(np.float64), np.float64)

    def thresholds(self, visible: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the minimum probability for naming each card (n); infinity where too little of it is visible."""
        return np.select([visible >= minimum for minimum in BANDS], self.commit, np.inf)


def read_calibration(models: Path) -> Calibration:
    """Return the calibration of the weights in ``models``, or the defaults if there is none."""
    path = models / FILE
    if not path.is_file():
        return Calibration()
    stored = json.loads(path.read_text(encoding="utf-8"))
    return Calibration(stored["whole"], stored["hidden"], tuple(stored["commit"]), stored["back"])


def softmax(logits: NDArray[np.float64], temperatures: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the softmax of ``logits`` (n x k) at the temperature of each row (n)."""
    raised = np.exp((logits - logits.max(axis=1, keepdims=True)) / temperatures[:, None])
    return np.asarray(raised / raised.sum(axis=1, keepdims=True), np.float64)
