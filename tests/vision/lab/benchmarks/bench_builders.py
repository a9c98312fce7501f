"""Cards, finds and looks for the tests of the bench, a line each."""

from pathlib import Path

import numpy as np

from vision.lab.benchmarks.evaluation import Checked, Find, Looked
from vision.lab.benchmarks.ground_truth import TrueCard, TruePicture
from vision.photograph.scan_result import ScannedCard


def quad(left: float, top: float = 0.0, width: float = 100.0, height: float = 160.0) -> np.ndarray:
    """Return an upright card's corners."""
    right, bottom = left + width, top + height
    return np.array([(left, top), (right, top), (right, bottom), (left, bottom)], np.float32)


def true(card: str | None, left: float = 0.0, visible: float | None = 1.0) -> TrueCard:
    return TrueCard(card, quad(left), None, visible)


def centred(card: str, x: float, y: float = 80.0) -> TrueCard:
    return TrueCard(card, None, (x, y), None)


def seen(card: str | None, left: float = 0.0, sure: float = 0.9, visible: float = 1.0) -> ScannedCard:
    one, two, three, four = ((float(x), float(y)) for x, y in quad(left))
    return ScannedCard(card, sure, (one, two, three, four), visible)


def find(
    card: str | None,
    own: str | None = None,
    sure: float = 0.9,
    visible: float = 1.0,
    alone: str | None = None,
) -> Find:
    return Find(seen(card, sure=sure, visible=visible), own or card, sure, alone or card)


def looked(
    *cards: Checked, extra: tuple[Find, ...] = (), order: tuple[bool, ...] = (), ms: float = 1.0
) -> Looked:
    picture = TruePicture(Path("shelf/picture.jpg"), tuple(card.truth for card in cards))
    return Looked(picture, (400, 300), cards, extra, order, {"find": ms, "total": ms})
