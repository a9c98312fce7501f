"""Logs of every earlier version open in this one with all data; the dumps are of databases at each schema version."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from companion.store import SqliteStore
from companion.store.sqlite.schema import MIGRATIONS

SCHEMAS = Path(__file__).parent / "schemas"
VERSIONS = sorted(path.stem for path in SCHEMAS.glob("m*.sql"))


def _restore_dump(version: str, folder: Path) -> None:
    folder.mkdir()
    with closing(sqlite3.connect(folder / "log.sqlite3")) as db:
        db.executescript((SCHEMAS / f"{version}.sql").read_text(encoding="utf-8"))


def test_every_schema_version_but_the_newest_has_a_dump() -> None:
    """A new migration needs a dump of the version before it."""
    names = [migration.name for migration in MIGRATIONS._migrations]
    assert names[:-1] == [version for version in VERSIONS if version != names[-1]]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_log_of_an_earlier_version_keeps_its_data(folder: Path, version: str) -> None:
    _restore_dump(version, folder)
    for _ in range(2):  # the second time there is nothing to migrate
        log = SqliteStore(folder)
        try:
            kept, draft = log.scans(kept=True), log.scans(kept=False)
            assert [(scan.id, scan.note) for scan in kept] == [("1m86pwhf672pc", "Aunt 晴子")]
            assert [card["card"] for card in kept[0].cards] == ["susuki-moon"]
            assert [scan.media_type for scan in draft] == ["image/png"]
            if version >= "m002":
                saved = log.house_rules.get("house")
                assert saved is not None
                assert saved.code == "K1CNTE"
            if version >= "m003":
                assert [(each.id, each.seq) for each in log.tables.list()] == [("aaaaaa", 2), ("bbbbbb", 2)]
                assert log.tables.opened_last() == "aaaaaa"
                assert log.tables.load("bbbbbb")[1].data == {"seat": 1, "name": "晴子"}
                assert log.tables.with_key("aaaaaa", "k1") is not None
            if version >= "m004":
                (pairing,) = log.database.writer.query("SELECT * FROM pairings")
                assert (pairing["name"], pairing["role"], pairing["table_id"]) == ("Aki", "scorer", "aaaaaa")
            assert log.database.writer.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
            assert log.database.writer.execute("PRAGMA foreign_key_check").fetchall() == []
        finally:
            log.close()
