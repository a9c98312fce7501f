"""Which finds are told of."""

import numpy as np
import pytest

from vision.networks.class_ids import BACK, CLASS_COUNT, UNKNOWN
from vision.networks.probability_calibration import Calibration
from vision.networks.refiner import RefinedCards
from vision.photograph.acceptance import accepted_cards, false_backs, favor_backs, named_only, uncovered_backs
from vision.pictures.crops import MASK_SIZE, REFINER_MARGIN, Quads, card_frame


def standing(cards: list[tuple[float, float, float]]) -> Quads:
    """Cards that stand upright with their middles at x, y, so many px wide."""
    shape = np.array([(-0.5, -0.8), (0.5, -0.8), (0.5, 0.8), (-0.5, 0.8)])
    return np.array([(x, y) + width * shape for x, y, width in cards], np.float32)


def is_told(likely: dict[int, float], share: float, score: float) -> bool:
    """Whether a find is told of that is so likely of these kinds, shows this share, and has this score."""
    row = np.zeros((1, CLASS_COUNT))
    row[0, list(likely)] = list(likely.values())
    quads = standing([(100, 100, 60)])
    (kept,) = accepted_cards(row, *np.array([[share], [score]], np.float32), quads, Calibration())
    return bool(kept)


@pytest.mark.parametrize(
    ("unknown", "share", "score", "told"),
    [
        (0.9, 1.0, 0.6, True),
        (0.9, 1.0, 0.4, False),
        (0.9, 0.3, 0.9, False),
        (0.1, 0.3, 0.4, True),
        (0.5, 1.0, 0.42, True),
        (0.5, 1.0, 0.38, False),
    ],
    ids=[
        "a whole stranger",
        "a stranger the detector doubts",
        "a sliver of a stranger",
        "a sliver with a name",
        "half a name",
        "half a name the detector doubts",
    ],
)
def test_what_is_told_of(unknown: float, share: float, score: float, told: bool):
    assert is_told({UNKNOWN: unknown, 3: 1 - unknown}, share, score) == told


@pytest.mark.parametrize(
    ("unknown", "share", "score", "told"),
    [
        (0.35, 0.45, 0.9, False),
        (0.35, 0.55, 0.9, True),
        (0.25, 0.45, 0.9, True),
        (0.35, 0.55, 0.48, False),
        (0.35, 0.65, 0.48, True),
    ],
)
def test_a_strip_that_is_sooner_a_stranger_is_not_told(
    unknown: float, share: float, score: float, told: bool
):
    """A strip of a deck's box is like nothing; of a card's strip one name is the likeliest, however unsure."""
    assert is_told({UNKNOWN: unknown, 3: 0.3, 4: 0.2, 5: 0.5 - unknown}, share, score) == told


@pytest.mark.parametrize(
    ("back", "share", "score", "told"),
    [
        (0.95, 1.0, 0.42, True),
        (0.95, 1.0, 0.38, False),
        (0.95, 0.4, 0.42, False),
        (0.85, 1.0, 0.42, False),
        (0.85, 1.0, 0.46, True),
    ],
)
def test_a_plain_back_needs_less_of_the_detector(back: float, share: float, score: float, told: bool):
    assert is_told({BACK: back, UNKNOWN: 1 - back}, share, score) == told


@pytest.mark.parametrize(
    ("width", "height", "share", "back", "score", "told"),
    [
        (60, 96, 0.4, 0.85, 0.36, True),
        (63, 92, 0.4, 0.85, 0.36, True),
        (54, 96, 0.4, 0.99, 0.36, False),
        (60, 108, 0.4, 0.99, 0.36, False),
        (60, 96, 0.3, 0.99, 0.36, False),
        (60, 96, 0.4, 0.75, 0.44, False),
        (60, 96, 0.4, 0.99, 0.34, False),
        (60, 96, 0.8, 0.85, 0.2, True),
        (54, 96, 0.8, 0.99, 0.2, False),
        (60, 96, 0.8, 0.99, 0.16, False),
    ],
    ids=[
        "of a card's size",
        "nearly of its size",
        "a narrower box",
        "a longer box",
        "the edge of the stock",
        "a back or a stranger",
        "hardly anything",
        "a stock as plain as a box",
        "a narrower box, all of it",
        "hardly anything, all of it",
    ],
)
def test_a_back_needs_still_less_where_it_has_the_size_of_the_cards(
    width: float, height: float, share: float, back: float, score: float, told: bool
):
    """Beside it lie three cards that are surely found and named, 60 px wide."""
    rows = np.zeros((4, CLASS_COUNT))
    rows[range(3), [3, 4, 5]] = 1
    rows[3, [BACK, UNKNOWN]] = back, 1 - back
    scores = np.array([0.9, 0.8, 0.7, score], np.float32)
    quads = standing([(100, 100, 60), (200, 100, 60), (300, 100, 60), (100, 300, width)])
    quads[3, :, 1] = 300 + (quads[3, :, 1] - 300) * height / (1.6 * width)
    visible = np.array([1, 1, 1, share], np.float32)
    assert accepted_cards(rows, visible, scores, quads, Calibration()).tolist() == [True, True, True, told]
    alone = accepted_cards(rows[1:], visible[1:], scores[1:], quads[1:], Calibration())
    assert alone.tolist() == [True, True, False], "two cards do not tell the size"


def test_a_crowd_of_faint_strangers_is_a_printed_cloth():
    rows = np.zeros((12, CLASS_COUNT))
    rows[:10, UNKNOWN] = 1
    rows[10:, 3] = 1
    scores = np.array([0.4] * 9 + [0.9] * 3, np.float32)
    ones = np.ones(12, np.float32)
    quads = standing([(50 * x, 100, 60) for x in range(12)])
    assert accepted_cards(rows, ones, scores, quads, Calibration()).tolist() == [False] * 9 + [True] * 3


@pytest.mark.parametrize(
    ("narrower", "share", "told"),
    [(0.85, 1.0, True), (0.6, 1.0, False), (0.6, 0.4, True)],
    ids=["a card seen aslant", "the side of a box with cards on it", "a strip, whose corners are a guess"],
)
def test_what_is_not_shaped_like_a_card_is_none(narrower: float, share: float, told: bool):
    rows = np.eye(CLASS_COUNT)[[3]]
    visible, scores = np.array([share], np.float32), np.array([0.9], np.float32)
    quads = standing([(100, 100, 60)])
    quads[0, :2, 0] = 100 + narrower * (quads[0, :2, 0] - 100)
    assert accepted_cards(rows, visible, scores, quads, Calibration()).tolist() == [told]


@pytest.mark.parametrize(("class_id", "told"), [(3, False), (4, True), (UNKNOWN, True)])
def test_a_card_read_a_second_time_is_not_told(class_id: int, told: bool):
    rows = np.eye(CLASS_COUNT)[[3, class_id]]
    visible, scores = np.array([1, 0.6], np.float32), np.array([0.9, 0.8], np.float32)
    quads = standing([(100, 100, 60), (107, 101, 60)])
    assert accepted_cards(rows, visible, scores, quads, Calibration()).tolist() == [True, told]


@pytest.mark.parametrize(
    ("width", "share", "score", "told"),
    [
        (60, 1.0, 0.35, True),
        (40, 1.0, 0.35, False),
        (90, 1.0, 0.35, False),
        (50, 1.0, 0.35, True),
        (40, 0.4, 0.35, True),
        (40, 1.0, 0.6, True),
    ],
    ids=[
        "a card that is hardly found",
        "a picture of a card on the deck's box",
        "a poster",
        "a card further off",
        "a strip, whose size is not sure",
        "a small card that is surely one",
    ],
)
def test_a_picture_of_a_card_is_no_card(width: float, share: float, score: float, told: bool):
    """Beside three cards that are surely found, 60 px wide, lies something that is named as surely as they are."""
    rows = np.zeros((4, CLASS_COUNT))
    rows[range(4), [3, 4, 5, 6]] = 1
    visible, scores = np.array([1, 0.5, 1, share], np.float32), np.array([0.9, 0.8, 0.7, score], np.float32)
    quads = standing([(100, 100, 58), (200, 100, 60), (300, 100, 62), (100, 300, width)])
    assert accepted_cards(rows, visible, scores, quads, Calibration()).tolist() == [True, True, True, told]


@pytest.mark.parametrize(("width", "told"), [(32, True), (100, False)])
def test_a_card_at_a_table_s_far_end_is_small(width: float, told: bool):
    """Six cards that are surely found grow from 40 to 90 px towards the camera; another lies beyond them all."""
    rows = np.eye(CLASS_COUNT)[3:10]
    near = [
        (x, y, 40 + 50 * y / 400) for x, y in ((0, 0), (90, 80), (20, 160), (110, 240), (0, 320), (80, 400))
    ]
    scores = np.array([0.8] * 6 + [0.35], np.float32)
    visible, quads = np.ones(7, np.float32), standing([*near, (50, -80, width)])
    assert accepted_cards(rows, visible, scores, quads, Calibration()).tolist() == [True] * 6 + [told]


def test_where_no_card_is_surely_found_none_has_an_odd_size():
    rows = np.eye(CLASS_COUNT)[[3, 4]]
    visible, scores = np.ones(2, np.float32), np.full(2, 0.4, np.float32)
    quads = standing([(100, 100, 30), (300, 100, 60)])
    assert accepted_cards(rows, visible, scores, quads, Calibration()).all()


@pytest.mark.parametrize(
    ("colour", "score", "share", "other"),
    [
        ((40, 30, 150), 0.5, 1.0, False),
        ((60, 50, 250), 0.5, 1.0, False),
        ((20, 10, 40), 0.5, 1.0, True),
        ((20, 10, 40), 0.7, 1.0, False),
        ((200, 200, 200), 0.5, 1.0, True),
        ((20, 10, 40), 0.5, 0.0, False),
    ],
    ids=[
        "the same back",
        "the same in the light",
        "the shadow of the stock",
        "another deck's back",
        "a box",
        "nothing of it seen",
    ],
)
def test_what_has_not_the_colour_of_the_stock_is_no_back(
    colour: tuple[int, int, int], score: float, share: float, other: bool
):
    """Beside a red back that is surely one, and a card face whose colour says nothing of backs."""
    crops = np.full((3, 96, 64, 4), 255, np.uint8)
    crops[0, :, :, :3], crops[1, :, :, :3] = (40, 30, 150), colour
    crops[1, int(96 * share) :, :, 3] = 0
    scores = np.array([0.8, score, 0.5], np.float32)
    backs, visible = np.array([True, True, False]), np.ones(3, np.float32)
    quads = standing([(100, 100, 60), (300, 100, 60), (500, 100, 60)])
    assert false_backs(backs, visible, scores, quads, crops).tolist() == [False, other, False]
    unsure = scores - np.float32(0.25)
    assert not false_backs(backs, visible, unsure, quads, crops).any()


@pytest.mark.parametrize(
    ("below", "score", "apart", "side"),
    [
        (60, 0.5, None, True),
        (60, 0.7, None, False),
        (90, 0.5, None, False),
        (60, 0.5, 0, False),
        (60, 0.5, 300, True),
    ],
    ids=[
        "the side of a stock",
        "surely a card",
        "the next back in a row",
        "a fan held face down",
        "another back elsewhere",
    ],
)
def test_the_side_of_a_stock_is_no_back(below: float, score: float, apart: float | None, side: bool):
    """Two backs of one colour, 60 by 96 px; the second lies under the first and shows less. A third lies next in line, or apart."""
    count = 2 if apart is None else 3
    crops = np.full((count, 96, 64, 4), 255, np.uint8)
    quads = standing(
        [(100 + (apart or 0) * (number == 2), 100 + below * number, 60) for number in range(count)]
    )
    scores, visible = np.array([0.8, score, 0.7], np.float32), np.array([1, 0.4, 0.9], np.float32)
    told = false_backs(np.ones(count, np.bool_), visible[:count], scores[:count], quads, crops)
    assert told.tolist() == [False, side, False][:count]


def showing(quads: Quads, shown: list[float]) -> RefinedCards:
    """Cards that show so much of their width, from the left."""
    inner = card_frame(MASK_SIZE, REFINER_MARGIN)
    masks = np.zeros((len(quads), *MASK_SIZE[::-1]), np.float32)
    for mask, share in zip(masks, shown, strict=True):
        right = inner[0, 0] + share * (inner[1, 0] - inner[0, 0])
        mask[round(inner[0, 1]) : round(inner[2, 1]), round(inner[0, 0]) : round(right)] = 1
    return RefinedCards(quads, np.array(shown, np.float32), masks, quads)


@pytest.mark.parametrize(
    ("middle", "shown", "score", "none"),
    [
        (300, 1.0, 0.5, False),
        (300, 0.5, 0.5, True),
        (300, 0.5, 0.7, False),
        (470, 0.5, 0.5, False),
        (20, 1.0, 0.5, False),
        (10, 1.0, 0.5, True),
        (10, 1.0, 0.7, False),
    ],
    ids=[
        "whole",
        "half of a dark box",
        "surely half a card",
        "half under a card",
        "a sixth out of the picture",
        "a third out of the picture",
        "surely cut",
    ],
)
def test_what_a_back_does_not_show_lies_under_a_card(middle: float, shown: float, score: float, none: bool):
    """A back of 60 x 96 px, and a card face in the middle of a picture of 1000 x 600 px."""
    looked = showing(standing([(middle, 300, 60), (500, 300, 60)]), [shown, 1.0])
    backs, scores = np.array([True, False]), np.array([score, 0.5], np.float32)
    assert uncovered_backs(backs, scores, looked, (1000, 600)).tolist() == [none, False]


def test_a_face_needs_nothing_that_lies_on_it():
    looked = showing(standing([(300, 300, 60)]), [0.5])
    assert not uncovered_backs(np.array([False]), np.array([0.4], np.float32), looked, (1000, 600)).any()


@pytest.mark.parametrize(("share", "told"), [(0.2, False), (0.3, True)])
def test_a_trace_of_a_back_is_not_told(share: float, told: bool):
    assert is_told({BACK: 0.95, UNKNOWN: 0.05}, share, 0.7) == told


@pytest.mark.parametrize(
    ("back", "unknown", "told"),
    [(0.4, 0.55, True), (0.35, 0.6, True), (0.2, 0.75, False), (0.02, 0.97, False), (0.0, 0.0, False)],
)
def test_between_a_back_and_a_stranger_it_is_rather_a_back(back: float, unknown: float, told: bool):
    row = np.zeros((1, CLASS_COUNT))
    row[0, [3, 4, BACK, UNKNOWN]] = (
        0.7 - 0.7 * (back + unknown),
        0.3 - 0.3 * (back + unknown),
        back,
        unknown,
    )
    shared = favor_backs(row)
    assert shared.sum() == pytest.approx(1)
    np.testing.assert_array_equal(shared[:, :-2], row[:, :-2])
    assert (shared[0, BACK] > 0.6) == told


@pytest.mark.parametrize(
    ("score", "unknown", "by_name"),
    [(0.45, 0.2, True), (0.45, 0.9, False), (0.55, 0.2, False)],
    ids=["a picture on a box", "a card of another deck", "the detector is sure"],
)
def test_what_the_detector_is_not_sure_of_is_told_with_a_name(score: float, unknown: float, by_name: bool):
    row = np.full((1, CLASS_COUNT), (1 - unknown) / (CLASS_COUNT - 1))
    row[0, UNKNOWN] = unknown
    assert named_only(row, np.array([score], np.float32)).tolist() == [by_name]
