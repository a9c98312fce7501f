"""Which detections are reported: the features of a detection, and what the shipped model decides."""

import numpy as np
import pytest

from vision.networks.class_ids import BACK, CLASS_COUNT, UNKNOWN
from vision.networks.onnx_sessions import MODELS
from vision.networks.read_cards import CardCandidates
from vision.networks.recognizer import Recognitions
from vision.networks.refiner import RefinedCards
from vision.photograph.acceptance import FEATURES, KINDS, are_cards, features, seconds
from vision.photograph.linear_model import LinearModel, read_model, write_models
from vision.pictures.crops import MASK_SIZE, REFINER_MARGIN, Quads, card_frame

SIZE = (1000, 600)


def upright_quads(cards: list[tuple[float, float, float]]) -> Quads:
    """Return upright quads from centers x, y and widths, px."""
    shape = np.array([(-0.5, -0.8), (0.5, -0.8), (0.5, 0.8), (-0.5, 0.8)])
    return np.array([(x, y) + width * shape for x, y, width in cards], np.float32)


def detections(
    quads: Quads, classes: list[int], scores: list[float], visible: list[float] | None = None
) -> CardCandidates:
    """Return detections that are surely of ``classes``; ``visible`` fractions of their widths are visible, from the left."""
    fractions = np.array([1.0] * len(quads) if visible is None else visible, np.float32)
    inner = card_frame(MASK_SIZE, REFINER_MARGIN)
    masks = np.zeros((len(quads), *MASK_SIZE[::-1]), np.float32)
    for mask, fraction in zip(masks, fractions, strict=True):
        right = inner[0, 0] + fraction * (inner[1, 0] - inner[0, 0])
        mask[round(inner[0, 1]) : round(inner[2, 1]), round(inner[0, 0]) : round(right)] = 1
    crops = np.full((len(quads), 96, 64, 4), 255, np.uint8)
    upright = np.ones(len(quads), np.bool_)
    posterior = np.eye(CLASS_COUNT)[classes]
    recognized = Recognitions(posterior, posterior, upright, np.zeros((len(quads), 128), np.float32), crops)
    windows = np.array([_window(quad) for quad in quads], np.float32)
    refined = RefinedCards(quads, fractions, masks, windows)
    return CardCandidates(refined, recognized, np.array(scores, np.float32), SIZE, {})


def _window(quad: np.ndarray) -> np.ndarray:
    """Return the window of which the inside of the mask shows the upright ``quad``."""
    inner, size = card_frame(MASK_SIZE, REFINER_MARGIN), np.array(MASK_SIZE)
    scale = (quad[2] - quad[0]) / (inner[2] - inner[0])
    corner = quad[0] - inner[0] * scale
    return corner + np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) * size * scale


def feature(candidates: CardCandidates, name: str) -> list[float]:
    """Return one feature of each detection."""
    rows = features(candidates)
    return [round(float(value), 2) for value in rows[:, FEATURES.index(name)]]


def accepted(candidates: CardCandidates) -> list[bool]:
    """Return what the shipped model accepts."""
    model = read_model(MODELS, "acceptance", KINDS, FEATURES)
    return are_cards(model, candidates).tolist()


def test_size_is_compared_with_the_median_of_confident_cards_in_both_directions() -> None:
    quads = upright_quads([(100, 100, 58), (200, 100, 60), (300, 100, 62), (500, 300, 90), (700, 300, 60)])
    quads[4, :, 1] = 300 + (quads[4, :, 1] - 300) * 0.5
    half = [1.0, 1.0, 1.0, 1.0, 0.5]
    found = feature(detections(quads, [3, 4, 5, 6, 7], [0.9, 0.9, 0.9, 0.4, 0.4], half), "size")
    assert found[3] == round(np.log(1.5), 2)
    assert found[4] == round(np.log(2) / 2, 2), "of a half-visible card the size counts half"


def test_size_varies_across_the_table_and_is_unknown_without_confident_detections() -> None:
    near = [(x, y, 40 + 50 * y / 400) for x, y in ((0, 0), (90, 80), (20, 160), (110, 240), (0, 320))]
    quads = upright_quads([*near, (50, 400, 90)])
    assert feature(detections(quads, [3, 4, 5, 6, 7, 8], [0.8] * 5 + [0.4]), "size")[5] == 0
    assert feature(detections(quads, [3, 4, 5, 6, 7, 8], [0.5] * 6), "size") == [0.7] * 6


def test_opposite_edges_of_a_card_are_nearly_equal() -> None:
    quads = upright_quads([(100, 100, 60), (300, 100, 60)])
    quads[1, :2, 0] = 300 + 0.6 * (quads[1, :2, 0] - 300)
    assert feature(detections(quads, [3, 4], [0.9, 0.9]), "edges") == [0, round(-np.log(0.6), 2)]


@pytest.mark.parametrize(
    ("center_x", "visible", "uncovered", "outside"),
    [(300, 1.0, 0, 0), (300, 0.5, 0.5, 0), (470, 0.5, 0, 0), (10, 1.0, 0, 1 / 3)],
    ids=["whole", "half hidden by nothing", "half covered by a card", "a third outside the picture"],
)
def test_what_is_hidden_lies_under_a_card_or_outside_the_picture(
    center_x: float, visible: float, uncovered: float, outside: float
) -> None:
    quads = upright_quads([(center_x, 300, 60), (500, 300, 60)])
    candidates = detections(quads, [BACK, 3], [0.5, 0.9], [visible, 1.0])
    assert feature(candidates, "uncovered")[0] == pytest.approx(uncovered, abs=0.15)
    assert feature(candidates, "outside")[0] == pytest.approx(outside, abs=0.01)


def test_a_crowd_is_the_other_doubtful_detections_of_the_same_kind() -> None:
    quads = upright_quads([(100 * x + 50, 100, 60) for x in range(6)])
    classes = [BACK, BACK, BACK, BACK, UNKNOWN, 3]
    found = feature(detections(quads, classes, [0.4, 0.4, 0.4, 0.9, 0.4, 0.4]), "crowd")
    assert found == [round(np.log(count), 2) for count in (3, 3, 3, 4, 1, 1)]


@pytest.mark.parametrize(("class_id", "second"), [(3, True), (4, False), (UNKNOWN, False)])
def test_a_second_reading_of_a_card_is_none(class_id: int, second: bool) -> None:
    candidates = detections(
        upright_quads([(100, 100, 60), (107, 101, 60)]), [3, class_id], [0.9, 0.8], [1, 0.6]
    )
    assert seconds(candidates).tolist() == [False, second]
    assert not second or accepted(candidates) == [True, False]


@pytest.mark.parametrize(
    ("below", "score", "apart", "side"),
    [
        (60, 0.5, None, True),
        (60, 0.7, None, False),
        (90, 0.5, None, False),
        (60, 0.5, 0, False),
        (60, 0.5, 300, True),
    ],
    ids=[
        "side of the draw pile",
        "high score",
        "next back in a row",
        "fan of face-down cards",
        "another back elsewhere",
    ],
)
def test_the_side_of_the_draw_pile_is_not_reported_as_a_back(
    below: float, score: float, apart: float | None, side: bool
) -> None:
    """Two backs, 60 by 96 px; the second is partly covered by the first. A third is next in the row, or elsewhere."""
    count = 2 if apart is None else 3
    quads = upright_quads(
        [(100 + (apart or 0) * (number == 2), 100 + below * number, 60) for number in range(count)]
    )
    candidates = detections(quads, [BACK] * count, [0.8, score, 0.7][:count], [1, 0.4, 0.9][:count])
    assert seconds(candidates).tolist() == [False, side, False][:count]


@pytest.mark.parametrize(
    ("class_id", "visible", "score", "expected"),
    [
        (3, 1.0, 0.4, True),
        (3, 0.3, 0.9, True),
        (UNKNOWN, 1.0, 0.8, True),
        (UNKNOWN, 1.0, 0.3, False),
        (UNKNOWN, 0.3, 0.5, False),
        (BACK, 1.0, 0.8, True),
        (BACK, 0.4, 0.3, False),
    ],
)
def test_a_detection_alone_is_accepted_by_kind_and_score(
    class_id: int, visible: float, score: float, expected: bool
) -> None:
    candidates = detections(upright_quads([(300, 300, 60)]), [class_id], [score], [visible])
    assert accepted(candidates) == [expected]


def test_many_weak_backs_are_a_printed_cloth() -> None:
    """One that is probably a back is the draw pile, 39 of them are not."""
    quads = upright_quads([(90 * x + 50, 100 + 110 * y, 60) for y in range(4) for x in range(10)])
    cloth = detections(quads, [BACK] * 39 + [3], [0.3] * 39 + [0.9])
    cloth.recognized.posterior[:39, [BACK, UNKNOWN]] = 0.8, 0.2
    assert accepted(cloth) == [False] * 39 + [True]
    assert accepted(cloth.take(np.array([0, 39]))) == [True, True]


def test_what_is_no_card_covers_none() -> None:
    """The hidden half of a back lies under a doubtful detection, which is rejected: then nothing covers it."""
    quads = upright_quads([(300, 300, 60), (330, 300, 60)])
    box, card = (
        detections(quads, [BACK, upper], [0.3, score], [0.5, 1.0])
        for upper, score in ((UNKNOWN, 0.3), (3, 0.9))
    )
    for candidates in (box, card):
        candidates.recognized.posterior[0, [BACK, UNKNOWN]] = 0.8, 0.2
    assert accepted(box) == [False, False]
    assert accepted(card) == [True, True]


def test_no_detections() -> None:
    assert accepted(detections(upright_quads([]).reshape(0, 4, 2), [], [])) == []


def test_models_are_read_as_written(tmp_path) -> None:
    model = LinearModel(("one", "other"), ("x", "constant"), np.array([(0.5, -1.0), (2.0, 0.25)]))
    write_models(tmp_path, {"acceptance": model})
    read = read_model(tmp_path, "acceptance", model.classes, model.features)
    np.testing.assert_array_equal(read.weights, model.weights)
    np.testing.assert_array_equal(read.logits(np.array([2.0, 1.0])), [0.0, 4.25])
