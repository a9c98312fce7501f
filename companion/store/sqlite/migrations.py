"""The migrations of a SQLite database: functions that are each applied once, and whose names the database has."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final, TypeAlias

__all__ = ["TABLE", "Migrations"]

_Migration: TypeAlias = Callable[[sqlite3.Connection], None]

TABLE: Final = "_sqlite_migrations"
"""The table of the names, which has the form that sqlite-utils, a library of earlier versions, gave it."""
_CREATE: Final = (
    f"CREATE TABLE IF NOT EXISTS {TABLE}"
    " (id INTEGER PRIMARY KEY, migration_set TEXT, name TEXT, applied_at TEXT)",
    f"CREATE UNIQUE INDEX IF NOT EXISTS idx_{TABLE}_migration_set_name ON {TABLE} (migration_set, name)",
)


class Migrations:
    """The migrations of a program, in the order in which they are applied."""

    def __init__(self, program: str) -> None:
        """``program``: the name under which the database lists the migrations."""
        self._program = program
        self._functions: dict[str, _Migration] = {}

    def __call__(self, function: _Migration) -> _Migration:
        """Add a migration under the name of its function (a decorator)."""
        self._functions[function.__name__] = function
        return function

    @property
    def names(self) -> list[str]:
        """The names of the migrations, in order."""
        return list(self._functions)

    def applied(self, connection: sqlite3.Connection) -> set[str]:
        """Return the names of the migrations that a database has, including unknown ones."""
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", [TABLE]).fetchone():
            return set()
        names = connection.execute(f"SELECT name FROM {TABLE} WHERE migration_set = ?", [self._program])
        return {str(name) for (name,) in names}

    def apply(self, connection: sqlite3.Connection) -> None:
        """Apply the migrations that a database does not have; the caller begins and commits the transaction."""
        for statement in _CREATE:
            connection.execute(statement)
        applied = self.applied(connection)
        for name, function in self._functions.items():
            if name not in applied:
                function(connection)
                connection.execute(
                    f"INSERT INTO {TABLE} (migration_set, name, applied_at) VALUES (?, ?, ?)",
                    [self._program, name, str(datetime.now(UTC))],
                )
