"""Photographs taken at an angle are rectified to a view from above."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from hanafuda_training.benchmarks.tilt_photographs import CameraPose, drawn
from hanafuda_training.render.card_layouts import CardPlacement
from hanafuda_training.render.deck_art import Deck
from tests.vision.picture_builders import face
from vision.geometry import rectification
from vision.geometry.plane_fit import PlaneView, fit_plane
from vision.geometry.rectification import RefinedDetections, find_table_view
from vision.geometry.registration.camera_fit import project
from vision.photograph.scanner import Scanner
from vision.pictures.crops import Pyramid
from vision.pictures.picture_decoding import decode

SIZE = (1600, 1200)
_CARD = np.array(((-16.5, -27.0), (16.5, -27.0), (16.5, 27.0), (-16.5, 27.0)))


def _quads(pose: CameraPose, count: int, seed: int) -> np.ndarray:
    """Return cards scattered on a table as a tilted camera sees them (n x 4 x 2 px)."""
    rng = np.random.default_rng(seed)
    spots, turns = rng.uniform(-150, 150, (count, 2)), rng.uniform(0, 2 * np.pi, count)
    cos, sin = np.cos(turns), np.sin(turns)
    rotations = np.stack((np.stack((cos, -sin), -1), np.stack((sin, cos), -1)), -2)
    corners = np.einsum("nij,mj->nmi", rotations, _CARD) + spots[:, None]
    camera = pose.camera(corners.reshape(-1, 2), SIZE)
    return project(camera.matrix[:, [0, 1, 3]], corners)


@given(
    tilt=st.floats(35, 62),
    far=st.sampled_from(("top", "right", "bottom", "left")),
    count=st.integers(3, 20),
    seed=st.integers(0, 99),
)
def test_the_plane_is_recovered_from_card_outlines(tilt: float, far: str, count: int, seed: int) -> None:
    """With the focal length known, the fitted tilt and direction are those of the camera."""
    quads = _quads(CameraPose(tilt, far, 1.1), count, seed)
    fit = fit_plane(quads.astype(np.float32), np.ones(count), SIZE, 1.1 * max(SIZE))
    direction = {"top": -90.0, "right": 0.0, "bottom": 90.0, "left": 180.0}[far]
    assert fit.view.tilt == pytest.approx(tilt, abs=1.5)
    assert abs((fit.view.direction - direction + 180) % 360 - 180) < 3
    assert fit.inliers.all()


@pytest.mark.parametrize("outliers", [1, 4])
def test_false_detections_do_not_bend_the_plane(outliers: int) -> None:
    """A third of the twelve outlines are no cards; the plane is fitted to the others."""
    quads = _quads(CameraPose(50.0, "top", 1.1), 12, 3)
    quads[:outliers] = quads[:outliers].mean(axis=1, keepdims=True) + np.array(
        ((-90, -20), (90, -25), (70, 30), (-80, 10))
    )
    fit = fit_plane(quads.astype(np.float32), np.ones(12), SIZE, 1.1 * max(SIZE))
    assert fit.view.tilt == pytest.approx(50, abs=4)
    assert not fit.inliers[:outliers].any()


@given(tilt=st.floats(0, 70), direction=st.floats(-180, 180), x=st.floats(500, 1100), y=st.floats(400, 800))
def test_a_view_maps_the_center_of_the_picture_as_the_rotation_requires(
    tilt: float, direction: float, x: float, y: float
) -> None:
    """The homography of a view is invertible wherever the plane is visible."""
    matrix = PlaneView(tilt, direction, 1.1 * max(SIZE)).homography(SIZE)
    point = np.array([[x, y]])
    assert np.allclose(project(np.linalg.inv(matrix), project(matrix, point)), point, atol=1e-5)


def _detected(quads: np.ndarray, score: float = 1.0) -> RefinedDetections:
    """Return fully visible detections."""
    one = np.ones(len(quads), np.float32)
    return RefinedDetections(quads.astype(np.float32), np.float32(score) * one, one, quads.astype(np.float32))


def _empty(width: int, height: int) -> Pyramid:
    return Pyramid(np.zeros((height, width, 3), np.uint8))


@pytest.mark.parametrize(("count", "known"), [(3, True), (1, False)])
def test_a_few_cards_determine_the_view_of_a_table(
    monkeypatch: pytest.MonkeyPatch, count: int, known: bool
) -> None:
    """Games around a draw pile show no more for minutes; their players lay cards down in a circle of 40 cm."""
    table = np.array(((-350.0, -350.0), (350.0, -350.0), (350.0, 350.0), (-350.0, 350.0)))
    to_picture = CameraPose(50.0, "right", 1.1).camera(table, SIZE).matrix[:, [0, 1, 3]]
    quads = project(to_picture, _CARD + np.array(((0, 0), (90, 20), (-120, 60)))[:count, None])
    doubtful, clear = _detected(quads, 0.6), _detected(quads)
    monkeypatch.setattr(rectification, "_to_picture", lambda *_: clear)
    determined, view = find_table_view(_empty(*SIZE), doubtful, lambda *_: clear)
    assert determined == known
    assert (view is not None) == known
    if view is not None:
        assert view.tilt == pytest.approx(50, abs=3)
        corners = project(view.matrix @ to_picture, table)
        assert ((corners >= -2) & (corners <= np.array(view.size) + 2)).all()


def test_a_phone_is_not_one_of_the_cards_that_determine_the_view_of_a_table() -> None:
    """Two cards and a phone at 20 degrees."""
    quads = _quads(CameraPose(20.0, "top", 1.1), 3, 3)
    detections = _detected(quads)
    assert find_table_view(_empty(*SIZE), detections, lambda *_: detections) == (True, None)
    quads[2] = quads[2].mean(axis=0) + (quads[2] - quads[2].mean(axis=0)) * 2.5
    detections = _detected(quads)
    assert find_table_view(_empty(*SIZE), detections, lambda *_: detections) == (False, None)


def test_a_view_in_which_no_card_is_detected_is_not_that_of_the_camera() -> None:
    detections = _detected(_quads(CameraPose(50.0, "top", 1.1), 12, 3))
    nothing = _detected(np.zeros((0, 4, 2)))
    assert find_table_view(_empty(*SIZE), detections, lambda *_: nothing) == (False, None)


@pytest.fixture(scope="module")
def scanner() -> Scanner:
    return Scanner()


_CARDS = (
    "pine-crane",
    "cherry-curtain",
    "susuki-moon",
    "willow-rainman",
    "maple-deer",
    "peony-butterflies",
    "iris-bridge",
    "clover-boar",
)


@pytest.mark.parametrize("far", ["top", "right", "bottom", "left"])
def test_a_table_photographed_from_a_chair_is_recognized(scanner: Scanner, far: str) -> None:
    """At 55 degrees from vertical, from each of the four sides, every card of the field is named, and its outline is in px of the photograph."""
    deck = Deck("own", "own", tuple(face(card) for card in _CARDS), _CARDS, hanafuda=True)
    places = [CardPlacement(48.0 * (number % 4) - 72, 68.0 * (number // 4) - 34, 0.0) for number in range(8)]
    scene = drawn(np.random.default_rng(7), deck, places, CameraPose(55.0, far, 1.1), SIZE, 40.0)
    reading = scanner.scan(scene.image)
    assert sorted(str(card.card) for card in reading.cards) == sorted(_CARDS)
    for card in reading.cards:
        off = np.abs(scene.quads.mean(axis=1) - np.array(card.quad).mean(axis=0)).max(axis=1)
        assert off.min() < 12


def test_the_focal_length_of_a_phone_is_read_from_exif() -> None:
    """A phone's JPEG says 26 mm: of a diagonal of 500 px that is 300 px, and of one without EXIF it is not known."""
    exif = Image.Exif()
    exif.get_ifd(0x8769)[0xA405] = 26
    for tags, focal in ((exif, pytest.approx(26 / 43.27 * 500)), (Image.Exif(), None)):
        file = io.BytesIO()
        Image.new("RGB", (400, 300)).save(file, "jpeg", exif=tags)
        assert decode(file.getvalue()).focal == focal
