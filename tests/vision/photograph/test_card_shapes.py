"""Which accepted detections of a photograph have another shape than its cards."""

import numpy as np
import pytest

from vision.networks.class_ids import BACK, CLASS_COUNT, UNKNOWN
from vision.photograph.card_shapes import unlike_cards

#: Three confident cards, 60 x 96 px.
CARDS = [(60, 96, 3, 0.99), (60, 96, 4, 0.99), (60, 96, 5, 0.99)]


def unlike(*cards: tuple[float, float, int, float], visible: float = 1.0) -> list[bool]:
    """Return which of the cards (width and height, px, class, and its probability) are unlike cards; the last is ``visible``."""
    rows = np.zeros((len(cards), CLASS_COUNT))
    for row, (_, _, class_id, probability) in zip(rows, cards, strict=True):
        row[UNKNOWN], row[class_id] = 1 - probability, probability
    corners = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
    quads = np.array(
        [(100 * i, 100) + corners * (width, height) for i, (width, height, *_) in enumerate(cards)],
        np.float32,
    )
    return unlike_cards(rows, np.array([1] * (len(cards) - 1) + [visible], np.float32), quads).tolist()


@pytest.mark.parametrize(
    ("card", "expected"),
    [
        ((60, 96, 6, 0.7), False),
        ((62, 90, BACK, 0.99), False),
        ((66, 105, BACK, 0.99), False),
        ((52, 58, 6, 0.7), True),
        ((70, 140, BACK, 0.99), True),
        ((84, 134, BACK, 0.99), True),
        ((84, 134, 6, 0.7), False),
    ],
    ids=["card", "back", "draw pile, nearer", "half of a card", "phone", "box", "card of a larger print"],
)
def test_a_detection_beside_three_cards(card: tuple[float, float, int, float], expected: bool):
    assert unlike(*CARDS, card) == [False, False, False, expected]


def test_the_shape_of_a_mostly_hidden_card_is_unknown():
    assert not any(unlike(*CARDS, (52, 58, 6, 0.7), visible=0.5))


def test_two_cards_are_too_few_to_know_the_view():
    assert not any(unlike(*CARDS[:2], (52, 58, 6, 0.7)))


def test_cards_that_differ_among_themselves_allow_others_to_differ():
    """A view that was not rectified shortens some cards, depending on their direction."""
    assert not any(unlike(*CARDS[:2], (60, 70, 5, 0.99), (60, 72, BACK, 0.99)))


@pytest.mark.parametrize(
    ("probability", "expected"), [(0.8, True), (0.95, False)], ids=["drawing", "draw pile alone"]
)
def test_doubtful_backs_without_a_card_are_none(probability: float, expected: bool):
    assert unlike((60, 96, BACK, probability), (50, 70, UNKNOWN, 1.0)) == [expected, False]
