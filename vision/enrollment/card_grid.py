"""Card grid: which cell of rows and columns each card is in, and which cells are empty."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.registration.camera_fit import project
from vision.pictures.crops import Floats, Quads, rotate_half_turn

#: Row and column, from 0 at the top left with the cards upright.
Cell = tuple[int, int]

#: Maximum sideways offset of a neighbor, and its maximum distance, in card widths or heights.
_MAX_SIDE_OFFSET: Final = 0.4
_MAX_DISTANCE: Final = 2.4
#: Range of a neighbor's distance relative to the median distance.
_TYPICAL_RANGE: Final = (0.7, 1.35)
#: Distance from the center of its cell, in grid steps, beyond which a card is beside the grid.
_MAX_CELL_OFFSET: Final = 0.33
#: A position more cells away than this comes from a degenerate homography.
_MAX_GRID_CELLS: Final = 100
#: Minimum number of cards of a grid.
_MIN_CARDS: Final = 6


@dataclass(frozen=True, eq=False)
class CardGrid:
    """A grid of ``rows`` x ``columns`` cells. ``cells``: the cell of each card, None beside the grid.

    ``quads`` (n x 4 x 2 px): those of the cards, starting at the end that is the grid's top. ``to_picture``
    (3 x 3) maps (column, row) to px.
    """

    rows: int
    columns: int
    cells: tuple[Cell | None, ...]
    quads: Quads
    to_picture: Floats

    @property
    def empty(self) -> tuple[Cell, ...]:
        """The cells without a card, row by row."""
        taken = set(self.cells)
        every = ((row, column) for row in range(self.rows) for column in range(self.columns))
        return tuple(cell for cell in every if cell not in taken)

    def quad_of(self, cell: Cell) -> Quads:
        """Return the expected quad (4 x 2 px) of the card in a cell, derived from its neighbors."""
        row, column = cell
        near = sorted(
            (abs(other[0] - row) + abs(other[1] - column), number)
            for number, other in enumerate(self.cells)
            if other is not None
        )[:4]
        shapes = [self.quads[number] - self.quads[number].mean(axis=0) for _, number in near]
        center = project(self.to_picture, np.array([(column, row)], np.float64))
        return np.asarray(np.mean(shapes, axis=0) + center, np.float32)

    def upside_down(self) -> CardGrid:
        """Return the same grid rotated by half a turn."""
        cells = tuple(
            None if cell is None else (self.rows - 1 - cell[0], self.columns - 1 - cell[1])
            for cell in self.cells
        )
        flip = np.array(((-1.0, 0, self.columns - 1), (0, -1.0, self.rows - 1), (0, 0, 1)))
        return CardGrid(self.rows, self.columns, cells, rotate_half_turn(self.quads), self.to_picture @ flip)


def find_grid(quads: Quads) -> CardGrid | None:
    """Return the grid that most of n cards (n x 4 x 2 px, starting at either end) form, or None.

    The grid's top is the picture's top, or its left if the cards are on their sides. Neighbors are counted
    from card to card, each in its own card size, so that perspective does not matter; a homography fitted to
    them (RANSAC) then determines the nearest cell of every card and the empty cells.
    """
    if len(quads) < _MIN_CARDS:
        return None
    quads = _same_end(quads)
    counted = _count_cells(quads)
    if len({cell[0] for cell in counted.values()}) < 2 or len({cell[1] for cell in counted.values()}) < 2:
        return None
    positions = np.array([counted[number][::-1] for number in counted], np.float64)
    centers = quads.mean(axis=1).astype(np.float64)
    width = float(np.median(np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)))
    to_picture, _ = cv2.findHomography(positions, centers[list(counted)], cv2.RANSAC, 0.3 * width)
    if to_picture is None or abs(np.linalg.det(to_picture)) < 1e-9:
        return None
    occupied = dict(
        _without_stragglers(
            _occupied_cells(project(np.asarray(np.linalg.inv(to_picture), np.float64), centers))
        )
    )
    if len(occupied) < _MIN_CARDS:
        return None
    top, left = min(row for row, _ in occupied), min(column for _, column in occupied)
    cells: list[Cell | None] = [None] * len(quads)
    for (row, column), number in occupied.items():
        cells[number] = (row - top, column - left)
    shift = np.array(((1.0, 0, left), (0, 1.0, top), (0, 0, 1)))
    bottom, right = max(row for row, _ in occupied), max(column for _, column in occupied)
    return CardGrid(
        bottom - top + 1, right - left + 1, tuple(cells), quads, np.asarray(to_picture, np.float64) @ shift
    )


def _occupied_cells(on_grid: NDArray[np.float64]) -> dict[Cell, int]:
    """Return the card of each occupied cell: of cards (n x 2, column and row) near one cell, the nearest."""
    nearest = np.round(on_grid)
    offset = np.abs(on_grid - nearest).max(axis=1)
    occupied: dict[Cell, int] = {}
    for number in np.argsort(offset):
        if offset[number] < _MAX_CELL_OFFSET and np.abs(nearest[number]).max() < _MAX_GRID_CELLS:
            occupied.setdefault((int(nearest[number, 1]), int(nearest[number, 0])), int(number))
    return occupied


def _same_end(quads: Quads) -> Quads:
    """Return the quads starting at the same end: the upper one, or the left one if the cards are on their
    sides.
    """
    down = quads[:, 3] + quads[:, 2] - quads[:, 0] - quads[:, 1]
    along = down / np.maximum(np.linalg.norm(down, axis=1, keepdims=True), 1e-6)
    # The main axis of all cards, by their doubled angles.
    doubled = ((along[:, 0] + 1j * along[:, 1]) ** 2).sum()
    axis = np.exp(0.5j * np.angle(doubled))
    if axis.imag < -0.5 or (abs(axis.imag) <= 0.5 and axis.real < 0):
        axis = -axis
    ahead = along @ np.array((axis.real, axis.imag)) >= 0
    return np.where(ahead[:, None, None], quads, rotate_half_turn(quads)).astype(np.float32)


def _count_cells(quads: Quads) -> dict[int, Cell]:
    """Return the cell (row, column) of each card in the largest connected component of neighbors."""
    right, down = _neighbors(quads, 0), _neighbors(quads, 1)
    steps: dict[int, list[tuple[int, Cell]]] = {number: [] for number in range(len(quads))}
    for links, step in ((right, (0, 1)), (down, (1, 0))):
        for first, second in links:
            steps[first].append((second, step))
            steps[second].append((first, (-step[0], -step[1])))
    best: dict[int, Cell] = {}
    remaining = set(steps)
    while remaining:
        start = max(remaining, key=lambda number: len(steps[number]))
        cells: dict[int, Cell] = {start: (0, 0)}
        queue = deque([start])
        while queue:
            current = queue.popleft()
            for neighbor, step in steps[current]:
                if neighbor not in cells:
                    cells[neighbor] = (cells[current][0] + step[0], cells[current][1] + step[1])
                    queue.append(neighbor)
        remaining -= set(cells)
        if len(cells) > len(best):
            best = cells
    return best


def _neighbors(quads: Quads, axis: int) -> list[tuple[int, int]]:
    """Return pairs of cards in which the second is the nearest to the right of (``axis`` 0) or below (1)
    the first.
    """
    corners = quads.astype(np.float64)
    across = (corners[:, 1] + corners[:, 2] - corners[:, 0] - corners[:, 3]) / 2
    along = (corners[:, 3] + corners[:, 2] - corners[:, 0] - corners[:, 1]) / 2
    centers = corners.mean(axis=1)
    frames = np.linalg.inv(np.stack((across, along), axis=2))
    # Element [i, j]: position of card j in units of card i's width and height.
    offsets = np.einsum("iab,ijb->ija", frames, centers[None] - centers[:, None])
    ahead, sideways = offsets[..., axis], np.abs(offsets[..., 1 - axis])
    fits = (ahead > 0.5) & (ahead < _MAX_DISTANCE) & (sideways < _MAX_SIDE_OFFSET)
    nearest = np.where(fits, ahead, np.inf).argmin(axis=1)
    distance = np.where(fits, ahead, np.inf).min(axis=1)
    has_neighbor = np.isfinite(distance)
    if not has_neighbor.any():
        return []
    median_distance = float(np.median(distance[has_neighbor]))
    has_neighbor &= (distance > _TYPICAL_RANGE[0] * median_distance) & (
        distance < _TYPICAL_RANGE[1] * median_distance
    )
    return [(int(number), int(nearest[number])) for number in np.flatnonzero(has_neighbor)]


def _without_stragglers(occupied: dict[Cell, int]) -> Iterator[tuple[Cell, int]]:
    """Drop outer rows and columns that contain a single card: an extra card of the box, or a false
    positive.
    """
    cells = set(occupied)
    while len(cells) > _MIN_CARDS:
        rows, columns = ([cell[axis] for cell in cells] for axis in (0, 1))
        edges = ((0, min(rows)), (0, max(rows)), (1, min(columns)), (1, max(columns)))
        lone = next(
            (
                {cell for cell in cells if cell[axis] == value}
                for axis, value in edges
                if sum(cell[axis] == value for cell in cells) == 1 and len(set((rows, columns)[axis])) > 2
            ),
            None,
        )
        if lone is None:
            break
        cells -= lone
    return ((cell, number) for cell, number in occupied.items() if cell in cells)
