"""Faults of the disk when the server starts: it reads what it can, says what is missing, and recovers by itself; nothing is damage."""

from __future__ import annotations

import os
import resource
import secrets
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest
from log_helpers import BRIGHTS, add

from companion.messages import error_text
from companion.store import LogReadError, LogUnusableError, LogWriteError
from companion.store.backup import create_backup
from companion.store.notices import Notices
from companion.store.recovery import open_for_server
from companion.store.store import Store, open_store
from companion.table.events import NewEvent
from tests.message_text import raises_text
from tests.postgres import Cluster
from tests.small_disk import SmallDisk, small_disk

OPENED = NewEvent("opened", {"note": secrets.token_hex(50_000)})
"""Larger than the free space in the pages of a database."""
LOCKER = (
    "import sqlite3, sys; db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
    "db.execute('PRAGMA locking_mode = EXCLUSIVE'); db.execute('BEGIN EXCLUSIVE'); db.execute('COMMIT')\n"
    "print('locked', flush=True); sys.stdin.read()"
)


@pytest.fixture(autouse=True)
def check_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.store.store._FAULT_CHECK_S", -1.0)
    monkeypatch.setattr("companion.store.sqlite_database.BUSY_S", 0.1)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk() as disk:
        yield disk


def started(folder: Path) -> Store:
    return open_for_server(folder, Notices(folder))


def with_a_table(folder: Path) -> str:
    with closing(started(folder)) as log:
        add(log, *BRIGHTS)
        return log.tables.create(OPENED, actor="a test", source="program")


def with_a_table_in_the_wal(folder: Path) -> str:
    """A server was killed: its last events are not in the database file yet, and the shared memory is gone after the restart."""
    saved = folder.with_name("killed")
    with closing(started(folder)) as log:
        table = log.tables.create(OPENED, actor="a test", source="program")
        shutil.copytree(folder, saved)
    shutil.rmtree(folder)
    saved.rename(folder)
    assert (folder / "log.sqlite3-wal").stat().st_size
    (folder / "log.sqlite3-shm").unlink()
    return table


def check_recovery(log: Store, reason: str, tables: list[str] | None, mend: Callable[[], object]) -> None:
    """The log reports the fault, reads ``tables`` (None: cannot be read), and is whole after ``mend``."""
    fault = log.fault()
    assert fault is not None
    assert fault.reason == reason
    with pytest.raises(LogWriteError) as refused:
        log.tables.create(OPENED, actor="a test", source="program")
    assert refused.value.reason == reason
    if tables is None:
        with pytest.raises(LogReadError):
            log.tables.list()
    else:
        assert [each.id for each in log.tables.list()] == tables
    mend()
    assert log.fault() is None
    new = log.tables.create(OPENED, actor="a test", source="program")
    assert {each.id for each in log.tables.list()} >= {new, *(tables or ())}


def untouched(folder: Path) -> bool:
    """Whether no file was set aside as damaged, and no notice reports a repair."""
    return not list(folder.glob("*damaged*")) and Notices(folder).all() == ()


@pytest.mark.parametrize("prepared", [with_a_table, with_a_table_in_the_wal])
def test_a_server_starts_on_a_full_disk(disk: SmallDisk, prepared: Callable[[Path], str]) -> None:
    """It ended with "the log cannot be checked or repaired: disk I/O error; … restore a backup"."""
    folder = disk.folder / "data"
    table = prepared(folder)
    disk.fill()
    with closing(started(folder)) as log:
        check_recovery(log, "full", [table], disk.free)
    with closing(started(folder)) as log:
        assert len(log.tables.list()) == 2
    assert untouched(folder)


def test_a_first_start_on_a_full_disk_shows_an_empty_log(disk: SmallDisk) -> None:
    disk.fill()
    with closing(started(disk.folder / "data")) as log:
        check_recovery(log, "full", [], disk.free)
    with closing(started(disk.folder / "data")) as log:
        assert len(log.tables.list()) == 1


def test_a_damaged_log_on_a_full_disk_is_repaired_once_there_is_space(disk: SmallDisk) -> None:
    """The backup could not be copied; an empty log in its place would have been filled and stayed."""
    folder = disk.folder / "data"
    table = with_a_table(folder)
    create_backup(folder, folder / "backups" / "2026-11-20")
    (folder / "log.sqlite3").write_bytes(b"a letter to grandmother " * 1000)
    disk.fill()
    with closing(started(folder)) as log:
        check_recovery(log, "full", None, disk.free)
        assert table in {each.id for each in log.tables.list()}
    assert [each.code for each in Notices(folder).all()] == ["log-restored"]


def test_a_server_starts_on_a_read_only_disk(disk: SmallDisk) -> None:
    """A memory card that fails is mounted read-only; the restarted server ended with "make the folder writable"."""
    folder = disk.folder / "data"
    table = with_a_table(folder)
    disk.allow_writing(False)
    with closing(started(folder)) as log:
        check_recovery(log, "read-only", [table], lambda: disk.allow_writing(True))
    assert untouched(folder)


@contextmanager
def locked(folder: Path) -> Iterator[Callable[[], object]]:
    """Another program has the whole database locked."""
    command = [sys.executable, "-c", LOCKER, str(folder / "log.sqlite3")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"locked\n"
        yield process.communicate


@contextmanager
def without_descriptors(folder: Path) -> Iterator[Callable[[], object]]:
    """The process has as many open files as it may have."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)

    def mend() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)

    lowest = os.dup(0)
    os.close(lowest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, before[1]))
    try:
        yield mend
    finally:
        mend()


@contextmanager
def without_large_files(folder: Path) -> Iterator[Callable[[], object]]:
    """The user's files may not grow, as with a quota."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def mend() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        yield mend
    finally:
        mend()


@contextmanager
def of_another_user(folder: Path) -> Iterator[Callable[[], object]]:
    """The database belongs to a user whose files this one may not open."""
    if os.geteuid() != 0:
        pytest.skip("no right to become another user")
    nobody = 65534
    for each in (folder, *folder.rglob("*")):
        os.chown(each, nobody, nobody)
    os.chown(folder / "log.sqlite3", 0, 0)
    os.seteuid(nobody)

    def mend() -> None:
        os.seteuid(0)
        os.chown(folder / "log.sqlite3", nobody, nobody)
        os.seteuid(nobody)

    try:
        yield mend
    finally:
        os.seteuid(0)


@pytest.mark.skipif(sys.platform != "linux", reason="limits and users of Unix")
@pytest.mark.parametrize(
    ("fault", "reason", "readable"),
    [
        (locked, "busy", False),
        (without_descriptors, "failed", False),
        (without_large_files, "full", True),
        (of_another_user, "failed", False),
    ],
)
def test_a_server_starts_whatever_the_system_refuses(
    fault: Callable[[Path], AbstractContextManager[Callable[[], object]]],
    reason: str,
    readable: bool,
) -> None:
    """Each was an end of the server with advice to restore a backup."""
    with TemporaryDirectory() as parent:
        folder = Path(parent) / "data"  # no user may see what is in the folders of pytest
        Path(parent).chmod(0o755)
        table = with_a_table(folder)
        with fault(folder) as mend, closing(started(folder)) as log:
            check_recovery(log, reason, [table] if readable else None, mend)
            assert table in {each.id for each in log.tables.list()}
        assert untouched(folder)


def test_commands_read_a_log_on_a_full_disk(disk: SmallDisk) -> None:
    """To export the evenings is what people want then."""
    folder = disk.folder / "data"
    table = with_a_table(folder)
    disk.fill()
    with closing(open_store(folder)) as log:
        assert [each.id for each in log.tables.list()] == [table]
        with raises_text(LogWriteError, match="free some space"):
            add(log, *BRIGHTS, picture=b"another")


def test_commands_do_not_call_a_locked_log_damaged(folder: Path) -> None:
    with_a_table(folder)
    with locked(folder), raises_text(LogUnusableError, match="close the other program") as refused:
        open_store(folder)
    assert "backup" not in error_text(refused.value)


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        (sqlite3.SQLITE_FULL, "free some space"),
        (sqlite3.SQLITE_IOERR, "check the disk"),
        (sqlite3.SQLITE_CORRUPT, "restore a backup"),
    ],
)
def test_a_read_that_fails_advises_what_helps(log: Store, code: int, advice: str) -> None:
    """A full temporary folder gave the advice to restore a backup."""
    error = sqlite3.OperationalError("it did not work")
    error.sqlite_errorcode = code
    with raises_text(LogReadError, match=advice), log.database.reading():
        raise error


def test_a_server_starts_with_a_database_that_is_read_only(
    postgres_cluster: Cluster, postgres_url: str, tmp_path: Path
) -> None:
    """Each start wrote the version of the schema again, and ended with "check it with `psql`, or use another database"."""

    def allow_writing(allowed: bool) -> None:
        name = psycopg.conninfo.conninfo_to_dict(postgres_url)["dbname"]
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute("SET default_transaction_read_only = off")
            value = "off" if allowed else "on"
            connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = {value}")
        postgres_cluster.cut(postgres_url)

    with closing(open_for_server(tmp_path, Notices(tmp_path), postgres_url)) as log:
        table = log.tables.create(OPENED, actor="a test", source="program")
    allow_writing(False)
    with closing(open_for_server(tmp_path, Notices(tmp_path), postgres_url)) as log:
        check_recovery(log, "read-only", [table], lambda: allow_writing(True))


def test_a_server_starts_with_a_database_on_a_full_disk(postgres_cluster: Cluster, tmp_path: Path) -> None:
    with postgres_cluster.small_database(16) as (disk, url):
        with closing(open_for_server(tmp_path, Notices(tmp_path), url)) as log:
            table = log.tables.create(OPENED, actor="a test", source="program")
        disk.fill()
        with closing(open_for_server(tmp_path, Notices(tmp_path), url)) as log:
            check_recovery(log, "full", [table], disk.free)
