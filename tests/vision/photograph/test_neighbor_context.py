"""A card in doubt is looked for where it would lie as its neighbours do."""

from collections.abc import Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.decks.deck_naming import CardPosteriors, generic_posteriors
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


def cards(*told: tuple[float, str]) -> RefinedCards:
    """Cards of 60 x 98 px at x, of which all shows, or the left or right half, or the left quarter."""
    corners = [[(x, 100), (x + 60, 100), (x + 60, 198), (x, 198)] for x, _ in told]
    quads = np.array(corners, np.float32).reshape(-1, 4, 2)
    masks = np.zeros((len(told), *MASK_SIZE[::-1]), np.float32)
    for mask, (_, shows) in zip(masks, told, strict=True):
        mask[TOP:BOTTOM, PARTS[shows]] = 0.95
    visible = np.array([1.0 if shows == "all" else 0.5 for _, shows in told], np.float32)
    return RefinedCards(quads, visible, masks, quads.copy())


class Table:
    """What lies where: looked at near its place, a card is seen there, and read this surely; elsewhere nothing is."""

    def __init__(self, places: Mapping[tuple[float, str], tuple[int, float]]) -> None:
        self.places, self.asked = places, 0

    def look(self, quads: Quads, points: NDArray[np.float32]) -> RefinedCards:
        assert len(quads) == len(points)
        self.asked += len(quads)
        return cards(*(self._at(float(quad[0, 0])) or (float(quad[0, 0]), "all") for quad in quads))

    def read(self, looked: RefinedCards) -> tuple[Recognitions, CardPosteriors]:
        posterior = np.full((len(looked.quads), CLASS_COUNT), 1e-3)
        posterior[:, -1] = 1
        for row, quad in zip(posterior, looked.quads, strict=True):
            if place := self._at(float(quad[0, 0])):
                class_id, sure = self.places[place]
                row[-1], row[class_id] = 0, sure / (1 - sure) * 1e-3 * (CLASS_COUNT - 2)
        count = len(posterior)
        named = Recognitions(
            posterior / posterior.sum(axis=1, keepdims=True),
            np.ones(count, np.bool_),
            np.zeros((count, EMBEDDING), np.float32),
            np.zeros((count, 96, 64, 4), np.uint8),
        )
        return named, generic_posteriors(named, HANAFUDA_CLASSES)

    def _at(self, x: float) -> tuple[float, str] | None:
        return next((place for place in self.places if abs(place[0] - x) < 8), None)


def in_short(told: PlacedCards | None) -> list[tuple[int, float, int]]:
    """Each find that was put somewhere, the x of its card there, and its kind."""
    if told is None:
        return []
    which, looked, named = told
    classes = named.posterior.argmax(axis=1)
    return [(int(a), float(b), int(c)) for a, b, c in zip(which, looked.quads[:, 0, 0], classes, strict=True)]


def placed(
    table: Table, sure: RefinedCards, *doubts: tuple[float, float], places: RefinedCards | None = None
) -> list[tuple[int, float, int]]:
    """Which doubts (x of where each was seen, its likelihood so far) are put where, and what they are then."""
    points = np.array([(x, 150) for x, _ in doubts], np.float32)
    likely = np.array([likely for _, likely in doubts])
    own = {} if places is None else dict(enumerate(places.quads))
    return in_short(place_beside_neighbors(points, own, likely, sure, PICTURE, table.look, table.read))


#: Each card lies half under the one on its left; the third of the row is not known yet.
FAN = cards((100, "all"), (130, "right"), (190, "right"), (220, "right"))
THIRD = (160.0, "right")


def test_the_missing_card_of_a_fan_lies_as_the_others_do():
    assert placed(Table({THIRD: (PLUM, 0.98)}), FAN, (205, 0.0)) == [(0, 160, PLUM)]


def test_a_card_may_show_its_other_side():
    """The sure cards show their right halves, this one, at the left of them all, its left half."""
    table = Table({(70.0, "left"): (PLUM, 0.98)})
    assert placed(table, cards((100, "all"), (130, "right")), (85, 0.0)) == [(0, 70, PLUM)]


def test_a_doubled_card_may_lie_where_it_was_after_all():
    table = Table({(370.0, "all"): (PLUM, 0.98)})
    assert placed(table, FAN, (400, 0.0)) == []
    assert placed(table, FAN, (400, 0.0), places=cards((370, "all"))) == [(0, 370, PLUM)]


def test_a_card_that_is_hardly_read_better_stays_where_it_was_found():
    table = Table({THIRD: (PLUM, 0.95)})
    assert placed(table, FAN, (205, 0.8)) == []
    assert placed(table, FAN, (205, 0.6)) == [(0, 160, PLUM)]


def test_a_card_found_alone_need_not_be_read_so_surely():
    """What was dropped, or told twice, is put anywhere only if it is plain; what lies there in any case may be."""
    table = Table({THIRD: (PLUM, 0.75)})
    assert placed(table, FAN, (205, 0.1)) == [(0, 160, PLUM)]
    assert placed(table, FAN, (205, 0.0)) == []


def test_what_is_not_read_surely_is_not_put_anywhere():
    assert placed(Table({THIRD: (PLUM, 0.85)}), FAN, (205, 0.0)) == []


def test_where_a_sure_card_shows_nothing_is_looked_for():
    table = Table({THIRD: (PLUM, 0.98)})
    assert placed(table, FAN, (175, 0.0)) == []
    assert table.asked == 0


def test_a_lonely_find_has_no_neighbours():
    table = Table({(600.0, "all"): (PLUM, 0.98)})
    assert placed(table, FAN, (630, 0.0)) == []
    assert table.asked == 0


def test_two_finds_do_not_get_one_place():
    told = placed(Table({THIRD: (PLUM, 0.98)}), FAN, (203, 0.0), (207, 0.0))
    assert [(x, class_id) for _, x, class_id in told] == [(160, PLUM)]


def test_two_missing_cards_get_their_places():
    fan = cards((100, "all"), (130, "right"), (220, "right"))
    table = Table({THIRD: (PLUM, 0.98), (190.0, "right"): (WILLOW, 0.99)})
    assert sorted(placed(table, fan, (205, 0.0), (235, 0.0))) == [(0, 160, PLUM), (1, 190, WILLOW)]


@pytest.mark.parametrize(("beside", "put"), [("nothing", False), ("a card", True)])
def test_what_hides_of_a_card_lies_under_something(beside: str, put: bool):
    """The left quarter shows. Where nothing lies on the rest of it, it is no card."""
    sure = [(300.0, "quarter"), *([(415.0, "all")] if beside == "a card" else [])]
    table = Table({(400.0, "quarter"): (PLUM, 0.98)})
    assert placed(table, cards(*sure), (407, 0.0)) == ([(0, 400, PLUM)] if put else [])
    assert table.asked > 0


def faintly(table: Table, sure: RefinedCards, *finds: float) -> list[tuple[int, float, int]]:
    """Which faint finds (x of the card each would be) are cards, where they lie, and what they are."""
    quads = cards(*((x, "all") for x in finds)).quads
    return in_short(confirm_faint(quads.mean(axis=1), quads, sure, PICTURE, table.look, table.read))


def test_a_faint_find_that_is_plainly_read_is_a_card():
    table = Table({(400.0, "all"): (PLUM, 0.95), (500.0, "all"): (WILLOW, 0.85)})
    assert faintly(table, FAN, 402, 500, 600) == [(0, 400, PLUM)]


def test_a_faint_find_on_a_sure_card_is_not_looked_at():
    table = Table({(100.0, "all"): (PLUM, 0.95), (190.0, "right"): (PLUM, 0.95)})
    assert faintly(table, FAN, 102, 195) == []
    assert table.asked == 0


def test_a_faint_find_beside_the_picture_is_not_looked_at():
    table = Table({(780.0, "all"): (PLUM, 0.95)})
    assert faintly(table, FAN, 785) == []
    assert table.asked == 0


@pytest.mark.parametrize(("apart", "one_place"), [(3, True), (8, True), (12, False), (30, False)])
def test_no_two_cards_lie_in_one_place(apart: float, one_place: bool):
    told = overlapping_pairs(cards((100, "all"), (100 + apart, "right"), (300, "all")))
    assert told.tolist() == [one_place, one_place, False]


def test_a_single_card_is_not_doubled():
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
    ids=["one card", "twins", "three twins", "backs and strangers", "nothing"],
)
def test_no_deck_has_more_of_a_card(classes: list[int], too_many: list[bool]):
    posterior = np.eye(CLASS_COUNT)[classes].reshape(-1, CLASS_COUNT)
    assert (
        over_assigned(CardPosteriors(HANAFUDA_CLASSES, posterior, np.ones(len(classes), np.bool_))).tolist()
        == too_many
    )


def test_of_a_kabufuda_number_there_are_four():
    classes = tuple(tuple(f"kabu-{number}-{copy}" for copy in range(1, 5)) for number in range(1, 11))
    sevens = np.eye(len(classes) + 2)[[6] * 4]
    assert not over_assigned(CardPosteriors(classes, sevens, np.ones(4, np.bool_))).any()
    assert over_assigned(
        CardPosteriors(classes, np.concatenate((sevens, sevens[:1])), np.ones(5, np.bool_))
    ).all()
