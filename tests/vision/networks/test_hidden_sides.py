"""A visible strip of a card may be its left or its right side (upper or lower)."""

import numpy as np
import pytest

from vision.networks.onnx_sessions import MODELS
from vision.networks.refiner import RefinedCards, Refiner, opposite_positions
from vision.pictures.crops import MASK_SIZE, REFINER_MARGIN, Pyramid, card_frame

(LEFT, TOP), _, (RIGHT, BOTTOM), _ = card_frame(MASK_SIZE, REFINER_MARGIN).round().astype(int)
CARD = np.array([(100, 200), (170, 200), (170, 312), (100, 312)], np.float32)
TURNED = CARD[[1, 2, 3, 0]]  # its upper end is at the right
ROOM = 0.06  # a mask cell, as a fraction of the card


def mask(left: float, top: float, right: float, bottom: float) -> np.ndarray:
    """Return a mask whose visible part is given in fractions of the card's width and height."""
    visible = np.zeros(MASK_SIZE[::-1], np.float32)
    columns = slice(LEFT + round(left * (RIGHT - LEFT)), LEFT + round(right * (RIGHT - LEFT)))
    rows = slice(TOP + round(top * (BOTTOM - TOP)), TOP + round(bottom * (BOTTOM - TOP)))
    visible[rows, columns] = 0.9
    return visible


@pytest.mark.parametrize(
    ("window", "visible", "moved"),
    [
        (CARD, (0, 0, 1, 0.5), (0, -56)),
        (CARD, (0, 0.75, 1, 1), (0, 84)),
        (CARD, (0, 0, 0.3, 1), (-49, 0)),
        (CARD, (0.5, 0, 1, 1), (35, 0)),
        (TURNED, (0, 0, 1, 0.5), (35, 0)),
    ],
)
def test_the_strip_stays_and_the_card_moves_to_its_opposite_side(window, visible, moved):
    cards, quads = opposite_positions(window[None], mask(*visible)[None])
    assert cards.tolist() == [0]
    assert quads[0] - window == pytest.approx(np.tile(moved, (4, 1)), abs=112 * ROOM)


@pytest.mark.parametrize(
    "visible",
    [(0, 0, 1, 1), (0, 0, 1, 0.9), (0, 0, 0.5, 0.5), (0.2, 0.2, 0.8, 0.8), (0, 0, 0, 0)],
    ids=["whole", "all but an edge", "a corner", "the middle", "nothing"],
)
def test_other_visible_parts_have_no_opposite_position(visible):
    assert not len(opposite_positions(CARD[None], mask(*visible)[None])[0])


def test_only_cards_with_a_visible_strip_are_returned():
    visible = [(0, 0, 1, 1), (0, 0, 1, 0.4), (0, 0, 0.5, 0.5), (0.6, 0, 1, 1)]
    windows = np.stack([CARD + 200 * number for number in range(4)])
    cards, quads = opposite_positions(windows, np.stack([mask(*each) for each in visible]))
    assert cards.tolist() == [1, 3]
    assert len(quads) == 2


def test_no_cards():
    _, quads = opposite_positions(
        np.zeros((0, 4, 2), np.float32), np.zeros((0, *MASK_SIZE[::-1]), np.float32)
    )
    assert quads.shape == (0, 4, 2)


class FixedProbability:
    """A refiner network that reports every card as half visible, with given probabilities of its position."""

    def __init__(self, probability: list[float]) -> None:
        self.probability = probability

    def run(self, _: None, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        """Return 10 numbers and a mask for each crop."""
        count = len(inputs["crops"])
        numbers = np.zeros((count, 10), np.float32)
        numbers[:, 8], numbers[:, 9] = 0.5, self.probability[:count]
        return [numbers, np.stack([mask(0, 0, 1, 0.5)] * count)]


def test_a_card_moves_to_the_opposite_position_only_where_that_is_probable(monkeypatch: pytest.MonkeyPatch):
    refiner = Refiner(MODELS)
    monkeypatch.setattr(refiner, "_session", FixedProbability([0.9, 0.01, 0.6]))
    windows = np.stack([CARD + 200 * number for number in range(3)])
    strips = np.stack([mask(0, 0, 1, 0.5)] * 3)
    refined = RefinedCards(windows, np.full(3, 0.5, np.float32), strips, windows)
    points = windows[:, :2].mean(axis=1) + np.array((0, 20))
    cards, there = refiner.try_opposite(
        Pyramid(np.zeros((800, 800, 3), np.uint8)), refined, points.astype(np.float32), np.arange(3)
    )
    assert cards.tolist() == [0, 2]
    assert there.quads[:, 0, 1] == pytest.approx([144, 544], abs=112 * ROOM)
