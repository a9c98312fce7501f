"""Operations on dataclasses whose fields are arrays with one row per card, such as `RefinedCards` and
`Recognitions`.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["concatenate_cards", "replace_cards"]

_Rows = TypeVar("_Rows", bound=Any)


def concatenate_cards(one: _Rows, other: _Rows) -> _Rows:
    """Return the cards of ``one`` followed by those of ``other``."""
    pairs = ((getattr(one, part.name), getattr(other, part.name)) for part in fields(one))
    return type(one)(*(np.concatenate(pair) for pair in pairs))  # type: ignore[no-any-return]


def replace_cards(cards: _Rows, places: NDArray[np.intp], others: _Rows) -> _Rows:
    """Return a copy of ``cards`` in which the rows ``places`` (indices) hold ``others``."""
    parts = {part.name: getattr(cards, part.name).copy() for part in fields(cards)}
    for name, values in parts.items():
        values[places] = getattr(others, name)
    return type(cards)(**parts)  # type: ignore[no-any-return]
