"""A drawn scan result: outlines, marks and names are drawn at the cards and nowhere else."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vision.photograph.result_drawing import draw_scan_result
from vision.photograph.scan_result import Quad, ScannedCard, ScanResult

SIZE = (400, 600)


def quad(x: float, y: float, width: float, angle: float = 0.0) -> Quad:
    """Return the quad of a hanafuda card with its center at (x, y)."""
    height = width * 1.62
    cos, sin = math.cos(angle), math.sin(angle)
    corners = [
        (-width / 2, -height / 2),
        (width / 2, -height / 2),
        (width / 2, height / 2),
        (-width / 2, height / 2),
    ]
    a, b, c, d = ((x + dx * cos - dy * sin, y + dx * sin + dy * cos) for dx, dy in corners)
    return a, b, c, d


def scan_result(*cards: ScannedCard) -> ScanResult:
    return ScanResult(width=SIZE[1], height=SIZE[0], deck="test", cards=cards)


def scanned_card(card: str | None, at: Quad) -> ScannedCard:
    return ScannedCard(card=card, confidence=0.9, quad=at, visible=1.0)


def has_color_near(
    drawn: np.ndarray, point: tuple[float, float], color: tuple[int, int, int], within: int = 4
) -> bool:
    x, y = round(point[0]), round(point[1])
    patch = drawn[max(0, y - within) : y + within + 1, max(0, x - within) : x + within + 1].astype(int)
    return bool((np.abs(patch - color).max(axis=2) < 40).any())


GREEN, BLUE, ORANGE, PURPLE = (80, 220, 90), (230, 180, 70), (40, 140, 255), (255, 90, 255)
YELLOW = (60, 230, 255)


def test_cards_that_are_there_too_often_and_their_look_alikes_are_yellow() -> None:
    picture = np.full((*SIZE, 3), 128, np.uint8)
    names = ("pine-chaff-1", "pine-chaff-2", "pine-chaff-1", "pine-crane")
    places = [quad(100 + 130 * number, 200, 90) for number in range(4)]
    drawn = draw_scan_result(picture, scan_result(*map(scanned_card, names, places)))
    for at, color in zip(places, (YELLOW, YELLOW, YELLOW, GREEN), strict=True):
        assert has_color_near(drawn, ((at[2][0] + at[3][0]) / 2, (at[2][1] + at[3][1]) / 2), color)


@pytest.mark.parametrize("background", [0, 128, 255])
@pytest.mark.parametrize(("card", "color"), [("pine-crane", GREEN), ("back", BLUE), (None, ORANGE)])
def test_outline_in_the_color_of_its_kind_and_marked_top_edge(
    background: int, card: str | None, color: tuple[int, int, int]
) -> None:
    picture = np.full((*SIZE, 3), background, np.uint8)
    at = quad(300, 200, 120, angle=2.0)
    drawn = draw_scan_result(picture, scan_result(scanned_card(card, at)))
    assert has_color_near(drawn, ((at[0][0] + at[1][0]) / 2, (at[0][1] + at[1][1]) / 2), PURPLE)
    for start, end in ((1, 2), (2, 3), (3, 0)):
        middle = ((at[start][0] + at[end][0]) / 2, (at[start][1] + at[end][1]) / 2)
        assert has_color_near(drawn, middle, color)
    assert has_color_near(drawn, (300, 200), color, within=20), "the name is drawn on the card"


def test_the_input_picture_is_unchanged() -> None:
    picture = np.full((*SIZE, 3), 90, np.uint8)
    draw_scan_result(picture, scan_result(scanned_card("pine-crane", quad(300, 200, 120))))
    assert (picture == 90).all()


def test_a_picture_without_cards_is_unchanged() -> None:
    picture = np.full((*SIZE, 3), 90, np.uint8)
    assert (draw_scan_result(picture, scan_result()) == picture).all()


def test_names_of_overlapping_cards_do_not_hide_each_other() -> None:
    picture = np.full((*SIZE, 3), 128, np.uint8)
    stack = [scanned_card(card, quad(300, 200, 150)) for card in ("pine-crane", "plum-ribbon", None)]
    drawn = draw_scan_result(picture, scan_result(*stack))
    labels = (np.abs(drawn.astype(int) - 24).max(axis=2) < 6).any(axis=1)
    rows = np.flatnonzero(np.diff(labels[90:310].astype(int)) == 1)
    assert len(rows) >= 3, "three dark labels, one above the other"


@pytest.mark.parametrize(
    "at", [quad(0, 0, 100), quad(599, 399, 28), quad(-500, 900, 100), quad(300, 200, 3000)]
)
def test_cards_partly_outside_the_picture_are_drawn(at: Quad) -> None:
    drawn = draw_scan_result(
        np.zeros((*SIZE, 3), np.uint8), scan_result(scanned_card("chrysanthemum-ribbon", at))
    )
    assert drawn.shape == (*SIZE, 3)


def test_a_picture_smaller_than_a_name_is_drawn() -> None:
    tiny = ScanResult(8, 8, "test", (scanned_card("chrysanthemum-ribbon", quad(4, 4, 5)),))
    assert draw_scan_result(np.zeros((8, 8, 3), np.uint8), tiny).shape == (8, 8, 3)
