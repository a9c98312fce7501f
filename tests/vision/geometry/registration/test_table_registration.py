"""Uses of a registration: conversion of mm and px, the table from above, picked corners, cards, color, the file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.store import open_documents
from tests.message_text import raises_text
from tests.vision.registered_table import SHEET_SCALE, Camera, Table, Weather, mat_table
from vision.geometry.registration.camera_fit import Lens
from vision.geometry.registration.printed_mat import Rect
from vision.geometry.registration.registration_findings import FindingCode, RegistrationError
from vision.geometry.registration.registration_methods import from_cards, from_corners, from_markers
from vision.geometry.registration.table_registration import (
    Registration,
    UnreadableRegistrationError,
    read_registration,
    registration_location,
    write_registration,
)
from vision.geometry.registration.view_quality import measure_quality


@given(
    k1=st.floats(-0.25, 0.12),
    x=st.floats(0, 1279),
    y=st.floats(0, 719),
)
def test_distorting_inverts_undistorting(k1: float, x: float, y: float) -> None:
    lens = Lens((1280, 720), k1)
    point = np.array((x, y))

    np.testing.assert_allclose(lens.bend(lens.straighten(point)), point, atol=1e-6)


@settings(deadline=None)
@given(tilt=st.floats(0, 50), lean=st.floats(0, 360), roll=st.floats(0, 360), card_px=st.floats(30, 90))
def test_four_picked_corners_determine_all_places(
    tilt: float, lean: float, roll: float, card_px: float
) -> None:
    camera = Camera(card_px=card_px, tilt=tilt, lean=lean, roll=roll, aim=(300, 200))
    table = Rect(0, 0, 600, 400)
    if (camera.px(table.corners) < -2000).any():
        return

    registration = from_corners(camera.px(table.corners), (600, 400), camera.size)

    inside = np.array([(10.0, 20.0), (300.0, 200.0), (590.0, 100.0)])
    np.testing.assert_allclose(registration.to_mm(camera.px(inside)), inside, atol=0.01)
    assert registration.tilt == pytest.approx(tilt, abs=0.3)


@pytest.mark.parametrize(
    ("corners", "code"),
    [
        (
            [(100, 100), (100, 600), (900, 600), (900, 100)],
            FindingCode.CORNERS_CROSSED,
        ),  # in reverse order
        ([(100, 100), (900, 600), (900, 100), (100, 600)], FindingCode.CORNERS_CROSSED),
        ([(100, 100), (900, 100), (500, 100), (100, 600)], FindingCode.CORNERS_CROSSED),
        (
            [(100, 100), (400, 100), (400, 1300), (100, 1300)],
            FindingCode.SIZE_UNLIKELY,
        ),  # width and height exchanged
    ],
)
def test_impossible_corners_are_rejected(corners: list[tuple[int, int]], code: FindingCode) -> None:
    with pytest.raises(RegistrationError) as refused:
        from_corners(np.array(corners, float), (600, 400), (1280, 1400))

    assert refused.value.finding.code is code


def cards_on(camera: Camera, places: list[tuple[float, float, float]], noise: float = 0.0) -> np.ndarray:
    """Return quads (n x 4 x 2 px) of cards from their centers, mm, and rotations, degrees."""
    rng = np.random.default_rng(4)
    corners = np.array(((-16.5, -27), (16.5, -27), (16.5, 27), (-16.5, 27)))
    quads = []
    for x, y, turn in places:
        angle = np.radians(turn)
        rotation = np.array(((np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle))))
        quads.append(camera.px(corners @ rotation.T + (x, y)))
    return (np.array(quads) + rng.normal(0, noise, (len(quads), 4, 2))).astype(np.float32)


SPREAD = [
    (x, y, 7.0 * number)
    for number, (x, y) in enumerate((x, y) for y in (40, 150, 260) for x in (40, 160, 280, 400))
]


@pytest.mark.parametrize("tilt", [0, 20, 38])
def test_cards_of_one_size_give_the_scale(tilt: float) -> None:
    camera = Camera(tilt=tilt, lean=65, roll=8)

    registration = from_cards(cards_on(camera, SPREAD, noise=0.8), camera.size)

    ends = registration.to_mm(camera.px(np.array([(100.0, 100.0), (300.0, 200.0)])))
    assert np.linalg.norm(ends[1] - ends[0]) == pytest.approx(np.hypot(200, 100), rel=0.03)
    assert registration.tilt == pytest.approx(tilt, abs=6)


def test_a_false_detection_does_not_distort_the_registration() -> None:
    camera = Camera(tilt=20)
    quads = cards_on(camera, SPREAD, noise=0.5)
    quads[3] = (quads[3] - quads[3].mean(axis=0)) * (1.9, 1.2) + quads[3].mean(axis=0)

    registration = from_cards(quads, camera.size)

    ends = registration.to_mm(camera.px(np.array([(100.0, 100.0), (300.0, 200.0)])))
    assert np.linalg.norm(ends[1] - ends[0]) == pytest.approx(np.hypot(200, 100), rel=0.03)


@pytest.mark.parametrize("phones", [1, 2])
def test_a_phone_among_few_cards_does_not_prevent_the_registration(phones: int) -> None:
    camera = Camera(tilt=5, lean=65, roll=8)
    quads = cards_on(camera, SPREAD[:6], noise=0.8)
    phone = np.array(((0, 0), (70, 10), (50, 155), (-20, 145)))
    quads = np.concatenate((quads, [camera.px(np.add(phone, (250 + 90 * n, 120))) for n in range(phones)]))

    registration = from_cards(quads.astype(np.float32), camera.size)

    ends = registration.to_mm(camera.px(np.array([(100.0, 100.0), (300.0, 200.0)])))
    assert np.linalg.norm(ends[1] - ends[0]) == pytest.approx(np.hypot(200, 100), rel=0.03)


@pytest.mark.parametrize(
    ("quads", "code"),
    [
        (cards_on(Camera(), SPREAD[:3]), FindingCode.FEW_CARDS),
        (np.random.default_rng(2).uniform(0, 700, (12, 4, 2)).astype(np.float32), None),
        (
            cards_on(Camera(tilt=30), [(200 + 3 * n, 150, 5 * n) for n in range(5)], noise=2.0),
            FindingCode.CARDS_UNCERTAIN,
        ),
    ],
    ids=["three", "nonsense", "on-one-spot"],
)
def test_too_few_or_collinear_cards_are_rejected(quads: np.ndarray, code: FindingCode | None) -> None:
    with pytest.raises(RegistrationError) as refused:
        from_cards(quads, (1280, 720))

    assert code is None or refused.value.finding.code is code


def test_the_canvas_shows_the_table_from_above() -> None:
    mark = np.full((20 * SHEET_SCALE, 20 * SHEET_SCALE, 3), (30, 30, 220), np.uint8)
    table = mat_table().lay(mark, 200, 120)
    picture = table.photograph(Camera((1920, 1080), 80, tilt=25, lean=130, roll=170, k1=-0.2))

    canvas = from_markers(picture).registration.canvas()
    seen = canvas.warp(picture)

    red = (seen[..., 2] > 150) & (seen[..., 1] < 90)
    rows, columns = np.nonzero(red)
    middle = canvas.to_mm(np.array((columns.mean(), rows.mean())))
    np.testing.assert_allclose(middle, (210, 130), atol=0.7)
    assert red.sum() / canvas.px_per_mm**2 == pytest.approx(400, rel=0.08)
    assert canvas.size == (764, 540)  # 420 x 297 mm, a card of 33 mm 60 px wide


@pytest.mark.parametrize(
    ("camera", "weather", "expected"),
    [
        (Camera((1920, 1080), 85), Weather(light=0.9), set()),
        (Camera((1920, 1080), 85), Weather(light=0.25), {FindingCode.DARK}),
        (Camera((1920, 1080), 85), Weather(light=1.4), {FindingCode.BRIGHT}),
        (Camera((1920, 1080), 85), Weather(light=0.9, gains=(0.5, 1.0, 0.9)), {FindingCode.COLOR_CAST}),
        (Camera((1920, 1080), 85), Weather(light=0.9, blur=4.5), {FindingCode.BLURRED}),
        (Camera((1280, 720), 27), Weather(light=0.9), {FindingCode.CARDS_TOO_SMALL, FindingCode.BLURRED}),
        (Camera((1280, 720), 38), Weather(light=0.9), {FindingCode.CARDS_SMALL}),
        (Camera((1920, 1080), 62, tilt=63, lean=10), Weather(light=0.9), {FindingCode.TILTED}),
    ],
    ids=["good", "dark", "bright", "colored", "blurred", "too-small", "small", "tilted"],
)
def test_quality_findings(camera: Camera, weather: Weather, expected: set[FindingCode]) -> None:
    picture = mat_table().photograph(camera, weather)

    found = {
        finding.code for finding in measure_quality(picture, from_markers(picture).registration).findings
    }

    assert expected <= found
    assert found <= expected | {FindingCode.CARDS_SMALL}


def test_a_registration_is_saved_as_json_and_read_again(tmp_path: Path) -> None:
    registration = from_markers(mat_table().photograph(Camera(tilt=20, k1=-0.1))).registration
    documents = open_documents(tmp_path)
    assert read_registration(documents) is None
    write_registration(documents, registration)

    again = read_registration(documents)

    assert again is not None
    assert registration_location(documents) == str(tmp_path / "table.json")

    points = np.array([(3.0, 5.0), (640.0, 300.0), (1200.0, 700.0)])
    np.testing.assert_allclose(again.to_mm(points), registration.to_mm(points), atol=1e-9)
    assert again.to_json() == registration.to_json()


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "null", '{"version": 99}', '{"version": 1, "picture_px": "wide"}', "\x00"]
)
def test_a_file_without_a_registration_is_an_error_of_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "table.json").write_text(text, encoding="utf-8")

    with raises_text(UnreadableRegistrationError, match="calibrate"):
        read_registration(open_documents(tmp_path))


def test_the_whole_picture_of_an_empty_table_has_no_patches() -> None:
    corners = np.array([(0, 0), (1279, 0), (1279, 719), (0, 719)], float)
    registration: Registration = from_corners(corners, (640, 360), (1280, 720))

    assert measure_quality(Table(1).photograph(Camera()), registration).white is None
