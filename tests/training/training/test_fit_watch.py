"""Fitting the parameters of the engine."""

from __future__ import annotations

import pytest

from companion.watch.evidence import Parameters
from hanafuda_training.training.fit_watch import calibration_error, scaled


@pytest.mark.parametrize(
    ("reported", "error"),
    [
        pytest.param([(0.9, True)] * 9 + [(0.9, False)], 0.0, id="as often right as reported"),
        pytest.param([(1.0, True), (1.0, False)], 0.5, id="too sure"),
        pytest.param([(0.5, True)] * 4, 0.5, id="not sure enough"),
        pytest.param([(1.0, True)] * 3 + [(0.5, True)], 0.125, id="intervals count by their turns"),
        pytest.param([], 0.0, id="nothing reported"),
    ],
)
def test_calibration_error(reported: list[tuple[float, bool]], error: float) -> None:
    assert calibration_error(reported) == pytest.approx(error)


def test_both_values_of_a_pair_are_scaled_and_stay_probabilities() -> None:
    parameters = scaled(Parameters(missed=(0.02, 0.6)), "missed", 2.0)
    assert parameters.missed == pytest.approx((0.04, 0.95))
    assert parameters.clutter == Parameters().clutter


def test_a_single_value_is_scaled() -> None:
    assert scaled(Parameters(late=0.4), "late", 0.5).late == pytest.approx(0.2)
