"""Changes of the schema in later versions, which none has made yet, and logs of other versions."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from companion.messages import render
from companion.store import LogUnusableError
from companion.store.backup import BackupError, create_backup, restore
from companion.store.notices import Notices
from companion.store.recovery import log_fault
from companion.store.recovery import open_for_server as open_log
from companion.store.sqlite_database import DATABASE, SqliteDatabase, connect
from companion.store.store import Store
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


def test_a_change_that_fails_leaves_the_database_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite3"
    SqliteDatabase(path).close()
    with pytest.raises(Exception, match="no such table"):
        SqliteDatabase(path, [[*LATER[0], "DROP TABLE unknown"]])
    with closing(SqliteDatabase(path)) as database, database.reading() as db:
        assert db.execute("SELECT version FROM schema_version").fetchone() == (1,)


_OTHER_VERSIONS = pytest.mark.parametrize(
    ("statement", "refusal"),
    [
        ("UPDATE schema_version SET version = version + 1", "newer version of this program"),
        ("DROP TABLE schema_version", "earlier version of this program"),
    ],
)


@_OTHER_VERSIONS
def test_a_database_of_another_version_is_refused(
    open_store: Callable[[], Store], statement: str, refusal: str
) -> None:
    """This program would write data that the other one does not understand, or not understand the other's."""
    with open_store().database.writing() as db:
        db.execute(statement)
    with raises_text(LogUnusableError, match=refusal):
        open_store()


@_OTHER_VERSIONS
def test_a_log_of_another_version_is_no_damage(folder: Path, statement: str, refusal: str) -> None:
    """A log of an earlier program was reported as damaged: "table table_events already exists"."""
    open_log(folder, Notices(folder)).close()
    create_backup(folder, folder / "backups" / "2026-11-20")
    with closing(connect(folder / DATABASE)) as db, db:
        db.execute(statement)
    with raises_text(LogUnusableError, match=refusal):
        open_log(folder, Notices(folder))
    assert not list(folder.glob("*damaged*"))
    assert not Notices(folder).all()
    assert (fault := log_fault(folder)) is not None
    assert refusal in render(fault)


def test_a_backup_of_another_version_is_not_restored(tmp_path: Path, folder: Path) -> None:
    open_log(folder, Notices(folder)).close()
    with closing(connect(folder / DATABASE)) as db, db:
        db.execute("UPDATE schema_version SET version = version + 1")
    create_backup(folder, tmp_path / "backup")
    with raises_text(BackupError, match="made by another version"):
        restore(tmp_path / "backup", tmp_path / "restored")
    assert not list((tmp_path / "restored").iterdir())
