"""The order in which a deck is laid out: detected if the cards follow it, and without influence otherwise."""

from __future__ import annotations

import numpy as np
import pytest

from companion.hanafuda.cards import DECKS
from vision.enrollment.layout_orders import best_order


def place(
    pack: str, count: int, rows: int, columns: int, *, along: bool, leftwards: bool
) -> dict[tuple[int, int], int]:
    """Return the card of each cell: the first ``count`` of the pack, line by line."""
    cells = {}
    for card in range(count):
        row, column = divmod(card, columns) if along else divmod(card, rows)[::-1]
        cells[row, columns - 1 - column if leftwards else column] = card
    assert len(cells) == count <= len(DECKS[pack])
    return cells


def posteriors(cards: list[int], size: int, right: float, seed: int = 0) -> np.ndarray:
    """Return posteriors of which a fraction is right and the rest is confident of another card."""
    rng = np.random.default_rng(seed)
    likelihood = np.full((len(cards), size), 0.2 / size)
    for row, card in enumerate(cards):
        likelihood[row, card if rng.random() < right else rng.integers(size)] += 0.8
    return likelihood


@pytest.mark.parametrize(
    ("rows", "columns", "along"), [(4, 12, False), (12, 4, True), (4, 12, True), (6, 8, True)]
)
@pytest.mark.parametrize("leftwards", [False, True])
def test_a_usual_order_of_hanafuda_is_detected_from_half_of_the_cards(rows, columns, along, leftwards):
    laid = place("hanafuda", 48, rows, columns, along=along, leftwards=leftwards)
    cells, cards = list(laid), list(laid.values())
    order = best_order("hanafuda", posteriors(cards, 48, right=0.5), cells)
    assert order.by_sight
    assert order.prior.argmax(axis=1).tolist() == cards
    assert np.allclose(order.prior.sum(axis=1), 1)
    if columns > 4:  # the four cards of a month from the right are also an order with its chaff first
        assert ("right to left" in order.description) == leftwards


def test_a_shuffled_deck_is_named_by_recognition_only():
    cells = [(row, column) for row in range(4) for column in range(12)]
    cards = np.random.default_rng(3).permutation(48).tolist()
    order = best_order("hanafuda", posteriors(cards, 48, right=1.0), cells)
    assert not order.by_sight
    assert order.is_known
    assert np.allclose(order.prior, 1 / 48)


def test_an_order_by_months_helps_also_with_the_cards_of_each_month_shuffled():
    rng = np.random.default_rng(5)
    laid = {}
    for month in range(12):
        for row, index in enumerate(rng.permutation(4)):
            laid[row, month] = 4 * month + int(index)
    order = best_order("hanafuda", posteriors(list(laid.values()), 48, right=0.6), list(laid))
    assert order.by_sight
    months = order.prior.reshape(48, 12, 4).sum(axis=2)
    assert (months.argmax(axis=1) == [card // 4 for card in laid.values()]).all()


def test_without_recognition_the_usual_order_is_assumed_and_reported_as_assumed():
    laid = place("mekurifuda", 48, 4, 12, along=True, leftwards=False)
    cells = [*laid, None]
    order = best_order("mekurifuda", np.ones((49, 49)), cells)
    assert not order.is_known
    assert order.prior.argmax(axis=1).tolist() == [*laid.values(), 48]  # beside the rows is the onifuda


def test_suits_in_any_order():
    suits = (2, 0, 3, 1)
    laid = {(row, column): 12 * suit + column for row, suit in enumerate(suits) for column in range(12)}
    order = best_order("mekurifuda", posteriors(list(laid.values()), 49, right=0.4), list(laid))
    assert order.by_sight
    assert order.prior.argmax(axis=1).tolist() == list(laid.values())
    assert "cups, clubs, coins, swords" in order.description


def test_ranks_above_ten_of_a_kabufuda_are_not_named():
    cells = [(row, column) for column in range(12) for row in range(4)]
    likelihood = posteriors(list(range(40)), 40, right=0.7)
    likelihood = np.concatenate((likelihood, np.full((8, 40), 1 / 40)))
    order = best_order("kabufuda", likelihood, cells)
    assert order.prior[:40].argmax(axis=1).tolist() == list(range(40))
    assert (order.nameless[:40] < 0.1).all()
    assert (order.nameless[40:] > 0.9).all()
