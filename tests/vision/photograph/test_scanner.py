"""The shipped networks on drawn pictures (synthetic; our own card faces were among the training decks).

models/README.md has the accuracy on held-out decks and real photographs; these tests check that the whole pipeline works on any machine.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product, starmap

import cv2
import numpy as np
import pytest

from hanafuda_training.benchmarks.evaluation import STEPS, without
from hanafuda_training.render.card_layouts import CardPlacement
from hanafuda_training.render.scenes import Scene
from tests.message_text import raises_text
from tests.vision.picture_builders import row, table_with
from tests.vision.remembering import remembered_networks
from vision.decks.deck_errors import UnknownDeckError
from vision.networks import detector, recognizer, refiner
from vision.networks.class_ids import CLASS_OF
from vision.networks.detector import Detections
from vision.networks.onnx_sessions import MODELS, MissingModelError
from vision.networks.read_cards import CardCandidates
from vision.occlusion.visible_overlap import quad_iou
from vision.photograph.card_scale import Box
from vision.photograph.scan_result import ScannedCard, ScanResult
from vision.photograph.scanner import Scanner

PILE = ["pine-crane", "plum-warbler", "cherry-curtain", "peony-ribbon", "susuki-moon", "chrysanthemum-sake"]


@pytest.fixture(scope="module", autouse=True)
def _networks() -> Iterator[None]:
    with remembered_networks():
        yield


@pytest.fixture(scope="module")
def scanner() -> Scanner:
    return Scanner()


@pytest.fixture(scope="module")
def int8() -> Scanner:
    return Scanner(fast=True)


def at(result: ScanResult, scene: Scene, number: int) -> ScannedCard:
    """Return the detected card at the place of card ``number`` of the scene."""
    quad = scene.quads[number]
    best = max(result.cards, key=lambda card: quad_iou(np.array(card.quad, np.float32), quad))
    assert quad_iou(np.array(best.quad, np.float32), quad) > 0.6
    return best


@pytest.mark.parametrize(
    ("card_px", "size"),
    [(28, (1280, 720)), (60, (1280, 720)), (60, (720, 1280)), (150, (1600, 1200)), (55, (640, 480))],
)
def test_all_cards_of_a_row_are_named_at_any_size(scanner: Scanner, card_px: float, size: tuple[int, int]):
    scene = table_with(row(PILE, step=40), seed=11, card_px=card_px, size=size)
    result = scanner.scan(scene.image)
    assert (result.width, result.height) == size
    inside = [k for k, quad in enumerate(scene.quads) if quad.min() >= 0 and (quad <= size).all()]
    assert [at(result, scene, k).card for k in inside] == [PILE[k] for k in inside]


@pytest.mark.parametrize("seed", [2, 11, 12])
def test_int8_networks_give_the_same_result_as_float_networks(scanner: Scanner, int8: Scanner, seed: int):
    """Without VNNI, products of full-range int8 values overflow their sums, and every second card is missed."""
    scene = table_with(row(PILE, step=28), seed=seed, card_px=70)
    exact, quantized = scanner.scan(scene.image), int8.scan(scene.image)
    assert len(quantized.cards) == len(exact.cards)
    for number in range(len(PILE)):
        one, other = at(exact, scene, number), at(quantized, scene, number)
        assert one.card == other.card == PILE[number]
        assert np.abs(np.array(one.quad) - np.array(other.quad)).max() < 0.2 * 70


def test_the_first_corner_is_the_top_left_of_the_card_at_any_rotation(scanner: Scanner):
    angles = [0.0, 0.8, 1.6, 2.4, 3.2, 4.0]
    cards = [
        (card, CardPlacement(-150 + 60 * k, 0, angle))
        for k, (card, angle) in enumerate(zip(PILE, angles, strict=True))
    ]
    scene = table_with(cards, seed=5)
    result = scanner.scan(scene.image)
    for number, quad in enumerate(scene.quads):
        detected = np.array(at(result, scene, number).quad)
        assert np.abs(detected - quad).max() < 0.15 * np.linalg.norm(quad[1] - quad[0])


def test_the_cards_of_a_fan_are_separated_and_covered_ones_are_less_visible(scanner: Scanner):
    scene = table_with(row(PILE, step=17), seed=2, card_px=80)
    result = scanner.scan(scene.image)
    assert len(result.cards) == len(PILE)
    assert [at(result, scene, k).card for k in range(len(PILE))] == PILE
    assert at(result, scene, 0).visible < 0.7 < at(result, scene, len(PILE) - 1).visible


def box_of(quad: np.ndarray) -> Box:
    """Return the rectangle around a quad (4 x 2 px)."""
    left, top, width, height = cv2.boundingRect(quad)
    return left, top, left + width, top + height


def test_a_card_with_a_slightly_changed_quad_is_kept(scanner: Scanner):
    """If the new corners differ slightly from the previous ones, the place of the detection itself may count as unchanged."""
    image = table_with(
        row(["pine-crane", "iris-bridge", "willow-rainman", "clover-boar"], step=50), seed=4
    ).image
    before = scanner.detect_cards(image)
    again = scanner.update_cards(
        image,
        before,
        lambda quads: np.array([np.array_equal(quad, before.refined.quads[1]) for quad in quads]),
        box_of(before.refined.quads[1]),
    )
    assert sorted(again.recognized.posterior.argmax(axis=1)) == sorted(
        before.recognized.posterior.argmax(axis=1)
    )


def test_only_the_part_that_changed_is_searched_for_new_cards(scanner: Scanner):
    names = ["pine-crane", "iris-bridge", "willow-rainman", "clover-boar"]
    image = table_with(row(names, step=50), seed=4).image
    full = scanner.detect_cards(image)
    order = np.argsort(full.refined.quads.mean(axis=1)[:, 0])
    before, last = full.take(order[:3]), full.refined.quads[order[3]]

    def updated(part: Box) -> list[int]:
        found = scanner.update_cards(
            image,
            before,
            lambda quads: np.array(
                [cv2.pointPolygonTest(last, quad.mean(axis=0).tolist(), False) >= 0 for quad in quads],
                np.bool_,
            ),
            part,
        )
        return found.recognized.posterior.argmax(axis=1).tolist()

    classes = full.recognized.posterior.argmax(axis=1)[order].tolist()
    assert updated(box_of(last)) == classes
    assert updated(box_of(before.refined.quads[0])) == classes[:3]


def test_face_down_cards_are_backs(scanner: Scanner):
    cards = [
        ("back", CardPlacement(-60, 0, 0.1)),
        ("pine-crane", CardPlacement(0, 0, 0.0)),
        ("back", CardPlacement(60, 0, 0.3)),
    ]
    scene = table_with(cards, seed=8)
    result = scanner.scan(scene.image)
    assert [at(result, scene, k).card for k in range(3)] == ["back", "pine-crane", "back"]


@pytest.mark.parametrize(
    ("alternative", "score", "accepted"),
    [("willow-swallow", 0.48, False), ("willow-swallow", 0.55, True), (PILE[-1], 0.48, True)],
    ids=["low score, ambiguous", "higher score", "low score, the alternative is elsewhere on the table"],
)
@pytest.mark.parametrize("step", [12, 40], ids=["strip", "whole card"])
def test_a_weak_detection_is_accepted_only_with_a_name(
    scanner: Scanner, step: float, alternative: str, score: float, accepted: bool
):
    candidates = scanner.detect_cards(table_with(row(PILE, step=step), seed=2, card_px=80).image)
    (weak,) = np.flatnonzero(candidates.recognized.posterior.argmax(axis=1) == CLASS_OF[PILE[1]])
    assert (candidates.visible[weak] < 0.45) == (step == 12)
    candidates.scores[weak], candidates.recognized.own[weak] = score, 0
    candidates.recognized.own[weak, [CLASS_OF[PILE[1]], CLASS_OF[alternative]]] = 0.6, 0.4
    cards = scanner.accept(candidates)
    assert (len(cards.scores) == len(PILE)) == accepted


def test_twins_are_each_named_once(scanner: Scanner):
    cards = ["wisteria-chaff-1", "wisteria-chaff-2", "maple-chaff-1", "maple-chaff-2"]
    result = scanner.scan(table_with(row(cards, step=45), seed=4).image)
    assert sorted(card.card or "?" for card in result.cards) == sorted(cards)


@pytest.mark.parametrize("seed", range(4))
def test_on_an_empty_table_no_hanafuda_is_named(scanner: Scanner, seed: int):
    result = scanner.scan(table_with([], seed=seed).image)
    assert [card for card in result.cards if card.card in CLASS_OF] == []


@pytest.mark.parametrize("shape", [(1, 1), (3, 900), (40, 30), (2000, 16)])
def test_pictures_of_unusual_size_have_no_cards(scanner: Scanner, shape: tuple[int, int]):
    assert scanner.scan(np.full((*shape, 3), 128, np.uint8)).cards == ()


def test_the_json_form_of_a_result(scanner: Scanner):
    scanned = scanner.scan(table_with(row(PILE, step=40), seed=1).image).to_json()
    assert set(scanned) == {"width", "height", "deck", "cards", "ms", "quality"}
    assert set(scanned["ms"]) == {"detect", "identify", "total"}
    for card in scanned["cards"]:
        assert set(card) == {"card", "confidence", "quad", "visible", "alternatives", "zone"}
        assert 0 <= card["confidence"] <= 1
        assert 0 <= card["visible"] <= 1
        assert all(other in CLASS_OF or other == "back" for other, _ in card["alternatives"])


def test_the_error_for_an_unknown_deck_lists_the_known_decks(scanner: Scanner):
    with raises_text(UnknownDeckError, match=r"no deck 'tarot'.*hanafuda"):
        scanner.scan(np.zeros((60, 60, 3), np.uint8), deck="tarot")


def test_the_error_for_a_missing_model_names_its_file(tmp_path):
    with raises_text(MissingModelError, match=r"detector.*\.onnx"):
        Scanner(tmp_path)


def test_the_total_size_of_the_models():
    assert sum(path.stat().st_size for path in MODELS.glob("*.onnx")) <= 10_000_000


@pytest.mark.parametrize(
    ("fast", "files"),
    [
        (False, ["detector-large.onnx", "refiner.onnx", "recognizer.onnx"]),
        (True, ["detector-int8.onnx", "refiner-int8.onnx", "recognizer-int8.onnx"]),
    ],
)
def test_photographs_and_frames_have_networks_of_their_own(
    monkeypatch: pytest.MonkeyPatch, fast: bool, files: list[str]
) -> None:
    opened: list[str] = []
    for module in (detector, refiner, recognizer):
        monkeypatch.setattr(module, "open_session", lambda path: opened.append(path.name))
    Scanner(fast=fast)
    assert opened == files


def difficult_pictures() -> Iterator[np.ndarray]:
    """Draw fans that are difficult in different respects, so that every step changes the result of one of the first three."""
    return starmap(difficult_picture, product((9, 13, 17), (3.0, 2.0, 1.0), (40, 32, 80, 60)))


@cache
def difficult_picture(step: float, blur: float, card_px: float) -> np.ndarray:
    scene = table_with(row(PILE * 2, step=step), seed=2, card_px=card_px)
    return np.asarray(cv2.GaussianBlur(scene.image, (0, 0), blur), np.uint8)


# Fragments and rectification have their own tests: test_fragment_merging.py, test_rectification.py.
@pytest.mark.parametrize("step", [step for step in STEPS if step not in {"fragments", "rectify"}])
def test_each_step_can_be_left_out_and_changes_a_result(scanner: Scanner, step: str):
    def detected_without(image: np.ndarray) -> CardCandidates:
        with without(step):
            return scanner.detect_cards(image)

    pairs = ((scanner.detect_cards(image), detected_without(image)) for image in difficult_pictures())
    assert any(
        not np.array_equal(one.quads, other.quads)
        or not np.array_equal(one.recognized.posterior, other.recognized.posterior)
        for one, other in pairs
    )


def test_a_spoiled_picture_takes_little_time_without_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search for a view in which the cards can be read ends, and what can be read without it is answered."""
    passes: list[float] = []
    detect = detector.Detector.detect

    def counted(self: detector.Detector, image: np.ndarray, scale: float, min_score: float) -> Detections:
        passes.append(scale)
        return detect(self, image, scale, min_score)

    monkeypatch.setattr(detector.Detector, "detect", counted)
    impatient = Scanner(patience_s=0)
    blurred = np.asarray(cv2.GaussianBlur(difficult_picture(17, 3.0, 80), (0, 0), 20), np.uint8)
    impatient.scan(blurred)
    assert len(passes) <= 6
    result = impatient.scan(table_with(row(PILE, step=40), seed=11).image)
    assert {card.card for card in result.cards} == {*PILE}
