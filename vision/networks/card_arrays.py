"""Base of dataclasses whose fields are arrays with one row per card, or the same for all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


class CardArrays:
    """Arrays with one row per card."""

    def take(self, chosen: NDArray[np.intp]) -> Self:
        """Return the cards with the indices ``chosen``."""
        return self._with(array[chosen] for array in self._arrays().values())

    def beside(self, other: Self) -> Self:
        """Return these cards followed by ``other``."""
        arrays = zip(self._arrays().values(), other._arrays().values(), strict=True)
        return self._with(map(np.concatenate, arrays))

    def replaced(self, rows: NDArray[np.intp], others: Self) -> Self:
        """Return a copy in which the given rows (indices) are ``others``."""
        copies = [array.copy() for array in self._arrays().values()]
        for array, values in zip(copies, others._arrays().values(), strict=True):
            array[rows] = values
        return self._with(copies)

    def _arrays(self) -> dict[str, NDArray[Any]]:
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {name: value for name, value in values.items() if isinstance(value, np.ndarray)}

    def _with(self, arrays: Iterable[NDArray[Any]]) -> Self:
        return replace(self, **dict(zip(self._arrays(), arrays, strict=True)))  # type: ignore[type-var]
