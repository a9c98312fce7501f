"""The shipped eyes on pictures the project draws itself (our own faces were among the training decks: synthetic).

Honest figures on held-out decks and real photographs stand in models/README.md; these tests see that the whole path
works on any machine.
"""

from collections.abc import Iterator
from itertools import product

import cv2
import numpy as np
import pytest

from tests.vision.pictures import row, table_with
from tests.vision.swift import swift_scanner
from vision.bench.matching import overlap
from vision.calibration import Calibration
from vision.crops import Quads
from vision.kinds import BACK, KIND_COUNT, KIND_OF, UNKNOWN
from vision.reading import Reading, SeenCard
from vision.scanner import Scanner, UnknownDeckError, likely_cards
from vision.sessions import MODELS, MissingModelError
from vision.steps import Steps
from vision.training.layouts import Place
from vision.training.scenes import Scene

PILE = ["pine-crane", "plum-warbler", "cherry-curtain", "peony-ribbon", "susuki-moon", "chrysanthemum-sake"]


@pytest.fixture(scope="module")
def scanner() -> Scanner:
    return Scanner()


@pytest.fixture(scope="module")
def int8() -> Scanner:
    return swift_scanner()


def at(reading: Reading, scene: Scene, number: int) -> SeenCard:
    """Return the card seen where card ``number`` of the scene lies."""
    quad = scene.quads[number]
    best = max(reading.cards, key=lambda card: overlap(np.array(card.quad, np.float32), quad))
    assert overlap(np.array(best.quad, np.float32), quad) > 0.6
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
    assert {form.file[-10:] for form in int8.forms.values()} == {"-int8.onnx"}
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
        (card, Place(-150 + 60 * k, 0, turn)) for k, (card, turn) in enumerate(zip(PILE, turns, strict=True))
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
    before = scanner.see(image)
    again = scanner.see_again(
        image,
        before,
        lambda quads: np.array([np.array_equal(quad, before.looked.quads[1]) for quad in quads]),
    )
    assert sorted(again.named.posterior.argmax(axis=1)) == sorted(before.named.posterior.argmax(axis=1))


def test_face_down_cards_are_backs(scanner: Scanner):
    cards = [("back", Place(-60, 0, 0.1)), ("pine-crane", Place(0, 0, 0.0)), ("back", Place(60, 0, 0.3))]
    scene = table_with(cards, seed=8)
    reading = scanner.scan(scene.image)
    assert [at(reading, scene, k).card for k in range(3)] == ["back", "pine-crane", "back"]


def test_twins_are_each_named_once(scanner: Scanner):
    cards = ["wisteria-chaff-1", "wisteria-chaff-2", "maple-chaff-1", "maple-chaff-2"]
    reading = scanner.scan(table_with(row(cards, step=45), seed=4).image)
    assert sorted(card.card or "?" for card in reading.cards) == sorted(cards)


@pytest.mark.parametrize("seed", range(4))
def test_on_an_empty_table_no_hanafuda_is_named(scanner: Scanner, seed: int):
    reading = scanner.scan(table_with([], seed=seed).image)
    assert [card for card in reading.cards if card.card in KIND_OF] == []


@pytest.mark.parametrize("shape", [(1, 1), (3, 900), (40, 30), (2000, 16)])
def test_odd_pictures_are_read_without_complaint(scanner: Scanner, shape: tuple[int, int]):
    assert scanner.scan(np.full((*shape, 3), 128, np.uint8)).cards == ()


def test_the_answer_has_the_contracts_shape(scanner: Scanner):
    answer = scanner.scan(table_with(row(PILE, step=40), seed=1).image).to_json()
    assert set(answer) == {"width", "height", "deck", "cards", "ms"}
    assert set(answer["ms"]) == {"detect", "identify", "total"}
    for card in answer["cards"]:
        assert set(card) == {"card", "confidence", "quad", "visible", "alternatives", "zone"}
        assert 0 <= card["confidence"] <= 1
        assert 0 <= card["visible"] <= 1
        assert all(other in KIND_OF or other == "back" for other, _ in card["alternatives"])


def test_an_unknown_deck_is_named_with_those_known(scanner: Scanner):
    with pytest.raises(UnknownDeckError, match=r"no deck 'tarot'.*hanafuda"):
        scanner.scan(np.zeros((60, 60, 3), np.uint8), deck="tarot")


def standing(cards: list[tuple[float, float, float]]) -> Quads:
    """Cards that stand upright with their middles at x, y, so many px wide."""
    shape = np.array([(-0.5, -0.8), (0.5, -0.8), (0.5, 0.8), (-0.5, 0.8)])
    return np.array([(x, y) + width * shape for x, y, width in cards], np.float32)


def is_told(likely: dict[int, float], share: float, score: float) -> bool:
    """Whether a find is told of that is so likely of these kinds, shows this share, and has this score."""
    row = np.zeros((1, KIND_COUNT))
    row[0, list(likely)] = list(likely.values())
    quads = standing([(100, 100, 60)])
    (kept,) = likely_cards(row, *np.array([[share], [score]], np.float32), quads, Calibration())
    return bool(kept)


@pytest.mark.parametrize(
    ("unknown", "share", "score", "told"),
    [
        (0.9, 1.0, 0.6, True),
        (0.9, 1.0, 0.4, False),
        (0.9, 0.3, 0.9, False),
        (0.1, 0.3, 0.4, True),
        (0.5, 1.0, 0.42, True),
        (0.5, 1.0, 0.38, False),
    ],
    ids=[
        "a whole stranger",
        "a stranger the detector doubts",
        "a sliver of a stranger",
        "a sliver with a name",
        "half a name",
        "half a name the detector doubts",
    ],
)
def test_what_is_told_of(unknown: float, share: float, score: float, told: bool):
    assert is_told({UNKNOWN: unknown, 3: 1 - unknown}, share, score) == told


@pytest.mark.parametrize(
    ("unknown", "share", "told"), [(0.35, 0.45, False), (0.35, 0.55, True), (0.25, 0.45, True)]
)
def test_a_strip_that_is_sooner_a_stranger_is_not_told(unknown: float, share: float, told: bool):
    """A strip of a deck's box is like nothing; of a card's strip one name is the likeliest, however unsure."""
    assert is_told({UNKNOWN: unknown, 3: 0.3, 4: 0.2, 5: 0.5 - unknown}, share, 0.9) == told


@pytest.mark.parametrize(
    ("back", "share", "score", "told"),
    [
        (0.95, 1.0, 0.42, True),
        (0.95, 1.0, 0.38, False),
        (0.95, 0.4, 0.42, False),
        (0.85, 1.0, 0.42, False),
        (0.85, 1.0, 0.46, True),
    ],
)
def test_a_plain_back_needs_less_of_the_detector(back: float, share: float, score: float, told: bool):
    assert is_told({BACK: back, UNKNOWN: 1 - back}, share, score) == told


@pytest.mark.parametrize(
    ("width", "height", "share", "back", "score", "told"),
    [
        (60, 96, 0.4, 0.85, 0.36, True),
        (63, 92, 0.4, 0.85, 0.36, True),
        (54, 96, 0.4, 0.99, 0.36, False),
        (60, 108, 0.4, 0.99, 0.36, False),
        (60, 96, 0.3, 0.99, 0.36, False),
        (60, 96, 0.4, 0.75, 0.44, False),
        (60, 96, 0.4, 0.99, 0.34, False),
    ],
    ids=[
        "of a card's size",
        "nearly of its size",
        "a narrower box",
        "a longer box",
        "the edge of the stock",
        "a back or a stranger",
        "hardly anything",
    ],
)
def test_a_back_needs_still_less_where_it_has_the_size_of_the_cards(
    width: float, height: float, share: float, back: float, score: float, told: bool
):
    """Beside it lie three cards that are surely found and named, 60 px wide."""
    rows = np.zeros((4, KIND_COUNT))
    rows[range(3), [3, 4, 5]] = 1
    rows[3, [BACK, UNKNOWN]] = back, 1 - back
    scores = np.array([0.9, 0.8, 0.7, score], np.float32)
    quads = standing([(100, 100, 60), (200, 100, 60), (300, 100, 60), (100, 300, width)])
    quads[3, :, 1] = 300 + (quads[3, :, 1] - 300) * height / (1.6 * width)
    shares = np.array([1, 1, 1, share], np.float32)
    assert likely_cards(rows, shares, scores, quads, Calibration()).tolist() == [True, True, True, told]
    alone = likely_cards(rows[1:], shares[1:], scores[1:], quads[1:], Calibration())
    assert alone.tolist() == [True, True, False], "two cards do not tell the size"


def test_a_crowd_of_faint_strangers_is_a_printed_cloth():
    rows = np.zeros((12, KIND_COUNT))
    rows[:10, UNKNOWN] = 1
    rows[10:, 3] = 1
    scores = np.array([0.4] * 9 + [0.9] * 3, np.float32)
    ones = np.ones(12, np.float32)
    quads = standing([(50 * x, 100, 60) for x in range(12)])
    assert likely_cards(rows, ones, scores, quads, Calibration()).tolist() == [False] * 9 + [True] * 3


@pytest.mark.parametrize(
    ("narrower", "share", "told"),
    [(0.85, 1.0, True), (0.6, 1.0, False), (0.6, 0.4, True)],
    ids=["a card seen aslant", "the side of a box with cards on it", "a strip, whose corners are a guess"],
)
def test_what_is_not_shaped_like_a_card_is_none(narrower: float, share: float, told: bool):
    rows = np.eye(KIND_COUNT)[[3]]
    shares, scores = np.array([share], np.float32), np.array([0.9], np.float32)
    quads = standing([(100, 100, 60)])
    quads[0, :2, 0] = 100 + narrower * (quads[0, :2, 0] - 100)
    assert likely_cards(rows, shares, scores, quads, Calibration()).tolist() == [told]


@pytest.mark.parametrize(("kind", "told"), [(3, False), (4, True), (UNKNOWN, True)])
def test_a_card_read_a_second_time_is_not_told(kind: int, told: bool):
    rows = np.eye(KIND_COUNT)[[3, kind]]
    shares, scores = np.array([1, 0.6], np.float32), np.array([0.9, 0.8], np.float32)
    quads = standing([(100, 100, 60), (107, 101, 60)])
    assert likely_cards(rows, shares, scores, quads, Calibration()).tolist() == [True, told]


@pytest.mark.parametrize(
    ("width", "share", "score", "told"),
    [
        (60, 1.0, 0.35, True),
        (40, 1.0, 0.35, False),
        (90, 1.0, 0.35, False),
        (50, 1.0, 0.35, True),
        (40, 0.4, 0.35, True),
        (40, 1.0, 0.6, True),
    ],
    ids=[
        "a card that is hardly found",
        "a picture of a card on the deck's box",
        "a poster",
        "a card further off",
        "a strip, whose size is not sure",
        "a small card that is surely one",
    ],
)
def test_a_picture_of_a_card_is_no_card(width: float, share: float, score: float, told: bool):
    """Beside three cards that are surely found, 60 px wide, lies something that is named as surely as they are."""
    rows = np.zeros((4, KIND_COUNT))
    rows[range(4), [3, 4, 5, 6]] = 1
    shares, scores = np.array([1, 0.5, 1, share], np.float32), np.array([0.9, 0.8, 0.7, score], np.float32)
    quads = standing([(100, 100, 58), (200, 100, 60), (300, 100, 62), (100, 300, width)])
    assert likely_cards(rows, shares, scores, quads, Calibration()).tolist() == [True, True, True, told]


@pytest.mark.parametrize(("width", "told"), [(32, True), (100, False)])
def test_a_card_at_a_table_s_far_end_is_small(width: float, told: bool):
    """Six cards that are surely found grow from 40 to 90 px towards the camera; another lies beyond them all."""
    rows = np.eye(KIND_COUNT)[3:10]
    near = [
        (x, y, 40 + 50 * y / 400) for x, y in ((0, 0), (90, 80), (20, 160), (110, 240), (0, 320), (80, 400))
    ]
    scores = np.array([0.8] * 6 + [0.35], np.float32)
    shares, quads = np.ones(7, np.float32), standing([*near, (50, -80, width)])
    assert likely_cards(rows, shares, scores, quads, Calibration()).tolist() == [True] * 6 + [told]


def test_where_no_card_is_surely_found_none_has_an_odd_size():
    rows = np.eye(KIND_COUNT)[[3, 4]]
    shares, scores = np.ones(2, np.float32), np.full(2, 0.4, np.float32)
    quads = standing([(100, 100, 30), (300, 100, 60)])
    assert likely_cards(rows, shares, scores, quads, Calibration()).all()


def test_missing_weights_are_named(tmp_path):
    with pytest.raises(MissingModelError, match=r"detector.*\.onnx"):
        Scanner(tmp_path)


def test_the_weights_together_are_small():
    assert sum(path.stat().st_size for path in MODELS.glob("*.onnx")) <= 12_000_000


def hard_pictures() -> Iterator[np.ndarray]:
    """Draw fans that are hard to read, each in its own way, so that every step has something to do somewhere."""
    for step, blur, card_px in product((9, 13, 17), (2.0, 1.0, 3.0), (32, 60, 40, 80)):
        scene = table_with(row(PILE * 2, step=step), seed=2, card_px=card_px)
        yield np.asarray(cv2.GaussianBlur(scene.image, (0, 0), blur), np.uint8)


# What the detector halves is no card of ours: tests/vision/test_halved_cards.py draws one that it does halve.
@pytest.mark.parametrize("left_out", [step for step in Steps.__slots__ if step != "pieces"])
def test_each_step_can_be_left_out_and_does_something(scanner: Scanner, left_out: str):
    without = Scanner(steps=Steps(**{left_out: False}))
    pairs = ((scanner.see(image), without.see(image)) for image in hard_pictures())
    assert any(
        not np.array_equal(one.quads, other.quads)
        or not np.array_equal(one.named.posterior, other.named.posterior)
        for one, other in pairs
    )
