"""The shipped eyes on pictures the project draws itself (our own faces were among the training decks: synthetic).

Honest figures on held-out decks and real photographs stand in models/README.md; these tests see that the whole path
works on any machine.
"""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.vision.fast_scanner import swift_scanner
from tests.vision.picture_builders import row, table_with
from vision.networks.class_ids import CLASS_OF
from vision.networks.onnx_sessions import MODELS, MissingModelError
from vision.networks.pipeline_steps import PipelineSteps
from vision.occlusion.visible_overlap import quad_iou
from vision.photograph.scan_result import ScannedCard, ScanResult
from vision.photograph.scanner import Scanner, UnknownDeckError
from vision.render.card_layouts import CardPlacement
from vision.render.scenes import Scene

PILE = ["pine-crane", "plum-warbler", "cherry-curtain", "peony-ribbon", "susuki-moon", "chrysanthemum-sake"]


@pytest.fixture(scope="module")
def scanner() -> Scanner:
    return Scanner()


@pytest.fixture(scope="module")
def int8() -> Scanner:
    return swift_scanner()


def at(reading: ScanResult, scene: Scene, number: int) -> ScannedCard:
    """Return the card seen where card ``number`` of the scene lies."""
    quad = scene.quads[number]
    best = max(reading.cards, key=lambda card: quad_iou(np.array(card.quad, np.float32), quad))
    assert quad_iou(np.array(best.quad, np.float32), quad) > 0.6
    return best


@pytest.mark.parametrize(
    ("card_px", "size"),
    [(28, (1280, 720)), (60, (1280, 720)), (60, (720, 1280)), (150, (1600, 1200)), (55, (640, 480))],
)
def test_a_tidy_row_is_named_whole_at_any_size(scanner: Scanner, card_px: float, size: tuple[int, int]):
    scene = table_with(row(PILE, step=40), seed=11, card_px=card_px, size=size)
    reading = scanner.scan(scene.image)
    assert (reading.width, reading.height) == size
    shown = [k for k, quad in enumerate(scene.quads) if quad.min() >= 0 and (quad <= size).all()]
    assert [at(reading, scene, k).card for k in shown] == [PILE[k] for k in shown]


@pytest.mark.parametrize("seed", [2, 11, 12])
def test_networks_of_bytes_see_what_exact_ones_do(scanner: Scanner, int8: Scanner, seed: int):
    """Without VNNI, bytes that fill their range overflow their sums; then every second card is missed."""
    assert {form.file[-10:] for form in int8.variants.values()} == {"-int8.onnx"}
    scene = table_with(row(PILE, step=28), seed=seed, card_px=70)
    exact, told = scanner.scan(scene.image), int8.scan(scene.image)
    assert len(told.cards) == len(exact.cards)
    for number in range(len(PILE)):
        one, other = at(exact, scene, number), at(told, scene, number)
        assert one.card == other.card == PILE[number]
        assert np.abs(np.array(one.quad) - np.array(other.quad)).max() < 0.2 * 70


def test_the_first_corner_is_the_cards_own_top_left_whichever_way_it_lies(scanner: Scanner):
    turns = [0.0, 0.8, 1.6, 2.4, 3.2, 4.0]
    cards = [
        (card, CardPlacement(-150 + 60 * k, 0, turn))
        for k, (card, turn) in enumerate(zip(PILE, turns, strict=True))
    ]
    scene = table_with(cards, seed=5)
    reading = scanner.scan(scene.image)
    for number, quad in enumerate(scene.quads):
        seen = np.array(at(reading, scene, number).quad)
        assert np.abs(seen - quad).max() < 0.15 * np.linalg.norm(quad[1] - quad[0])


def test_a_fan_is_told_apart_and_covered_cards_show_less(scanner: Scanner):
    scene = table_with(row(PILE, step=17), seed=2, card_px=80)
    reading = scanner.scan(scene.image)
    assert len(reading.cards) == len(PILE)
    assert [at(reading, scene, k).card for k in range(len(PILE))] == PILE
    assert at(reading, scene, 0).visible < 0.7 < at(reading, scene, len(PILE) - 1).visible


def test_a_card_whose_place_changed_only_just_is_not_lost(scanner: Scanner):
    """Where the corners found are a little other than before, the find's own place may be one that did not change."""
    image = table_with(
        row(["pine-crane", "iris-bridge", "willow-rainman", "clover-boar"], step=50), seed=4
    ).image
    before = scanner.detect_cards(image)
    again = scanner.update_cards(
        image,
        before,
        lambda quads: np.array([np.array_equal(quad, before.refined.quads[1]) for quad in quads]),
    )
    assert sorted(again.recognized.posterior.argmax(axis=1)) == sorted(
        before.recognized.posterior.argmax(axis=1)
    )


def test_face_down_cards_are_backs(scanner: Scanner):
    cards = [
        ("back", CardPlacement(-60, 0, 0.1)),
        ("pine-crane", CardPlacement(0, 0, 0.0)),
        ("back", CardPlacement(60, 0, 0.3)),
    ]
    scene = table_with(cards, seed=8)
    reading = scanner.scan(scene.image)
    assert [at(reading, scene, k).card for k in range(3)] == ["back", "pine-crane", "back"]


@pytest.mark.parametrize(
    ("or_else", "score", "told"),
    [("willow-swallow", 0.48, False), ("willow-swallow", 0.55, True), (PILE[-1], 0.48, True)],
    ids=["a faint find, one card or another", "a plainer find", "the other card is seen elsewhere"],
)
@pytest.mark.parametrize("step", [12, 40], ids=["a strip", "a whole card"])
def test_what_is_faint_is_told_only_with_a_name(
    scanner: Scanner, step: float, or_else: str, score: float, told: bool
):
    seen = scanner.detect_cards(table_with(row(PILE, step=step), seed=2, card_px=80).image)
    (faint,) = np.flatnonzero(seen.recognized.posterior.argmax(axis=1) == CLASS_OF[PILE[1]])
    assert (seen.visible[faint] < 0.45) == (step == 12)
    seen.scores[faint], seen.recognized.posterior[faint] = score, 0
    seen.recognized.posterior[faint, [CLASS_OF[PILE[1]], CLASS_OF[or_else]]] = 0.6, 0.4
    cards = scanner.accept(seen)[0]
    assert (len(cards.scores) == len(PILE)) == told


def test_twins_are_each_named_once(scanner: Scanner):
    cards = ["wisteria-chaff-1", "wisteria-chaff-2", "maple-chaff-1", "maple-chaff-2"]
    reading = scanner.scan(table_with(row(cards, step=45), seed=4).image)
    assert sorted(card.card or "?" for card in reading.cards) == sorted(cards)


@pytest.mark.parametrize("seed", range(4))
def test_on_an_empty_table_no_hanafuda_is_named(scanner: Scanner, seed: int):
    reading = scanner.scan(table_with([], seed=seed).image)
    assert [card for card in reading.cards if card.card in CLASS_OF] == []


@pytest.mark.parametrize("shape", [(1, 1), (3, 900), (40, 30), (2000, 16)])
def test_odd_pictures_are_read_without_complaint(scanner: Scanner, shape: tuple[int, int]):
    assert scanner.scan(np.full((*shape, 3), 128, np.uint8)).cards == ()


def test_the_answer_has_the_contracts_shape(scanner: Scanner):
    answer = scanner.scan(table_with(row(PILE, step=40), seed=1).image).to_json()
    assert set(answer) == {"width", "height", "deck", "cards", "ms", "quality"}
    assert set(answer["ms"]) == {"detect", "identify", "total"}
    for card in answer["cards"]:
        assert set(card) == {"card", "confidence", "quad", "visible", "alternatives", "zone"}
        assert 0 <= card["confidence"] <= 1
        assert 0 <= card["visible"] <= 1
        assert all(other in CLASS_OF or other == "back" for other, _ in card["alternatives"])


def test_an_unknown_deck_is_named_with_those_known(scanner: Scanner):
    with pytest.raises(UnknownDeckError, match=r"no deck 'tarot'.*hanafuda"):
        scanner.scan(np.zeros((60, 60, 3), np.uint8), deck="tarot")


def test_missing_weights_are_named(tmp_path):
    with pytest.raises(MissingModelError, match=r"detector.*\.onnx"):
        Scanner(tmp_path)


def test_the_weights_together_are_small():
    assert sum(path.stat().st_size for path in MODELS.glob("*.onnx")) <= 12_000_000


def test_photographs_have_a_detector_of_their_own(scanner: Scanner, int8: Scanner):
    assert scanner.variants["detector"].file == "detector-large.onnx"
    assert int8.variants["detector"].file == "detector-int8.onnx"


def test_without_the_large_detector_photographs_are_read_with_the_other(tmp_path: Path):
    """As after a training anew that was stopped half way."""
    for path in MODELS.iterdir():
        if path.name != "detector-large.onnx":
            (tmp_path / path.name).symlink_to(path)
    scanner = Scanner(tmp_path)
    assert scanner.variants["detector"].file == "detector.onnx"
    scene = table_with(row(PILE, step=40), seed=11)
    assert [at(scanner.scan(scene.image), scene, k).card for k in range(len(PILE))] == PILE


def hard_pictures() -> Iterator[np.ndarray]:
    """Draw fans that are hard to read, each in its own way, so that every step has something to do somewhere."""
    for step, blur, card_px in product((9, 13, 17), (2.0, 1.0, 3.0), (32, 60, 40, 80)):
        scene = table_with(row(PILE * 2, step=step), seed=2, card_px=card_px)
        yield np.asarray(cv2.GaussianBlur(scene.image, (0, 0), blur), np.uint8)


# Fragments and photographs taken at an angle have tests of their own: test_halved_cards.py, test_rectification.py.
@pytest.mark.parametrize(
    "left_out", [step for step in PipelineSteps.__slots__ if step not in {"fragments", "rectify"}]
)
def test_each_step_can_be_left_out_and_does_something(scanner: Scanner, left_out: str):
    without = Scanner(steps=PipelineSteps(**{left_out: False}))
    pairs = ((scanner.detect_cards(image), without.detect_cards(image)) for image in hard_pictures())
    assert any(
        not np.array_equal(one.quads, other.quads)
        or not np.array_equal(one.recognized.posterior, other.recognized.posterior)
        for one, other in pairs
    )
