"""What the parts of the store need of a database: SQLite and PostgreSQL provide it.

The statements are in the SQL that both databases understand, with parameters written as ``?`` or ``:name``. Truth values are the
integers 0 and 1, times and JSON documents are text, and text is compared by code points.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from companion.store.errors import LogWriteError

Values: TypeAlias = Sequence[Any] | dict[str, Any]
"""The parameters of a statement: a sequence for ``?``, a dictionary for ``:name``."""


class Cursor(Protocol):
    """The result of a statement."""

    @property
    def rowcount(self) -> int:
        """The number of rows that the statement inserted, changed or deleted."""

    def fetchone(self) -> Any:
        """Return the next row as a tuple, or None."""

    def fetchall(self) -> list[Any]:
        """Return all remaining rows as tuples."""


class Connection(Protocol):
    """A connection in a transaction."""

    def execute(self, sql: str, values: Values = ..., /) -> Cursor:
        """Execute a statement, and return its result as tuples."""

    def query(self, sql: str, values: Values = ..., /) -> Iterable[dict[str, Any]]:
        """Execute a query, and return its rows as dictionaries."""

    def executemany(self, sql: str, rows: Iterable[Values], /) -> None:
        """Execute a statement once for each row of values."""


class Database(Protocol):
    """A database, used by several threads and processes."""

    written: float | None
    """Time of the last write, s of the monotonic clock."""

    def close(self) -> None:
        """Close all connections; the database cannot be used afterwards."""

    def check(self) -> LogWriteError | None:
        """Return why nothing can be written at present; None if writing works. Writes and rolls back."""

    def in_doubt(self) -> bool:
        """Return, at no cost, whether there is a sign that writing fails."""

    def connections(self) -> Mapping[str, int]:
        """Return the number of ``open`` and ``idle`` connections to a server, and of requests that are ``waiting`` for one."""

    def next_number(self, table: str, column: str) -> str:
        """Return an SQL expression for a number greater than all that a column of a table had so far."""

    def reading(self) -> AbstractContextManager[Connection]:
        """Yield a connection with a consistent snapshot; within `writing`, the transaction's own connection.

        Raises `LogReadError` if the database cannot be read.
        """

    def writing(self, scope: str = ...) -> AbstractContextManager[Connection]:
        """Yield a connection in a transaction, which is committed durably at the end or rolled back on an error.

        Of two transactions with the same ``scope``, one waits for the other: what it reads there stays true until it commits.
        In SQLite all transactions wait for each other. Raises `LogWriteError`.
        """


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
