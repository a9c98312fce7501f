"""Naming cards: from a rectified crop with its visible part to a probability for each kind."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.crops import NAME_MARGIN, NAME_SIZE, Image, Pyramid
from vision.kinds import KIND_COUNT
from vision.refiner import Refined, mask_on
from vision.sessions import open_session
from vision.steps import ALL_STEPS, Steps

#: Fitted on scenes composed from held-out families (models/README.md).
TEMPERATURE: Final = 0.8
#: A reading at least this sure is not taken again from the card's other end.
_SURE: Final = 0.95


def _posterior(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    raised = np.exp((logits - logits.max(axis=1, keepdims=True)) / TEMPERATURE)
    return np.asarray(raised / raised.sum(axis=1, keepdims=True), np.float64)


class Recogniser:
    """The crop network that names cards of the traditional patterns, whichever maker printed them."""

    def __init__(self, models: Path, steps: Steps = ALL_STEPS) -> None:
        self._session = open_session(models / "recogniser.onnx")
        self._steps = steps

    def name(self, pyramid: Pyramid, refined: Refined) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return n x KIND_COUNT probabilities and whether each quad stands upright (n).

        Cards of which one reading is not sure are read from the other end too, and the readings averaged.
        """
        if not len(refined.quads):
            return np.zeros((0, KIND_COUNT)), np.zeros(0, np.bool_)
        crops = np.stack([self._crop(pyramid, refined, index) for index in range(len(refined.quads))])
        kinds, upright = self._read(crops)
        unsure = _posterior(kinds).max(axis=1) < _SURE
        if self._steps.both_ends and unsure.any():
            turned_kinds, turned_upright = self._read(crops[unsure][:, ::-1, ::-1])
            kinds[unsure] = (kinds[unsure] + turned_kinds) / 2
            upright[unsure] -= turned_upright
        return _posterior(kinds), upright >= 0

    def _read(self, crops: Image) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return logits of the kinds (n x KIND_COUNT) and of standing upright (n)."""
        logits = self._session.run(None, {"crops": np.ascontiguousarray(crops)})[0]
        return np.asarray(logits[:, :KIND_COUNT], np.float64), np.asarray(logits[:, KIND_COUNT], np.float64)

    def _crop(self, pyramid: Pyramid, refined: Refined, index: int) -> Image:
        quad = refined.quads[index]
        if self._steps.mask:
            mask = mask_on(refined, index, quad, NAME_SIZE, NAME_MARGIN)
        else:
            mask = np.full(NAME_SIZE[::-1], 255, np.uint8)
        return np.dstack((pyramid.cut(quad, NAME_SIZE, NAME_MARGIN), mask))
