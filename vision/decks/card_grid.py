"""Cards laid out in rows and columns: which place of the grid each lies in, and where one is missing."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.networks.crops import Quads, rotate_half_turn

Floats = NDArray[np.float64]
Cell = tuple[int, int]
"""Row and column, from 0 at the top left as the cards stand."""

#: How far a neighbour's middle may lie aside (in card widths or heights), and how far off at most.
_ASIDE: Final = 0.4
_FURTHEST: Final = 2.4
#: A neighbour is this near the usual distance of neighbours.
_USUAL: Final = (0.7, 1.35)
#: A card this far off its place (shares of the grid's step) lies beside the grid.
_OFF: Final = 0.33
#: Fewer cards make no grid.
_FEWEST: Final = 6


@dataclass(frozen=True, eq=False)
class CardGrid:
    """A grid of ``rows`` x ``columns`` places. ``cells``: the place of each card, None for one that lies beside it.

    ``quads`` (n x 4 x 2 px) are the cards' own, begun at the end that is the grid's top; ``to_picture`` maps (column, row)
    to px (3 x 3).
    """

    rows: int
    columns: int
    cells: tuple[Cell | None, ...]
    quads: Quads
    to_picture: Floats

    @property
    def empty(self) -> tuple[Cell, ...]:
        """The places where no card was found, row by row."""
        taken = set(self.cells)
        every = ((row, column) for row in range(self.rows) for column in range(self.columns))
        return tuple(cell for cell in every if cell not in taken)

    def place(self, cell: Cell) -> Quads:
        """Return where the card of a place should lie (4 x 2 px), as its neighbours do."""
        row, column = cell
        near = sorted(
            (abs(its[0] - row) + abs(its[1] - column), number)
            for number, its in enumerate(self.cells)
            if its is not None
        )[:4]
        shapes = [self.quads[number] - self.quads[number].mean(axis=0) for _, number in near]
        middle = _mapped(self.to_picture, np.array([(column, row)], np.float64))
        return np.asarray(np.mean(shapes, axis=0) + middle, np.float32)

    def upside_down(self) -> CardGrid:
        """Return the same grid seen from its other end."""
        cells = tuple(
            None if cell is None else (self.rows - 1 - cell[0], self.columns - 1 - cell[1])
            for cell in self.cells
        )
        flip = np.array(((-1.0, 0, self.columns - 1), (0, -1.0, self.rows - 1), (0, 0, 1)))
        return CardGrid(self.rows, self.columns, cells, rotate_half_turn(self.quads), self.to_picture @ flip)


def find_grid(quads: Quads) -> CardGrid | None:
    """Return the grid that most of n cards (n x 4 x 2 px, whichever end first) lie in, None where they lie in none.

    The grid's top is the picture's, or its left where the cards lie on their sides. Neighbours are counted from card to
    card, each in its own measure, so that perspective does not matter; a homography fitted to them (RANSAC) then says
    which place every card is nearest to, and where one is missing.
    """
    if len(quads) < _FEWEST:
        return None
    quads = _same_end(quads)
    counted = _counted(quads)
    if len({cell[0] for cell in counted.values()}) < 2 or len({cell[1] for cell in counted.values()}) < 2:
        return None
    places = np.array([counted[number][::-1] for number in counted], np.float64)
    middles = quads.mean(axis=1).astype(np.float64)
    width = float(np.median(np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)))
    to_picture, _ = cv2.findHomography(places, middles[list(counted)], cv2.RANSAC, 0.3 * width)
    if to_picture is None or abs(np.linalg.det(to_picture)) < 1e-9:
        return None
    on_grid = _mapped(np.linalg.inv(to_picture), middles)
    nearest = np.round(on_grid)
    off = np.abs(on_grid - nearest).max(axis=1)
    held: dict[Cell, int] = {}
    for number in np.argsort(off):
        if off[number] < _OFF and np.abs(nearest[number]).max() < 100:
            held.setdefault((int(nearest[number, 1]), int(nearest[number, 0])), int(number))
    held = dict(_without_stragglers(held))
    if len(held) < _FEWEST:
        return None
    top, left = min(row for row, _ in held), min(column for _, column in held)
    cells: list[Cell | None] = [None] * len(quads)
    for (row, column), number in held.items():
        cells[number] = (row - top, column - left)
    shift = np.array(((1.0, 0, left), (0, 1.0, top), (0, 0, 1)))
    rows, columns = max(row for row, _ in held) - top + 1, max(column for _, column in held) - left + 1
    return CardGrid(rows, columns, tuple(cells), quads, np.asarray(to_picture, np.float64) @ shift)


def _same_end(quads: Quads) -> Quads:
    """Return the quads all begun at the same end: the upper one, or the left one where the cards lie on their sides."""
    down = quads[:, 3] + quads[:, 2] - quads[:, 0] - quads[:, 1]
    along = down / np.maximum(np.linalg.norm(down, axis=1, keepdims=True), 1e-6)
    # The main axis of all cards, by their doubled angles.
    doubled = ((along[:, 0] + 1j * along[:, 1]) ** 2).sum()
    axis = np.exp(0.5j * np.angle(doubled))
    if axis.imag < -0.5 or (abs(axis.imag) <= 0.5 and axis.real < 0):
        axis = -axis
    ahead = along @ np.array((axis.real, axis.imag)) >= 0
    return np.where(ahead[:, None, None], quads, rotate_half_turn(quads)).astype(np.float32)


def _counted(quads: Quads) -> dict[int, Cell]:
    """Return the place (row, column) of each card that is reached from neighbour to neighbour, from the best connected one."""
    right, down = _neighbours(quads, 0), _neighbours(quads, 1)
    steps: dict[int, list[tuple[int, Cell]]] = {number: [] for number in range(len(quads))}
    for links, step in ((right, (0, 1)), (down, (1, 0))):
        for one, other in links:
            steps[one].append((other, step))
            steps[other].append((one, (-step[0], -step[1])))
    best: dict[int, Cell] = {}
    left = set(steps)
    while left:
        start = max(left, key=lambda number: len(steps[number]))
        cells: dict[int, Cell] = {start: (0, 0)}
        queue = deque([start])
        while queue:
            here = queue.popleft()
            for there, step in steps[here]:
                if there not in cells:
                    cells[there] = (cells[here][0] + step[0], cells[here][1] + step[1])
                    queue.append(there)
        left -= set(cells)
        if len(cells) > len(best):
            best = cells
    return best


def _neighbours(quads: Quads, axis: int) -> list[tuple[int, int]]:
    """Return pairs of cards of which the second is the first's next to the right (``axis`` 0) or below (1)."""
    here = quads.astype(np.float64)
    across = (here[:, 1] + here[:, 2] - here[:, 0] - here[:, 3]) / 2
    along = (here[:, 3] + here[:, 2] - here[:, 0] - here[:, 1]) / 2
    middles = here.mean(axis=1)
    frames = np.linalg.inv(np.stack((across, along), axis=2))
    # Row: the card whose own width and height are the measure.
    apart = np.einsum("iab,ijb->ija", frames, middles[None] - middles[:, None])
    ahead, aside = apart[..., axis], np.abs(apart[..., 1 - axis])
    fits = (ahead > 0.5) & (ahead < _FURTHEST) & (aside < _ASIDE)
    nearest = np.where(fits, ahead, np.inf).argmin(axis=1)
    distance = np.where(fits, ahead, np.inf).min(axis=1)
    found = np.isfinite(distance)
    if not found.any():
        return []
    usual = float(np.median(distance[found]))
    found &= (distance > _USUAL[0] * usual) & (distance < _USUAL[1] * usual)
    return [(int(number), int(nearest[number])) for number in np.flatnonzero(found)]


def _without_stragglers(held: dict[Cell, int]) -> Iterator[tuple[Cell, int]]:
    """Leave out outer rows and columns of one card each: an extra card of the box lies there, or a find that is none."""
    cells = set(held)
    while len(cells) > _FEWEST:
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
    return ((cell, number) for cell, number in held.items() if cell in cells)


def _mapped(matrix: NDArray[np.floating], points: Floats) -> Floats:
    mapped = np.concatenate((points, np.ones((len(points), 1))), axis=1) @ matrix.T
    return np.asarray(mapped[:, :2] / mapped[:, 2:], np.float64)
