"""What was fitted on held-out families so that a probability can be believed, read from beside the weights.

``python -m vision.lab.training.fit_calibration`` writes it; new weights need a new fit and no change of code.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["BANDS", "Calibration", "read_calibration", "softmax"]

_FILE: Final = "judgement.json"

BANDS: Final = (0.5, 0.35, 0.0)
"""Least visible share of the bands that thresholds are told for. Of 29 names less sure than .9 that were given to cards showing .25–.35,
in 434 rendered and composed pictures, five were wrong, of 43 at .35–.5 three."""
_LEAST_NAMED: Final = 0.2
"""What shows less has no name, however sure: of 29 names so given in 212 rendered and composed pictures and in 18 forms of the
photographed heap, each surer than .87, five were wrong; of 88 at .2–.25 three."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """``whole`` and ``hidden``: temperatures (Guo et al. 2017) of a card that is wholly seen and of one hardly seen; between
    them they run geometrically. ``commit``: the least probability that a name is given from, by band of the visible share
    (`BANDS`); the last holds down to a fifth. ``back``: from which probability on a card that is surely none of the deck's
    faces is told as a back.
    """

    whole: float = 0.8
    hidden: float = 0.8
    commit: tuple[float, float, float] = (0.8, 0.8, 0.9)
    back: float = 0.25

    def temperatures(self, visible: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the temperature of each card (n) by its visible share."""
        return np.asarray(self.hidden * (self.whole / self.hidden) ** visible.astype(np.float64), np.float64)

    def thresholds(self, visible: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the least probability of a name of each card (n) by its visible share; infinite where too little is seen."""
        seen = np.select([visible >= least for least in BANDS[:-1]], self.commit[:-1], self.commit[-1])
        return np.asarray(np.where(visible < _LEAST_NAMED, np.inf, seen))

    def write(self, models: Path) -> None:
        """Write it beside the weights in ``models``."""
        rounded = {
            name: [round(v, 4) for v in value] if isinstance(value, tuple) else round(value, 4)
            for name, value in asdict(self).items()
        }
        (models / _FILE).write_text(json.dumps(rounded, indent=1) + "\n", encoding="utf-8")


def read_calibration(models: Path) -> Calibration:
    """Return the calibration of the weights in ``models``, the untuned one where they were not calibrated yet."""
    path = models / _FILE
    if not path.is_file():
        return Calibration()
    told = json.loads(path.read_text(encoding="utf-8"))
    return Calibration(told["whole"], told["hidden"], tuple(told["commit"]), told["back"])


def softmax(logits: NDArray[np.float64], temperatures: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the posteriors of n x k ``logits`` at each row's temperature (n)."""
    raised = np.exp((logits - logits.max(axis=1, keepdims=True)) / temperatures[:, None])
    return np.asarray(raised / raised.sum(axis=1, keepdims=True), np.float64)
