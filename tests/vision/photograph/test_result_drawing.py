"""A drawn reading: outlines, marks and names land where the cards are, and nowhere they must not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vision.photograph.result_drawing import draw_scan_result
from vision.photograph.scan_result import Quad, ScannedCard, ScanResult

SIZE = (400, 600)


def quad(x: float, y: float, width: float, turned: float = 0.0) -> Quad:
    """A card of hanafuda shape around (x, y)."""
    height = width * 1.62
    cos, sin = math.cos(turned), math.sin(turned)
    corners = [
        (-width / 2, -height / 2),
        (width / 2, -height / 2),
        (width / 2, height / 2),
        (-width / 2, height / 2),
    ]
    a, b, c, d = ((x + dx * cos - dy * sin, y + dx * sin + dy * cos) for dx, dy in corners)
    return a, b, c, d


def reading(*cards: ScannedCard) -> ScanResult:
    return ScanResult(width=SIZE[1], height=SIZE[0], deck="test", cards=cards)


def seen(card: str | None, at: Quad) -> ScannedCard:
    return ScannedCard(card=card, confidence=0.9, quad=at, visible=1.0)


def near(
    drawn: np.ndarray, point: tuple[float, float], colour: tuple[int, int, int], within: int = 4
) -> bool:
    x, y = round(point[0]), round(point[1])
    patch = drawn[max(0, y - within) : y + within + 1, max(0, x - within) : x + within + 1].astype(int)
    return bool((np.abs(patch - colour).max(axis=2) < 40).any())


GREEN, BLUE, ORANGE, PURPLE = (80, 220, 90), (230, 180, 70), (40, 140, 255), (255, 90, 255)


@pytest.mark.parametrize("background", [0, 128, 255])
@pytest.mark.parametrize(("card", "colour"), [("pine-crane", GREEN), ("back", BLUE), (None, ORANGE)])
def test_outline_in_its_colour_and_top_edge_marked(
    background: int, card: str | None, colour: tuple[int, int, int]
) -> None:
    picture = np.full((*SIZE, 3), background, np.uint8)
    at = quad(300, 200, 120, turned=2.0)
    drawn = draw_scan_result(picture, reading(seen(card, at)))
    assert near(drawn, ((at[0][0] + at[1][0]) / 2, (at[0][1] + at[1][1]) / 2), PURPLE)
    for start, end in ((1, 2), (2, 3), (3, 0)):
        middle = ((at[start][0] + at[end][0]) / 2, (at[start][1] + at[end][1]) / 2)
        assert near(drawn, middle, colour)
    assert near(drawn, (300, 200), colour, within=20), "the name stands on the card"


def test_the_picture_itself_is_left_alone() -> None:
    picture = np.full((*SIZE, 3), 90, np.uint8)
    draw_scan_result(picture, reading(seen("pine-crane", quad(300, 200, 120))))
    assert (picture == 90).all()


def test_a_picture_without_cards_comes_back_as_it_was() -> None:
    picture = np.full((*SIZE, 3), 90, np.uint8)
    assert (draw_scan_result(picture, reading()) == picture).all()


def test_names_of_cards_lying_on_each_other_do_not_hide_each_other() -> None:
    picture = np.full((*SIZE, 3), 128, np.uint8)
    stack = [seen(card, quad(300, 200, 150)) for card in ("pine-crane", "plum-ribbon", None)]
    drawn = draw_scan_result(picture, reading(*stack))
    labels = (np.abs(drawn.astype(int) - 24).max(axis=2) < 6).any(axis=1)
    rows = np.flatnonzero(np.diff(labels[90:310].astype(int)) == 1)
    assert len(rows) >= 3, "three dark labels, one above the other"


@pytest.mark.parametrize(
    "at", [quad(0, 0, 100), quad(599, 399, 28), quad(-500, 900, 100), quad(300, 200, 3000)]
)
def test_cards_reaching_out_of_the_picture_are_no_trouble(at: Quad) -> None:
    drawn = draw_scan_result(np.zeros((*SIZE, 3), np.uint8), reading(seen("chrysanthemum-ribbon", at)))
    assert drawn.shape == (*SIZE, 3)


def test_a_picture_smaller_than_a_name_is_no_trouble() -> None:
    tiny = ScanResult(8, 8, "test", (seen("chrysanthemum-ribbon", quad(4, 4, 5)),))
    assert draw_scan_result(np.zeros((8, 8, 3), np.uint8), tiny).shape == (8, 8, 3)
