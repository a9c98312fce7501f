"""The linear assignment problem. scipy solves it, too, but importing it takes 0.7 s and 45 MB, a third of the time of a scan."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.pictures.crops import Floats

Indices = NDArray[np.intp]


def optimal_assignment(cost: Floats) -> tuple[Indices, Indices]:
    """Return the rows and columns of the cheapest assignment of all rows of a cost matrix (n x m, inf where forbidden) to one column
    each, or of all columns to rows if there are fewer of them; rows ascending.

    Each row is added by the cheapest path of moves to a free column (Jonker and Volgenant, 1987). Raises `ValueError` if no
    assignment is possible.
    """
    if cost.shape[0] > cost.shape[1]:
        columns, rows = optimal_assignment(cost.T)
        order = np.argsort(rows)
        return rows[order], columns[order]
    of_row, of_column = np.full(cost.shape[0], -1), np.full(cost.shape[1], -1)
    row_price, column_price = np.zeros(cost.shape[0]), np.zeros(cost.shape[1])
    for added in range(len(cost)):
        distance = np.full(cost.shape[1], np.inf)
        reached, came_from = np.zeros(cost.shape[1], np.bool_), np.full(cost.shape[1], -1)
        row, length = added, 0.0
        while row >= 0:
            through = length + cost[row] - row_price[row] - column_price
            shorter = ~reached & (through < distance)
            distance[shorter], came_from[shorter] = through[shorter], row
            unreached = np.where(reached, np.inf, distance)
            column = int(unreached.argmin())
            length = unreached[column]
            if not length < np.inf:
                raise ValueError("no assignment is possible")
            reached[column] = True
            row = int(of_column[column])
        saved = length - distance[reached]
        row_price[added] += length
        moved = of_column[reached]
        row_price[moved[moved >= 0]] += saved[moved >= 0]
        column_price[reached] -= saved
        while row != added:  # along the path, each row moves to the column by which it was left
            row = int(came_from[column])
            of_column[column] = row
            of_row[row], column = column, of_row[row]
    return np.arange(len(cost)), of_row
