"""Backups of a data folder: consistent, checked by restoring, and restored as a whole.

A backup is a folder (or a ZIP file of one) with the database as one file, the pictures that it refers to, decks, layouts,
devices and settings, and a manifest with all checksums. Pictures never change, so within one file system they are hard links,
and a nightly backup takes little more space than the database.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from companion.files import sync_folder, write_json
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message
from companion.store.data_folder import BACKUPS, EVIDENCE, SET_ASIDE, other_files
from companion.store.errors import LogUnusableError
from companion.store.sqlite_database import DATABASE, LOG_MARKER, SIDE_FILES, SqliteDatabase, reason_of
from companion.store.timestamps import now_utc

_SECRET_TABLES: Final = ("access_values", "pairings", "invitations")
"""Tables with keys and tokens of paired phones."""
_COUNTS: Final = """
    SELECT (SELECT count(*) FROM scans), count(*) FILTER (WHERE seq = 1), count(*) FROM table_events
"""
_MANIFEST: Final = "manifest.json"
_FORMAT: Final = 1
_MAX_DAILY: Final = 7
"""Number of nightly backups that are kept: most mistakes are noticed within a week."""
_MAX_WEEKLY: Final = 4
"""Number of older weeks of which the newest backup is kept."""
_UNFINISHED: Final = ".part"
_LOCK: Final = "unfinished.lock"
"""A file in the folder of an unfinished copy that is locked as long as its process runs."""
_ZIP: Final = ".zip"


class BackupError(BadRequestError):
    """Raised if a backup cannot be made, or is incomplete or damaged."""

    code = "bad-backup"


@dataclass(frozen=True, slots=True)
class Manifest:
    """The contents of a backup."""

    format: int
    time: str
    """ISO 8601 in UTC."""
    scans: int
    tables: int
    events: int
    files: dict[str, str]
    """SHA-256 of each file except the pictures, by its path in the backup."""
    pictures: list[str]
    """Paths of the pictures in the backup; their names are their SHA-256."""
    missing: list[str]
    """SHA-256 of pictures to which the database refers but which did not exist."""

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of scans, tables and events, for display."""
        return {"scans": self.scans, "tables": self.tables, "events": self.events}


def create_backup(folder: Path, target: Path) -> Manifest:
    """Back up data folder ``folder`` to ``target``, a new folder or ``.zip`` file; the log may be in use meanwhile.

    Raises `BackupError` if there is nothing to back up, the database is damaged, or the target cannot be written.
    """
    with _copying(folder, target), staging(target) as unfinished:
        copy = unfinished / "backup"
        copy.mkdir(mode=0o700)
        manifest = _collect(folder, copy)
        if target.suffix == _ZIP:
            copy = _zip(copy, unfinished / "backup.zip")
        copy.rename(target)
        sync_folder(target.parent)
    return manifest


def backup_nightly(folder: Path) -> Path | None:
    """Make today's backup in the data folder, check it, and remove old ones.

    Returns its path; None if nothing has changed since the previous one. The check restores it into a temporary folder. Raises
    `BackupError`.
    """
    backups = folder / BACKUPS
    target = backups / datetime.now().astimezone().strftime("%Y-%m-%d")
    previous = max(_nightly(folder), default=None)
    if previous == target:
        return None
    manifest = create_backup(folder, target)
    if previous is not None and replace(read_manifest(previous), time=manifest.time) == manifest:
        shutil.rmtree(target, ignore_errors=True)
        return None
    with staging(backups / "check") as trial:
        restore(target, trial / "data", check_pictures=False)
    for old in _superseded(_nightly(folder)):
        if old != target:  # it looks old if the clock is behind
            shutil.rmtree(old, ignore_errors=True)
    return target


def publish_database(folder: Path, target: Path) -> None:
    """Copy the database of a data folder to a new file without the tables that let a phone in.

    Raises `BackupError` if there is no database, or the target exists or cannot be written.
    """
    with _copying(folder, target), staging(target) as unfinished:
        published = unfinished / DATABASE
        _copy_database(folder / DATABASE, published)
        with closing(sqlite3.connect(published, isolation_level=None)) as copy:
            for table in _SECRET_TABLES:
                copy.execute(f"DROP TABLE {table}")
            copy.execute("VACUUM")  # dropped rows stay in the file's free pages otherwise
        published.rename(target)


def backups_by_time(folder: Path) -> list[Path]:
    """Return the backups in a data folder, the newest first; last those of the future, which were made when the clock was wrong."""
    found, now = list[tuple[bool, str, Path]](), now_utc("seconds")
    for path in (folder / BACKUPS).glob(f"*/{_MANIFEST}"):
        with suppress(BackupError):
            time = read_manifest(path.parent).time
            found.append((time <= now, time, path.parent))
    return [path for *_, path in sorted(found, reverse=True)]


def read_manifest(backup: Path) -> Manifest:
    """Return the manifest of a backup folder; raises `BackupError` if it is not a valid one."""
    path = backup / _MANIFEST
    try:
        manifest = Manifest(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise BackupError(Message("backup-no-manifest", {"path": str(backup), "file": _MANIFEST})) from error
    if manifest.format != _FORMAT:
        raise BackupError(Message("backup-other-version", {"path": str(backup)}))
    return manifest


def restore(source: Path, folder: Path, *, check_pictures: bool = True) -> tuple[Manifest, Path | None]:
    """Restore a backup into a data folder after checking all of it.

    Returns the manifest, and the folder to which the previous data was moved (None: there was none).

    Raises `BackupError` and leaves ``folder`` unchanged if the backup is damaged. ``check_pictures``: whether to verify the
    pictures' checksums too. The caller must hold the folder's lock.
    """
    try:
        with staging(folder / "restored") as unfinished, _opened(source, unfinished) as backup:
            staged = unfinished / "data"
            staged.mkdir(mode=0o700)
            manifest = _stage(backup, staged, check_pictures=check_pictures)
            aside = _set_aside(folder)
            # The database comes last: if this is interrupted, the next start notices that it is missing.
            for path in sorted(staged.iterdir(), key=lambda each: each.name == DATABASE):
                path.rename(folder / path.name)
            (folder / LOG_MARKER).write_text(manifest.time, encoding="utf-8")
            sync_folder(folder)
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        values = {"path": str(source), "folder": str(folder), "reason": reason}
        raise BackupError(Message("backup-not-restored", values)) from error
    return manifest, aside


def restore_database(backup: Path, folder: Path) -> None:
    """Restore only the database of a backup and missing pictures, into a folder without a database."""
    with staging(folder / "restored") as unfinished:
        staged = unfinished / "data"
        staged.mkdir(mode=0o700)
        _stage(backup, staged, check_pictures=False)
        for picture in (staged / EVIDENCE).glob("??/*"):
            path = folder / picture.relative_to(staged)
            if not path.exists():
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                picture.rename(path)
        (staged / DATABASE).rename(folder / DATABASE)
        sync_folder(folder)


# --- unfinished copies


@contextmanager
def staging(target: Path) -> Iterator[Path]:
    """Yield a new folder beside ``target`` for what is not finished. If this process is killed, `remove_unfinished` removes it."""
    unfinished = target.with_name(target.name + _UNFINISHED)
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    remove_unfinished(target.parent)
    unfinished.mkdir(mode=0o700, exist_ok=True)
    try:
        with FileLock(unfinished / _LOCK, timeout=0):
            yield unfinished
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def remove_unfinished(folder: Path) -> None:
    """Remove what killed processes left in a folder: that whose lock nobody has."""
    for lock in folder.glob(f"*{_UNFINISHED}/{_LOCK}"):
        with suppress(Timeout, OSError), FileLock(lock, timeout=0):
            shutil.rmtree(lock.parent, ignore_errors=True)


# --- creating


@contextmanager
def _copying(folder: Path, target: Path) -> Iterator[None]:
    """Check that ``folder`` has a database and ``target`` is new; raise errors of database and disk as `BackupError`."""
    if not (folder / DATABASE).exists():
        raise BackupError(Message("backup-no-log", {"folder": str(folder)}))
    if target.exists():
        raise BackupError(Message("backup-exists", {"path": str(target)}))
    try:
        yield
    except sqlite3.Error as error:
        raise BackupError(
            Message("backup-not-read", {"folder": str(folder), "reason": str(error)})
        ) from error
    except OSError as error:
        raise BackupError(
            Message("backup-not-written", {"path": str(target), "reason": error.strerror or str(error)})
        ) from error


def _collect(folder: Path, into: Path) -> Manifest:
    _copy_database(folder / DATABASE, into / DATABASE)
    with closing(sqlite3.connect(into / DATABASE)) as copy:
        faults = [row[0] for row in copy.execute("PRAGMA integrity_check(1)")]
        if faults != ["ok"]:
            raise BackupError(
                Message("backup-log-damaged", {"folder": str(folder), "reason": str(faults[0])})
            )
        scans, tables, events = copy.execute(_COUNTS).fetchone()
        named = sorted(
            row[0] for row in copy.execute("SELECT sha256 FROM scans UNION SELECT sha256 FROM table_pictures")
        )
    pictures, missing = list[str](), list[str]()
    for sha256 in named:
        found = next((folder / EVIDENCE / sha256[:2]).glob(f"{sha256}.*"), None)
        if found is None:
            missing.append(sha256)
            continue
        name = found.relative_to(folder).as_posix()
        _link(found, into / name)
        pictures.append(name)
    files = {DATABASE: _sha256(into / DATABASE)}
    for path in other_files(folder):
        name = path.relative_to(folder).as_posix()
        (into / name).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.copyfile(path, into / name)
        (into / name).chmod(0o600)
        files[name] = _sha256(into / name)
    manifest = Manifest(_FORMAT, now_utc("seconds"), scans, tables, events, files, pictures, missing)
    write_json(into / _MANIFEST, asdict(manifest))
    return manifest


def _copy_database(source: Path, target: Path) -> None:
    """Copy a database in one step; a copy in several steps would restart whenever another process writes."""
    os.close(os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    with (
        closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=rw", uri=True)) as opened,
        closing(sqlite3.connect(target)) as copy,
    ):
        opened.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # a single file, without -wal and -shm


def _zip(folder: Path, target: Path) -> Path:
    """Pack a folder into a new ZIP file, and return its path."""
    handle = os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w+b") as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    name = path.relative_to(folder).as_posix()
                    # Pictures are compressed already.
                    kind = zipfile.ZIP_STORED if name.startswith(EVIDENCE) else zipfile.ZIP_DEFLATED
                    archive.write(path, name, compress_type=kind)
        file.flush()
        os.fsync(file.fileno())
    return target


def _link(source: Path, target: Path) -> None:
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:  # another file system, or one without links
        shutil.copyfile(source, target)
        target.chmod(0o600)


# --- keeping


def _nightly(folder: Path) -> list[Path]:
    return [path for path in (folder / BACKUPS).glob("????-??-??") if (path / _MANIFEST).exists()]


def _superseded(backups: list[Path]) -> list[Path]:
    """Return the backups to delete: all but the newest `_MAX_DAILY`, and of older ones the newest of `_MAX_WEEKLY` weeks."""
    newest_first = sorted(backups, reverse=True)
    weeks: dict[tuple[int, int], Path] = {}
    for path in newest_first[_MAX_DAILY:]:
        try:
            year, week, _ = datetime.strptime(path.name, "%Y-%m-%d").isocalendar()
        except ValueError:
            continue  # a folder of the user's
        weeks.setdefault((year, week), path)
    kept = {*newest_first[:_MAX_DAILY], *list(weeks.values())[:_MAX_WEEKLY]}
    return [path for path in newest_first if path not in kept]


# --- restoring


@contextmanager
def _opened(source: Path, folder: Path) -> Iterator[Path]:
    """Yield a backup as a folder; a ZIP file is unpacked in a new folder within ``folder``."""
    if source.is_dir():
        yield source
        return
    if not source.exists():
        raise BackupError(Message("backup-missing", {"path": str(source)}))
    unpacked = folder / "unpacked"
    try:
        with zipfile.ZipFile(source) as archive:
            archive.extractall(unpacked)  # rejects names outside of the folder
    except (zipfile.BadZipFile, OSError, EOFError, ValueError) as error:
        raise BackupError(
            Message("backup-incomplete", {"path": str(source), "reason": str(error)})
        ) from error
    yield unpacked


def _stage(backup: Path, staged: Path, *, check_pictures: bool) -> Manifest:
    """Copy and check the files in a backup's manifest, and migrate the database; raises `BackupError`, and `OSError` or `sqlite3.Error` of the disk."""
    manifest = read_manifest(backup)
    for name, sha256 in manifest.files.items():
        path = _path_inside(staged, name)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _copy_file(backup / name, path)
        if _sha256(path) != sha256:
            raise BackupError(Message("backup-file-damaged", {"path": str(backup / name)}))
    for name in manifest.pictures:
        path = _path_inside(staged, name)
        try:
            _link(backup / name, path)
        except FileNotFoundError:
            raise BackupError(Message("backup-lacks", {"file": str(name)})) from None
        if check_pictures and _sha256(path) != path.stem:
            raise BackupError(Message("backup-file-damaged", {"path": str(backup / name)}))
    database = staged / DATABASE
    try:
        with closing(sqlite3.connect(database)) as opened:
            faults = [row[0] for row in opened.execute("PRAGMA integrity_check(1)")]
            if faults != ["ok"]:
                raise BackupError(
                    Message("backup-database-damaged", {"path": str(backup), "reason": str(faults[0])})
                )
        SqliteDatabase(database).close()
    except LogUnusableError as error:
        raise BackupError(Message("backup-other-version", {"path": str(backup)})) from error
    except sqlite3.Error as error:
        if reason_of(error) not in {None, "damaged"}:
            raise  # the disk is full or fails: an older backup is no better
        raise BackupError(
            Message("backup-database-damaged", {"path": str(backup), "reason": str(error)})
        ) from error
    for name in (LOG_MARKER, *(DATABASE + suffix for suffix in SIDE_FILES)):
        (staged / name).unlink(missing_ok=True)
    return manifest


def _copy_file(source: Path, target: Path) -> None:
    try:
        shutil.copyfile(source, target)
    except FileNotFoundError:
        raise BackupError(Message("backup-lacks", {"file": source.name})) from None
    target.chmod(0o600)
    handle = os.open(target, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _path_inside(folder: Path, name: str) -> Path:
    """Return the path for a name in a manifest; raises `BackupError` if it is outside of the folder."""
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise BackupError(Message("backup-file-outside", {"file": str(name)}))
    return path


def _set_aside(folder: Path) -> Path | None:
    """Move the data that a restored backup replaces to a new folder, and return that folder."""
    moved = {path.relative_to(folder).parts[0] for path in other_files(folder)}
    moved |= {EVIDENCE, DATABASE, *(DATABASE + suffix for suffix in SIDE_FILES)}
    present = [name for name in sorted(moved) if (folder / name).exists()]
    if not present:
        return None
    stem = f"{SET_ASIDE}-{datetime.now().astimezone():%Y-%m-%d}"
    number = 1
    while (aside := folder / f"{stem}-{number}").exists():
        number += 1
    aside.mkdir(mode=0o700)
    for name in present:
        (folder / name).rename(aside / name)
    return aside


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
