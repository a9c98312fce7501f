"""The layer order of two cards decides which of them is visible where the masks are uncertain."""

import numpy as np
import pytest

from vision.networks.refiner import RefinedCards
from vision.occlusion.layer_order import resolve_masks
from vision.pictures.crops import MASK_SIZE, REFINER_MARGIN, card_frame

LEFT, TOP = np.ceil(card_frame(MASK_SIZE, REFINER_MARGIN)[0] - 0.5).astype(int)
RIGHT, BOTTOM = np.ceil(card_frame(MASK_SIZE, REFINER_MARGIN)[2] - 0.5).astype(int)
MIDDLE = (LEFT + RIGHT) // 2
TALL = slice(TOP, BOTTOM)


def card_at(x: float, turn: int = 0) -> np.ndarray:
    corners = [(x, 100), (x + 60, 100), (x + 60, 198), (x, 198)]
    return np.array(corners[turn:] + corners[:turn], np.float32)


def cards(*halves: tuple[float, float, float]) -> RefinedCards:
    """Return cards at x, half a card's width apart, with the visibility of their left and right halves."""
    quads = np.stack([card_at(x) for x, _, _ in halves])
    masks = np.zeros((len(halves), *MASK_SIZE[::-1]), np.float32)
    for mask, (_, left, right) in zip(masks, halves, strict=True):
        mask[TALL, LEFT:MIDDLE], mask[TALL, MIDDLE:RIGHT] = left, right
    return RefinedCards(quads, np.ones(len(halves), np.float32), masks, quads)


def halves(refined: RefinedCards, index: int) -> tuple[float, float]:
    mask = refined.masks[index, TALL]
    return float(mask[:, LEFT : MIDDLE - 1].mean()), float(mask[:, MIDDLE + 1 : RIGHT].mean())


@pytest.mark.parametrize(("upper", "visible"), [(0.95, 0.0), (0.1, 1.0)])
def test_an_uncertain_part_is_hidden_below_a_visible_card_and_visible_above_a_hidden_one(
    upper: float, visible: float
):
    """The right half of the left card is uncertain; the right card overlaps it there and is visible or hidden."""
    resolved = resolve_masks(cards((100, 1.0, 0.5), (130, upper, 1.0)))
    assert halves(resolved, 0) == pytest.approx((1.0, visible), abs=0.05)


def test_a_certain_mask_is_unchanged_where_another_card_overlaps():
    before = cards((100, 1.0, 0.95), (130, 0.98, 1.0))
    assert resolve_masks(before).masks == pytest.approx(before.masks)


def test_an_uncertain_mask_is_unchanged_where_no_other_card_overlaps():
    """A hand or glare may be there; the layer order says nothing about it."""
    before = cards((100, 0.5, 0.5), (400, 1.0, 1.0))
    assert resolve_masks(before).masks == pytest.approx(before.masks)


def test_the_layer_order_separates_the_cards_of_a_fan():
    resolved = resolve_masks(cards((100, 1.0, 0.9), (130, 0.4, 0.6), (160, 0.3, 1.0)))
    assert [halves(resolved, k) for k in (1, 2)] == [
        pytest.approx((0.0, 1.0), abs=0.1),
        pytest.approx((0.0, 1.0), abs=0.1),
    ]


def test_no_cards():
    none = cards((0, 1, 1)).take(np.zeros(0, np.intp))
    assert len(resolve_masks(none).masks) == 0
