"""Base of dataclasses whose fields are arrays with one row per card."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


class CardArrays:
    """Arrays with one row per card."""

    def take(self, chosen: NDArray[np.intp]) -> Self:
        """Return the cards with the indices ``chosen``."""
        return type(self)(*(array[chosen] for array in self._arrays()))

    def beside(self, other: Self) -> Self:
        """Return these cards followed by ``other``."""
        return type(self)(*map(np.concatenate, zip(self._arrays(), other._arrays(), strict=True)))

    def replaced(self, rows: NDArray[np.intp], others: Self) -> Self:
        """Return a copy in which the given rows (indices) are ``others``."""
        copies = [array.copy() for array in self._arrays()]
        for array, values in zip(copies, others._arrays(), strict=True):
            array[rows] = values
        return type(self)(*copies)

    def _arrays(self) -> list[Any]:
        return [getattr(self, field.name) for field in fields(self)]  # type: ignore[arg-type]
