"""Checks a data folder before the server opens the log, and restores a backup in place of a damaged database; always with a notice.

The damaged file is renamed and never deleted. A full disk, errors of the disk,
and a log of another version of the program are no damage: then nothing is changed.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Final

from companion.files import sync_folder
from companion.hanafuda.messages import Message
from companion.messages import error_text
from companion.store.backup import BackupError, backups_by_time, remove_unfinished, restore_database
from companion.store.data_folder import BACKUPS, EVIDENCE, make_private
from companion.store.errors import LogReadError, LogUnusableError, LogWriteError
from companion.store.notices import Notices
from companion.store.schema import SQLITE, other_version
from companion.store.sqlite_database import (
    DATABASE,
    LOG_MARKER,
    SIDE_FILES,
    SqliteConnection,
    connect,
    read_error,
    reason_of,
)
from companion.store.store import Store, open_store

_log = logging.getLogger(__name__)

_FULL_CHECK_BYTES: Final = 64 * 2**20
"""Up to this size indexes are compared with their tables too (`integrity_check`, 100 MB/s); above it only the structure of
the pages is checked (`quick_check`), which takes a tenth of the time."""
_CHECK_S: Final = 20.0
"""Time limit of the check, s, so that a huge log on a slow memory card does not delay the start."""
_STEPS: Final = 10_000
"""Steps of SQLite's virtual machine between two checks of the time limit: about a millisecond."""


def open_for_server(folder: Path, notices: Notices, url: str | None = None) -> Store:
    """Open the store for a server: in its data folder, repaired if necessary, or in the database at a URL.

    With a database, the data folder has only what belongs to this machine. The calling server must hold the folder's lock. A disk that is
    full or fails is a fault of the store, as while the server runs: see `Store.fault`. Raises `LogUnusableError`.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        make_private(folder)
    except OSError as error:
        raise LogUnusableError(
            Message("log-folder-unusable", {"folder": str(folder), "reason": error.strerror or ""})
        ) from error
    store = open_store(url or folder, lambda: prepare(folder, notices))
    try:
        store.scans.prune()
    except (LogReadError, LogWriteError) as error:
        _log.warning("%s", error_text(error))  # reported on every page, and it may pass
    return store


def prepare(folder: Path, notices: Notices) -> None:
    """Check a data folder for a server, which must hold its lock, and replace a damaged database; every repair becomes a notice.

    Raises `OSError` or `sqlite3.Error` if that is impossible, for example because the disk is full; then it has to be tried again.
    """
    database = folder / DATABASE
    for parent in (folder, folder / BACKUPS):
        remove_unfinished(parent)
    if not database.exists() or database.stat().st_size == 0:
        leftovers = [name for name in _side_files(folder) if (folder / name).stat().st_size > 0]
        if leftovers or (folder / LOG_MARKER).exists():
            _replace(folder, notices, "missing")
        return
    _check(folder, notices)


def log_fault(folder: Path) -> Message | None:
    """Return why the database of a data folder cannot be used, None if it can; nothing is changed."""
    database = folder / DATABASE
    try:
        with closing(connect(database)) as connection:
            fault = _fault(connection, database.stat().st_size)
            if fault in {None, "unchecked"}:
                return other_version(
                    SqliteConnection(connection, execute_plugins=False), SQLITE, str(database)
                )
    except (OSError, sqlite3.Error) as error:
        return read_error(error, folder).message
    return Message("doctor-log-damaged", {"reason": str(fault)})


def _check(folder: Path, notices: Notices) -> None:
    database = folder / DATABASE
    try:
        with closing(connect(database)) as connection:
            fault = _fault(connection, database.stat().st_size)
            if fault == "unchecked":
                notices.add("log-unchecked")
                return
            if fault is None:
                return
            connection.execute("REINDEX")
            if _fault(connection, 0) is None:
                notices.add("log-repaired")
                return
    except sqlite3.Error as error:
        if reason_of(error) not in {None, "damaged"}:
            raise
    except UnicodeDecodeError:
        pass  # SQLite's error message itself quotes damaged bytes
    _replace(folder, notices, "unreadable")


def _fault(connection: sqlite3.Connection, size: int) -> str | None:
    """Return a database's fault; None if there is none; "unchecked" if the check takes too long."""
    end = time.monotonic() + _CHECK_S
    check = "integrity_check" if size <= _FULL_CHECK_BYTES else "quick_check"
    connection.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
    try:
        found = str(connection.execute(f"PRAGMA {check}(1)").fetchone()[0])
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
            return "unchecked"
        raise
    except sqlite3.DatabaseError as error:
        return str(error)
    finally:
        connection.set_progress_handler(None, 0)
    return None if found == "ok" else found


def _replace(folder: Path, notices: Notices, cause: str) -> None:
    """Set aside the remains of the database and restore the newest good backup, or start with an empty log."""
    (folder / LOG_MARKER).touch(
        mode=0o600
    )  # if this is interrupted, the next start notices that the database is missing
    aside = _set_aside(folder)
    leftovers = [path.name for path in sorted(folder.glob(f"{aside.name}*"))]
    backup = next((each for each in backups_by_time(folder) if _restored(each, folder)), None)
    _keep_pictures(folder, aside)
    sync_folder(folder)
    if backup is None:
        (folder / LOG_MARKER).unlink(missing_ok=True)
        result = Message("log-emptied")
    else:
        result = Message("log-restored", {"backup": backup.name})
    message = Message("sentences", {"first": Message(f"log-database-{cause}"), "second": result})
    if leftovers:
        left = Message("log-left-files", {"files": tuple(leftovers)})
        message = Message("sentences", {"first": message, "second": left})
    notices.add(result.code, message)


def _restored(backup: Path, folder: Path) -> bool:
    """Restore the database of a backup; return whether the backup was good."""
    try:
        restore_database(backup, folder)
    except BackupError as error:
        _log.warning("%s", error_text(error))
        return False
    return True


def _set_aside(folder: Path) -> Path:
    """Rename the database with its side files, and return the new path of the database."""
    number = 1
    while any(folder.glob(f"{DATABASE}.damaged-{number}*")):
        number += 1
    aside = folder / f"{DATABASE}.damaged-{number}"
    for name in (DATABASE, *_side_files(folder)):
        path = folder / name
        if path.exists():
            path.rename(folder / name.replace(DATABASE, aside.name, 1))
    return aside


def _side_files(folder: Path) -> list[str]:
    return [DATABASE + suffix for suffix in SIDE_FILES if (folder / (DATABASE + suffix)).exists()]


def _keep_pictures(folder: Path, aside: Path) -> None:
    """Move pictures to which the database no longer refers beside the damaged one; otherwise pruning would delete them."""
    named: set[str] = set()
    if (folder / DATABASE).exists():
        with closing(connect(folder / DATABASE)) as connection:
            tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
            for table in {"scans", "table_pictures"} & tables:
                named |= {row[0] for row in connection.execute(f"SELECT sha256 FROM {table}")}
    for picture in (folder / EVIDENCE).glob("??/*"):
        if picture.stem not in named:
            target = folder / f"{aside.name}-{EVIDENCE}"
            target.mkdir(mode=0o700, exist_ok=True)
            picture.rename(target / picture.name)
