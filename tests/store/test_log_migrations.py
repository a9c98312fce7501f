"""Changes of the schema in later versions, which none has made yet."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from companion.store import LogUnusableError
from companion.store.sqlite_database import SqliteDatabase
from tests.message_text import raises_text

LATER = [
    [
        "CREATE TABLE extra (number {id}, name {text} NOT NULL) {rows}",
        "INSERT INTO extra (name) VALUES ('first')",
    ],
    ["ALTER TABLE extra ADD COLUMN note {text}", "INSERT INTO extra (name, note) VALUES ('second', 'later')"],
]


@pytest.mark.parametrize("steps", [[0, 1, 2], [0, 2], [2]])
def test_each_change_is_made_once(tmp_path: Path, steps: list[int]) -> None:
    """A database of any earlier version, and a new one, end with the same schema and rows."""
    path = tmp_path / "log.sqlite3"
    for step in (*steps, 2):
        SqliteDatabase(path, LATER[:step]).close()
    with closing(SqliteDatabase(path, LATER)) as database, database.reading() as db:
        assert list(db.query("SELECT * FROM extra ORDER BY number")) == [
            {"number": 1, "name": "first", "note": None},
            {"number": 2, "name": "second", "note": "later"},
        ]
    with raises_text(LogUnusableError, match="newer version"):
        SqliteDatabase(path)


def test_a_change_that_fails_leaves_the_database_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite3"
    SqliteDatabase(path).close()
    with pytest.raises(Exception, match="no such table"):
        SqliteDatabase(path, [[*LATER[0], "DROP TABLE unknown"]])
    with closing(SqliteDatabase(path)) as database, database.reading() as db:
        assert db.execute("SELECT version FROM schema_version").fetchone() == (1,)
