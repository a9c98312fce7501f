"""What the shared parts of the store need of a database: SQLite and PostgreSQL provide it.

The statements are in the SQL that both databases understand, with parameters written as ``?`` or ``:name``. Truth values are the
integers 0 and 1, times and JSON documents are text, and text is compared by code points.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias

__all__ = ["Connection", "Cursor", "Database", "Values"]

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
