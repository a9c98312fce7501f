"""Fitting the weights of the order of play and draw."""

from __future__ import annotations

import pytest

from companion.watch.order import WEIGHTS, Features
from hanafuda_training.training.fit_order import Row, fit, report

COUNT = len(WEIGHTS)


def rows(values: list[float]) -> list[Row]:
    return [
        Row("round", number, Features(value, *[0.0] * (COUNT - 1))) for number, value in enumerate(values)
    ]


@pytest.mark.parametrize(
    ("others", "log_odds"),
    [pytest.param(0.0, 2.197, id="9 of 10"), pytest.param(0.5, 0.847, id="of half of the players")],
)
def test_the_weight_is_the_log_odds(others: float, log_odds: float) -> None:
    weights = fit(rows([1.0] * 9000 + [-1.0] * 1000), [0, 1], others)
    assert weights == pytest.approx([log_odds, *[0.0] * (COUNT - 1)], abs=0.01)


def test_the_report_counts_errors_among_the_known() -> None:
    text = report(rows([3.0] * 8 + [-3.0] + [1.0]), [1.0] * COUNT)
    assert text.startswith("10 turns: right 90.0%, unknown 10.0%, of the 9 known 1 wrong")
