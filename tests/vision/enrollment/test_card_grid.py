"""Cards laid in rows are assigned to grid cells from any side, with missing cards, rotated cards and cards beside the rows."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.enrollment.card_grid import find_grid

CARD = np.array([(-16.5, -27), (16.5, -27), (16.5, 27), (-16.5, 27)])


def table(
    rows: int,
    columns: int,
    *,
    gap: float = 8.0,
    loose: float = 1.0,
    seed: int = 0,
    tilt: float = 0.15,
    turn: float = 0.0,
) -> tuple[list[tuple[int, int]], np.ndarray]:
    """Return the cells of a grid and the quads of its cards (px) for a tilted camera; the picture is rotated by ``turn``."""
    rng = np.random.default_rng(seed)
    cells = [(row, column) for row in range(rows) for column in range(columns)]
    quads = []
    for row, column in cells:
        angle = rng.normal(0, 0.015 * loose)
        cos, sin = np.cos(angle), np.sin(angle)
        middle = np.array((column * (33 + gap), row * (54 + gap))) + rng.normal(0, loose, 2)
        quads.append(CARD @ np.array(((cos, sin), (-sin, cos))) + middle)
    span = max(columns * (33 + gap), rows * (54 + gap))
    cos, sin = np.cos(turn), np.sin(turn)
    lean = np.array(((cos, -sin, 0), (sin, cos, 0), (tilt / span, 0.6 * tilt / span, 1)))
    every = np.array(quads).reshape(1, -1, 2).astype(np.float32)
    return cells, cv2.perspectiveTransform(every * 3, lean).reshape(-1, 4, 2).astype(np.float32)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from([(4, 12), (12, 4), (5, 10), (6, 8)]),
    st.floats(2, 25),
    st.floats(0, 2.5),
    st.integers(0, 1000),
    st.floats(0, 0.4),
    st.floats(-0.6, 0.6),
    st.data(),
)
def test_every_card_is_assigned_to_its_cell(
    shape: tuple[int, int], gap: float, loose: float, seed: int, tilt: float, turn: float, data: st.DataObject
):
    cells, quads = table(*shape, gap=gap, loose=loose, seed=seed, tilt=tilt, turn=turn)
    count = len(cells)
    inner = [
        k for k, (row, column) in enumerate(cells) if 0 < row < shape[0] - 1 and 0 < column < shape[1] - 1
    ]
    missing = data.draw(st.sets(st.sampled_from(inner), max_size=3))
    turned = data.draw(st.sets(st.integers(0, count - 1), max_size=8))
    kept = np.random.default_rng(seed).permutation([k for k in range(count) if k not in missing])
    detected = np.stack([np.roll(quads[k], 2, axis=0) if k in turned else quads[k] for k in kept])
    grid = find_grid(detected)
    assert grid is not None
    assert (grid.rows, grid.columns) == shape
    assert list(grid.cells) == [cells[k] for k in kept]
    assert np.abs(grid.quads - quads[kept]).max() == 0
    assert sorted(grid.empty) == sorted(cells[k] for k in missing)
    for k in missing:  # a quad is expected where a card is missing
        width = np.linalg.norm(quads[k][1] - quads[k][0])
        assert np.abs(grid.quad_of(cells[k]).mean(axis=0) - quads[k].mean(axis=0)).max() < 0.3 * width


def test_a_picture_from_the_side_has_the_rows_of_the_cards():
    cells, quads = table(4, 12, turn=np.pi / 2)
    grid = find_grid(quads)
    assert grid is not None
    assert (grid.rows, grid.columns) == (4, 12)
    assert set(grid.cells) == set(cells)


def test_from_the_opposite_side_the_order_is_reversed():
    cells, quads = table(4, 12)
    grid = find_grid(quads)
    assert grid is not None
    other = grid.upside_down()
    assert list(other.cells) == [(3 - row, 11 - column) for row, column in cells]
    assert np.abs(other.quads[0] - np.roll(quads[0], 2, axis=0)).max() == 0
    assert np.abs(other.quad_of((0, 0)).mean(axis=0) - quads[-1].mean(axis=0)).max() < 12
    assert list(other.upside_down().cells) == cells


def test_a_card_beside_the_rows_and_false_detections_have_no_cell():
    _, quads = table(4, 12)
    ogre = quads[36] + np.float32((0, 190))
    stray = quads[5] + np.float32((50, -260))
    grid = find_grid(np.concatenate((quads, ogre[None], stray[None])))
    assert grid is not None
    assert (grid.rows, grid.columns) == (4, 12)
    assert grid.cells[48:] == (None, None)


@pytest.mark.parametrize("count", [0, 1, 5])
def test_a_few_cards_form_no_grid(count: int):
    assert find_grid(table(4, 12)[1][:count]) is None


def test_a_heap_does_not_form_a_grid_of_all_its_cards():
    rng = np.random.default_rng(4)
    angles = rng.uniform(0, 2 * np.pi, 30)
    turns = np.stack([np.array(((np.cos(a), np.sin(a)), (-np.sin(a), np.cos(a)))) for a in angles])
    quads = (CARD @ turns + rng.uniform(0, 260, (30, 1, 2))).astype(np.float32)
    grid = find_grid(quads)
    assert grid is None or sum(cell is not None for cell in grid.cells) < 20
