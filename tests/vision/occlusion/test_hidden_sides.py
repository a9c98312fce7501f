"""A strip of a card may be its one side or its other."""

import numpy as np
import pytest

from vision.networks.crops import MASK_SIZE, REFINER_MARGIN, Pyramid, card_frame
from vision.networks.onnx_sessions import MODELS
from vision.networks.refiner import RefinedCards, Refiner
from vision.occlusion.hidden_sides import opposite_positions

(LEFT, TOP), _, (RIGHT, BOTTOM), _ = card_frame(MASK_SIZE, REFINER_MARGIN).round().astype(int)
CARD = np.array([(100, 200), (170, 200), (170, 312), (100, 312)], np.float32)
TURNED = CARD[[1, 2, 3, 0]]  # its upper end lies right
ROOM = 0.06  # a cell of the mask, as a share of the card


def mask(left: float, top: float, right: float, bottom: float) -> np.ndarray:
    """What shows: a part of the card, told in shares of its width and height."""
    shown = np.zeros(MASK_SIZE[::-1], np.float32)
    columns = slice(LEFT + round(left * (RIGHT - LEFT)), LEFT + round(right * (RIGHT - LEFT)))
    rows = slice(TOP + round(top * (BOTTOM - TOP)), TOP + round(bottom * (BOTTOM - TOP)))
    shown[rows, columns] = 0.9
    return shown


@pytest.mark.parametrize(
    ("window", "shown", "moved"),
    [
        (CARD, (0, 0, 1, 0.5), (0, -56)),
        (CARD, (0, 0.75, 1, 1), (0, 84)),
        (CARD, (0, 0, 0.3, 1), (-49, 0)),
        (CARD, (0.5, 0, 1, 1), (35, 0)),
        (TURNED, (0, 0, 1, 0.5), (35, 0)),
    ],
)
def test_the_strip_stays_and_the_card_is_laid_across_it(window, shown, moved):
    sides = opposite_positions(window[None], mask(*shown)[None])
    assert sides.cards.tolist() == [0]
    assert sides.quads[0] - window == pytest.approx(np.tile(moved, (4, 1)), abs=112 * ROOM)


@pytest.mark.parametrize(
    "shown",
    [(0, 0, 1, 1), (0, 0, 1, 0.9), (0, 0, 0.5, 0.5), (0.2, 0.2, 0.8, 0.8), (0, 0, 0, 0)],
    ids=["whole", "all but an edge", "a corner", "the middle", "nothing"],
)
def test_what_is_no_strip_has_no_other_side(shown):
    assert not len(opposite_positions(CARD[None], mask(*shown)[None]).cards)


def test_of_many_those_are_told_of_which_a_strip_shows():
    shown = [(0, 0, 1, 1), (0, 0, 1, 0.4), (0, 0, 0.5, 0.5), (0.6, 0, 1, 1)]
    windows = np.stack([CARD + 200 * number for number in range(4)])
    sides = opposite_positions(windows, np.stack([mask(*each) for each in shown]))
    assert sides.cards.tolist() == [1, 3]
    assert len(sides.quads) == 2


def test_no_cards():
    nothing = opposite_positions(np.zeros((0, 4, 2), np.float32), np.zeros((0, *MASK_SIZE[::-1]), np.float32))
    assert nothing.quads.shape == (0, 4, 2)


class Hunch:
    """A refiner's network to which every card is half seen, and lies where it is looked for as likely as it was told."""

    def __init__(self, here: list[float]) -> None:
        self.here = here

    def run(self, _: None, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        """Return 10 numbers and a mask for each crop."""
        count = len(inputs["crops"])
        numbers = np.zeros((count, 10), np.float32)
        numbers[:, 8], numbers[:, 9] = 0.5, self.here[:count]
        return [numbers, np.stack([mask(0, 0, 1, 0.5)] * count)]


def test_a_card_is_put_on_its_other_side_only_where_it_may_lie_there(monkeypatch: pytest.MonkeyPatch):
    refiner = Refiner(MODELS)
    monkeypatch.setattr(refiner, "_session", Hunch([0.9, 0.01, 0.6]))
    windows = np.stack([CARD + 200 * number for number in range(3)])
    strips = np.stack([mask(0, 0, 1, 0.5)] * 3)
    looked = RefinedCards(windows, np.full(3, 0.5, np.float32), strips, windows)
    points = windows[:, :2].mean(axis=1) + np.array((0, 20))
    cards, there = refiner.try_opposite(
        Pyramid(np.zeros((800, 800, 3), np.uint8)), looked, points.astype(np.float32), np.arange(3)
    )
    assert cards.tolist() == [0, 2]
    assert there.quads[:, 0, 1] == pytest.approx([144, 544], abs=112 * ROOM)
