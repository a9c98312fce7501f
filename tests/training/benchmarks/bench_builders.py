"""Builders of cards, detections and observations for the tests of the benchmarks."""

from pathlib import Path

import numpy as np

from hanafuda_training.benchmarks.evaluation import EvaluatedCard, EvaluatedDetection, EvaluatedPicture
from hanafuda_training.benchmarks.ground_truth import TrueCard, TruePicture
from vision.photograph.scan_result import ScannedCard


def quad(left: float, top: float = 0.0, width: float = 100.0, height: float = 160.0) -> np.ndarray:
    """Return an upright card's corners."""
    right, bottom = left + width, top + height
    return np.array([(left, top), (right, top), (right, bottom), (left, bottom)], np.float32)


def true(card: str | None, left: float = 0.0, visible: float | None = 1.0) -> TrueCard:
    return TrueCard(card, quad(left), None, visible)


def centered(card: str, x: float, y: float = 80.0) -> TrueCard:
    return TrueCard(card, None, (x, y), None)


def reported(card: str | None, left: float = 0.0, sure: float = 0.9, visible: float = 1.0) -> ScannedCard:
    one, two, three, four = ((float(x), float(y)) for x, y in quad(left))
    return ScannedCard(card, sure, (one, two, three, four), visible)


def detection(
    card: str | None,
    own: str | None = None,
    sure: float = 0.9,
    visible: float = 1.0,
    alone: str | None = None,
) -> EvaluatedDetection:
    return EvaluatedDetection(reported(card, sure=sure, visible=visible), own or card, sure, alone or card)


def evaluated(
    *cards: EvaluatedCard,
    extra: tuple[EvaluatedDetection, ...] = (),
    order: tuple[bool, ...] = (),
    ms: float = 1.0,
) -> EvaluatedPicture:
    picture = TruePicture(Path("shelf/picture.jpg"), tuple(card.truth for card in cards))
    return EvaluatedPicture(picture, (400, 300), cards, extra, order, {"detect": ms, "total": ms})
