"""Faults of a data folder at the start: a backup is restored with a notice; never an empty log without a notice."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from unittest.mock import Mock

import pytest
from log_helpers import BRIGHTS, add

from companion.hanafuda.rules import PRESETS
from companion.messages import error_text, render
from companion.store import LogReadError, LogUnusableError, LogWriteError, backup, recovery
from companion.store.backup import create_backup
from companion.store.notices import Notices
from companion.store.recovery import open_for_server as open_log
from companion.store.store import Store, open_store
from companion.table.events import Event, NewEvent
from tests.message_text import raises_text

DATABASE = "log.sqlite3"


def filled(folder: Path, tables: int = 4, events: int = 300, scans: int = 30) -> dict[str, int]:
    """Create a folder with a log; return the number of events of each table."""
    log = open_log(folder, Notices(folder))
    for number in range(scans):
        add(log, *BRIGHTS, picture=b"%d" % number * 100, game="koikoi")
    log.house_rules.save("House", PRESETS["koikoi-hu"], "a test")
    counts = {}
    for _ in range(tables):
        table = log.tables.create(NewEvent("opened", {"note": "x" * 60}), actor="a test", source="program")
        log.tables.append(
            table,
            [
                Event(
                    seq,
                    seq,
                    "2026-11-21T19:00:00.000Z",
                    "a test",
                    "program",
                    "noticed",
                    {"n": seq, "pad": "y" * 80},
                )
                for seq in range(2, events + 1)
            ],
        )
        counts[table] = events
    log.close()
    return counts


def codes(folder: Path) -> list[str]:
    return [each.code for each in Notices(folder).all()]


def opened(folder: Path) -> Store:
    return open_log(folder, Notices(folder))


def pages_of(path: Path, name: str) -> list[int]:
    """Return the numbers of the leaf pages of a table or index, found by their content."""
    with closing(sqlite3.connect(path)) as db:
        try:
            return [
                row[0]
                for row in db.execute(
                    "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'", [name]
                )
            ]
        except sqlite3.OperationalError:
            pytest.skip("this SQLite was built without dbstat")


def destroy(path: Path, page: int) -> None:
    with closing(sqlite3.connect(path)) as db:
        size = db.execute("PRAGMA page_size").fetchone()[0]
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\x5a" * size)


def damage(folder: Path, table: str) -> bytes:
    """Destroy a page in the middle of a table, and return the content of the file."""
    leaves = pages_of(folder / DATABASE, table)
    destroy(folder / DATABASE, leaves[len(leaves) // 2])
    return (folder / DATABASE).read_bytes()


def test_a_healthy_log_starts_without_a_word(tmp_path: Path) -> None:
    filled(tmp_path, 1, 5, 2)
    opened(tmp_path).close()
    assert codes(tmp_path) == []


def test_a_damaged_database_is_set_aside_and_the_backup_restored(tmp_path: Path) -> None:
    """A damaged page meant 500 everywhere."""
    counts = filled(tmp_path)
    create_backup(tmp_path, tmp_path / "backups" / "2026-11-20")
    damaged = damage(tmp_path, "table_events")
    log = opened(tmp_path)
    try:
        assert {each.id: each.seq for each in log.tables.list()} == counts
        assert len(list(log.scans.all())) == 30
        assert log.house_rules.get("House") is not None
    finally:
        log.close()
    assert codes(tmp_path) == ["log-restored"]
    assert (tmp_path / "log.sqlite3.damaged-1").read_bytes() == damaged
    opened(tmp_path).close()
    (notice,) = Notices(tmp_path).all()  # reported until a host dismisses it, once
    assert "2026-11-20" in render(notice.message, "en")
    assert "log.sqlite3.damaged-1" in render(notice.message, "ja")


def test_the_newest_good_backup_is_restored(tmp_path: Path) -> None:
    counts = filled(tmp_path)
    create_backup(tmp_path, tmp_path / "backups" / "2026-11-20")
    shutil.copytree(tmp_path / "backups" / "2026-11-20", tmp_path / "backups" / "2026-11-21")
    manifest = tmp_path / "backups" / "2026-11-21" / "manifest.json"
    document = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_text(json.dumps({**document, "time": "2099-01-01T00:00:00Z"}), encoding="utf-8")
    (tmp_path / "backups" / "2026-11-21" / DATABASE).write_bytes(b"damaged" * 5000)
    damage(tmp_path, "readings")
    log = opened(tmp_path)
    assert {each.id: each.seq for each in log.tables.list()} == counts
    log.close()
    (notice,) = Notices(tmp_path).all()
    assert notice.code == "log-restored"
    assert "The backup 2026-11-20 was restored" in render(notice.message, "en")


def test_without_a_backup_the_log_starts_empty_and_says_so(tmp_path: Path) -> None:
    filled(tmp_path)
    before = {path.stem for path in (tmp_path / "evidence").glob("??/*")}
    damaged = damage(tmp_path, "readings")
    opened(tmp_path).close()
    assert codes(tmp_path) == ["log-emptied"]
    assert (tmp_path / "log.sqlite3.damaged-1").read_bytes() == damaged
    assert {path.stem for path in tmp_path.rglob("*.jpg")} == before


@pytest.mark.parametrize("code", [sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL])
def test_an_error_of_the_disk_is_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    filled(tmp_path, 1, 3, 1)
    create_backup(tmp_path, tmp_path / "backups" / "2026-11-20")
    error = sqlite3.OperationalError("the disk does not answer")
    error.sqlite_errorcode = code
    with monkeypatch.context() as patched:
        patched.setattr(recovery, "_fault", Mock(side_effect=error))
        monkeypatch.setattr("companion.store.store._FAULT_CHECK_S", -1.0)
        log = opened(tmp_path)
        fault = log.fault()
        assert fault is not None
        assert "the disk does not answer" in error_text(fault)
        assert len(log.tables.list()) == 1
    assert log.fault() is None  # it recovers without another start
    log.close()
    assert list(tmp_path.glob("*damaged*")) == []
    assert codes(tmp_path) == []


@pytest.mark.parametrize("code", [sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL])
def test_a_full_disk_while_a_backup_is_restored_does_not_empty_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """Every backup was taken for damaged then, and the log started empty."""
    counts = filled(tmp_path)
    create_backup(tmp_path, tmp_path / "backups" / "2026-11-20")
    damage(tmp_path, "readings")
    (tmp_path / "log.created").unlink()  # even a folder that no server has opened yet
    error = sqlite3.OperationalError("the disk does not answer")
    error.sqlite_errorcode = code
    with monkeypatch.context() as patched:
        patched.setattr(backup, "SqliteDatabase", Mock(side_effect=error))
        monkeypatch.setattr("companion.store.store._FAULT_CHECK_S", -1.0)
        log = opened(tmp_path)
        assert isinstance(log.fault(), LogWriteError)
        with raises_text(LogReadError, match="the disk does not answer"):
            log.tables.list()
    assert log.fault() is None
    assert {each.id: each.seq for each in log.tables.list()} == counts
    log.close()
    assert codes(tmp_path) == ["log-restored"]


def test_a_damaged_index_is_rebuilt_and_nothing_is_lost(tmp_path: Path) -> None:
    counts = filled(tmp_path)
    (tmp_path / "before").mkdir()
    path = tmp_path / DATABASE
    with closing(sqlite3.connect(path)) as db:
        # An index that lacks an entry of its table.
        db.execute("PRAGMA writable_schema = ON")
        sql = db.execute("SELECT sql FROM sqlite_master WHERE name = 'scores_by_scan'").fetchone()[0]
        db.execute(
            "UPDATE sqlite_master SET sql = sql || ' WHERE total > 1000' WHERE name = 'scores_by_scan'"
        )
        db.commit()
    with closing(sqlite3.connect(path)) as db:
        db.execute("REINDEX scores_by_scan")
        db.commit()
        db.execute("PRAGMA writable_schema = ON")
        db.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'scores_by_scan'", [sql])
        db.commit()
    log = opened(tmp_path)
    try:
        assert {each.id: each.seq for each in log.tables.list()} == counts
    finally:
        log.close()
    assert codes(tmp_path) == ["log-repaired"]


@pytest.mark.parametrize("backed_up", [True, False])
def test_a_database_deleted_beside_its_wal_is_missed(tmp_path: Path, backed_up: bool) -> None:
    """It started as an empty log without a notice, and SQLite deleted the rest."""
    counts = filled(tmp_path)
    if backed_up:
        create_backup(tmp_path, tmp_path / "backups" / "2026-11-20")
    log = open_store(tmp_path)
    add(log, *BRIGHTS)
    wal = (tmp_path / f"{DATABASE}-wal").read_bytes()
    log.close()
    (tmp_path / DATABASE).unlink()
    (tmp_path / f"{DATABASE}-wal").write_bytes(wal)
    with raises_text(LogUnusableError, match="missing"):
        open_store(tmp_path)
    log = opened(tmp_path)
    try:
        assert {each.id: each.seq for each in log.tables.list()} == (counts if backed_up else {})
    finally:
        log.close()
    assert codes(tmp_path) == ["log-restored" if backed_up else "log-emptied"]
    assert (tmp_path / f"{DATABASE}.damaged-1-wal").read_bytes() == wal


def test_a_folder_whose_database_is_gone_is_missed(tmp_path: Path) -> None:
    counts = filled(tmp_path, scans=3)
    create_backup(tmp_path, tmp_path / "backups" / "2026-11-20")
    for path in tmp_path.glob(f"{DATABASE}*"):
        path.unlink()
    shutil.rmtree(tmp_path / "evidence")
    with raises_text(LogUnusableError, match="missing"):  # a short command must not create an empty one
        open_store(tmp_path)
    log = opened(tmp_path)
    try:
        assert {each.id: each.seq for each in log.tables.list()} == counts
        for scan in log.scans.all():
            assert log.pictures.path(scan.sha256, scan.media_type).exists()
    finally:
        log.close()
    assert codes(tmp_path) == ["log-restored"]


def test_a_file_that_is_no_database_is_set_aside(tmp_path: Path) -> None:
    filled(tmp_path, 1, 3, 1)
    (tmp_path / DATABASE).write_bytes(b"a letter to grandmother " * 1000)
    opened(tmp_path).close()
    assert codes(tmp_path) == ["log-emptied"]
    assert (tmp_path / f"{DATABASE}.damaged-1").read_bytes().startswith(b"a letter")


@pytest.mark.parametrize("seed", [*range(8), 10, 1103, 5151])  # the last three found faults
def test_whatever_is_overwritten_the_log_starts(tmp_path: Path, seed: int) -> None:
    """Random damage anywhere: the server starts with a notice, and no remaining table has a gap."""
    draw = random.Random(seed)
    filled(tmp_path, 3, 120, 10)
    if seed % 2:
        create_backup(tmp_path, tmp_path / "backups" / "2026-11-20")
    path = tmp_path / DATABASE
    data = bytearray(path.read_bytes())
    for _ in range(draw.choice((1, 3, 10))):
        start = draw.randrange(len(data))
        length = draw.choice((1, 100, 4096))
        data[start : start + length] = draw.randbytes(len(data[start : start + length]))
    path.write_bytes(data)
    log = opened(tmp_path)
    try:
        assert log.database.writer.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        for each in log.tables.list():
            with suppress(LogReadError):  # a damaged text is one table's fault
                events = log.tables.load(each.id)
                assert [event.seq for event in events] == list(range(1, len(events) + 1))
    except LogReadError:
        pass
    finally:
        log.close()
