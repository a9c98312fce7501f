"""An uncertain card is tried at the places where it would continue the row of its neighbors."""

from collections.abc import Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.networks.class_ids import BACK, CLASS_COUNT, CLASS_OF, HANAFUDA_CLASSES, UNKNOWN
from vision.networks.recognizer import EMBEDDING, Recognitions
from vision.networks.refiner import RefinedCards
from vision.photograph.neighbor_context import (
    PlacedCards,
    confirm_faint,
    over_assigned,
    overlapping_pairs,
    place_beside_neighbors,
)
from vision.pictures.crops import MASK_SIZE, REFINER_MARGIN, Quads, card_frame

(LEFT, TOP), _, (RIGHT, BOTTOM), _ = card_frame(MASK_SIZE, REFINER_MARGIN).round().astype(int)
MIDDLE = (LEFT + RIGHT) // 2
PARTS = {
    "all": slice(LEFT, RIGHT),
    "left": slice(LEFT, MIDDLE),
    "right": slice(MIDDLE, RIGHT),
    "quarter": slice(LEFT, (LEFT + MIDDLE) // 2),
}
PICTURE = (800, 600)
PLUM, WILLOW = 4, 7


def cards(*described: tuple[float, str]) -> RefinedCards:
    """Return cards of 60 x 98 px at x; all of a card, its left or right half or its left quarter is visible."""
    corners = [[(x, 100), (x + 60, 100), (x + 60, 198), (x, 198)] for x, _ in described]
    quads = np.array(corners, np.float32).reshape(-1, 4, 2)
    masks = np.zeros((len(described), *MASK_SIZE[::-1]), np.float32)
    for mask, (_, shows) in zip(masks, described, strict=True):
        mask[TOP:BOTTOM, PARTS[shows]] = 0.95
    visible = np.array([1.0 if shows == "all" else 0.5 for _, shows in described], np.float32)
    return RefinedCards(quads, visible, masks, quads.copy())


def named(
    posterior: NDArray[np.float64], classes: tuple[tuple[str, ...], ...] = HANAFUDA_CLASSES
) -> Recognitions:
    """Return cards with this posterior over the classes of a deck."""
    count = len(posterior)
    return Recognitions(
        posterior,
        posterior,
        np.ones(count, np.bool_),
        np.zeros((count, EMBEDDING), np.float32),
        np.zeros((count, 96, 64, 4), np.uint8),
        classes,
    )


class Table:
    """A fake refiner and recognizer: near each of ``places`` there is a card with this class and probability, elsewhere none."""

    def __init__(self, places: Mapping[tuple[float, str], tuple[int, float]]) -> None:
        self.places, self.refined_count = places, 0

    def refine(self, quads: Quads, points: NDArray[np.float32]) -> RefinedCards:
        assert len(quads) == len(points)
        self.refined_count += len(quads)
        return cards(*(self._at(float(quad[0, 0])) or (float(quad[0, 0]), "all") for quad in quads))

    def recognize(self, refined: RefinedCards) -> tuple[Recognitions, Recognitions]:
        posterior = np.full((len(refined.quads), CLASS_COUNT), 1e-3)
        posterior[:, -1] = 1
        for row, quad in zip(posterior, refined.quads, strict=True):
            if place := self._at(float(quad[0, 0])):
                class_id, probability = self.places[place]
                row[-1], row[class_id] = 0, probability / (1 - probability) * 1e-3 * (CLASS_COUNT - 2)
        recognized = named(posterior / posterior.sum(axis=1, keepdims=True))
        return recognized, recognized

    def _at(self, x: float) -> tuple[float, str] | None:
        return next((place for place in self.places if abs(place[0] - x) < 8), None)


def summarized(result: PlacedCards | None) -> list[tuple[int, float, int]]:
    """Return the index of each placed detection, the x of its card there, and its class."""
    if result is None:
        return []
    which, refined, recognized = result
    classes = recognized.posterior.argmax(axis=1)
    return [
        (int(a), float(b), int(c)) for a, b, c in zip(which, refined.quads[:, 0, 0], classes, strict=True)
    ]


def placed(
    table: Table, confident: RefinedCards, *uncertain: tuple[float, float], places: RefinedCards | None = None
) -> list[tuple[int, float, int]]:
    """Place uncertain detections, given as x and present probability, and return the summarized result."""
    points = np.array([(x, 150) for x, _ in uncertain], np.float32)
    probabilities = np.array([probability for _, probability in uncertain])
    own = {} if places is None else dict(enumerate(places.quads))
    return summarized(
        place_beside_neighbors(points, own, probabilities, confident, PICTURE, table.refine, table.recognize)
    )


#: The left half of each card is covered by the card on its left; the third card of the row is missing.
FAN = cards((100, "all"), (130, "right"), (190, "right"), (220, "right"))
THIRD = (160.0, "right")


def test_the_missing_card_of_a_fan_continues_the_row():
    assert placed(Table({THIRD: (PLUM, 0.98)}), FAN, (205, 0.0)) == [(0, 160, PLUM)]


def test_the_opposite_side_of_a_card_may_be_visible():
    """The right halves of the confident cards are visible, of this leftmost one the left half."""
    table = Table({(70.0, "left"): (PLUM, 0.98)})
    assert placed(table, cards((100, "all"), (130, "right")), (85, 0.0)) == [(0, 70, PLUM)]


def test_a_duplicate_may_keep_its_own_place():
    table = Table({(370.0, "all"): (PLUM, 0.98)})
    assert placed(table, FAN, (400, 0.0)) == []
    assert placed(table, FAN, (400, 0.0), places=cards((370, "all"))) == [(0, 370, PLUM)]


def test_a_card_stays_at_its_place_without_a_clear_gain_in_probability():
    table = Table({THIRD: (PLUM, 0.95)})
    assert placed(table, FAN, (205, 0.8)) == []
    assert placed(table, FAN, (205, 0.6)) == [(0, 160, PLUM)]


def test_an_accepted_detection_needs_a_lower_probability():
    """Rejected detections and duplicates are placed only with a high probability."""
    table = Table({THIRD: (PLUM, 0.75)})
    assert placed(table, FAN, (205, 0.1)) == [(0, 160, PLUM)]
    assert placed(table, FAN, (205, 0.0)) == []


def test_a_card_without_a_high_probability_is_not_placed():
    assert placed(Table({THIRD: (PLUM, 0.85)}), FAN, (205, 0.0)) == []


def test_nothing_is_tried_where_a_confident_card_is_visible():
    table = Table({THIRD: (PLUM, 0.98)})
    assert placed(table, FAN, (175, 0.0)) == []
    assert table.refined_count == 0


def test_an_isolated_detection_has_no_neighbors():
    table = Table({(600.0, "all"): (PLUM, 0.98)})
    assert placed(table, FAN, (630, 0.0)) == []
    assert table.refined_count == 0


def test_two_detections_are_not_placed_at_the_same_place():
    result = placed(Table({THIRD: (PLUM, 0.98)}), FAN, (203, 0.0), (207, 0.0))
    assert [(x, class_id) for _, x, class_id in result] == [(160, PLUM)]


def test_two_missing_cards_are_placed():
    fan = cards((100, "all"), (130, "right"), (220, "right"))
    table = Table({THIRD: (PLUM, 0.98), (190.0, "right"): (WILLOW, 0.99)})
    assert sorted(placed(table, fan, (205, 0.0), (235, 0.0))) == [(0, 160, PLUM), (1, 190, WILLOW)]


@pytest.mark.parametrize(("beside", "expected"), [("nothing", False), ("a card", True)])
def test_the_hidden_part_of_a_placed_card_must_be_covered(beside: str, expected: bool):
    """The left quarter is visible. Without an occluder over the rest it is not a card."""
    confident = [(300.0, "quarter"), *([(415.0, "all")] if beside == "a card" else [])]
    table = Table({(400.0, "quarter"): (PLUM, 0.98)})
    assert placed(table, cards(*confident), (407, 0.0)) == ([(0, 400, PLUM)] if expected else [])
    assert table.refined_count > 0


def confirmed(table: Table, confident: RefinedCards, *weak: float) -> list[tuple[int, float, int]]:
    """Return the summarized cards among weak detections, given as the x of each possible card."""
    quads = cards(*((x, "all") for x in weak)).quads
    return summarized(
        confirm_faint(quads.mean(axis=1), quads, confident, PICTURE, table.refine, table.recognize)
    )


def test_a_weak_detection_recognized_with_high_probability_is_a_card():
    table = Table({(400.0, "all"): (PLUM, 0.95), (500.0, "all"): (WILLOW, 0.85)})
    assert confirmed(table, FAN, 402, 500, 600) == [(0, 400, PLUM)]


def test_a_weak_detection_on_a_confident_card_is_not_refined():
    table = Table({(100.0, "all"): (PLUM, 0.95), (190.0, "right"): (PLUM, 0.95)})
    assert confirmed(table, FAN, 102, 195) == []
    assert table.refined_count == 0


def test_a_weak_detection_at_the_picture_edge_is_not_refined():
    table = Table({(780.0, "all"): (PLUM, 0.95)})
    assert confirmed(table, FAN, 785) == []
    assert table.refined_count == 0


@pytest.mark.parametrize(("apart", "one_place"), [(3, True), (8, True), (12, False), (30, False)])
def test_two_cards_at_one_place_are_reported(apart: float, one_place: bool):
    result = overlapping_pairs(cards((100, "all"), (100 + apart, "right"), (300, "all")))
    assert result.tolist() == [one_place, one_place, False]


def test_a_single_card_is_no_pair():
    assert overlapping_pairs(cards((100, "all"))).tolist() == [False]
    assert overlapping_pairs(cards()).tolist() == []


@pytest.mark.parametrize(
    ("classes", "too_many"),
    [
        ([PLUM, PLUM, WILLOW], [True, True, False]),
        ([CLASS_OF["pine-chaff-1"]] * 2, [False, False]),
        ([CLASS_OF["pine-chaff-2"]] * 3 + [WILLOW], [True, True, True, False]),
        ([BACK] * 5 + [UNKNOWN] * 4, [False] * 9),
        ([], []),
    ],
    ids=["one card", "twins", "three twins", "backs and unknown cards", "nothing"],
)
def test_too_many_cards_of_one_class_are_reported(classes: list[int], too_many: list[bool]):
    posterior = np.eye(CLASS_COUNT)[classes].reshape(-1, CLASS_COUNT)
    assert over_assigned(named(posterior)).tolist() == too_many


def test_a_kabufuda_number_exists_four_times():
    classes = tuple(tuple(f"kabu-{number}-{copy}" for copy in range(1, 5)) for number in range(1, 11))
    sevens = np.eye(len(classes) + 2)[[6] * 4]
    assert not over_assigned(named(sevens, classes)).any()
    assert over_assigned(named(np.concatenate((sevens, sevens[:1])), classes)).all()
