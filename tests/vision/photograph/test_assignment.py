"""The optimal assignment is as cheap as the cheapest of all assignments."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from vision.photograph.assignment import optimal_assignment

COSTS = st.sampled_from([0.0, 1.0, 2.5, -1.0, np.inf])


def cheapest(cost: np.ndarray) -> float:
    """Return the smallest cost of all assignments."""
    wide = cost if len(cost) <= cost.shape[1] else cost.T
    rows = range(len(wide))
    return min(
        float(sum(wide[row, column] for row, column in zip(rows, columns, strict=True)))
        for columns in permutations(range(wide.shape[1]), len(wide))
    )


@example(
    np.array([[0.0, np.inf, 0.0], [0.0, np.inf, np.inf], [0.0, np.inf, np.inf]])
)  # the search for it never ended
@given(arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=5), elements=COSTS))
def test_no_assignment_is_cheaper(cost: np.ndarray) -> None:
    least = cheapest(cost)
    if least == np.inf:
        with pytest.raises(ValueError, match="no assignment"):
            optimal_assignment(cost)
        return
    rows, columns = optimal_assignment(cost)
    assert len(rows) == len(columns) == len({*columns.tolist()}) == min(cost.shape)
    assert (np.diff(rows) > 0).all()
    assert cost[rows, columns].sum() == least


def test_nothing_is_assigned_to_nothing() -> None:
    rows, columns = optimal_assignment(np.zeros((0, 3)))
    assert (len(rows), len(columns)) == (0, 0)
