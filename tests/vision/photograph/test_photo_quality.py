"""Bad photographs: the result says why cards were not recognized, and no card is named wrongly."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.hanafuda.cards import HANAFUDA
from hanafuda_training.benchmarks.degrade_photographs import dazzled, moved
from hanafuda_training.render.card_layouts import CardPlacement
from hanafuda_training.render.deck_art import random_face
from hanafuda_training.render.scenes import Scene
from tests.vision.picture_builders import row, table_of, table_with
from vision.photograph.linear_model import LinearModel
from vision.photograph.photo_quality import CAUSES, MEASURES, findings, reflection
from vision.photograph.scanner import Scanner

_CARDS = [
    "pine-crane",
    "plum-warbler",
    "susuki-moon",
    "maple-deer",
    "iris-bridge",
    "peony-butterflies",
    "clover-boar",
]


@pytest.fixture(scope="module")
def scanner() -> Scanner:
    return Scanner()


@pytest.fixture(scope="module")
def scene() -> Scene:
    return table_with(row(_CARDS, step=42), seed=3, card_px=80)


def _darkened(image: np.ndarray) -> np.ndarray:
    """Return the picture with a twentieth of the light and the noise of a sensor at high gain."""
    return np.clip(image * 0.05 + np.random.default_rng(5).normal(0, 14, image.shape), 0, 255).astype(
        np.uint8
    )


def _wrong(result) -> list[str]:
    return [card.card for card in result.cards if card.card is not None and card.card not in _CARDS]


def test_a_good_photograph_has_no_quality_findings(scanner: Scanner, scene: Scene) -> None:
    """All cards are named, and the quality is empty."""
    result = scanner.scan(scene.image)
    assert result.to_json()["quality"] == []


def test_a_card_of_a_second_pack_is_named_too_and_reported(scanner: Scanner) -> None:
    """Both are named, and a message names the card in every language."""
    result = scanner.scan(table_with(row([*_CARDS[:3], _CARDS[2]], step=42), seed=3, card_px=80).image)
    assert sorted(str(card.card) for card in result.cards) == sorted([*_CARDS[:3], _CARDS[2]])
    (finding,) = result.to_json()["quality"]
    assert (finding["code"], finding["params"]) == ("card-twice", {"cards": ["susuki-moon"]})
    assert "Full Moon" in finding["message"]["en"]
    assert "芒に月" in finding["message"]["ja"]


@pytest.mark.parametrize(
    ("code", "degrade"),
    [
        ("photo-blurred", lambda scene: moved(np.random.default_rng(2), scene.image, 32)),
        ("photo-dark", lambda scene: _darkened(scene.image)),
        (
            "photo-glare",
            lambda scene: dazzled(np.random.default_rng(4), scene.image, scene.quads.repeat(3, axis=0), 1.0),
        ),
        (
            "photo-cards-small",
            lambda scene: cv2.resize(scene.image, None, fx=0.14, fy=0.14, interpolation=cv2.INTER_AREA),
        ),
    ],
)
def test_a_bad_photograph_is_explained_and_has_no_wrong_names(
    scanner: Scanner, scene: Scene, code: str, degrade
) -> None:
    """A message says what is wrong with the photograph, and cards are unnamed rather than wrong."""
    result = scanner.scan(np.asarray(degrade(scene), np.uint8))
    assert code in [finding.code for finding in result.quality], (
        result.quality,
        [card.card for card in result.cards],
    )
    assert _wrong(result) == []


def test_a_reflection_fades_and_white_paper_ends() -> None:
    """A card of 60 px on a gray table; in its middle is a white square of 40 px that ends, or a soft light of that size."""
    quad = np.array([[(70, 52), (130, 52), (130, 148), (70, 148)]], np.float32)
    table = np.full((200, 200, 3), 60, np.uint8)
    paper = table.copy()
    paper[80:120, 80:120] = 255
    lit = np.zeros((200, 200), np.float32)
    cv2.circle(lit, (100, 100), 24, 400.0, -1)
    light = np.clip(table + cv2.GaussianBlur(lit, (0, 0), 9)[..., None], 0, 255).astype(np.uint8)
    (edge, lost), (halo, fading) = reflection(paper, quad), reflection(light, quad)
    assert edge < 0.15
    assert lost == 0
    assert halo > 0.2
    assert fading > 0.05
    assert reflection(table, quad) == (0, 0)
    assert reflection(light, quad - 90) == (0, 0), "the light is not at a card"


def test_a_deck_that_is_not_known_is_not_taken_for_glare(scanner: Scanner) -> None:
    """White cards with a few signs, which no deck has, are overexposed as a reflection is."""
    rng = np.random.default_rng(1)
    cards = [(random_face(rng), place) for _, place in row(_CARDS, step=42)]
    image = table_of(cards, seed=3, card_px=80).image
    result = scanner.scan(np.clip(image * 1.4, 0, 255).astype(np.uint8))
    assert len(result.cards) >= 4
    assert [finding.code for finding in result.quality] == ["photo-unknown-deck"]


def test_a_heap_that_hides_cards_is_reported(scanner: Scanner) -> None:
    """Cards of which hardly anything is visible cannot be named; the player should know it."""
    rng = np.random.default_rng(3)
    names = [card.id for card in HANAFUDA[:30]]
    heap = [
        (name, CardPlacement(rng.normal(0, 30), rng.normal(0, 24), rng.uniform(0, 6.28))) for name in names
    ]
    result = scanner.scan(table_with(heap, seed=5, card_px=80).image)
    assert len(result.cards) < len(names)
    assert [finding.code for finding in result.quality] == ["photo-cards-hidden"]


def test_cards_are_hidden_only_by_cards(scanner: Scanner, scene: Scene) -> None:
    """Even where a model says so: a written page has detections, too, none of which is accepted."""
    hidden = np.array([[0.0] * (len(MEASURES) - 1) + [cause == "photo-cards-hidden"] for cause in CAUSES])
    model = LinearModel(CAUSES, MEASURES, hidden)
    candidates, view = scanner.detect_in_photograph(scene.image)
    accepted = candidates.take(np.arange(0))
    stated = findings(model, scene.image, candidates, accepted, np.zeros(0, np.bool_), view)
    assert "photo-cards-hidden" not in [finding.code for finding in stated]
