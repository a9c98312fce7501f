"""The quads of covered cards are completed from their visible parts and from the other cards."""

import cv2
import numpy as np
import pytest

from vision.geometry.table_plane import complete_corners, occluded_corners

HEIGHT = 54 / 33


def card(x: float, y: float, turn: float = 0.0) -> np.ndarray:
    """Return a card's corners on the table, in card widths."""
    cos, sin = np.cos(turn), np.sin(turn)
    corners = np.array([(-0.5, -HEIGHT / 2), (0.5, -HEIGHT / 2), (0.5, HEIGHT / 2), (-0.5, HEIGHT / 2)])
    return corners @ np.array([(cos, sin), (-sin, cos)]) + (x, y)


VIEWS = {
    "from straight above": [(400, 300), (500, 300), (500, 400), (400, 400)],
    "turned": [(400, 300), (470, 370), (400, 440), (330, 370)],
    "from the side": [(400, 300), (500, 310), (520, 385), (380, 370)],
}


def view(name: str) -> np.ndarray:
    """Return the map from the table to px."""
    square = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)
    return cv2.getPerspectiveTransform(square, np.array(VIEWS[name], np.float32))


def photographed(cards: list[np.ndarray], name: str) -> np.ndarray:
    return (
        cv2.perspectiveTransform(np.stack(cards).reshape(1, -1, 2), view(name))
        .reshape(-1, 4, 2)
        .astype(np.float32)
    )


def error(quads: np.ndarray, truth: np.ndarray) -> float:
    """Return the worst corner error in card widths."""
    widths = np.linalg.norm(truth[:, 1] - truth[:, 0], axis=1)
    return float((np.linalg.norm(quads - truth, axis=2).max(axis=1) / widths).max())


@pytest.mark.parametrize("name", VIEWS)
def test_a_card_cut_at_its_cover_is_completed_under_it(name: str):
    """Incident: in rendered tables two thirds of a covered card were reported as the whole card (IoU 0.65)."""
    whole = [card(-2, 0), card(-2, 2.2, 0.4), card(2.4, 0.3, -0.2)]
    covered, cover = card(0, 0), card(0.62, 0.02)
    cut = covered.copy()
    cut[[1, 2], 0] = cover[[0, 3], 0]  # the right corners are moved to the edge of the covering card
    quads = photographed([*whole, cut, cover], name)
    truth = photographed([*whole, covered, cover], name)
    assert error(quads, truth) > 0.3
    assert error(complete_corners(quads, np.ones((5, 4), np.float32)), truth) < 0.06


@pytest.mark.parametrize("name", VIEWS)
def test_hidden_corners_are_derived_from_the_visible_ones(name: str):
    whole = [card(-1.5, 0), card(1.5, 0, 0.3), card(0, 2.5, 1.2)]
    truth = photographed([*whole, card(0, -2.2, -0.5)], name)
    guessed = truth.copy()
    guessed[3, 2:] += 25
    seen = np.ones((4, 4), np.float32)
    seen[3, 2:] = 0.1
    assert error(complete_corners(guessed, seen), truth) < 0.06


def test_visible_corners_are_unchanged():
    quads = photographed([card(-1.5, 0), card(1.5, 0, 0.3), card(0, 2.5, 1.2)], "from the side")
    noisy = quads + np.random.default_rng(1).normal(0, 1.5, quads.shape).astype(np.float32)
    assert complete_corners(noisy, np.ones((3, 4), np.float32)) == pytest.approx(noisy)


def test_only_the_covered_card_gets_a_completed_corner():
    under, over = card(0, 0), card(0.5, 0.4)
    assert not occluded_corners(np.stack([under, over]).astype(np.float32)).any()
    cut = under.copy()
    cut[[1, 2], 0] = over[0, 0]
    assert occluded_corners(np.stack([cut, over]).astype(np.float32))[0].tolist() == [
        False,
        False,
        True,
        False,
    ]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_cards(count: int):
    quads = photographed([card(2 * k, 0) for k in range(2)], "turned")[:count].reshape(-1, 4, 2)
    seen = np.full((count, 4), 0.2, np.float32)
    assert np.isfinite(complete_corners(quads, seen)).all()
    assert complete_corners(quads, seen).shape == quads.shape
