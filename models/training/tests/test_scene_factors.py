"""Each factor of composed scenes can be switched off separately, and the ground truth is right with every factor."""

from dataclasses import fields, replace
from functools import cache

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hanafuda_training.render import distractors
from hanafuda_training.render.camera import distort_image, distort_points, random_camera
from hanafuda_training.render.card_drawing import random_print
from hanafuda_training.render.card_layouts import CardPlacement, random_layout, stack_heights
from hanafuda_training.render.deck_art import Deck, random_back
from hanafuda_training.render.distractors import (
    CARD_LIKE_ID,
    WESTERN_ID,
    Distractor,
    add_distractors,
    draw_mat,
)
from hanafuda_training.render.hand_drawing import FOREIGN_ID, add_hand
from hanafuda_training.render.lighting import apply_lighting
from hanafuda_training.render.scene_factors import TRAINING_FACTORS, NamedGenerators, SceneFactors
from hanafuda_training.render.scenes import (
    Scene,
    SceneAssets,
    compose_scene,
    draw_cards,
    family_weights,
    with_western,
)
from hanafuda_training.render.sensor import simulate_sensor
from hanafuda_training.render.tabletops import draw_tabletop, random_textures
from hanafuda_training.training.contact_sheets import chosen, draw_sheet
from tests.vision.picture_builders import face
from vision.networks.class_ids import BACK, UNKNOWN

NAMES = [factor.name for factor in fields(SceneFactors)]
NOTHING = SceneFactors(**dict.fromkeys(NAMES, 0.0))
#: Factors that change the appearance of a picture and not its ground truth.
LOOKS = [
    "ink",
    "inks",
    "fields",
    "mirrors",
    "frames",
    "sheen",
    "card_shadows",
    "seams",
    "cloths",
    "lamps",
    "shadows",
    "glare",
    "resize",
    "blur",
    "motion",
    "moire",
    "exposure",
    "sharpening",
    "noise",
]
CARDS = ("pine-crane", "susuki-moon", "maple-deer", "willow-lightning", "clover-ribbon")


@cache
def props() -> SceneAssets:
    faces = tuple(replace(face(card), identity=70 + number) for number, card in enumerate(CARDS))
    deck = Deck("own", "own", faces, CARDS, hanafuda=True)
    return SceneAssets([deck], family_weights([deck]), random_textures(np.random.default_rng(4), 3))


def scene_with(factors: SceneFactors, seed: int, size: tuple[int, int] = (320, 240)) -> Scene:
    return compose_scene(np.random.default_rng(seed), props(), *size, factors=factors)


@pytest.mark.parametrize("name", LOOKS)
def test_a_factor_of_appearance_does_not_change_the_ground_truth(name: str):
    changed = 0
    for seed in (1, 2, 6):
        off, strong = (
            scene_with(replace(TRAINING_FACTORS, **{name: strength}), seed) for strength in (0.0, 20.0)
        )
        changed += bool((off.image != strong.image).any())
        for truth in ("ids", "quads", "class_ids", "identities"):
            np.testing.assert_array_equal(getattr(off, truth), getattr(strong, truth))
    assert changed


@pytest.mark.parametrize(
    "name",
    ["resize", "blur", "motion", "moire", "exposure", "sharpening", "noise", "lamps", "shadows", "glare"],
)
def test_light_and_sensor_change_the_picture_by_one_factor_only(name: str):
    image = np.random.default_rng(1).integers(0, 256, (120, 160, 3)).astype(np.uint8)

    def photographed(factors: SceneFactors) -> np.ndarray:
        dice = NamedGenerators(np.random.default_rng(3))
        return simulate_sensor(dice, factors, apply_lighting(dice, factors, image, 60.0))

    np.testing.assert_array_equal(photographed(NOTHING), image)
    assert (photographed(replace(NOTHING, **{name: 20.0})) != image).any()


def test_random_numbers_of_a_name_do_not_depend_on_other_names():
    one, other = NamedGenerators(np.random.default_rng(5)), NamedGenerators(np.random.default_rng(5))
    other.of("glare").random(100)
    assert (one.of("noise").random(8) == other.of("noise").random(8)).all()
    assert (one.of("noise").random(8) != one.of("glare").random(8)).any()


@given(
    bend=st.floats(-0.2, 0.3),
    x=st.floats(0.05, 0.95),
    y=st.floats(0.05, 0.95),
    size=st.sampled_from([(160, 120), (120, 200)]),
)
def test_lens_distortion_moves_points_and_pixels_equally(
    bend: float, x: float, y: float, size: tuple[int, int]
):
    width, height = size
    ids = np.zeros((height, width), np.uint8)
    at = np.array((x * width, y * height), np.float32)
    image = np.zeros((height, width, 3), np.uint8)
    ys, xs = np.mgrid[:height, :width] + 0.5
    near = np.hypot(xs - at[0], ys - at[1]) < 4
    image[near], ids[near] = 255, 1
    moved = distort_points(at[None], bend, width, height)[0]
    if not (6 < moved[0] < width - 6 and 6 < moved[1] < height - 6 and 6 < at[0] < width - 6):
        return
    _, bent = distort_image(image, ids, bend)
    rows, columns = np.nonzero(bent)
    assert np.hypot(columns.mean() + 0.5 - moved[0], rows.mean() + 0.5 - moved[1]) < 0.9


@given(bend=st.floats(0.01, 0.3), radius=st.floats(0, 1.5), angle=st.floats(0, 6.28))
def test_barrel_distortion_moves_points_inwards_in_their_direction(bend: float, radius: float, angle: float):
    reach = np.hypot(200, 150)
    way = np.array((np.cos(angle), np.sin(angle)))
    moved = distort_points(
        (np.array((200, 150)) + way * radius * reach)[None].astype(np.float32), bend, 400, 300
    )[0]
    offset = (moved - (200, 150)) / reach
    assert np.hypot(*offset) == pytest.approx(offset @ way, abs=1e-4)
    # r = d (1 + bend d²) / (1 + bend) must give the undistorted radius.
    assert offset @ way * (1 + bend * (offset @ way) ** 2) / (1 + bend) == pytest.approx(radius, abs=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_quads_are_right_with_strong_lens_distortion(seed: int):
    scene = scene_with(replace(TRAINING_FACTORS, lens=2.0, curl=0, wear=0, hands=0), seed, (448, 336))
    areas = np.bincount(scene.ids.ravel(), minlength=256)
    for number, quad in enumerate(scene.quads, 1):
        inside = (quad.min() > 2) and (quad.max(axis=0) < (446, 334)).all()
        if not inside or areas[number] < 0.9 * cv2.contourArea(quad):
            continue
        filled = np.zeros_like(scene.ids)
        cv2.fillConvexPoly(filled, quad.round().astype(np.int32), 1)
        overlap = ((scene.ids == number) & (filled > 0)).sum() / ((scene.ids == number) | (filled > 0)).sum()
        assert overlap > 0.85


def tilted_camera(seed: int = 3) -> tuple[np.random.Generator, object]:
    """Return a camera tilted by about 35° or more."""
    rng = np.random.default_rng(seed)
    while True:
        camera = random_camera(rng, 448, 336, 70.0, 2.0)
        low, high = camera.project(np.zeros((1, 3))), camera.project(np.array([[0.0, 0.0, 20.0]]))
        if low is not None and high is not None and np.linalg.norm(high - low) > 24:
            return rng, camera


@pytest.mark.parametrize("down", [False, True])
def test_only_the_top_card_of_a_stack_counts_as_a_card(down: bool):
    rng, camera = tilted_camera()
    image, ids = np.full((336, 448, 3), 120, np.uint8), np.zeros((336, 448), np.uint8)
    print_style = replace(random_print(rng), thickness=0.8)
    top = random_back(rng) if down else face("pine-crane")
    place = CardPlacement(0.0, 0.0, 0.3, down, layers=25)
    quads, kinds, _ = draw_cards(rng, image, ids, camera, print_style, [(top, place)], NOTHING)
    assert kinds.tolist() == [BACK if down else top.class_id]
    assert set(np.unique(ids)) == {0, 1}
    flat, _, _ = draw_cards(
        rng, image.copy(), ids.copy(), camera, print_style, [(top, replace(place, layers=1))], NOTHING
    )
    # 24 cards of 0.8 mm raise it by about as much as 20 mm raise a point.
    assert np.linalg.norm(quads[0].mean(axis=0) - flat[0].mean(axis=0)) > 15
    changed = (image != 120).any(axis=2)
    assert (changed & (ids == 0)).sum() > 0.2 * (ids == 1).sum(), (
        "its sides are visible and belong to no card"
    )


def test_the_side_of_a_stack_hides_cards_behind_it():
    rng, camera = tilted_camera()
    low, high = camera.project(np.zeros((1, 3))), camera.project(np.array([[0.0, 0.0, 20.0]]))
    way = (high - low)[0] / np.linalg.norm(high - low)
    # The direction on the table in which the stack extends in the picture.
    steps = camera.project(np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0)], float))
    over = np.linalg.solve((steps[1:] - steps[0]).T, way)
    over = over / np.linalg.norm(over)
    ids = np.zeros((336, 448), np.uint8)
    image = np.full((336, 448, 3), 120, np.uint8)
    behind = (face("maple-deer"), CardPlacement(*(over * 42), 0.0))
    stack = (random_back(rng), CardPlacement(0.0, 0.0, 0.0, True, layers=25))
    print_style = random_print(rng)
    draw_cards(rng, image, ids, camera, print_style, [behind], NOTHING)
    whole = int((ids == 1).sum())
    ids[:] = 0
    draw_cards(rng, image, ids, camera, print_style, [behind, stack], NOTHING)
    assert (ids == 1).sum() < whole
    assert (ids == 2).sum() > 0


def test_class_ids_are_those_of_the_faces():
    scene = scene_with(replace(TRAINING_FACTORS, stacks=0, backs=0, heaps=3), 12)
    known = {face(card).class_id: 70 + number for number, card in enumerate(CARDS)}
    identities = dict(zip(scene.class_ids.tolist(), scene.identities.tolist(), strict=True))
    assert known.items() & identities.items()
    assert all(identities[kind] in (identity, -1) for kind, identity in known.items() if kind in identities)


@pytest.mark.parametrize("seed", range(3))
def test_hands_cover_cards_as_foreign_objects(seed: int):
    rng = np.random.default_rng(seed)
    image, ids = np.full((240, 320, 3), 90, np.uint8), np.full((240, 320), 7, np.uint8)
    add_hand(rng, image, ids, (160.0, 120.0), rng.uniform(0, 6.28), 1.2)
    hidden = ids == FOREIGN_ID
    assert 0.05 < hidden.mean() < 0.9
    assert set(np.unique(ids)) == {7, FOREIGN_ID}
    assert np.abs(image[hidden].astype(int) - 90).mean() > 10


def test_without_hands_and_objects_nothing_is_foreign():
    bare = replace(TRAINING_FACTORS, hands=0, distractors=0)
    assert not any((scene_with(bare, seed).ids == FOREIGN_ID).any() for seed in range(4))
    busy = replace(TRAINING_FACTORS, hands=20)
    assert any((scene_with(busy, seed).ids == FOREIGN_ID).any() for seed in range(4))


@pytest.mark.parametrize("number", [0, FOREIGN_ID])
def test_objects_get_the_given_id(number: int):
    rng = np.random.default_rng(2)
    camera = random_camera(rng, 320, 240, 50.0)
    image, ids = np.full((240, 320, 3), 90, np.uint8), np.full((240, 320), 7, np.uint8)
    for _ in range(5):
        add_distractors(rng, image, ids, camera, (200.0, 150.0), [face("pine-crane")], number)
    assert {int(each) for each in np.unique(ids) if each < WESTERN_ID or each == FOREIGN_ID} == {7, number}
    unseen = (ids == 7) & (image == 90).all(axis=2)
    assert unseen.any(), "the rest of the table stays"


@pytest.mark.parametrize(
    ("thing", "vague"),
    [
        (Distractor(np.zeros((256, 156, 3), np.uint8), 33.0, 54.0, plain=True), True),
        (Distractor(np.zeros((156, 256, 3), np.uint8), 90.0, 55.0, 20.0, plain=True), True),
        (Distractor(np.zeros((256, 156, 3), np.uint8), 33.0, 54.0), False),
        (Distractor(np.zeros((256, 240, 3), np.uint8), 75.0, 80.0, plain=True), False),
    ],
    ids=["a slip", "a closed box", "a printed one", "a sticky note"],
)
def test_plain_card_shaped_objects_are_similar_to_backs(thing: Distractor, vague: bool):
    assert thing.is_card_like == vague


def test_objects_similar_to_backs_have_a_separate_id(monkeypatch: pytest.MonkeyPatch):
    slip = Distractor(np.full((256, 156, 3), 40, np.uint8), 33.0, 54.0, plain=True)
    monkeypatch.setattr(distractors, "_MAKERS", ((lambda *_: slip, 1.0),))
    camera, seen = random_camera(np.random.default_rng(2), 320, 240, 50.0), set()
    for seed in range(6):
        ids = np.full((240, 320), 7, np.uint8)
        image = np.full((240, 320, 3), 90, np.uint8)
        add_distractors(
            np.random.default_rng(seed), image, ids, camera, (200.0, 150.0), [face("pine-crane")], 0
        )
        seen |= set(np.unique(ids).tolist())
    assert seen == {7, CARD_LIKE_ID}


def test_western_cards_are_cards_of_unknown_class():
    rng = np.random.default_rng(2)
    camera = random_camera(rng, 320, 240, 50.0)
    image, ids = np.full((240, 320, 3), 90, np.uint8), np.zeros((240, 320), np.uint8)
    western: list[NDArray[np.float64]] = []
    while not western:
        western = add_distractors(rng, image, ids, camera, (200.0, 150.0), [face("pine-crane")], 0)
    areas = [int((ids == WESTERN_ID + number).sum()) for number in range(len(western))]
    one = np.zeros((1, 4, 2), np.float32), np.array([BACK], np.uint8), np.array([7], np.int32)
    quads, kinds, identities = with_western(ids, western, *one)
    assert kinds.tolist() == [BACK] + [UNKNOWN] * len(western)
    assert identities.tolist() == [7] + [-1] * len(western)
    np.testing.assert_allclose(quads[1:], western, atol=1e-3)
    assert [int((ids == 2 + number).sum()) for number in range(len(western))] == areas
    assert sum(areas) > 100
    assert not ((ids >= WESTERN_ID) & (ids < FOREIGN_ID)).any()


def test_markers_of_a_mat_are_detectable():
    found = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        camera = random_camera(rng, 1280, 960, 80.0, 0.3)
        image, ids = np.full((960, 1280, 3), 90, np.uint8), np.zeros((960, 1280), np.uint8)
        draw_mat(rng, image, ids, camera, (500.0, 380.0))
        for code in (cv2.aruco.DICT_4X4_50, cv2.aruco.DICT_5X5_50, cv2.aruco.DICT_6X6_50):
            detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(code))
            found += len(detector.detectMarkers(image)[0])
    assert found >= 6


@given(seed=st.integers(0, 10_000), strength=st.sampled_from([0.0, 1.0, 2.0]))
def test_cards_rest_on_each_other_and_never_below_the_table(seed: int, strength: float):
    rng = np.random.default_rng(seed)
    laid = random_layout(rng, (400.0, 300.0), 48)
    settled = stack_heights(rng, laid, 0.8, strength)
    assert [(p.x, p.y, p.turn, p.face_down, p.layers) for p in laid] == [
        (p.x, p.y, p.turn, p.face_down, p.layers) for p in settled
    ]
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * (16.5, 27.0)
    for place in settled:
        assert (place.z + corners @ place.lean > -1e-9).all()
        assert strength or (place.z, place.lean) == (0.0, (0.0, 0.0))


def test_a_table_without_factors_is_plain():
    rng = np.random.default_rng(1)
    camera = random_camera(rng, 160, 120, 40.0)
    tables = random_textures(rng, 4)
    assert draw_tabletop(rng, tables, camera, (160, 120), 0.0).std(axis=(0, 1)).max() < 1e-6
    assert draw_tabletop(rng, tables, camera, (160, 120), 1.0).std(axis=(0, 1)).max() > 1


def test_a_contact_sheet_has_scenes_with_and_without_the_factor():
    (noise,) = chosen(["noise"])
    sheet = draw_sheet(props(), noise, 1, seed=3)
    assert sheet.shape[1] == 3 * 448
    off, on, twice = np.hsplit(sheet[-336:].astype(int), 3)
    assert np.abs(on - off).mean() < np.abs(twice - off).mean()


def test_the_error_for_an_unknown_factor_names_it():
    with pytest.raises(ValueError, match="gloss"):
        chosen(["noise", "gloss"])
    assert [factor.name for factor in chosen([])] == NAMES
