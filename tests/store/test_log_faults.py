"""Faults of the disk while the log is open: they are reported correctly, reads continue, and nothing acknowledged is
lost."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from log_helpers import BRIGHTS, add

from companion.hanafuda.rules import PRESETS
from companion.messages import error_text
from companion.store import LogBusyError, LogReadError, LogWriteError, sqlite_database
from companion.store.notices import Notices
from companion.store.recovery import open_for_server as open_log
from companion.store.store import Store, open_store
from tests.message_text import raises_text
from tests.small_disk import small_disk

_LOCKER = (
    "import sqlite3, sys, time; db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
    "db.execute('BEGIN EXCLUSIVE'); print('locked', flush=True); sys.stdin.read()"
)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Another program has the database locked."""
    process = subprocess.Popen(
        [sys.executable, "-c", _LOCKER, str(folder / "log.sqlite3")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "locked\n"
    try:
        yield
    finally:
        process.communicate()


def test_a_database_that_another_program_locks_can_be_read(
    log: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lock of 20 s made every page wait, and was reported as a full disk."""
    monkeypatch.setattr(sqlite_database, "BUSY_S", 0.5)
    monkeypatch.setattr("companion.store.store._FAULT_CHECK_S", -1.0)
    scan = add(log, *BRIGHTS)
    with locked(folder):
        refused = list[Exception]()

        def write() -> None:
            try:
                add(log, *BRIGHTS)
            except LogWriteError as error:
                refused.append(error)

        writers = [threading.Thread(target=write) for _ in range(5)]
        for writer in writers:
            writer.start()
        while any(writer.is_alive() for writer in writers):
            assert log.scans.get(scan.id) == scan
        assert [type(each) for each in refused] == [LogBusyError] * 5
        assert "another program is using the database" in error_text(refused[0])
        fault = log.fault()
        assert fault is not None
        assert fault.reason == "busy"
        # The first write has waited in vain: later ones do not queue up.
        start = time.monotonic()
        monkeypatch.setattr(sqlite_database, "BUSY_S", 60.0)
        with pytest.raises(LogBusyError):
            add(log, *BRIGHTS)
        assert time.monotonic() - start < 30
    add(log, *BRIGHTS)
    assert log.fault() is None


@pytest.mark.parametrize("suffixes", [("",), ("-wal",), ("-shm",), ("-wal", "-shm"), ("", "-wal", "-shm")])
def test_a_database_deleted_under_the_program_can_be_read_and_is_not_written_to(
    log: Store, folder: Path, suffixes: tuple[str, ...]
) -> None:
    """SQLite continues to write to a removed file: acknowledged events were gone after the next start."""
    scan = add(log, *BRIGHTS)
    for suffix in suffixes:
        (folder / f"log.sqlite3{suffix}").unlink()
    with raises_text(LogWriteError, match="until the server is started again") as refused:
        add(log, *BRIGHTS, picture=b"another")
    assert refused.value.reason == "replaced"
    assert isinstance(log.fault(), LogWriteError)
    assert [each.id for each in log.scans.all()] == [scan.id]
    if "" not in suffixes:
        log.close()
        with closing(open_store(folder)) as again:
            assert [each.id for each in again.scans.all()] == [scan.id]


def test_a_database_that_was_replaced_is_not_written_to(log: Store, folder: Path) -> None:
    scan = add(log, *BRIGHTS)
    other = open_store(folder.with_name("other"))
    other.close()
    (folder.with_name("other") / "log.sqlite3").replace(folder / "log.sqlite3")
    with raises_text(LogWriteError, match="until the server is started again") as refused:
        add(log, *BRIGHTS)
    assert refused.value.reason == "replaced"
    assert log.scans.get(scan.id) == scan


def test_a_full_disk_is_reported_and_recovers_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a small file system, like a memory card full of photographs."""
    monkeypatch.setattr("companion.store.store._FAULT_CHECK_S", -1.0)
    with small_disk(2) as disk, closing(open_store(disk.folder / "data")) as log:
        scan = add(log, *BRIGHTS)
        disk.fill()
        fault = log.fault()
        assert fault is not None
        assert fault.reason == "full"
        with raises_text(LogWriteError, match="free some space") as refused:
            add(log, *BRIGHTS, picture=b"x" * 10_000)
        assert refused.value.reason == "full"
        assert log.scans.get(scan.id) == scan
        disk.free()
        assert log.fault() is None
        add(log, *BRIGHTS, picture=b"y" * 10_000)
        assert len(list(log.scans.all())) == 2


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps the files of users apart by itself")
def test_files_are_private_to_the_user(folder: Path) -> None:
    """Every user of the machine could read photographs of the home and the pairings."""
    folder.mkdir()
    for name in ("devices.json", "evidence/ab/old.jpg", "decks/house/cards.json", "log.sqlite3.damaged-1"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"{}")
    somebodys = folder / "my letters.txt"
    somebodys.write_text("not ours")
    somebodys.chmod(0o644)
    folder.chmod(0o755)
    log = open_log(folder, Notices(folder))
    add(log, *BRIGHTS)
    wrong = [
        path
        for path in (folder, *folder.rglob("*"))
        if stat.S_IMODE(path.stat().st_mode) & 0o077 and path != somebodys
    ]
    log.close()
    assert wrong == []
    assert stat.S_IMODE(somebodys.stat().st_mode) == 0o644


def _damage(path: Path, table: str) -> None:
    """Overwrite the root page of a table."""
    with closing(sqlite3.connect(path)) as db:
        size = db.execute("PRAGMA page_size").fetchone()[0]
        root = db.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", [table]).fetchone()[0]
    with path.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xa5" * size)


def test_damage_found_while_running_stops_only_what_needs_it(log: Store, folder: Path) -> None:
    """One damaged page made every request end in 500, health included."""
    scan = add(log, *BRIGHTS)
    log.house_rules.save("House", PRESETS["koikoi-hu"], "a test")
    log.close()
    _damage(folder / "log.sqlite3", "house_rules")
    hurt = open_store(folder)
    try:
        with raises_text(LogReadError, match="cannot be read here"):
            hurt.house_rules.all()
        assert hurt.scans.get(scan.id) == scan
        add(hurt, *BRIGHTS)
        assert hurt.fault() is None
    finally:
        hurt.close()
