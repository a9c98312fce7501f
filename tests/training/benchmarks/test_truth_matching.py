"""Matching of detected with true cards, and their layer order."""

import numpy as np
import pytest

from hanafuda_training.benchmarks.evaluation import corner_error
from hanafuda_training.benchmarks.ground_truth import TrueCard
from hanafuda_training.benchmarks.stacking_order import seen_over, true_order
from hanafuda_training.benchmarks.truth_matching import match
from tests.training.benchmarks.bench_builders import centered, quad, reported, true
from vision.networks.refiner import RefinedCards
from vision.occlusion.visible_overlap import quad_iou
from vision.pictures.crops import MASK_SIZE


@pytest.mark.parametrize(("shift", "iou"), [(0, 1.0), (25, 75 / 125), (50, 50 / 150), (100, 0.0), (300, 0.0)])
def test_the_overlap_of_two_cards(shift: float, iou: float) -> None:
    """For cards 100 px wide the intersection is 100 - shift wide and the union 100 + shift."""
    assert quad_iou(quad(0), quad(shift)) == pytest.approx(iou, abs=1e-4)


def test_a_quad_without_area_overlaps_nothing() -> None:
    assert quad_iou(quad(0, width=0), quad(0, width=0)) == 0.0


def test_an_overlap_of_half_the_area_is_a_match() -> None:
    assert match([true("pine-crane")], [reported("pine-crane", 33)]) == {0: 0}
    assert match([true("pine-crane")], [reported("pine-crane", 34)]) == {}


def test_each_card_is_matched_once_in_the_order_of_confidence() -> None:
    cards = [true("pine-crane", 0), true("plum-warbler", 30)]
    # The more confident detection is nearer to the second card, the other one is between them.
    found = [
        reported("pine-crane", 16, sure=0.6),
        reported("plum-warbler", 28, sure=0.9),
        reported("pine-crane", 0, sure=0.5),
    ]
    assert match(cards, found) == {1: 1, 0: 0}


def test_equal_names_do_not_cause_a_match() -> None:
    assert match([true("pine-crane")], [reported("plum-warbler", 5)]) == {0: 0}


def test_a_card_given_by_a_point_matches_a_detection_over_it_preferably_with_the_right_name() -> None:
    """In a heap several cards cover a point; cards with quads are matched before."""
    cards = [centered("iris-ribbon", 90), true("pine-crane", 200)]
    found = [
        reported("susuki-moon", 40, sure=0.99),
        reported("iris-ribbon", 0, sure=0.7),
        reported("pine-crane", 200),
    ]
    assert match(cards, found) == {1: 2, 0: 1}
    assert match([centered("iris-ribbon", 90)], [reported("susuki-moon", 0), reported(None, 40)]) == {
        0: 1
    }  # the nearer one
    assert match([centered("iris-ribbon", 90)], [reported("iris-ribbon", 100)]) == {}


def test_a_detection_matches_one_point_only() -> None:
    cards = [centered("iris-ribbon", 30), centered("iris-ribbon", 60)]
    assert match(cards, [reported("iris-ribbon", 0)]) == {1: 0}


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ([(8, 0), (0, 0), (0, 0), (0, 0)], np.sqrt(64 / 8) / 100),
        ([(3, 4)] * 4, np.sqrt((9 + 16) / 2) / 100),
        ([(0, 0)] * 4, 0.0),
    ],
)
def test_the_corner_error_is_a_root_mean_square_in_card_widths(
    change: list[tuple[int, int]], error: float
) -> None:
    corners = quad(10, 20)
    off, upright = corner_error(corners + np.array(change, np.float32), corners)
    assert off == pytest.approx(error, abs=1e-6)
    assert upright


def test_the_corner_error_of_a_half_turn() -> None:
    corners = quad(10, 20)
    assert corner_error(corners[[2, 3, 0, 1]], corners) == (0.0, False)


def fan(*shares: float | None) -> list[TrueCard]:
    """Return cards 100 px wide, each 40 px to the right of the previous one and on top of it."""
    return [true("pine-crane", 40.0 * k, share) for k, share in enumerate(shares)]


def test_later_cards_of_the_truth_are_on_top() -> None:
    # 40 of 100 px of the first two are visible, and the third overlaps the first by 20 px.
    assert true_order(fan(0.4, 0.4, 1.0), 300, 200) == [(0, 1), (0, 2), (1, 2)]


def test_a_card_without_a_visible_overlap_is_not_on_top() -> None:
    hidden = true("plum-warbler", 40, 0.0)
    assert true_order([true("pine-crane", 0, 0.4), hidden, true("iris-bridge", 40)], 300, 200) == [
        (0, 2),
        (1, 2),
    ]


def test_contradictory_visible_fractions_give_no_order() -> None:
    assert true_order(fan(1.0, 0.6), 300, 200) == []
    assert true_order(fan(None, 1.0), 300, 200) == []


def test_cards_that_hardly_overlap_have_no_order() -> None:
    assert true_order([true("pine-crane", 0, 0.97), true("pine-ribbon", 97, 1.0)], 300, 200) == []
    assert true_order([true("pine-crane", 0), true("pine-ribbon", 150)], 300, 200) == []


@pytest.mark.parametrize(("left", "right", "over"), [(0.1, 0.9, True), (0.9, 0.1, False), (0.5, 0.5, False)])
def test_the_detection_with_the_larger_visible_fraction_is_on_top(
    left: float, right: float, over: bool
) -> None:
    quads = np.stack([quad(0), quad(60)])
    masks = np.stack([np.full(MASK_SIZE[::-1], share, np.float32) for share in (left, right)])
    looked_at = RefinedCards(quads, np.ones(2, np.float32), masks, quads)
    assert seen_over(looked_at, quads, 0, 1) is over


def test_separate_detections_have_no_order() -> None:
    quads = np.stack([quad(0), quad(200)])
    masks = np.ones((2, *MASK_SIZE[::-1]), np.float32)
    assert not seen_over(RefinedCards(quads, np.ones(2, np.float32), masks, quads), quads, 0, 1)
