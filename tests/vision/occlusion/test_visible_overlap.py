"""One card found twice is one card; two cards that overlap are two."""

import numpy as np

from vision.networks.detector import Detections
from vision.networks.refiner import RefinedCards
from vision.occlusion.visible_overlap import duplicate_readings, remove_duplicates, suppress_duplicates
from vision.pictures.crops import MASK_SIZE, REFINER_MARGIN, card_frame


def card_at(x: float, y: float, width: float = 60.0) -> np.ndarray:
    height = width * 54 / 33
    return np.array([(x, y), (x + width, y), (x + width, y + height), (x, y + height)], np.float32)


def found(*quads: np.ndarray) -> Detections:
    count = len(quads)
    return Detections(
        np.stack(quads),
        np.stack(quads).mean(axis=1),
        np.linspace(0.9, 0.5, count, dtype=np.float32),
        np.ones(count, np.float32),
    )


def with_masks(quads: list[np.ndarray], spans: list[tuple[float, float]]) -> RefinedCards:
    """Cards seen from ``start`` to ``end`` (shares of the width)."""
    columns, rows = MASK_SIZE
    inner = card_frame(MASK_SIZE, REFINER_MARGIN)
    masks = np.zeros((len(quads), rows, columns), np.float32)
    for mask, (start, end) in zip(masks, spans, strict=True):
        left, right = (inner[0, 0] + share * (inner[1, 0] - inner[0, 0]) for share in (start, end))
        mask[round(inner[0, 1]) : round(inner[2, 1]), round(left) : round(right)] = 1
    visible = np.array([end - start for start, end in spans], np.float32)
    return RefinedCards(np.stack(quads), visible, masks, np.stack(quads))


def test_nearly_the_same_quad_is_the_same_card():
    assert (
        len(suppress_duplicates(found(card_at(100, 100), card_at(104, 102), card_at(300, 100))).scores) == 2
    )


def test_the_same_quad_read_from_the_other_end_is_the_same_card():
    quad = card_at(100, 100)
    assert len(suppress_duplicates(found(quad, quad[[2, 3, 0, 1]])).scores) == 1


def test_a_fan_of_nine_millimetre_steps_stays_a_fan():
    step = 60 * 9 / 33
    assert len(suppress_duplicates(found(*(card_at(100 + k * step, 100) for k in range(6)))).scores) == 6


def test_crossed_cards_with_one_centre_are_two():
    quad = card_at(100, 100)
    centre = quad.mean(axis=0)
    across = ((quad - centre) @ np.array([[0, 1], [-1, 0]]) + centre).astype(np.float32)
    assert len(suppress_duplicates(found(quad, across)).scores) == 2


def test_a_card_read_again_a_little_beside_its_place_is_that_card():
    """A discard was told twice: as what lay on top, and as a strip of the pile beneath that was taken for its twin's."""
    quads = np.stack([card_at(100, 100), card_at(107, 99), card_at(400, 100)])
    visible, classes = np.array([0.99, 0.3, 0.9], np.float32), np.array([5, 5, 5])
    assert duplicate_readings(quads, visible, classes).tolist() == [False, True, False]


def test_a_twin_in_a_pile_of_nine_millimetre_steps_is_another_card():
    quads = np.stack([card_at(100, 100), card_at(100 + 60 * 9 / 33, 100)])
    assert not duplicate_readings(quads, np.array([0.3, 1], np.float32), np.array([5, 5])).any()


def test_another_kind_in_nearly_the_same_place_is_another_card():
    quads = np.stack([card_at(100, 100), card_at(107, 99)])
    assert not duplicate_readings(quads, np.array([0.99, 0.3], np.float32), np.array([5, 6])).any()


def test_a_second_claim_to_the_same_visible_part_is_dropped():
    cards = with_masks([card_at(100, 100), card_at(109, 103), card_at(400, 100)], [(0, 1), (0, 1), (0, 1)])
    kept = remove_duplicates(cards, np.array((0.9, 0.5, 0.4), np.float32), (800, 600))
    assert kept.tolist() == [0, 2]


def test_covered_cards_with_parts_of_their_own_are_kept():
    quads = [card_at(100, 100), card_at(116, 100), card_at(132, 100)]
    kept = remove_duplicates(
        with_masks(quads, [(0, 0.27), (0, 0.27), (0, 1)]), np.array((0.8, 0.7, 0.9), np.float32), (800, 600)
    )
    assert kept.tolist() == [0, 1, 2]


def test_a_card_that_lies_on_what_others_hide_is_kept_though_its_visible_part_was_told_wrong():
    """Incident: of the tight fans of a rendered round 11 of 102 quarter-visible cards were taken for doubles."""
    quads = [
        card_at(100 + 28 * k, 100) for k in range(3)
    ]  # the left one on top; the middle one claims its part
    cards = with_masks(quads, [(0, 1), (0, 0.5), (0.53, 1)])
    scores = np.array((0.9, 0.5, 0.6), np.float32)
    assert remove_duplicates(cards, scores, (800, 600)).tolist() == [0, 1, 2]


def test_a_find_between_two_whole_cards_is_none():
    quads = [card_at(100, 100), card_at(162, 100), card_at(131, 100)]
    cards = with_masks(quads, [(0, 1), (0, 1), (0.1, 0.9)])
    assert remove_duplicates(cards, np.array((0.9, 0.9, 0.5), np.float32), (800, 600)).tolist() == [0, 1]


def test_a_corner_with_nothing_lying_on_the_rest_is_no_card():
    """Incident: a seigaiha cloth gave 80 finds, each seen for a sixth."""
    cards = with_masks([card_at(100, 100), card_at(400, 100)], [(0, 0.2), (0, 1)])
    assert remove_duplicates(cards, np.array((0.9, 0.9), np.float32), (800, 600)).tolist() == [1]


def test_a_card_that_leaves_the_picture_needs_no_cover():
    cards = with_masks([card_at(-50, 100), card_at(400, 100)], [(0.84, 1), (0, 1)])
    assert remove_duplicates(cards, np.array((0.9, 0.9), np.float32), (800, 600)).tolist() == [0, 1]


def test_no_cards():
    none = RefinedCards(
        np.zeros((0, 4, 2), np.float32),
        np.zeros(0, np.float32),
        np.zeros((0, 28, 20), np.float32),
        np.zeros((0, 4, 2), np.float32),
    )
    assert remove_duplicates(none, np.zeros(0, np.float32), (800, 600)).tolist() == []
