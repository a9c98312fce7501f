"""Which detections are reported."""

import numpy as np
import pytest

from vision.networks.class_ids import BACK, CLASS_COUNT, UNKNOWN
from vision.networks.probability_calibration import Calibration
from vision.networks.refiner import RefinedCards
from vision.photograph.acceptance import accepted_cards, false_backs, favor_backs, named_only, uncovered_backs
from vision.pictures.crops import MASK_SIZE, REFINER_MARGIN, Quads, card_frame


def upright_quads(cards: list[tuple[float, float, float]]) -> Quads:
    """Return upright quads from centers x, y and widths, px."""
    shape = np.array([(-0.5, -0.8), (0.5, -0.8), (0.5, 0.8), (-0.5, 0.8)])
    return np.array([(x, y) + width * shape for x, y, width in cards], np.float32)


def is_accepted(probabilities: dict[int, float], visible_fraction: float, score: float) -> bool:
    """Return whether a detection with these class probabilities, visible fraction and score is accepted."""
    row = np.zeros((1, CLASS_COUNT))
    row[0, list(probabilities)] = list(probabilities.values())
    quads = upright_quads([(100, 100, 60)])
    (kept,) = accepted_cards(row, *np.array([[visible_fraction], [score]], np.float32), quads, Calibration())
    return bool(kept)


@pytest.mark.parametrize(
    ("unknown", "visible_fraction", "score", "accepted"),
    [
        (0.9, 1.0, 0.6, True),
        (0.9, 1.0, 0.4, False),
        (0.9, 0.3, 0.9, False),
        (0.1, 0.3, 0.4, True),
        (0.5, 1.0, 0.42, True),
        (0.5, 1.0, 0.38, False),
    ],
    ids=[
        "whole card of unknown class",
        "unknown class, low score",
        "narrow strip of unknown class",
        "narrow strip with a name",
        "name or unknown",
        "name or unknown, low score",
    ],
)
def test_accepted_by_class_visibility_and_score(
    unknown: float, visible_fraction: float, score: float, accepted: bool
):
    assert is_accepted({UNKNOWN: unknown, 3: 1 - unknown}, visible_fraction, score) == accepted


@pytest.mark.parametrize(
    ("unknown", "visible_fraction", "score", "accepted"),
    [
        (0.35, 0.45, 0.9, False),
        (0.35, 0.55, 0.9, True),
        (0.25, 0.45, 0.9, True),
        (0.35, 0.55, 0.48, False),
        (0.35, 0.65, 0.48, True),
    ],
)
def test_a_strip_that_is_most_probably_unknown_is_rejected(
    unknown: float, visible_fraction: float, score: float, accepted: bool
):
    """A strip of a card box resembles no card; for a strip of a card one name is the most probable, however uncertain."""
    assert (
        is_accepted({UNKNOWN: unknown, 3: 0.3, 4: 0.2, 5: 0.5 - unknown}, visible_fraction, score) == accepted
    )


@pytest.mark.parametrize(
    ("back", "visible_fraction", "score", "accepted"),
    [
        (0.95, 1.0, 0.42, True),
        (0.95, 1.0, 0.38, False),
        (0.95, 0.4, 0.42, False),
        (0.85, 1.0, 0.42, False),
        (0.85, 1.0, 0.46, True),
    ],
)
def test_a_clear_back_needs_a_lower_score(back: float, visible_fraction: float, score: float, accepted: bool):
    assert is_accepted({BACK: back, UNKNOWN: 1 - back}, visible_fraction, score) == accepted


@pytest.mark.parametrize(
    ("width", "height", "visible_fraction", "back", "score", "accepted"),
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
        "size of a card",
        "nearly the size of a card",
        "narrower box",
        "longer box",
        "edge of the draw pile",
        "back or unknown",
        "very low score",
        "clear draw pile",
        "whole narrower box",
        "whole, very low score",
    ],
)
def test_a_back_of_the_size_of_the_other_cards_needs_an_even_lower_score(
    width: float, height: float, visible_fraction: float, back: float, score: float, accepted: bool
):
    """Three confident, named cards, 60 px wide, are beside it."""
    rows = np.zeros((4, CLASS_COUNT))
    rows[range(3), [3, 4, 5]] = 1
    rows[3, [BACK, UNKNOWN]] = back, 1 - back
    scores = np.array([0.9, 0.8, 0.7, score], np.float32)
    quads = upright_quads([(100, 100, 60), (200, 100, 60), (300, 100, 60), (100, 300, width)])
    quads[3, :, 1] = 300 + (quads[3, :, 1] - 300) * height / (1.6 * width)
    visible = np.array([1, 1, 1, visible_fraction], np.float32)
    assert accepted_cards(rows, visible, scores, quads, Calibration()).tolist() == [
        True,
        True,
        True,
        accepted,
    ]
    alone = accepted_cards(rows[1:], visible[1:], scores[1:], quads[1:], Calibration())
    assert alone.tolist() == [True, True, False], "two cards are too few to determine the size"


def test_many_weak_detections_of_unknown_class_are_a_printed_cloth():
    rows = np.zeros((12, CLASS_COUNT))
    rows[:10, UNKNOWN] = 1
    rows[10:, 3] = 1
    scores = np.array([0.4] * 9 + [0.9] * 3, np.float32)
    ones = np.ones(12, np.float32)
    quads = upright_quads([(50 * x, 100, 60) for x in range(12)])
    assert accepted_cards(rows, ones, scores, quads, Calibration()).tolist() == [False] * 9 + [True] * 3


@pytest.mark.parametrize(
    ("narrower", "visible_fraction", "accepted"),
    [(0.85, 1.0, True), (0.6, 1.0, False), (0.6, 0.4, True)],
    ids=["card viewed at an angle", "side of a box with cards printed on it", "strip with estimated corners"],
)
def test_a_quad_without_the_shape_of_a_card_is_rejected(
    narrower: float, visible_fraction: float, accepted: bool
):
    rows = np.eye(CLASS_COUNT)[[3]]
    visible, scores = np.array([visible_fraction], np.float32), np.array([0.9], np.float32)
    quads = upright_quads([(100, 100, 60)])
    quads[0, :2, 0] = 100 + narrower * (quads[0, :2, 0] - 100)
    assert accepted_cards(rows, visible, scores, quads, Calibration()).tolist() == [accepted]


@pytest.mark.parametrize(("class_id", "accepted"), [(3, False), (4, True), (UNKNOWN, True)])
def test_a_second_reading_of_a_card_is_rejected(class_id: int, accepted: bool):
    rows = np.eye(CLASS_COUNT)[[3, class_id]]
    visible, scores = np.array([1, 0.6], np.float32), np.array([0.9, 0.8], np.float32)
    quads = upright_quads([(100, 100, 60), (107, 101, 60)])
    assert accepted_cards(rows, visible, scores, quads, Calibration()).tolist() == [True, accepted]


@pytest.mark.parametrize(
    ("width", "visible_fraction", "score", "accepted"),
    [
        (60, 1.0, 0.35, True),
        (40, 1.0, 0.35, False),
        (90, 1.0, 0.35, False),
        (50, 1.0, 0.35, True),
        (40, 0.4, 0.35, True),
        (40, 1.0, 0.6, True),
    ],
    ids=[
        "card with a low score",
        "card printed on a card box",
        "poster",
        "card farther away",
        "strip of uncertain size",
        "small card with a high score",
    ],
)
def test_a_printed_card_is_rejected_by_its_size(
    width: float, visible_fraction: float, score: float, accepted: bool
):
    """A fourth detection, named with the same probability, is beside three cards with high scores, 60 px wide."""
    rows = np.zeros((4, CLASS_COUNT))
    rows[range(4), [3, 4, 5, 6]] = 1
    visible, scores = (
        np.array([1, 0.5, 1, visible_fraction], np.float32),
        np.array([0.9, 0.8, 0.7, score], np.float32),
    )
    quads = upright_quads([(100, 100, 58), (200, 100, 60), (300, 100, 62), (100, 300, width)])
    assert accepted_cards(rows, visible, scores, quads, Calibration()).tolist() == [
        True,
        True,
        True,
        accepted,
    ]


@pytest.mark.parametrize(("width", "accepted"), [(32, True), (100, False)])
def test_a_small_card_at_the_far_end_of_the_table_is_accepted(width: float, accepted: bool):
    """The widths of six cards with high scores increase from 40 to 90 px towards the camera; another is beyond them."""
    rows = np.eye(CLASS_COUNT)[3:10]
    near = [
        (x, y, 40 + 50 * y / 400) for x, y in ((0, 0), (90, 80), (20, 160), (110, 240), (0, 320), (80, 400))
    ]
    scores = np.array([0.8] * 6 + [0.35], np.float32)
    visible, quads = np.ones(7, np.float32), upright_quads([*near, (50, -80, width)])
    assert accepted_cards(rows, visible, scores, quads, Calibration()).tolist() == [True] * 6 + [accepted]


def test_sizes_are_not_compared_without_cards_of_high_score():
    rows = np.eye(CLASS_COUNT)[[3, 4]]
    visible, scores = np.ones(2, np.float32), np.full(2, 0.4, np.float32)
    quads = upright_quads([(100, 100, 30), (300, 100, 60)])
    assert accepted_cards(rows, visible, scores, quads, Calibration()).all()


@pytest.mark.parametrize(
    ("color", "score", "visible_fraction", "other"),
    [
        ((40, 30, 150), 0.5, 1.0, False),
        ((60, 50, 250), 0.5, 1.0, False),
        ((20, 10, 40), 0.5, 1.0, True),
        ((20, 10, 40), 0.7, 1.0, False),
        ((200, 200, 200), 0.5, 1.0, True),
        ((20, 10, 40), 0.5, 0.0, False),
    ],
    ids=[
        "same back",
        "same back, brightly lit",
        "shadow of the draw pile",
        "back of another deck, high score",
        "box",
        "not visible",
    ],
)
def test_a_back_in_another_color_than_the_certain_backs_is_rejected(
    color: tuple[int, int, int], score: float, visible_fraction: float, other: bool
):
    """A certain red back and a card face, whose color is not compared, are beside it."""
    crops = np.full((3, 96, 64, 4), 255, np.uint8)
    crops[0, :, :, :3], crops[1, :, :, :3] = (40, 30, 150), color
    crops[1, int(96 * visible_fraction) :, :, 3] = 0
    scores = np.array([0.8, score, 0.5], np.float32)
    backs, visible = np.array([True, True, False]), np.ones(3, np.float32)
    quads = upright_quads([(100, 100, 60), (300, 100, 60), (500, 100, 60)])
    assert false_backs(backs, visible, scores, quads, crops).tolist() == [False, other, False]
    uncertain = scores - np.float32(0.25)
    assert not false_backs(backs, visible, uncertain, quads, crops).any()


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
        "side of the draw pile",
        "high score",
        "next back in a row",
        "fan of face-down cards",
        "another back elsewhere",
    ],
)
def test_the_side_of_the_draw_pile_is_not_reported_as_a_back(
    below: float, score: float, apart: float | None, side: bool
):
    """Two backs of one color, 60 by 96 px; the second is partly covered by the first. A third is next in the row, or elsewhere."""
    count = 2 if apart is None else 3
    crops = np.full((count, 96, 64, 4), 255, np.uint8)
    quads = upright_quads(
        [(100 + (apart or 0) * (number == 2), 100 + below * number, 60) for number in range(count)]
    )
    scores, visible = np.array([0.8, score, 0.7], np.float32), np.array([1, 0.4, 0.9], np.float32)
    accepted = false_backs(np.ones(count, np.bool_), visible[:count], scores[:count], quads, crops)
    assert accepted.tolist() == [False, side, False][:count]


def with_visible_part(quads: Quads, fractions: list[float]) -> RefinedCards:
    """Return cards of which these fractions of the width are visible, from the left."""
    inner = card_frame(MASK_SIZE, REFINER_MARGIN)
    masks = np.zeros((len(quads), *MASK_SIZE[::-1]), np.float32)
    for mask, visible_fraction in zip(masks, fractions, strict=True):
        right = inner[0, 0] + visible_fraction * (inner[1, 0] - inner[0, 0])
        mask[round(inner[0, 1]) : round(inner[2, 1]), round(inner[0, 0]) : round(right)] = 1
    return RefinedCards(quads, np.array(fractions, np.float32), masks, quads)


@pytest.mark.parametrize(
    ("center_x", "visible_fraction", "score", "rejected"),
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
        "half a card, high score",
        "half covered by a card",
        "a sixth outside the picture",
        "a third outside the picture",
        "a third outside, high score",
    ],
)
def test_the_hidden_part_of_a_back_must_be_covered_by_a_card(
    center_x: float, visible_fraction: float, score: float, rejected: bool
):
    """A back of 60 x 96 px, and a card face in the middle of a picture of 1000 x 600 px."""
    refined = with_visible_part(upright_quads([(center_x, 300, 60), (500, 300, 60)]), [visible_fraction, 1.0])
    backs, scores = np.array([True, False]), np.array([score, 0.5], np.float32)
    assert uncovered_backs(backs, scores, refined, (1000, 600)).tolist() == [rejected, False]


def test_a_face_needs_no_occluder():
    refined = with_visible_part(upright_quads([(300, 300, 60)]), [0.5])
    assert not uncovered_backs(np.array([False]), np.array([0.4], np.float32), refined, (1000, 600)).any()


@pytest.mark.parametrize(("visible_fraction", "accepted"), [(0.2, False), (0.3, True)])
def test_a_narrow_strip_of_a_back_is_rejected(visible_fraction: float, accepted: bool):
    assert is_accepted({BACK: 0.95, UNKNOWN: 0.05}, visible_fraction, 0.7) == accepted


@pytest.mark.parametrize(
    ("back", "unknown", "accepted"),
    [(0.4, 0.55, True), (0.35, 0.6, True), (0.2, 0.75, False), (0.02, 0.97, False), (0.0, 0.0, False)],
)
def test_back_is_preferred_to_unknown(back: float, unknown: float, accepted: bool):
    row = np.zeros((1, CLASS_COUNT))
    row[0, [3, 4, BACK, UNKNOWN]] = (
        0.7 - 0.7 * (back + unknown),
        0.3 - 0.3 * (back + unknown),
        back,
        unknown,
    )
    adjusted = favor_backs(row)
    assert adjusted.sum() == pytest.approx(1)
    np.testing.assert_array_equal(adjusted[:, :-2], row[:, :-2])
    assert (adjusted[0, BACK] > 0.6) == accepted


@pytest.mark.parametrize(
    ("score", "unknown", "by_name"),
    [(0.45, 0.2, True), (0.45, 0.9, False), (0.55, 0.2, False)],
    ids=["picture on a box", "card of another deck", "high score"],
)
def test_a_low_score_requires_a_name(score: float, unknown: float, by_name: bool):
    row = np.full((1, CLASS_COUNT), (1 - unknown) / (CLASS_COUNT - 1))
    row[0, UNKNOWN] = unknown
    assert named_only(row, np.array([score], np.float32)).tolist() == [by_name]
