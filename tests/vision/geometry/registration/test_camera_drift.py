"""Checks of a registered table: movements are reported in mm, and nothing is reported without one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.vision.registered_table import SHEET_SCALE, Camera, Table, Weather, mat_table
from vision.geometry.registration.camera_drift import check_drift
from vision.geometry.registration.registration_findings import FindingCode
from vision.geometry.registration.registration_methods import from_corners, from_markers
from vision.geometry.registration.table_registration import Registration

HOME = Camera((1280, 720), 55, tilt=18, lean=30, k1=-0.1)


@pytest.fixture(scope="module")
def home() -> Registration:
    return from_markers(mat_table().photograph(HOME)).registration


@pytest.mark.parametrize(
    ("distance_mm", "code"),
    [
        (0.0, FindingCode.STEADY),
        (1.0, FindingCode.STEADY),
        (3.2, FindingCode.MOVED_LITTLE),
        (8.0, FindingCode.MOVED),
        (40.0, FindingCode.MOVED),
    ],
)
def test_a_moved_camera_is_reported_in_mm(home: Registration, distance_mm: float, code: FindingCode) -> None:
    there = replace(HOME, aim=(210 + 0.8 * distance_mm, 148.5 + 0.6 * distance_mm))

    verdict = check_drift(home, mat_table(seed=9).photograph(there, Weather(noise=5, blur=1.0)))

    assert verdict.finding.code is code
    assert verdict.moved == pytest.approx(distance_mm, abs=max(0.3, 0.05 * distance_mm))


def test_a_rotated_camera_is_reported(home: Registration) -> None:
    verdict = check_drift(home, mat_table().photograph(replace(HOME, roll=172, tilt=10)))

    assert verdict.finding.code is FindingCode.TURNED


def cover(table: Table, *places: tuple[float, float]) -> Table:
    for x, y in places:
        table.lay(np.full((70 * SHEET_SCALE, 70 * SHEET_SCALE, 3), 100, np.uint8), x, y)
    return table


def test_only_the_covered_marker_is_reported(home: Registration) -> None:
    verdict = check_drift(home, cover(mat_table(), (360, -10)).photograph(HOME))

    assert verdict.finding.code is FindingCode.STEADY
    assert [(other.code, other.figures["markers"]) for other in verdict.others] == [
        (FindingCode.MARKER_HIDDEN, "2")
    ]


def test_covered_markers_are_reported_as_lost(home: Registration) -> None:
    table = cover(mat_table(), (360, -10), (-10, -10), (-10, 240), (360, 240))

    assert check_drift(home, table.photograph(HOME)).finding.code is FindingCode.LOST


def test_a_dark_picture_is_reported_as_lost(home: Registration) -> None:
    assert (
        check_drift(home, mat_table().photograph(HOME, Weather(light=0.02))).finding.code is FindingCode.LOST
    )


def test_a_picture_of_another_size_is_reported(home: Registration) -> None:
    assert check_drift(home, np.zeros((480, 640, 3), np.uint8)).finding.code is FindingCode.OTHER_SIZE


def test_a_registration_without_markers_cannot_be_checked() -> None:
    corners = np.array([(100, 100), (1100, 100), (1100, 600), (100, 600)], float)
    drawn = from_corners(corners, (600, 300), (1280, 720))

    assert check_drift(drawn, np.zeros((720, 1280, 3), np.uint8)).finding.code is FindingCode.NOTHING_TO_WATCH
