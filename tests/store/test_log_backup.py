"""Backups: complete, checked, restored; and the nightly ones."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from log_helpers import BRIGHTS, add

from api.monitoring.background import NightlyBackup, is_due
from companion.messages import render
from companion.store import backup
from companion.store.backup import (
    BackupError,
    _superseded,
    backup_nightly,
    backups_by_time,
    create_backup,
    restore,
)
from companion.store.folder_lock import folder_lock
from companion.store.notices import Notices
from companion.store.recovery import open_for_server as open_log
from companion.store.scan_records import Changes
from companion.store.store import open_store
from companion.store.timestamps import iso_utc


@pytest.fixture
def filled(folder: Path) -> Path:
    """A data folder with scans, a deck, a layout, and settings."""
    log = open_log(folder, Notices(folder))
    for number in range(3):
        scan = add(log, *BRIGHTS, picture=b"%d" % number * 100, game="koikoi")
        log.scans.change(scan.id, Changes(kept=True, note=f"no. {number}"), "a test")
    log.close()
    for name in (
        "decks/house/deck.json",
        "layouts/aaaaaa.json",
        "tags/tags.json",
        "devices.json",
        "settings.toml",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"# {name}")
    return folder


def content(folder: Path) -> dict[str, object]:
    """Return the contents of a folder, for comparison."""
    log = open_store(folder)
    try:
        scans = [scan.to_json() for scan in log.scans.all()]
        pictures = {
            scan.sha256: log.pictures.path(scan.sha256, scan.media_type).read_bytes()
            for scan in log.scans.all()
        }
    finally:
        log.close()
    names = (
        "decks/house/deck.json",
        "layouts/aaaaaa.json",
        "tags/tags.json",
        "devices.json",
        "settings.toml",
    )
    return {"scans": scans, "pictures": pictures, **{name: (folder / name).read_text() for name in names}}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "companion.cli", "log", *arguments],
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("name", ["copy", "copy.zip"])
def test_what_is_restored_is_what_was_backed_up(filled: Path, tmp_path: Path, name: str) -> None:
    before = content(filled)
    made = run("backup", "--to", str(tmp_path / name), "--data", str(filled))
    assert made.returncode == 0, made.stderr
    assert "3 scans" in made.stdout
    restored = run("restore", str(tmp_path / name), "--data", str(tmp_path / "elsewhere"), "--json")
    assert restored.returncode == 0, restored.stderr
    assert json.loads(restored.stdout)["scans"] == 3
    assert content(tmp_path / "elsewhere") == before


def test_what_was_there_is_set_aside(filled: Path, tmp_path: Path) -> None:
    create_backup(filled, tmp_path / "copy")
    before = content(filled)
    log = open_store(filled)
    add(log, *BRIGHTS, picture=b"later")
    log.close()
    later = content(filled)
    _, aside = restore(tmp_path / "copy", filled)
    assert content(filled) == before
    assert aside is not None
    assert content(aside) == later


def test_a_backup_is_consistent_while_others_write(filled: Path, tmp_path: Path) -> None:
    log, ended = open_store(filled), threading.Event()

    def write() -> None:
        number = 0
        while not ended.is_set():
            add(log, *BRIGHTS, picture=b"w%d" % number, game="koikoi")
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        manifests = [create_backup(filled, tmp_path / f"copy{number}") for number in range(3)]
    finally:
        ended.set()
        writer.join()
        log.close()
    for number, manifest in enumerate(manifests):
        assert manifest.missing == []
        restore(tmp_path / f"copy{number}", tmp_path / f"restored{number}")
        with closing(sqlite3.connect(tmp_path / f"restored{number}" / "log.sqlite3")) as db:
            for table in ("scans", "readings", "scores"):
                assert db.execute(f"SELECT count(*) FROM {table}").fetchone() == (manifest.scans,)


@pytest.mark.parametrize(
    "harm", ["database", "deck", "picture", "picture gone", "manifest", "zip cut short", "outside"]
)
def test_a_backup_that_is_not_whole_changes_nothing(filled: Path, tmp_path: Path, harm: str) -> None:
    """Restoring half a backup over a good log would be worse than none."""
    source = tmp_path / ("copy.zip" if harm == "zip cut short" else "copy")
    create_backup(filled, source)
    before = content(filled)

    def overwrite(path: Path) -> None:
        data = path.read_bytes()
        path.unlink()  # pictures are links to the log's own
        path.write_bytes(data[:-20] + bytes(20))

    match harm:
        case "database":
            overwrite(source / "log.sqlite3")
        case "deck":
            overwrite(source / "decks/house/deck.json")
        case "picture":
            overwrite(next(source.glob("evidence/??/*")))
        case "picture gone":
            next(source.glob("evidence/??/*")).unlink()
        case "manifest":
            (source / "manifest.json").write_text("{")
        case "zip cut short":
            source.write_bytes(source.read_bytes()[:-500])
        case "outside":
            manifest = json.loads((source / "manifest.json").read_text())
            manifest["files"]["../../escaped"] = "0" * 64
            (source / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(BackupError):
        restore(source, filled)
    assert content(filled) == before
    assert not (tmp_path / "escaped").exists()
    assert list(filled.glob(".restore*")) == []


def test_a_running_servers_folder_is_not_restored_into(filled: Path, tmp_path: Path) -> None:
    create_backup(filled, tmp_path / "copy")
    with folder_lock(filled, "http://127.0.0.1:8420/"):
        refused = run("restore", str(tmp_path / "copy"), "--data", str(filled))
    assert refused.returncode == 2
    assert "in use" in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_a_damaged_log_does_not_replace_good_backups(filled: Path) -> None:
    create_backup(filled, filled / "backups" / "2026-11-20")
    with closing(sqlite3.connect(filled / "log.sqlite3")) as db:
        root, size = db.execute("SELECT rootpage, 4096 FROM sqlite_master WHERE name = 'readings'").fetchone()
    with (filled / "log.sqlite3").open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xa5" * size)
    failed = run("backup", "--nightly", "--data", str(filled))
    assert failed.returncode == 2
    assert failed.stderr.count("\n") == 1
    assert backups_by_time(filled)[0] == filled / "backups" / "2026-11-20"


def test_the_nights_backup_takes_no_room_for_pictures(filled: Path) -> None:
    made = backup_nightly(filled)
    assert made is not None
    for picture in made.glob("evidence/??/*"):
        assert picture.samefile(filled / picture.relative_to(made))
    assert backup_nightly(filled) is None  # one a night
    made.rename(made.with_name("2026-11-20"))
    assert backup_nightly(filled) is None  # nothing has changed
    log = open_store(filled)
    log.scans.delete(log.scans.newest()[0].id)
    log.close()
    again = backup_nightly(filled)
    assert again is not None
    assert list((filled / "backups").glob(".check*")) == []
    # The deleted scan's picture is still in the older backup.
    assert len(list((filled / "backups" / "2026-11-20").glob("evidence/??/*"))) == 3
    assert len(list(again.glob("evidence/??/*"))) == 2


def test_seven_days_and_four_weeks_are_kept() -> None:
    first = datetime(2026, 9, 1)
    nights = [Path((first + timedelta(days=day)).strftime("%Y-%m-%d")) for day in range(80)]
    kept = [path.name for path in nights if path not in _superseded(nights)]
    assert kept[-7:] == [path.name for path in nights[-7:]]
    assert kept[:-7] == ["2026-10-25", "2026-11-01", "2026-11-08", "2026-11-12"]


@pytest.mark.parametrize("days", [-20_000, 100])
def test_a_backup_that_was_made_while_the_clock_was_wrong_is_neither_lost_nor_the_newest(
    filled: Path, monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    """One of a day that had not come stayed the newest, so that it, and not the last night's, would replace a damaged database."""
    right = backup_nightly(filled)
    assert right is not None
    for week in range(16):  # more than are kept
        shutil.copytree(right, right.with_name(f"{date(2026, 7, 1) + timedelta(weeks=week)}"))
    with closing(open_store(filled)) as log:
        add(log)
    wrong = datetime.now(UTC) + timedelta(days=days)

    class Wrong(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:
            return wrong

    with monkeypatch.context() as patched:
        patched.setattr(backup, "datetime", Wrong)
        patched.setattr(backup, "now_utc", lambda precision: iso_utc(wrong, precision))
        made = backup_nightly(filled)
    assert made is not None
    assert made.exists()
    assert backups_by_time(filled)[0] == right


def test_a_backup_is_due_once_after_four_at_night(tmp_path: Path) -> None:
    evening = datetime(2026, 11, 21, 20, 0).astimezone()
    assert is_due(tmp_path, evening)
    last = tmp_path / "backups" / ".last"
    last.parent.mkdir()
    last.touch()
    for tried, now, due in (
        (evening, evening, False),
        (evening, evening.replace(day=22, hour=3), False),
        (evening, evening.replace(day=22, hour=4), True),
        (evening.replace(year=2031), evening, True),  # tried while the clock was wrong
    ):
        os.utime(last, (tried.timestamp(), tried.timestamp()))
        assert is_due(tmp_path, now) == due


def test_a_zip_file_has_no_names_that_lead_out(filled: Path, tmp_path: Path) -> None:
    create_backup(filled, tmp_path / "copy.zip")
    with zipfile.ZipFile(tmp_path / "copy.zip", "a") as archive:
        archive.writestr("../escaped.txt", "no")
    restore(tmp_path / "copy.zip", tmp_path / "elsewhere")
    assert not (tmp_path / "escaped.txt").exists()
    assert not list((tmp_path / "elsewhere").rglob("escaped*"))
    shutil.rmtree(tmp_path / "elsewhere")


def test_the_server_makes_the_nights_backup_and_reports_one_that_fails(filled: Path) -> None:
    notices = Notices(filled)

    def run_until(done: Callable[[], bool]) -> None:
        with NightlyBackup(filled, notices, first_s=0.01):
            end = time.monotonic() + 120
            while not done():
                assert time.monotonic() < end
                time.sleep(0.05)

    run_until(lambda: backups_by_time(filled) != [])
    assert notices.all() == ()
    (filled / "backups" / ".last").unlink()
    shutil.rmtree(backups_by_time(filled)[0])
    (filled / "log.sqlite3").write_bytes(b"not a database" * 1000)
    run_until(lambda: notices.all() != ())
    (notice,) = notices.all()
    assert notice.code == "backup-failed"
    assert "cannot be backed up" in render(notice.message)
