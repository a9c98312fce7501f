"""Registration by printed markers: accurate to a fraction of a mm, or rejected."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.registered_table import SHEET_SCALE, Camera, Table, Weather, draw_parts, mat_table, sheet
from vision.geometry.registration.aruco_markers import pattern
from vision.geometry.registration.printed_mat import MATS
from vision.geometry.registration.registration_findings import FindingCode, RegistrationError
from vision.geometry.registration.registration_methods import from_markers
from vision.geometry.registration.table_registration import Registration

PLACES = np.stack(np.meshgrid(np.linspace(10, 410, 7), np.linspace(10, 287, 5)), -1).reshape(-1, 2)


def errors(registration: Registration, camera: Camera, places: np.ndarray = PLACES) -> np.ndarray:
    """Return the errors of the registration at known places, mm."""
    seen = camera.px(places)
    inside = ((seen >= 0) & (seen < camera.size)).all(axis=1)
    return np.linalg.norm(registration.to_mm(seen[inside]) - places[inside], axis=1)


def refusal(picture: np.ndarray) -> FindingCode:
    with pytest.raises(RegistrationError) as refused:
        from_markers(picture)
    return refused.value.finding.code


@pytest.mark.parametrize(
    ("camera", "weather", "most_mm"),
    [
        (Camera(), Weather(), 0.3),
        (Camera(tilt=35, lean=70, roll=190, k1=-0.2), Weather(blur=1.2, noise=6, quality=60), 0.8),
        (Camera((1920, 1080), 75, fov=88, tilt=20, lean=200, k1=-0.25), Weather(light=0.4), 0.6),
        (Camera((1920, 1080), 40, tilt=15, k1=0.1), Weather(noise=8, quality=55), 0.8),
    ],
    ids=["straight-down", "tilted-blurred", "wide-angle-dark", "far-away"],
)
def test_known_places_are_measured_accurately(camera: Camera, weather: Weather, most_mm: float) -> None:
    made = from_markers(mat_table().photograph(camera, weather))

    assert made.registration.mat == "A3"
    assert sorted(made.detected) == [0, 1, 2, 3]
    assert errors(made.registration, camera).max() < most_mm
    assert made.registration.tilt == pytest.approx(camera.tilt, abs=2.0)


@pytest.mark.parametrize("paper", ["A2", "tabloid"])
def test_each_mat_is_identified_by_its_markers(paper: str) -> None:
    width, height = MATS[paper].size
    camera = Camera((1600, 1200), 60, aim=(width / 2, height / 2))

    registration = from_markers(mat_table(paper).photograph(camera)).registration

    assert registration.mat == paper
    assert errors(registration, camera, np.array([(0.0, 0.0), (width, height)])).max() < 0.5


def test_three_markers_are_enough_if_one_is_hidden() -> None:
    table = mat_table().lay(np.full((60 * SHEET_SCALE, 60 * SHEET_SCALE, 3), 90, np.uint8), 370, 0)
    camera = Camera(tilt=20, lean=40, k1=-0.15)

    made = from_markers(table.photograph(camera))

    assert sorted(made.detected) == [0, 2, 3]
    assert errors(made.registration, camera).max() < 1.0


def test_glare_on_a_marker_hides_only_that_marker() -> None:
    camera = Camera()
    picture = mat_table().photograph(camera).astype(np.float32)
    glare = np.zeros(picture.shape[:2], np.float32)
    x, y = camera.px(MATS["A3"].parts[2].marker.corners.mean(axis=0))
    cv2.ellipse(glare, (int(x), int(y)), (45, 30), 20, 0, 360, 255, -1)
    shining = np.clip(picture + cv2.GaussianBlur(glare, (0, 0), 6)[..., None], 0, 255).astype(np.uint8)

    made = from_markers(shining)

    assert 2 not in made.detected
    assert errors(made.registration, camera).max() < 1.0


def test_a_marker_on_a_bent_corner_is_excluded_and_reported() -> None:
    art = sheet("A3").copy()
    place = MATS["A3"].parts[1]
    x, y, side = (round(mm * SHEET_SCALE) for mm in (place.marker.left, place.marker.top, place.marker.width))
    marker = art[y : y + side, x : x + side].copy()
    art[y : y + side, x : x + side] = 250
    art[y + 32 : y + 32 + side, x - 32 : x - 32 + side] = marker  # 8 mm in both directions
    camera = Camera()

    made = from_markers(Table().lay(art).photograph(camera))

    assert made.astray == (1,)
    assert errors(made.registration, camera).max() < 1.0


def test_a_mat_half_outside_the_picture_is_rejected() -> None:
    assert refusal(mat_table().photograph(Camera(card_px=70, aim=(480, 148)))) is FindingCode.FEW_MARKERS


@pytest.mark.parametrize("axis", [0, 1])
def test_a_mirrored_picture_is_rejected(axis: int) -> None:
    picture = mat_table().photograph(Camera(tilt=10))

    assert refusal(np.ascontiguousarray(np.flip(picture, axis))) in {
        FindingCode.NO_MARKERS,
        FindingCode.FEW_MARKERS,
        FindingCode.MARKERS_DISAGREE,
    }


def test_markers_of_another_dictionary_are_ignored() -> None:
    art = sheet("A3").copy()
    other = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_6X6_250)
    for number, part in MATS["A3"].parts.items():
        x, y, side = (
            round(mm * SHEET_SCALE) for mm in (part.marker.left, part.marker.top, part.marker.width)
        )
        art[y : y + side, x : x + side] = cv2.aruco.generateImageMarker(other, number, side)[..., None]

    assert refusal(Table().lay(art).photograph(Camera())) in {FindingCode.NO_MARKERS, FindingCode.FEW_MARKERS}


@pytest.mark.parametrize(("other", "code"), [("A3", FindingCode.NO_MARKERS), ("A2", FindingCode.TWO_MATS)])
def test_two_mats_are_rejected(other: str, code: FindingCode) -> None:
    table = mat_table().lay(sheet(other), 0, 310)
    camera = Camera((1920, 1080), 42, aim=(250, 330))

    # Two mats of one paper size have every marker twice, so that no marker is usable.
    assert refusal(table.photograph(camera)) is code


def test_an_empty_table_has_no_markers() -> None:
    assert refusal(Table(3).photograph(Camera())) is FindingCode.NO_MARKERS


def corner_cards(order: tuple[int, ...] = (0, 1, 2, 3)) -> tuple[Table, list[np.ndarray]]:
    """Return corner cards taped to a table by hand, and the true corners of each marker, mm."""
    cards = MATS["A4"]
    art = draw_parts(cards, 250)
    table, truth = Table(5), []
    spots = [((20, 10), 4.0), ((640, 25), -7.0), ((650, 380), 3.0), ((8, 370), -2.0)]
    for index, (card, part) in enumerate(zip(cards.cards, cards.parts.values(), strict=True)):
        (x, y), turn = spots[order[index]]
        left, top, right, bottom = (
            round(mm * SHEET_SCALE) for mm in (card.left, card.top, card.right, card.bottom)
        )
        table.lay(art[top:bottom, left:right], x, y, turn)
        angle = np.radians(turn)
        rotation = np.array(((np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle))))
        truth.append((part.marker.corners - (card.left, card.top)) @ rotation.T + (x, y))
    return table, truth


def test_corner_cards_need_no_measuring() -> None:
    table, truth = corner_cards()
    camera = Camera((1920, 1080), 65, tilt=22, lean=80, k1=-0.12, aim=(360, 240))

    registration = from_markers(table.photograph(camera)).registration

    centers = [registration.markers[number].mean(axis=0) for number in sorted(registration.markers)]
    real = [quad.mean(axis=0) for quad in truth]
    for one in range(4):
        for other in range(one):
            apart = np.linalg.norm(real[one] - real[other])
            assert np.linalg.norm(centers[one] - centers[other]) == pytest.approx(apart, rel=0.01)


def test_corner_cards_in_the_wrong_order_are_reported() -> None:
    table, _ = corner_cards((1, 0, 2, 3))

    assert refusal(table.photograph(Camera((1920, 1080), 65, aim=(360, 240)))) is FindingCode.MARKERS_CROSSED


def test_a_print_at_reduced_size_is_corrected_by_the_ruler() -> None:
    picture = mat_table().photograph(Camera())

    straight = from_markers(picture).registration
    shrunk = from_markers(picture, ruler_mm=96.0).registration

    assert shrunk.table.width == pytest.approx(420 * 0.96)
    assert shrunk.card_px[0] == pytest.approx(straight.card_px[0] / 0.96, rel=1e-3)


def test_the_markers_of_the_sheets_are_distinguishable() -> None:
    ids = [number for paper in ("A3", "A2", "tabloid", "A4") for number in MATS[paper].parts]

    assert len(ids) == len(set(ids)) == 16
    for one in ids:
        for other in ids:
            if one != other:
                assert all((np.rot90(pattern(one), turns) != pattern(other)).sum() >= 3 for turns in range(4))
