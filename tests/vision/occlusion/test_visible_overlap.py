"""A card detected twice is reported once; two overlapping cards are both reported."""

import numpy as np

from vision.networks.detector import Detections
from vision.networks.refiner import RefinedCards
from vision.occlusion.visible_overlap import duplicate_readings, remove_duplicates, suppress_duplicates
from vision.pictures.crops import MASK_SIZE, REFINER_MARGIN, card_frame


def card_at(x: float, y: float, width: float = 60.0) -> np.ndarray:
    height = width * 54 / 33
    return np.array([(x, y), (x + width, y), (x + width, y + height), (x, y + height)], np.float32)


def detections(*quads: np.ndarray) -> Detections:
    count = len(quads)
    return Detections(
        np.stack(quads),
        np.stack(quads).mean(axis=1),
        np.linspace(0.9, 0.5, count, dtype=np.float32),
        np.ones(count, np.float32),
    )


def with_masks(quads: list[np.ndarray], spans: list[tuple[float, float]]) -> RefinedCards:
    """Return cards that are visible from ``start`` to ``end`` (fractions of the width)."""
    columns, rows = MASK_SIZE
    inner = card_frame(MASK_SIZE, REFINER_MARGIN)
    masks = np.zeros((len(quads), rows, columns), np.float32)
    for mask, (start, end) in zip(masks, spans, strict=True):
        left, right = (inner[0, 0] + fraction * (inner[1, 0] - inner[0, 0]) for fraction in (start, end))
        mask[round(inner[0, 1]) : round(inner[2, 1]), round(left) : round(right)] = 1
    visible = np.array([end - start for start, end in spans], np.float32)
    return RefinedCards(np.stack(quads), visible, masks, np.stack(quads))


def test_nearly_equal_quads_are_one_card():
    assert (
        len(suppress_duplicates(detections(card_at(100, 100), card_at(104, 102), card_at(300, 100))).scores)
        == 2
    )


def test_the_same_quad_rotated_by_a_half_turn_is_the_same_card():
    quad = card_at(100, 100)
    assert len(suppress_duplicates(detections(quad, quad[[2, 3, 0, 1]])).scores) == 1


def test_the_cards_of_a_fan_with_9_mm_steps_are_kept():
    step = 60 * 9 / 33
    assert len(suppress_duplicates(detections(*(card_at(100 + k * step, 100) for k in range(6)))).scores) == 6


def test_perpendicular_cards_with_the_same_center_are_two():
    quad = card_at(100, 100)
    center = quad.mean(axis=0)
    across = ((quad - center) @ np.array([[0, 1], [-1, 0]]) + center).astype(np.float32)
    assert len(suppress_duplicates(detections(quad, across)).scores) == 2


def test_a_second_reading_close_to_the_first_is_a_duplicate():
    """A discarded card was reported twice: as the top card, and as a strip of the pile below, recognized as its twin."""
    quads = np.stack([card_at(100, 100), card_at(107, 99), card_at(400, 100)])
    visible, classes = np.array([0.99, 0.3, 0.9], np.float32), np.array([5, 5, 5])
    assert duplicate_readings(quads, visible, classes).tolist() == [False, True, False]


def test_a_twin_in_a_pile_with_9_mm_steps_is_another_card():
    quads = np.stack([card_at(100, 100), card_at(100 + 60 * 9 / 33, 100)])
    assert not duplicate_readings(quads, np.array([0.3, 1], np.float32), np.array([5, 5])).any()


def test_another_class_in_nearly_the_same_place_is_another_card():
    quads = np.stack([card_at(100, 100), card_at(107, 99)])
    assert not duplicate_readings(quads, np.array([0.99, 0.3], np.float32), np.array([5, 6])).any()


def test_a_second_detection_of_the_same_visible_part_is_removed():
    cards = with_masks([card_at(100, 100), card_at(109, 103), card_at(400, 100)], [(0, 1), (0, 1), (0, 1)])
    kept = remove_duplicates(cards, np.array((0.9, 0.5, 0.4), np.float32), (800, 600))
    assert kept.tolist() == [0, 2]


def test_covered_cards_with_separate_visible_parts_are_kept():
    quads = [card_at(100, 100), card_at(116, 100), card_at(132, 100)]
    kept = remove_duplicates(
        with_masks(quads, [(0, 0.27), (0, 0.27), (0, 1)]), np.array((0.8, 0.7, 0.9), np.float32), (800, 600)
    )
    assert kept.tolist() == [0, 1, 2]


def test_a_card_on_the_hidden_part_of_another_is_kept_despite_a_wrong_mask():
    """Incident: 11 of 102 cards with a visible quarter, in the tight fans of a rendered round, were removed as duplicates."""
    quads = [
        card_at(100 + 28 * k, 100) for k in range(3)
    ]  # the left card is on top; the mask of the middle one covers its part
    cards = with_masks(quads, [(0, 1), (0, 0.5), (0.53, 1)])
    scores = np.array((0.9, 0.5, 0.6), np.float32)
    assert remove_duplicates(cards, scores, (800, 600)).tolist() == [0, 1, 2]


def test_a_detection_between_two_whole_cards_is_removed():
    quads = [card_at(100, 100), card_at(162, 100), card_at(131, 100)]
    cards = with_masks(quads, [(0, 1), (0, 1), (0.1, 0.9)])
    assert remove_duplicates(cards, np.array((0.9, 0.9, 0.5), np.float32), (800, 600)).tolist() == [0, 1]


def test_a_corner_without_an_occluder_over_the_rest_is_removed():
    """Incident: a seigaiha cloth caused 80 detections, each with a visible fraction of a sixth."""
    cards = with_masks([card_at(100, 100), card_at(400, 100)], [(0, 0.2), (0, 1)])
    assert remove_duplicates(cards, np.array((0.9, 0.9), np.float32), (800, 600)).tolist() == [1]


def test_a_card_cut_off_by_the_picture_edge_needs_no_occluder():
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
