"""Scenes for Cycles, without rendering: resting positions of cards, and the ground truth of the camera."""

import json
import sys
from itertools import count, pairwise
from types import ModuleType

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.hanafuda.cards import CARD_MM
from hanafuda_training.benchmarks.ground_truth import read_folders
from hanafuda_training.render.deck_art import Deck, Face
from hanafuda_training.render.scenes import Scene
from hanafuda_training.training.cycles import __main__ as command
from hanafuda_training.training.cycles.arrangements import ARRANGEMENTS, CLOSE, ArrangedCard
from hanafuda_training.training.cycles.cycles_camera import CyclesCamera, aim, outline, visible_fractions
from hanafuda_training.training.cycles.resting_poses import THICKNESS, Pose, settle
from hanafuda_training.training.cycles.scene_crops import random_crops
from hanafuda_training.training.generate_scenes import load_shard, unpack
from vision.networks.class_ids import BACK, CLASS_OF, UNKNOWN

DOWN = np.array([[1, 0, 0], [0, -1, 0], [0, 0, -1.0]])
RIM = outline(2.0)
SPOTS = st.lists(
    st.tuples(st.floats(-60, 60), st.floats(-60, 60), st.floats(-np.pi, np.pi)), min_size=1, max_size=14
)
#: Gap between cards after settling, and reduction of a card's outline by its tilt, mm.
SLACK = 0.15


def face(kind: int) -> Face:
    return Face((np.zeros((4, 4, 3), np.uint8),), kind)


def over(height: float = 500, focal: float = 1000) -> CyclesCamera:
    """Return a camera vertically above the origin, 1280 x 720 px."""
    return CyclesCamera(np.array([0, 0, height]), DOWN, focal, 1280, 720)


def dense(pose: Pose) -> np.ndarray:
    """Return points all over the visible side (n x 3, mm)."""
    xs, ys = np.meshgrid(np.linspace(-1, 1, 23), np.linspace(-1, 1, 37))
    return pose.points(np.column_stack((xs.ravel(), ys.ravel())) * CARD_MM / 2)


@settings(max_examples=40, deadline=None)
@given(SPOTS)
def test_no_card_is_inside_the_table_or_another(spots: list[tuple[float, float, float]]):
    poses = settle(spots)
    for index, pose in enumerate(poses):
        under = dense(pose) - THICKNESS * pose.axes[2]
        assert under[:, 2].min() > -SLACK
        for other in poses[:index]:
            local = (under - other.center) @ other.axes.T
            above = (np.abs(local[:, :2]) < np.array(CARD_MM) / 2 - 0.5).all(axis=1)
            assert not above.any() or local[above, 2].min() > -SLACK


@settings(max_examples=25, deadline=None)
@given(SPOTS)
def test_a_card_keeps_its_place_size_and_rotation(spots: list[tuple[float, float, float]]):
    for (x, y, turn), pose in zip(spots, settle(spots), strict=True):
        assert pose.center[:2] == pytest.approx((x, y))
        assert pose.axes @ pose.axes.T == pytest.approx(np.eye(3), abs=1e-9)
        assert np.cos(np.arctan2(pose.axes[0, 1], pose.axes[0, 0]) - turn) == pytest.approx(1)
        assert pose.axes[2, 2] > 0.9


def test_a_card_with_its_center_beyond_the_card_below_leans_on_its_edge():
    _, leaning = settle([(0, 0, 0), (25, 0, 0)])
    touching, end = CARD_MM[0] / 2, 25 + CARD_MM[0] / 2
    falls = -leaning.axes[0, 2] / leaning.axes[0, 0]
    assert falls == pytest.approx(THICKNESS / (end - touching), rel=0.05)


def test_a_card_supported_at_its_center_is_flat():
    _, upper = settle([(0, 0, 0), (9, 5, 0.2)])
    assert upper.axes[2] == pytest.approx((0, 0, 1))
    assert upper.center[2] == pytest.approx(2 * THICKNESS, abs=SLACK)


def test_the_cards_of_a_long_cascade_lean_on_their_leading_edges():
    poses = settle([(11.0 * number, 0, 0) for number in range(9)])
    assert poses[-1].corners[:, 2].min() == pytest.approx(THICKNESS, abs=SLACK)
    assert max(pose.corners[:, 2].max() for pose in poses) < 5 * THICKNESS


def test_the_height_of_a_stack_is_that_of_its_cards():
    poses = settle([(0.2 * (number % 3), 0, 0.01 * (number % 2)) for number in range(24)])
    assert poses[-1].center[2] == pytest.approx(24 * THICKNESS, abs=24 * 0.05)


def test_corners_are_projected_clockwise_from_the_top_left_of_the_card():
    upright, turned = (
        over().project(pose.corners)[0] for pose in (settle([(0, 0, 0)])[0], settle([(0, 0, np.pi)])[0])
    )
    scale = 1000 / (500 - THICKNESS)
    half = np.array(CARD_MM) / 2 * scale
    assert upright == pytest.approx(
        np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * half + (640, 360), abs=0.2
    )
    assert turned == pytest.approx(np.roll(upright, 2, axis=0), abs=0.2)


def test_the_visible_fraction_of_a_card_below_its_neighbor():
    far = over(50_000, 100_000)  # so far away that heights are negligible
    seen = visible_fractions(far, settle([(0, 0, 0), (11, 0, 0)]), RIM)[0]
    assert seen == pytest.approx([11 / 33, 1], abs=0.02)


def test_parts_outside_the_picture_are_not_visible():
    edge = 640 * 500 / 1000  # mm from the center to the edge of the picture
    assert visible_fractions(over(), settle([(edge, 0, 0), (0, 0, 0)]), RIM)[0] == pytest.approx(
        [0.5, 1], abs=0.02
    )


def test_a_thick_stack_hides_cards_behind_it():
    poses = settle([(0, 56, 0), *[(0, 0, 0)] * 24])
    cos, sin = np.cos(np.radians(40)), np.sin(np.radians(40))
    axes = np.array([[1, 0, 0], [0, -cos, -sin], [0, sin, -cos]])
    tilted = CyclesCamera(-axes[2] * 500, axes, 1000.0, 1280, 720)
    assert visible_fractions(over(), poses, RIM)[0][0] == pytest.approx(1, abs=0.01)
    assert visible_fractions(tilted, poses, RIM)[0][0] == pytest.approx(
        1 - (24 * (THICKNESS + 0.03) * np.tan(np.radians(40)) - 2) / 54, abs=0.1
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ARRANGEMENTS)
def test_a_game_deals_each_face_once_per_picture(kind: str, seed: int):
    rng = np.random.default_rng(seed)
    numbers = count()
    faces = ((face(next(numbers))) for _ in range(48))
    back = face(BACK)
    arranged = ARRANGEMENTS[kind](rng, faces, back, CLOSE)
    poses = settle((card.x, card.y, card.turn) for card in arranged)
    points = np.concatenate([pose.corners for pose in poses])
    camera = aim(rng, points, 640, 360)
    seen = camera.project(points)[0]
    assert ((seen > 0) & (seen < (640, 360))).all()
    assert np.degrees(np.arccos(-camera.axes[2, 2])) <= 40
    assert sum(card.face is back for card in arranged if card.zone == "stock") in (0, *range(10, 25))
    assert len({card.face.class_id for card in arranged if card.face is not back}) == next(numbers)


@pytest.mark.parametrize("steps", [CLOSE, (15, 22)])
@pytest.mark.parametrize("kind", ["table", "captures"])
def test_captured_cards_are_one_step_apart(kind, steps):
    rng, back = np.random.default_rng(3), face(BACK)
    arranged = [
        card
        for card in ARRANGEMENTS[kind](rng, (face(number % 36) for number in count()), back, steps)
        if card.zone == "captured-1"
    ]
    ways = [np.hypot(after.x - card.x, after.y - card.y) for card, after in pairwise(arranged)]
    within = [way for way in ways if way < 33]
    assert len(within) > 3
    assert all(steps[0] - 4 < way < steps[1] + 4 for way in within)


def test_cards_too_far_apart_for_a_picture_are_an_error():
    with pytest.raises(ValueError, match="too far apart"):
        aim(np.random.default_rng(1), np.array([[0, 0, 0], [4000, 0, 0.0]]), 640, 360)


def test_the_ground_truth_is_readable_by_the_benchmark(tmp_path):
    dragon = face(UNKNOWN)
    deck = Deck("komatsu", "komatsu", (dragon,), ("clubs-01",), hanafuda=False)
    arranged = [
        ArrangedCard(face(BACK), 56, 0, 0, "stock"),
        *[ArrangedCard(face(BACK), 60, 0, 0, "stock")] * 11,
        ArrangedCard(face(CLASS_OF["pine-crane"]), 0, 0, 0, "field"),
        ArrangedCard(face(CLASS_OF["plum-chaff-1"]), 11, 0, 0, "field"),
        ArrangedCard(dragon, -60, 0, 0, "field"),
        ArrangedCard(face(UNKNOWN), -120, 0, 0, "field"),
    ]
    poses = settle((card.x, card.y, card.turn) for card in arranged)
    cards = command.truth_of(
        arranged, poses, over(), visible_fractions(over(), poses, RIM)[0], command.names_of(deck)
    )
    cv2.imwrite(str(tmp_path / "000.png"), np.zeros((720, 1280, 3), np.uint8))
    (tmp_path / "truth.json").write_text(json.dumps([{"image": "000.png", "cards": cards}]))
    (folder,) = read_folders(tmp_path)
    (picture,) = folder.pictures
    assert [card.card for card in picture.cards] == ["back", "pine-crane", "plum-chaff-1", "clubs-1", None]
    assert [card.visible for card in picture.cards] == pytest.approx([1, 11 / 33, 1, 1, 1], abs=0.03)


def test_the_command_reports_the_missing_dependency(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "bpy", None)
    monkeypatch.setattr(sys, "argv", ["cycles", "--decks", str(tmp_path), "--deck", "own", "--out", "there"])
    assert command.main() == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "pip install bpy" in captured.err


def test_an_interrupted_rendering_is_continued(monkeypatch, tmp_path):
    deck = tmp_path / "decks" / "own"
    deck.mkdir(parents=True)
    cv2.imwrite(str(deck / "pine-crane.png"), np.zeros((54, 33, 3), np.uint8))
    rendered = []

    def render_scene(deck, kind, seed, size, samples, threads, path, steps):
        assert tuple(steps) == CLOSE
        if len(rendered) == 3:
            raise KeyboardInterrupt
        rendered.append((kind, seed))
        cv2.imwrite(str(path), np.zeros((36, 64, 3), np.uint8))
        quads = np.array([[(20, 9), (31, 9), (31, 27), (20, 27)]], np.float32)
        ids, nobody = np.zeros((36, 64), np.uint8), np.array([-1], np.int32)
        scene = Scene(np.zeros((36, 64, 3), np.uint8), ids, quads, np.array([3], np.uint8), nobody)
        return {"image": path.name, "cards": []}, scene

    monkeypatch.setitem(sys.modules, "bpy", ModuleType("bpy"))
    monkeypatch.setattr(command, "render_scene", render_scene)
    arguments = ["--decks", str(deck.parent), "--deck", "own", "--out", str(tmp_path / "out")]
    arguments += ["--kinds", "heap", "table", "--scenes", "2", "--shards", str(tmp_path / "shards")]
    monkeypatch.setattr(sys, "argv", ["cycles", *arguments])
    with pytest.raises(KeyboardInterrupt):
        command.main()
    first, rendered[:] = rendered[:], []
    assert command.main() == 0
    assert len(set(first + rendered)) == len(first + rendered) == 4
    folders = read_folders(tmp_path / "out")
    assert [[picture.path.name for picture in folder.pictures] for folder in folders] == [
        ["000.jpg", "001.jpg"],
        ["000.jpg", "001.jpg"],
    ]
    shards = sorted((tmp_path / "shards").iterdir())
    assert [shard.name for shard in shards] == [
        f"own-{kind}-{number}.shard" for kind in ("heap", "table") for number in ("000", "001")
    ]
    assert all(
        unpack(stored).image.shape == (336, 448, 3) for shard in shards for stored in load_shard(shard)
    )


def test_the_id_image_has_the_card_of_each_pixel():
    _, ids = visible_fractions(over(), settle([(0, 0, 0), (11, 0, 0)]), RIM)
    # Left of both, on the visible strip of the lower one, on their overlap, right of both.
    assert ids[360, [500, 615, 660, 750]].tolist() == [0, 1, 2, 0]


def test_crops_of_a_picture_have_cards_at_their_stated_places():
    """Each card has a different color, by which it is located."""
    rng = np.random.default_rng(3)
    middles = [(200, 150), (240, 160), (700, 400), (500, 600)]
    corners = np.array([(-40, -65), (40, -65), (40, 65), (-40, 65)])
    quads = np.array([np.array(middle) + corners for middle in middles], np.float32)
    image, ids = np.full((720, 1280, 3), 60, np.uint8), np.zeros((720, 1280), np.uint8)
    for number, quad in enumerate(quads, start=1):
        cv2.fillConvexPoly(image, quad.astype(np.int32), (0, 0, 60 + 40 * number))
        cv2.fillConvexPoly(ids, quad.astype(np.int32), number)
    class_ids, nobody = np.arange(4, dtype=np.uint8), np.full(4, -1, np.int32)
    checked = 0
    for stored in random_crops(rng, Scene(image, ids, quads, class_ids, nobody)):
        piece = unpack(stored)
        assert piece.class_ids.tolist() == class_ids.tolist()
        assert 20 < np.linalg.norm(piece.quads[0, 1] - piece.quads[0, 0]) < 120
        for number, quad in enumerate(piece.quads, start=1):
            x, y = (quad[0] + 0.15 * (quad[2] - quad[0])).astype(int)  # no other card covers that corner
            if 0 <= x < 448 and 0 <= y < 336:
                assert piece.ids[y, x] == number
                assert piece.image[y, x].tolist() == pytest.approx([0, 0, 60 + 40 * number], abs=25)
                checked += 1
    assert checked >= 6
