"""Base of dataclasses whose fields are arrays with one row per card, or the same for all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


class CardArrays:
    """Arrays with one row per card, and other `CardArrays` of the same cards."""

    def take(self, chosen: NDArray[np.intp]) -> Self:
        """Return the cards with the indices ``chosen``."""
        return self._with(
            rows.take(chosen) if isinstance(rows, CardArrays) else rows[chosen]
            for rows in self._rows().values()
        )

    def beside(self, other: Self) -> Self:
        """Return these cards followed by ``other``."""
        pairs = zip(self._rows().values(), other._rows().values(), strict=True)
        return self._with(
            rows.beside(more) if isinstance(rows, CardArrays) else np.concatenate((rows, more))
            for rows, more in pairs
        )

    def replaced(self, rows: NDArray[np.intp], others: Self) -> Self:
        """Return a copy in which the given rows (indices) are ``others``."""
        order = np.arange(len(next(iter(self._rows().values()))))
        order[rows] = len(order) + np.arange(len(rows))
        return self.beside(others).take(order)

    def _rows(self) -> dict[str, Any]:
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {name: value for name, value in values.items() if isinstance(value, np.ndarray | CardArrays)}

    def _with(self, rows: Iterable[Any]) -> Self:
        return replace(self, **dict(zip(self._rows(), rows, strict=True)))  # type: ignore[type-var]
