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

#: Fitted on scenes composed from held-out families (models/README.md).
TEMPERATURE: Final = 0.8


class Recogniser:
    """The crop network that names cards of the traditional patterns, whichever maker printed them."""

    def __init__(self, models: Path) -> None:
        self._session = open_session(models / "recogniser.onnx")

    def name(self, pyramid: Pyramid, refined: Refined) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Read each card from both ends; return n x KIND_COUNT probabilities and whether each quad stands upright (n)."""
        if not len(refined.quads):
            return np.zeros((0, KIND_COUNT)), np.zeros(0, np.bool_)
        crops = np.stack([self._crop(pyramid, refined, index) for index in range(len(refined.quads))])
        both = np.concatenate((crops, crops[:, ::-1, ::-1]))
        logits = np.asarray(self._session.run(None, {"crops": np.ascontiguousarray(both)})[0], np.float64)
        one, other = logits[: len(crops)], logits[len(crops) :]
        mean = (one + other)[:, :KIND_COUNT] / 2 / TEMPERATURE
        raised = np.exp(mean - mean.max(axis=1, keepdims=True))
        return raised / raised.sum(axis=1, keepdims=True), one[:, KIND_COUNT] >= other[:, KIND_COUNT]

    @staticmethod
    def _crop(pyramid: Pyramid, refined: Refined, index: int) -> Image:
        quad = refined.quads[index]
        return np.dstack(
            (pyramid.cut(quad, NAME_SIZE, NAME_MARGIN), mask_on(refined, index, quad, NAME_SIZE, NAME_MARGIN))
        )
