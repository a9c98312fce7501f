"""No two cards lie over one another: what the finds of a fan make of that."""

from collections.abc import Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.networks.refiner import RefinedCards
from vision.occlusion.order_consistency import order_conflicts, resolve_order_conflicts
from vision.pictures.crops import MASK_SIZE, REFINER_MARGIN, card_frame

(LEFT, TOP), _, (RIGHT, BOTTOM), _ = card_frame(MASK_SIZE, REFINER_MARGIN).round().astype(int)
MIDDLE = (LEFT + RIGHT) // 2


def cards(*told: tuple[float, str]) -> RefinedCards:
    """Cards of 60 x 98 px at x, of which all shows, or the left or right half."""
    quads = np.array([[(x, 100), (x + 60, 100), (x + 60, 198), (x, 198)] for x, _ in told], np.float32)
    masks = np.zeros((len(told), *MASK_SIZE[::-1]), np.float32)
    columns = {"all": slice(LEFT, RIGHT), "left": slice(LEFT, MIDDLE), "right": slice(MIDDLE, RIGHT)}
    for mask, (_, shows) in zip(masks, told, strict=True):
        mask[TOP:BOTTOM, columns[shows]] = 0.95
    return RefinedCards(
        quads.reshape(-1, 4, 2), np.ones(len(told), np.float32), masks, quads.reshape(-1, 4, 2)
    )


def told_elsewhere(places: Mapping[int, tuple[float, str]]):
    """What the refiner would tell of cards' other sides."""

    def elsewhere(asked: NDArray[np.intp]) -> tuple[NDArray[np.intp], RefinedCards]:
        told = [card for card in asked.tolist() if card in places]
        return np.array(told, np.intp), cards(*(places[card] for card in told))

    return elsewhere


def lefts(refined: RefinedCards) -> list[float]:
    return refined.quads[:, 0, 0].tolist()


#: Each card lies half under the one on its left.
FAN = [(100, "all"), (130, "right"), (160, "right"), (190, "right"), (220, "right")]


def test_the_cards_of_a_fan_do_not_cross():
    assert order_conflicts(cards(*FAN)).max() < 0.1


def test_two_strips_cannot_be_halves_of_one_place():
    crossing = order_conflicts(cards((100, "left"), (100, "right")))
    assert crossing[0, 1] == crossing[1, 0] == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize(
    "wrong",
    [{1: (160, "left")}, {2: (190, "left")}, {1: (160, "left"), 3: (220, "left")}],
    ids=["one", "another", "two"],
)
def test_cards_told_the_wrong_way_round_are_put_where_nothing_crosses(wrong):
    told = [wrong.get(number, card) for number, card in enumerate(FAN)]
    places = {number: FAN[number] for number in wrong}
    right = resolve_order_conflicts(cards(*told), told_elsewhere(places))
    assert lefts(right) == lefts(cards(*FAN))
    assert right.masks == pytest.approx(cards(*FAN).masks)


def test_a_card_stays_that_would_cross_others_elsewhere():
    fan = cards(*FAN)
    stays = resolve_order_conflicts(fan, told_elsewhere({1: (160, "left"), 3: (220, "left")}))
    assert lefts(stays) == lefts(fan)


def test_what_crosses_and_can_lie_nowhere_else_stays():
    both = cards((100, "left"), (100, "right"))
    assert lefts(resolve_order_conflicts(both, told_elsewhere({}))) == [100, 100]


@pytest.mark.parametrize("count", [0, 1])
def test_few_cards_cross_nothing(count):
    few = cards(*FAN[:count])
    assert order_conflicts(few).shape == (count, count)
    assert len(resolve_order_conflicts(few, told_elsewhere({})).quads) == count


def test_joined_cards_are_in_the_order_given():
    assert lefts(cards(FAN[0]).beside(cards(FAN[2], FAN[1]))) == [100, 160, 130]
