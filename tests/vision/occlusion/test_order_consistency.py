"""Two cards cannot each lie on top of the other; detections of a fan that contradict this are moved."""

from collections.abc import Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.networks.refiner import RefinedCards
from vision.occlusion.layer_order import order_conflicts, resolve_order_conflicts
from vision.pictures.crops import MASK_SIZE, REFINER_MARGIN, card_frame

(LEFT, TOP), _, (RIGHT, BOTTOM), _ = card_frame(MASK_SIZE, REFINER_MARGIN).round().astype(int)
MIDDLE = (LEFT + RIGHT) // 2


def cards(*described: tuple[float, str]) -> RefinedCards:
    """Return cards of 60 x 98 px at x; all of a card, its left half or its right half is visible."""
    quads = np.array([[(x, 100), (x + 60, 100), (x + 60, 198), (x, 198)] for x, _ in described], np.float32)
    masks = np.zeros((len(described), *MASK_SIZE[::-1]), np.float32)
    columns = {"all": slice(LEFT, RIGHT), "left": slice(LEFT, MIDDLE), "right": slice(MIDDLE, RIGHT)}
    for mask, (_, shows) in zip(masks, described, strict=True):
        mask[TOP:BOTTOM, columns[shows]] = 0.95
    return RefinedCards(
        quads.reshape(-1, 4, 2), np.ones(len(described), np.float32), masks, quads.reshape(-1, 4, 2)
    )


def opposite_sides(places: Mapping[int, tuple[float, str]]):
    """Return a function that gives the refiner's results for the opposite sides of cards."""

    def try_opposite(indices: NDArray[np.intp]) -> tuple[NDArray[np.intp], RefinedCards]:
        available = [card for card in indices.tolist() if card in places]
        return np.array(available, np.intp), cards(*(places[card] for card in available))

    return try_opposite


def lefts(refined: RefinedCards) -> list[float]:
    return refined.quads[:, 0, 0].tolist()


#: The left half of each card is covered by the card on its left.
FAN = [(100, "all"), (130, "right"), (160, "right"), (190, "right"), (220, "right")]


def test_the_cards_of_a_fan_do_not_conflict():
    assert order_conflicts(cards(*FAN)).max() < 0.1


def test_the_left_and_right_half_of_one_place_conflict():
    conflicts = order_conflicts(cards((100, "left"), (100, "right")))
    assert conflicts[0, 1] == conflicts[1, 0] == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize(
    "wrong",
    [{1: (160, "left")}, {2: (190, "left")}, {1: (160, "left"), 3: (220, "left")}],
    ids=["one", "another", "two"],
)
def test_cards_with_the_wrong_side_are_moved_to_a_place_without_conflicts(wrong):
    detected = [wrong.get(number, card) for number, card in enumerate(FAN)]
    places = {number: FAN[number] for number in wrong}
    right = resolve_order_conflicts(cards(*detected), opposite_sides(places))
    assert lefts(right) == lefts(cards(*FAN))
    assert right.masks == pytest.approx(cards(*FAN).masks)


def test_a_card_is_not_moved_to_a_place_with_conflicts():
    fan = cards(*FAN)
    stays = resolve_order_conflicts(fan, opposite_sides({1: (160, "left"), 3: (220, "left")}))
    assert lefts(stays) == lefts(fan)


def test_conflicting_cards_without_another_place_are_unchanged():
    both = cards((100, "left"), (100, "right"))
    assert lefts(resolve_order_conflicts(both, opposite_sides({}))) == [100, 100]


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_than_two_cards_have_no_conflicts(count):
    few = cards(*FAN[:count])
    assert order_conflicts(few).shape == (count, count)
    assert len(resolve_order_conflicts(few, opposite_sides({})).quads) == count


def test_concatenated_cards_keep_their_order():
    assert lefts(cards(FAN[0]).beside(cards(FAN[2], FAN[1]))) == [100, 160, 130]
