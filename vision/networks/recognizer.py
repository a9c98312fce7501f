"""Naming cards: from a rectified crop with its visible part to a probability for each kind."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from vision.networks.class_ids import BACK, CLASS_COUNT
from vision.networks.crops import RECOGNIZER_MARGIN, RECOGNIZER_SIZE, Image, Pyramid
from vision.networks.onnx_sessions import open_session
from vision.networks.pipeline_steps import ALL_STEPS, PipelineSteps
from vision.networks.probability_calibration import read_calibration, softmax
from vision.networks.refiner import RefinedCards, masks_in_crops

#: A reading at least this sure is not taken again from the card's other end.
_SURE: Final = 0.95
_FLOOR: Final = 1e-6
#: What shows at least this much of itself may also be read with its colours half way to grey: decks colour one drawing differently,
#: and little more than colours is left of a strip. On 386 pictures of held-out families, log-likelihood of the true name of cards at least
#: half visible: -.0282 -> -.0260 and -.0205 -> -.0188 (steps of 15-22 mm), -.0574 -> -.0566 (9-12 mm), -.5856 -> -.5795 (composed).
_PLAIN: Final = 0.45
#: Length of an embedding.
EMBEDDING: Final = 128


@dataclass(frozen=True)
class Recognitions:
    """What the recogniser says of n cards, before any deck is known.

    ``posterior`` n x KIND_COUNT: the hanafuda of the traditional patterns, a back, a stranger. ``upright`` (n): whether
    each quad begins at the card's own top. ``embeddings`` n x EMBEDDING float32 unit vectors: cards that look alike lie
    near one another, cards of packs never seen too. ``crops`` n x 96 x 64 x 4 uint8 (BGR and the visible part): what was
    read, from the end that the quad begins at.
    """

    posterior: NDArray[np.float64]
    upright: NDArray[np.bool_]
    embeddings: NDArray[np.float32]
    crops: Image

    def take(self, chosen: NDArray[np.intp]) -> Recognitions:
        """Return the chosen cards."""
        return Recognitions(
            self.posterior[chosen], self.upright[chosen], self.embeddings[chosen], self.crops[chosen]
        )


def average_recognitions(readings: Sequence[Recognitions]) -> Recognitions:
    """Return several readings of the same cards, from the same end, as one: the mean of logits, and of embeddings."""
    logits = np.mean([np.log(np.maximum(each.posterior, _FLOOR)) for each in readings], axis=0)
    embedding = np.sum([each.embeddings for each in readings], axis=0)
    embedding /= np.maximum(np.linalg.norm(embedding, axis=1, keepdims=True), _FLOOR)
    return replace(readings[0], posterior=softmax(logits, np.ones(len(logits))), embeddings=embedding)


def half_gray(crops: Image) -> Image:
    """Return ``crops`` (n x H x W x 4 uint8, BGR and the visible part) with their colours half way to grey."""
    height, width = crops.shape[1:3]
    colours = np.ascontiguousarray(crops[..., :3]).reshape(-1, width, 3)
    grey = cv2.cvtColor(cv2.cvtColor(colours, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    pale = cv2.addWeighted(colours, 0.5, grey, 0.5, 0).reshape(-1, height, width, 3)
    return np.concatenate((pale, crops[..., 3:]), axis=3)


def _faces_averaged(logits: NDArray[np.float64], pale: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``logits`` (n x KIND_COUNT) with those of faces averaged with ``pale`` ones; all faces together are as likely as they
    were, for a back is told by its colour.
    """
    mean = logits.copy()
    mean[:, :BACK] = (logits[:, :BACK] + pale[:, :BACK]) / 2
    mean[:, :BACK] += _together(logits) - _together(mean)
    return mean


def _together(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(logsumexp(logits[:, :BACK], axis=1, keepdims=True), np.float64)


class Recognizer:
    """The crop network that names cards of the traditional patterns, whichever maker printed them."""

    def __init__(self, models: Path, steps: PipelineSteps = ALL_STEPS, fast: bool = False) -> None:
        self._file = models / "recogniser.onnx"
        self._session, self.form = open_session(models, "recogniser", fast)
        self.calibration = read_calibration(models)
        self._steps = steps

    @cached_property
    def fingerprint(self) -> str:
        """Which weights these are: embeddings of others cannot be compared with theirs."""
        return hashlib.sha256(self._file.read_bytes()).hexdigest()[:16]

    def name(self, pyramid: Pyramid, refined: RefinedCards) -> Recognitions:
        """Read each card; one of which a reading is not sure is read from the other end too, and the two averaged, and so
        with paler colours.
        """
        if not len(refined.quads):
            return Recognitions(
                np.zeros((0, CLASS_COUNT)),
                np.zeros(0, np.bool_),
                np.zeros((0, EMBEDDING), np.float32),
                np.zeros((0, RECOGNIZER_SIZE[1], RECOGNIZER_SIZE[0], 4), np.uint8),
            )
        crops = self._crops(pyramid, refined)
        classes, upright, embeddings = self.read(crops)
        temperatures = self.calibration.temperatures(refined.visible)
        unsure = softmax(classes, temperatures).max(axis=1) < _SURE
        if self._steps.both_ends and unsure.any():
            turned_kinds, turned_upright, _ = self.read(crops[unsure][:, ::-1, ::-1])
            classes[unsure] = (classes[unsure] + turned_kinds) / 2
            upright[unsure] -= turned_upright
        plain = unsure & (refined.visible >= _PLAIN)
        if self._steps.paler and plain.any():
            pale = half_gray(crops[plain])
            both_ends = self.read(np.concatenate((pale, pale[:, ::-1, ::-1])))[0]
            classes[plain] = _faces_averaged(
                classes[plain], both_ends.reshape(2, -1, CLASS_COUNT).mean(axis=0)
            )
        return Recognitions(softmax(classes, temperatures), upright >= 0, embeddings, crops)

    def read(self, crops: Image) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float32]]:
        """Return logits of the kinds (n x KIND_COUNT), of standing upright (n), and embeddings (n x EMBEDDING, unit).

        ``crops`` n x 96 x 64 x 4 uint8: BGR and the visible part (0-255).
        """
        logits, embeddings = self._session.run(
            ["logits", "embedding"], {"crops": np.ascontiguousarray(crops)}
        )
        return (
            np.asarray(logits[:, :CLASS_COUNT], np.float64),
            np.asarray(logits[:, CLASS_COUNT], np.float64),
            np.asarray(embeddings, np.float32),
        )

    def _crops(self, pyramid: Pyramid, refined: RefinedCards) -> Image:
        crops = np.full((len(refined.quads), RECOGNIZER_SIZE[1], RECOGNIZER_SIZE[0], 4), 255, np.uint8)
        crops[..., :3] = pyramid.cut_all(refined.quads, RECOGNIZER_SIZE, RECOGNIZER_MARGIN)
        if self._steps.mask:
            crops[..., 3] = masks_in_crops(refined, RECOGNIZER_SIZE, RECOGNIZER_MARGIN)
        return crops
