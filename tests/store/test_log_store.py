"""The log on disk: immutable facts, durability, threads, faults and old drafts."""

from __future__ import annotations

import errno
import hashlib
import os
import sqlite3
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from log_helpers import BRIGHTS, add

from companion.store import LogUnusableError, LogWriteError, NoSuchScanError, scans
from companion.store.scan_records import DRAFT_DAYS, Changes
from companion.store.store import Store, open_store
from companion.store.timestamps import SettledClock
from tests.message_text import raises_text

HERE = Path(__file__).parent


def evidence_files(folder: Path) -> list[Path]:
    return sorted(path for path in (folder / "evidence").rglob("*") if path.is_file())


def rows(folder: Path, table: str) -> int:
    connection = sqlite3.connect(folder / "log.sqlite3")
    try:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    finally:
        connection.close()


def test_a_scan_comes_back_as_it_was_stored(log: Store, folder: Path) -> None:
    stored = add(log, *BRIGHTS, None, game="koikoi")
    log.close()
    again = open_store(folder)
    try:
        assert again.scans.get(stored.id) == stored
        assert stored.score is not None
        assert stored.score.answer["total"] == 5
    finally:
        again.close()


def test_a_picture_is_named_by_the_hash_of_its_bytes(log: Store, folder: Path) -> None:
    sha256 = hashlib.sha256(b"a picture").hexdigest()
    assert add(log).sha256 == sha256
    assert evidence_files(folder) == [folder / "evidence" / sha256[:2] / f"{sha256}.jpg"]
    assert evidence_files(folder)[0].read_bytes() == b"a picture"


def test_the_database_is_set_up_to_lose_nothing(log: Store) -> None:
    database = log.database.writer
    assert database.journal_mode == "wal"
    assert database.execute("PRAGMA synchronous").fetchone()[0] == 2
    assert database.execute("PRAGMA foreign_keys").fetchone()[0] == 1
    assert all(table.strict for table in database.tables if not table.name.startswith("_"))


@pytest.mark.parametrize("table", ["readings", "corrections", "scores"])
def test_facts_are_never_changed(log: Store, folder: Path, table: str) -> None:
    """Not even by a program that writes to the database directly."""
    scan = add(log, *BRIGHTS, game="koikoi")
    log.scans.change(scan.id, Changes(corrections=[(0, "pine-ribbon")]), "a test")
    connection = sqlite3.connect(folder / "log.sqlite3")
    try:
        with pytest.raises(sqlite3.IntegrityError, match="never changed"):
            connection.execute(f"UPDATE {table} SET scan = scan")
    finally:
        connection.close()


def test_every_score_is_kept(log: Store, folder: Path) -> None:
    scan = add(log, *BRIGHTS, game="koikoi")
    log.scans.change(scan.id, Changes(corrections=[(0, "pine-ribbon")]), "Aki")
    log.scans.change(scan.id, Changes(settings={"rules": "koikoi-hu"}), "Aki")
    log.scans.change(scan.id, Changes(note="nothing to score"), "Aki")
    assert rows(folder, "scores") == 3


def test_ids_sort_by_time_and_no_two_are_alike(log: Store) -> None:
    ids = [add(log).id for _ in range(50)]
    assert len(set(ids)) == 50
    assert {len(scan_id) for scan_id in ids} == {13}
    assert [scan.id for scan in log.scans.all()] == sorted(ids)
    now = datetime.now(UTC)
    assert (
        scans._new_id(now)
        < scans._new_id(now + timedelta(milliseconds=1))
        < scans._new_id(now + timedelta(days=9))
    )


def test_deleting_takes_everything_along(log: Store, folder: Path) -> None:
    scan = add(log, *BRIGHTS, game="koikoi")
    log.scans.change(scan.id, Changes(corrections=[(0, "pine-ribbon")]), "a test")
    log.scans.delete(scan.id)
    assert [rows(folder, table) for table in ("scans", "readings", "corrections", "scores")] == [0, 0, 0, 0]
    assert evidence_files(folder) == []
    with raises_text(NoSuchScanError, match=scan.id):
        log.scans.get(scan.id)
    with pytest.raises(NoSuchScanError):
        log.scans.delete(scan.id)


def test_a_picture_stays_while_a_scan_refers_to_it(log: Store, folder: Path) -> None:
    first, second = add(log), add(log)
    log.scans.delete(first.id)
    assert len(evidence_files(folder)) == 1
    log.scans.delete(second.id)
    assert evidence_files(folder) == []


@pytest.mark.usefixtures("settled_clock")
def test_old_drafts_go_kept_scans_and_young_drafts_stay(
    log: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = datetime.now(UTC) - timedelta(days=DRAFT_DAYS, minutes=1)

    class LastWeek(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:
            return old

    with monkeypatch.context() as patched:
        patched.setattr(scans, "datetime", LastWeek)
        patched.setattr(SettledClock, "__call__", lambda clock: old)
        removed = add(log, picture=b"gone")
        kept = add(log, picture=b"kept")
        log.scans.change(kept.id, Changes(kept=True), "a test")
    assert log.scans.prune() == 1
    young = add(log, picture=b"young")
    assert [scan.id for scan in log.scans.all()] == sorted([kept.id, young.id])
    assert len(evidence_files(folder)) == 2
    with pytest.raises(NoSuchScanError):
        log.scans.get(removed.id)


def test_pruning_sweeps_up_what_a_killed_process_left(log: Store, folder: Path) -> None:
    scan = add(log)
    orphan = log.pictures.put(b"written, but its row never came", "image/png")
    unfinished = log.pictures.path(orphan, "image/png").with_name("tmp1234.part")
    unfinished.write_bytes(b"half a pic")
    log.scans.prune()
    assert [path.stem for path in evidence_files(folder)] == [scan.sha256]


def test_a_full_disk_stores_nothing(log: Store, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with raises_text(LogWriteError, match=r"No space left on device.*nothing was stored"):
            add(log)
    assert evidence_files(folder) == []
    assert rows(folder, "scans") == 0
    add(log)
    assert rows(folder, "scans") == 1


def test_a_full_database_leaves_a_scan_as_it_was(log: Store) -> None:
    scan = add(log, *BRIGHTS, game="koikoi")
    pages = log.database.writer.execute("PRAGMA page_count").fetchone()[0]
    log.database.writer.execute(f"PRAGMA max_page_count = {pages}")
    before = log.scans.get(scan.id)
    with raises_text(LogWriteError, match="full"):
        log.scans.change(scan.id, Changes(note="x" * 100_000, corrections=[(0, "pine-ribbon")]), "a test")
    assert log.scans.get(scan.id) == before


@pytest.mark.parametrize("lies_there", ["a file", "a folder that is no log", "a damaged log"])
def test_what_is_no_log_is_refused_with_a_sentence(tmp_path: Path, lies_there: str) -> None:
    folder = tmp_path / "data"
    if lies_there == "a file":
        folder.write_text("not a folder")
    else:
        folder.mkdir()
        database = folder / "log.sqlite3"
        if lies_there == "a damaged log":
            database.write_bytes(b"SQLite format 2" * 100)
        else:
            database.mkdir()
    with raises_text(LogUnusableError, match=r"--data"):
        open_store(folder)


def test_many_threads_write_at_once(log: Store) -> None:
    """One phone per thread, as in the server: no change is lost or incomplete."""
    scan = add(log, *BRIGHTS, *[None] * 8, game="koikoi")
    chaff = [
        f"{flower}-chaff-1"
        for flower in ("pine", "plum", "cherry", "wisteria", "iris", "peony", "clover", "maple")
    ]
    failures: list[BaseException] = []

    def person(place: int) -> None:
        try:
            log.scans.change(scan.id, Changes(corrections=[(3 + place, chaff[place])]), f"phone {place}")
            for _ in range(5):
                add(log, *BRIGHTS, picture=bytes([place]), game="koikoi")
                list(log.scans.all())
        except BaseException as error:
            failures.append(error)

    people = [threading.Thread(target=person, args=(place,)) for place in range(len(chaff))]
    for each in people:
        each.start()
    for each in people:
        each.join()
    assert failures == []
    assert {card["card"] for card in log.scans.get(scan.id).cards} == {*BRIGHTS, *chaff}
    assert len(list(log.scans.all())) == 1 + 5 * len(chaff)


def test_two_processes_start_on_a_new_folder_together(folder: Path) -> None:
    """Both find no tables; one creates them, the other waits."""
    script = "import sys; from pathlib import Path; from companion.store.store import open_store; open_store(Path(sys.argv[1])).close()"
    processes = [subprocess.Popen([sys.executable, "-c", script, str(folder)]) for _ in range(3)]
    assert [process.wait(60) for process in processes] == [0, 0, 0]


def test_nothing_acknowledged_is_lost_when_the_writer_is_killed(folder: Path) -> None:
    """The writer prints each id once it is stored, and is killed by SIGKILL meanwhile."""
    for round_ in range(3):
        writer = subprocess.Popen(
            [sys.executable, str(HERE / "writer.py"), str(folder)], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None
        with writer.stdout:
            acknowledged = [writer.stdout.readline().strip() for _ in range(20 + 7 * round_)]
            writer.kill()
            acknowledged += [line.strip() for line in writer.stdout if line.endswith("\n")]
        writer.wait()
        log = open_store(folder)
        try:
            assert log.database.writer.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
            log.scans.prune()
            for scan_id in acknowledged:
                scan = log.scans.get(scan_id)
                picture = log.pictures.path(scan.sha256, scan.media_type).read_bytes()
                assert hashlib.sha256(picture).hexdigest() == scan.sha256
                assert scan.cards[0]["card"] == "pine-ribbon"
            assert {path.stem for path in evidence_files(folder)} == {scan.sha256 for scan in log.scans.all()}
        finally:
            log.close()
