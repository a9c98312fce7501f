"""Card recognition: from rectified crops with their visibility masks to a probability for each class."""

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

from vision.networks.card_arrays import CardArrays
from vision.networks.class_ids import BACK, CLASS_COUNT, HANAFUDA_CLASSES
from vision.networks.onnx_sessions import open_session
from vision.networks.probability_calibration import read_calibration, softmax
from vision.networks.refiner import RefinedCards, masks_in_crops
from vision.pictures.crops import RECOGNIZER_MARGIN, RECOGNIZER_SIZE, Image, Pyramid

#: Probability from which a recognition is not repeated from the card's other end.
_CONFIDENT: Final = 0.95
_FLOOR: Final = 1e-6
#: Visible fraction from which a card is also recognized with its colors halfway to gray. Decks color the same
#: drawing differently, and a strip has little but color. On 386 pictures of held-out decks, the
#: log-likelihood of the true name of cards at least half visible rose from -.0282 to -.0260 and from -.0205
#: to -.0188 (steps of 15-22 mm), from -.0574 to -.0566 (9-12 mm), and from -.5856 to -.5795 (composed).
_GRAY_MIN_VISIBLE: Final = 0.45
#: Length of an embedding.
EMBEDDING: Final = 128


@dataclass(frozen=True)
class Recognitions(CardArrays):
    """Recognizer output for n cards, and their names in the deck in use.

    ``own``: n x CLASS_COUNT, the recognizer's posterior over the traditional hanafuda, a back, and unknown.
    ``posterior``: n x (number of ``classes`` + 2), the one over the ``classes`` of the deck, a back, and unknown;
    ``own`` before a deck is chosen. ``upright`` (n): whether each quad starts at the card's own top.
    ``embeddings``: n x EMBEDDING float32 unit vectors; cards that look alike are close, also in unseen decks.
    ``crops``: n x 96 x 64 x 4 uint8 (BGR and visibility mask), the recognizer's input in the orientation of the
    quad.
    """

    own: NDArray[np.float64]
    posterior: NDArray[np.float64]
    upright: NDArray[np.bool_]
    embeddings: NDArray[np.float32]
    crops: Image
    classes: tuple[tuple[str, ...], ...] = HANAFUDA_CLASSES


def average_recognitions(readings: Sequence[Recognitions]) -> Recognitions:
    """Combine several recognitions of the same cards in the same orientation, before a deck is chosen: mean
    logits and mean embeddings.
    """
    logits = np.mean([np.log(np.maximum(each.own, _FLOOR)) for each in readings], axis=0)
    embedding = np.sum([each.embeddings for each in readings], axis=0)
    embedding /= np.maximum(np.linalg.norm(embedding, axis=1, keepdims=True), _FLOOR)
    own = softmax(logits, np.ones(len(logits)))
    return replace(readings[0], own=own, posterior=own, embeddings=embedding)


def half_gray(crops: Image) -> Image:
    """Return ``crops`` (n x H x W x 4 uint8, BGR and visibility mask) with their colors halfway to gray."""
    height, width = crops.shape[1:3]
    colors = np.ascontiguousarray(crops[..., :3]).reshape(-1, width, 3)
    gray = cv2.cvtColor(cv2.cvtColor(colors, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    pale = cv2.addWeighted(colors, 0.5, gray, 0.5, 0).reshape(-1, height, width, 3)
    return np.concatenate((pale, crops[..., 3:]), axis=3)


def _average_faces(logits: NDArray[np.float64], pale: NDArray[np.float64]) -> NDArray[np.float64]:
    """Average the face logits (n x CLASS_COUNT) with those of the ``pale`` crops.

    The total probability of all faces stays the same, because a back is recognized by its color.
    """
    mean = logits.copy()
    mean[:, :BACK] = (logits[:, :BACK] + pale[:, :BACK]) / 2
    mean[:, :BACK] += _logsumexp_faces(logits) - _logsumexp_faces(mean)
    return mean


def _logsumexp_faces(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.logaddexp.reduce(logits[:, :BACK], axis=1, keepdims=True), np.float64)


class Recognizer:
    """Crop classifier for cards of the traditional hanafuda patterns, of any maker."""

    def __init__(self, models: Path, fast: bool = False) -> None:
        self._file = models / "recognizer.onnx"
        self._session = open_session(models / "recognizer-int8.onnx" if fast else self._file)
        self.calibration = read_calibration(models)

    @cached_property
    def fingerprint(self) -> str:
        """Identifier of the weights; embeddings of other weights are not comparable."""
        return hashlib.sha256(self._file.read_bytes()).hexdigest()[:16]

    def recognize(self, pyramid: Pyramid, refined: RefinedCards) -> Recognitions:
        """Recognize each card.

        Uncertain cards are recognized from their other end too and the results averaged, and likewise with
        reduced colors.
        """
        if not len(refined.quads):
            return Recognitions(
                np.zeros((0, CLASS_COUNT)),
                np.zeros((0, CLASS_COUNT)),
                np.zeros(0, np.bool_),
                np.zeros((0, EMBEDDING), np.float32),
                np.zeros((0, RECOGNIZER_SIZE[1], RECOGNIZER_SIZE[0], 4), np.uint8),
            )
        crops = self._crops(pyramid, refined)
        classes, upright, embeddings = self.infer(crops)
        temperatures = self.calibration.temperatures(refined.visible)
        uncertain = softmax(classes, temperatures).max(axis=1) < _CONFIDENT
        if uncertain.any():
            turned_classes, turned_upright = self.infer(crops[uncertain][:, ::-1, ::-1])[:2]
            classes[uncertain] = (classes[uncertain] + turned_classes) / 2
            upright[uncertain] -= turned_upright
        recolored = uncertain & (refined.visible >= _GRAY_MIN_VISIBLE)
        if recolored.any():
            pale = half_gray(crops[recolored])
            both_ends = self.infer(np.concatenate((pale, pale[:, ::-1, ::-1])))[0]
            classes[recolored] = _average_faces(
                classes[recolored], both_ends.reshape(2, -1, CLASS_COUNT).mean(axis=0)
            )
        own = softmax(classes, temperatures)
        return Recognitions(own, own, upright >= 0, embeddings, crops)

    def infer(self, crops: Image) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float32]]:
        """Return class logits (n x CLASS_COUNT), logits of being upright (n), and unit embeddings (n x
        EMBEDDING).

        ``crops``: n x 96 x 64 x 4 uint8, BGR and visibility mask (0-255).
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
        crops[..., 3] = masks_in_crops(refined, RECOGNIZER_SIZE, RECOGNIZER_MARGIN)
        return crops
