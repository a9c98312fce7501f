"""Fitting the parameters of the engine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from companion.watch.parameters import PARAMETERS
from hanafuda_training.training.fit_watch import calibration_error, halves, reliability, scaled


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


def test_reliability_has_the_turns_of_each_interval() -> None:
    reported = [(0.98, True), (0.96, True), (0.52, False), (0.54, True), (1.0, False)]
    assert reliability(reported) == "0.53: 1 of 2, 0.98: 2 of 3"


@pytest.mark.parametrize(
    ("before", "factor", "after"),
    [
        pytest.param(0.4, 0.5, 0.2, id="smaller"),
        pytest.param(0.6, 2.0, 0.95, id="it stays a probability"),
    ],
)
def test_one_parameter_is_scaled(before: float, factor: float, after: float) -> None:
    parameters = scaled(replace(PARAMETERS, late=before), "late", factor)
    assert parameters == replace(PARAMETERS, late=after)


def test_every_second_round_is_kept_for_measuring_with_all_its_logs() -> None:
    names = [f"{name}.{kind}.jsonl" for name in ("a-0", "a-1", "b-0") for kind in ("camera", "pictures")]
    fitted, others = halves(map(Path, reversed(names)))
    assert [path.name for path in fitted] == [*names[:2], *names[4:]]
    assert [path.name for path in others] == names[2:4]
