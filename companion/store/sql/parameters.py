"""Lists of values as parameters of a statement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeVar

__all__ = ["CHUNK", "chunks", "marks", "rows_of_marks"]

CHUNK: Final = 500
"""Values or rows in one statement: few statements for a long list, and far below every database's limit of parameters."""

_Value = TypeVar("_Value")


def chunks(values: Sequence[_Value], size: int = CHUNK) -> Iterator[Sequence[_Value]]:
    """Yield a list in parts of at most ``size``."""
    for start in range(0, len(values), size):
        yield values[start : start + size]


def marks(values: Sequence[Any]) -> str:
    """Return the parameters of a list of values, such as ``?, ?`` for ``IN (…)``; NULL for none, which nothing equals."""
    return ", ".join("?" * len(values)) or "NULL"


def rows_of_marks(rows: Sequence[Sequence[Any]]) -> str:
    """Return the parameters of rows for ``VALUES``, such as ``(?, ?), (?, ?)``; there is at least one row."""
    return ", ".join([f"({marks(rows[0])})"] * len(rows))
