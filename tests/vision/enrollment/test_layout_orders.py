"""The order a deck is laid in: found where the cards keep to it, and no help where they do not."""

from __future__ import annotations

import numpy as np
import pytest

from companion.hanafuda.cards import DECKS
from vision.enrollment.layout_orders import best_order


def place(
    pack: str, count: int, rows: int, columns: int, *, along: bool, leftwards: bool
) -> dict[tuple[int, int], int]:
    """Return which card lies in each cell: the first ``count`` of the pack, line by line."""
    cells = {}
    for card in range(count):
        row, column = divmod(card, columns) if along else divmod(card, rows)[::-1]
        cells[row, columns - 1 - column if leftwards else column] = card
    assert len(cells) == count <= len(DECKS[pack])
    return cells


def posteriors(cards: list[int], size: int, right: float, seed: int = 0) -> np.ndarray:
    """Return likelihoods of which a share is right and the rest sure of another card."""
    rng = np.random.default_rng(seed)
    likelihood = np.full((len(cards), size), 0.2 / size)
    for row, card in enumerate(cards):
        likelihood[row, card if rng.random() < right else rng.integers(size)] += 0.8
    return likelihood


@pytest.mark.parametrize(
    ("rows", "columns", "along"), [(4, 12, False), (12, 4, True), (4, 12, True), (6, 8, True)]
)
@pytest.mark.parametrize("leftwards", [False, True])
def test_a_hanafuda_laid_in_any_usual_way_is_known_from_half_its_cards(rows, columns, along, leftwards):
    laid = place("hanafuda", 48, rows, columns, along=along, leftwards=leftwards)
    cells, cards = list(laid), list(laid.values())
    order = best_order("hanafuda", posteriors(cards, 48, right=0.5), cells)
    assert order.by_sight
    assert order.prior.argmax(axis=1).tolist() == cards
    assert np.allclose(order.prior.sum(axis=1), 1)
    if columns > 4:  # four of a month from the right are also its chaff first
        assert ("right to left" in order.description) == leftwards


def test_a_shuffled_deck_is_told_by_sight_only():
    cells = [(row, column) for row in range(4) for column in range(12)]
    cards = np.random.default_rng(3).permutation(48).tolist()
    order = best_order("hanafuda", posteriors(cards, 48, right=1.0), cells)
    assert not order.by_sight
    assert order.is_known
    assert np.allclose(order.prior, 1 / 48)


def test_months_kept_with_their_cards_in_any_order_still_help():
    rng = np.random.default_rng(5)
    laid = {}
    for month in range(12):
        for row, index in enumerate(rng.permutation(4)):
            laid[row, month] = 4 * month + int(index)
    order = best_order("hanafuda", posteriors(list(laid.values()), 48, right=0.6), list(laid))
    assert order.by_sight
    months = order.prior.reshape(48, 12, 4).sum(axis=2)
    assert (months.argmax(axis=1) == [card // 4 for card in laid.values()]).all()


def test_where_the_eyes_tell_nothing_the_usual_order_is_taken_and_said_to_be_so():
    laid = place("mekurifuda", 48, 4, 12, along=True, leftwards=False)
    cells = [*laid, None]
    order = best_order("mekurifuda", np.ones((49, 49)), cells)
    assert not order.is_known
    assert order.prior.argmax(axis=1).tolist() == [*laid.values(), 48]  # beside the rows: the onifuda


def test_the_suits_may_lie_in_any_order():
    suits = (2, 0, 3, 1)
    laid = {(row, column): 12 * suit + column for row, suit in enumerate(suits) for column in range(12)}
    order = best_order("mekurifuda", posteriors(list(laid.values()), 49, right=0.4), list(laid))
    assert order.by_sight
    assert order.prior.argmax(axis=1).tolist() == list(laid.values())
    assert "cups, clubs, coins, swords" in order.description


def test_ranks_beyond_the_ten_of_a_kabufuda_have_no_name():
    cells = [(row, column) for column in range(12) for row in range(4)]
    likelihood = posteriors(list(range(40)), 40, right=0.7)
    likelihood = np.concatenate((likelihood, np.full((8, 40), 1 / 40)))
    order = best_order("kabufuda", likelihood, cells)
    assert order.prior[:40].argmax(axis=1).tolist() == list(range(40))
    assert (order.nameless[:40] < 0.1).all()
    assert (order.nameless[40:] > 0.9).all()
