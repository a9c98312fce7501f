"""Captured piles of two players in one photograph are told apart by the gaps between them."""

from __future__ import annotations

from vision.photograph.captured_piles import split_piles


def square(x: float, y: float, size: float = 10.0) -> list[list[float]]:
    return [[x, y], [x + size * 0.6, y], [x + size * 0.6, y + size], [x, y + size]]


def test_two_piles_are_split_at_the_widest_gap() -> None:
    above = [square(x, 0) for x in (0, 5, 12)]
    below = [square(x, 30) for x in (0, 5)]
    assert split_piles([*above, *below]) == [0, 0, 0, 1, 1]
    assert split_piles([square(0, 0), square(40, 0), square(5, 2)]) == [0, 1, 0]
    field = [square(0, 15), square(40, 15)]
    assert split_piles([*above, *field, *below]) == [0, 0, 0, None, None, 1, 1]
    rows = [square(0, y) for y in (0, 15, 30, 60)]
    assert split_piles(rows) == [0, 0, 0, 1]
    assert split_piles(above) == [0, 0, 0]
    assert split_piles([]) == []
