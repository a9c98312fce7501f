"""The SQLite connections of a log: one writer and a few readers; nothing is written to a file that was removed or replaced while open.

In WAL mode readers do not wait for a writer, so the log stays readable while another program has it locked. If the disk is full or fails
while the database is opened, what can be read is read, and each `SqliteDatabase.check` tries again to open it.
"""

from __future__ import annotations

import errno
import json
import os
import queue
import shutil
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final

from sqlite_utils import Database

from companion.hanafuda.messages import Message, Param
from companion.store.database import Values
from companion.store.errors import FaultReason, LogBusyError, LogReadError, LogUnusableError, LogWriteError
from companion.store.schema import MIGRATIONS, SQLITE, Migration, migrate, schema_version

DATABASE: Final = "log.sqlite3"
LOG_MARKER: Final = "log.created"
"""A file that marks a folder which had a log, so that a missing database is noticed."""
SIDE_FILES: Final = ("-wal", "-shm")
"""Suffixes of the files that SQLite keeps beside a database in WAL mode; they belong to it and to no other file."""

BUSY_S: Final = 3.0
"""Timeout of a write that waits for another program's lock, s: longer than any transaction, short enough for a person."""
_QUEUE_S: Final = 30.0
"""Timeout of a write that waits for other writes of this program, s; long because of slow disks."""
_BUSY_AGAIN_S: Final = 0.05
"""Timeout of writes after one has timed out, s: short, so that the writes of many phones do not queue up."""
_MAX_READERS: Final = 4
"""Connections that read at the same time; a read takes under a millisecond, and each holds a page cache of 2 MB."""

_LOW_BYTES: Final = 2**20
"""Free disk space below which the disk may soon be full, bytes."""
_CHECK_BYTES: Final = 16_384
"""Size of the test write, bytes: that of a large event."""

_Identity = tuple[tuple[int, int] | None, ...]
"""Device and inode of the database and its side files."""


def connect(path: Path, *, create: bool = False, alone: bool = False) -> sqlite3.Connection:
    """Return a connection with the log's settings; raises `sqlite3.Error`, also if the file is missing and not ``create``.

    ``alone``: lock out all others, which needs no memory shared with them and therefore no space on the disk.
    """
    mode = "rwc" if create else "rw"
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=BUSY_S, check_same_thread=False
    )
    try:
        if alone:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
    except BaseException:
        connection.close()
        raise
    return connection


class SqliteConnection(Database):
    """A SQLite connection as `companion.store.database.Connection` describes it."""

    def executemany(self, sql: str, rows: Iterable[Values]) -> None:
        """Execute a statement once for each row of values."""
        self.conn.executemany(sql, rows)


class SqliteDatabase:
    """The database of a log. Thread-safe; other processes may use the same file."""

    def __init__(
        self,
        path: Path,
        migrations: Sequence[Migration] = MIGRATIONS,
        prepare: Callable[[], None] | None = None,
    ) -> None:
        """Open or create the database at ``path`` and bring its schema up to date.

        ``prepare`` checks and repairs the files before each attempt to open them. With it, a disk that fails raises no error here even
        if nothing can be read; `check` tries again.

        Raises `OSError`, `sqlite3.Error` or `LogUnusableError`.
        """
        self.path = path
        self._migrations = migrations
        self._prepare = prepare
        self._lock = threading.RLock()
        self._local = threading.local()
        self._readers = queue.LifoQueue[SqliteConnection]()
        """The connections that nobody reads with at present."""
        self._reader_count = 0
        self._writer: SqliteConnection | None = None
        self._unopened: OSError | sqlite3.Error | None = None
        """Why the database is not open for writing."""
        self._identity: _Identity = ()
        self._locked_since: float | None = None
        self.locked = False
        """Whether another program has locked the database for longer than the timeout of writes."""
        self._failed = False
        self.written: float | None = None
        """Time of the last write, s of the monotonic clock."""
        try:
            self._open()
        except (OSError, sqlite3.Error) as error:
            if not _may_pass(error):
                raise
            self._open_for_reading(error)
            if prepare is None and not self._reader_count:
                raise

    @property
    def writer(self) -> SqliteConnection:
        """The connection that writes; raises the error for which the database is not open."""
        if self._writer is None:
            raise self._unopened or sqlite3.ProgrammingError("the database is closed")
        return self._writer

    def close(self) -> None:
        """Close all connections; the database cannot be used afterwards."""
        with self._lock:
            self._unopened = self._unopened or sqlite3.ProgrammingError("the database is closed")
            self._close_readers()
            if self._writer is not None:
                self._writer.conn.close()
                self._writer = None

    def next_number(self, table: str, column: str) -> str:
        """Return an SQL expression for the next number in a column; see `companion.store.database.Database`."""
        return f"(SELECT 1 + coalesce(max({column}), 0) FROM {table})"

    @contextmanager
    def reading(self) -> Iterator[SqliteConnection]:
        """Yield a connection with a consistent snapshot; within `writing`, the transaction's own connection.

        Raises `LogReadError` if the database cannot be read.
        """
        current: SqliteConnection | None = getattr(self._local, "database", None)
        if current is not None:
            yield current
            return
        database = self._free_reader()
        try:
            self._local.database = database
            database.conn.execute("BEGIN")
            yield database
        except (*DAMAGED, json.JSONDecodeError) as error:
            if isinstance(error, sqlite3.Error) and reason_of(error) is None:
                raise  # an error of the program, not of the disk
            raise read_error(error, self.path.parent) from error
        finally:
            self._local.database = None
            with suppress(sqlite3.Error):
                database.conn.rollback()
            self._readers.put(database)

    @contextmanager
    def writing(self, scope: str = "", *, probe: bool = False) -> Iterator[SqliteConnection]:
        """Yield the write connection in an exclusive transaction, which is committed at the end or rolled back on an error.

        SQLite has one writer at a time, whatever the ``scope`` is. After the commit the changes are durable, in the file at `path`. Raises
        `LogBusyError` if another program has locked the database, else `LogWriteError`. A ``probe`` hardly waits for locks, and does not
        update `written`.
        """
        if self._unopened is not None:
            raise write_error(self._unopened, self.path.parent)
        if not self._lock.acquire(timeout=_BUSY_AGAIN_S if probe else _QUEUE_S):
            raise LogBusyError(self.path.parent)
        try:
            self._check_identity()
            self._begin(probe=probe)
            database = self._local.database = self.writer
            try:
                yield database
                database.conn.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # SQLite has rolled back itself
                    database.conn.rollback()
                raise
            finally:
                self._local.database = None
            self._check_identity()  # the changes may have gone to a file that was removed in the meantime
            self._failed = False
            if not probe:
                self.written = time.monotonic()
        except (OSError, sqlite3.Error) as error:
            self._failed = True
            raise write_error(error, self.path.parent) from error
        finally:
            self._lock.release()

    def in_doubt(self) -> bool:
        """Return whether there is a sign that writing fails.

        Signs are cheap to check: a failed write, a nearly full disk, a file of the database that was removed or replaced.
        """
        folder = self.path.parent
        try:
            low = shutil.disk_usage(folder).free < _LOW_BYTES
            changed = self._identity_now() != self._identity
        except OSError:
            return True
        return (
            low or changed or self._failed or self._locked_since is not None or not os.access(folder, os.W_OK)
        )

    def check(self) -> LogWriteError | None:
        """Return why nothing can be written at present; None if writing works.

        Opens the database if that was not possible before, writes to it and rolls back, and writes a temporary file of the size of a
        large event beside it.
        """
        try:
            self._write_file()
            if self._unopened is not None:
                self._open_again()
            with self.writing(probe=True) as db:
                db.execute("SAVEPOINT checked")
                db.execute("CREATE TABLE checked (at)")
                db.execute("ROLLBACK TO checked")
        except OSError as error:
            self._failed, self._unopened = True, self._unopened and error
            return write_error(error, self.path.parent)
        except LogBusyError as error:
            # If it is not locked for long, this program or another one is just writing.
            return error if self.locked or self._unopened is not None else None
        except LogWriteError as error:
            return error
        return None

    def connections(self) -> Mapping[str, int]:
        """Return nothing: the database is a file."""
        return {}

    # --- connections

    def _open(self) -> None:
        """Open all connections. Raises `OSError`, `sqlite3.Error` or `LogUnusableError`, and opens none then."""
        if self.path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(self.path))
        if self._prepare is not None:
            self._prepare()
        marker = self.path.with_name(LOG_MARKER)
        if not self.path.exists():
            changes = self.path.with_name(self.path.name + SIDE_FILES[0])
            if marker.exists():
                raise LogUnusableError(Message("log-missing", {"path": str(self.path)}))
            if changes.exists():
                raise LogUnusableError(
                    Message("log-only-changes", {"path": str(self.path), "changes": changes.name})
                )
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))  # private from the first moment
        opened = [_database(connect(self.path))]
        try:
            if schema_version(opened[0], SQLITE) != 1 + len(self._migrations):
                opened[0].execute("BEGIN IMMEDIATE")  # of two processes that start together, one migrates
                migrate(opened[0], SQLITE, str(self.path), self._migrations)
                opened[0].execute("COMMIT")
            for _ in range(_MAX_READERS):
                opened.append(_database(connect(self.path)))
                opened[-1].execute("PRAGMA query_only = ON")
            identity = self._identity_now()
        except BaseException:
            for each in opened:
                each.conn.close()
            raise
        with suppress(OSError):
            marker.touch(mode=0o600)
        self._identity, self._writer = identity, opened[0]
        self._unopened, self._failed = None, False
        for each in opened[1:]:
            self._add_reader(each)

    def _open_for_reading(self, error: OSError | sqlite3.Error) -> None:
        """Open what can be read after `_open` has failed with an error; nothing is written until `_open_again`."""
        self._unopened, self._failed = error, True
        try:
            self._write_file()
        except OSError as reason:  # SQLite's errors are less exact
            self._unopened = reason
        ways: tuple[Callable[[], sqlite3.Connection], ...]
        marker, changes = (self.path.with_name(name) for name in (LOG_MARKER, self.path.name + SIDE_FILES[0]))
        if not any(each.exists() and each.stat().st_size for each in (self.path, changes)):
            if marker.exists():
                return
            ways = (partial(_empty, self._migrations),)  # there never was a log
        else:
            ways = (partial(connect, self.path), partial(connect, self.path, alone=True), self._unchanging)
        for way in ways:
            with suppress(OSError, sqlite3.Error):
                database = _database(way())
                if schema_version(database, SQLITE) == 1 + len(self._migrations):
                    self._add_reader(database)
                    return
                database.conn.close()

    def _write_file(self) -> None:
        """Write and remove a file of the size of a large event; raises `OSError`."""
        with tempfile.TemporaryFile(dir=self.path.parent) as file:
            file.write(bytes(_CHECK_BYTES))
            file.flush()
            os.fsync(file.fileno())

    def _open_again(self) -> None:
        """Open a database that could not be opened before. Raises `LogWriteError`."""
        with self._lock:
            self._close_readers()  # a reader may lock out all others
            try:
                self._open()
            except LogUnusableError as error:
                self._open_for_reading(self._unopened or sqlite3.DatabaseError(str(error)))
                raise LogWriteError(error.message) from error
            except (OSError, sqlite3.Error) as error:
                self._open_for_reading(error)
                raise write_error(error, self.path.parent) from error

    def _unchanging(self) -> sqlite3.Connection:
        """Return a connection to a database that nobody can change, such as on a disk that is read-only."""
        if self.path.with_name(self.path.name + SIDE_FILES[0]).exists():
            raise sqlite3.OperationalError("the last changes are not in the file")
        url = f"{self.path.absolute().as_uri()}?mode=ro&immutable=1"
        return sqlite3.connect(url, uri=True, check_same_thread=False)

    def _add_reader(self, database: SqliteConnection) -> None:
        self._reader_count += 1
        self._readers.put(database)

    def _free_reader(self) -> SqliteConnection:
        """Return a connection that nobody reads with; raises `LogReadError` if nothing can be read."""
        while True:
            if not self._reader_count and self._unopened is not None:
                with self._lock:  # another thread may be opening the database again: wait for it
                    if not self._reader_count and self._unopened is not None:
                        raise read_error(self._unopened, self.path.parent)
            with suppress(queue.Empty):
                return self._readers.get(timeout=BUSY_S)

    def _close_readers(self) -> None:
        with suppress(queue.Empty):  # a thread that still reads after this time gets an error
            for _ in range(self._reader_count):
                self._readers.get(timeout=BUSY_S).conn.close()
        self._reader_count = 0

    def _begin(self, *, probe: bool) -> None:
        connection = self.writer.conn
        wait = _BUSY_AGAIN_S if probe or self.locked else BUSY_S
        connection.execute(f"PRAGMA busy_timeout = {round(wait * 1000)}")
        start = time.monotonic()
        try:
            # IMMEDIATE: a transaction that first reads would fail at its first write if another process wrote in between.
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if reason_of(error) == "busy":
                self._locked_since = self._locked_since or start
                # Another program may write for a moment; only a full timeout shows that the lock is permanent.
                self.locked = time.monotonic() - self._locked_since >= BUSY_S
            raise
        self._locked_since, self.locked = None, False

    # --- a file that was removed

    def _identity_now(self) -> _Identity:
        return tuple(_identity(self.path.with_name(self.path.name + suffix)) for suffix in ("", *SIDE_FILES))

    def _check_identity(self) -> None:
        """Raise `ReplacedError` if a file of the database was removed or replaced.

        SQLite continues to write to a removed file, whose contents can still be read but are lost when the program ends.
        """
        if self._identity_now() != self._identity:
            raise ReplacedError(f"{self.path.name} was deleted or replaced by another file")


def _database(connection: sqlite3.Connection) -> SqliteConnection:
    # Plug-ins of sqlite-utils are for its own command line; searching for them would only take time.
    return SqliteConnection(connection, execute_plugins=False)


def _empty(migrations: Sequence[Migration]) -> sqlite3.Connection:
    """Return a log without entries that is in memory only."""
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    migrate(_database(connection), SQLITE, ":memory:", migrations)
    return connection


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return stat.st_dev, stat.st_ino


DAMAGED: Final = (sqlite3.DatabaseError, UnicodeDecodeError)
"""The errors of reading a damaged database; the second occurs if the error message itself quotes bytes that are not UTF-8."""

_SQLITE: Final[Mapping[int, FaultReason]] = {
    sqlite3.SQLITE_BUSY: "busy",
    sqlite3.SQLITE_LOCKED: "busy",
    sqlite3.SQLITE_PROTOCOL: "busy",
    sqlite3.SQLITE_FULL: "full",
    sqlite3.SQLITE_READONLY: "read-only",
    sqlite3.SQLITE_PERM: "read-only",
    sqlite3.SQLITE_CORRUPT: "damaged",
    sqlite3.SQLITE_NOTADB: "damaged",
    sqlite3.SQLITE_IOERR: "failed",
    sqlite3.SQLITE_CANTOPEN: "failed",
    sqlite3.SQLITE_NOMEM: "failed",
}
"""Primary result codes caused by the disk or the file; others are bugs of the program."""
_PRIMARY: Final = 0xFF
"""Mask of the primary result code in an extended one."""

_SYSTEM: Final[Mapping[int, FaultReason]] = {
    errno.ENOSPC: "full",
    errno.EDQUOT: "full",
    errno.EFBIG: "full",
    errno.EROFS: "read-only",
    errno.EACCES: "read-only",
    errno.EPERM: "read-only",
    errno.EIO: "failed",
    errno.EMFILE: "failed",
    errno.ENFILE: "failed",
    errno.ENOMEM: "failed",
}
"""Errors of the operating system that may pass, or that a person can correct while the program runs."""


class ReplacedError(OSError):
    """Raised if a file of the open database was removed, or replaced by another one."""


def reason_of(error: OSError | sqlite3.Error) -> FaultReason | None:
    """Return the reason for a failure of the disk or database; None if SQLite reports a bug of the program."""
    if isinstance(error, ReplacedError):
        return "replaced"
    if isinstance(error, OSError):
        return _SYSTEM.get(error.errno or 0, "failed")
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:  # raised by Python's sqlite3 itself: a stored text is no longer valid UTF-8
        return "damaged" if isinstance(error, sqlite3.OperationalError) else None
    return _SQLITE.get(code & _PRIMARY)


def _may_pass(error: OSError | sqlite3.Error) -> bool:
    """Return whether an error says nothing about the database itself: the next attempt to open it may succeed."""
    if isinstance(error, OSError):
        return error.errno in _SYSTEM
    return reason_of(error) not in {None, "damaged"}


def _fault_reason(error: OSError | sqlite3.Error, folder: Path) -> FaultReason:
    """Return the reason for a failure; SQLite reports a full disk as an error of the disk where it maps files into memory."""
    reason = reason_of(error) or "failed"
    if reason == "failed":
        with suppress(OSError):
            return "full" if shutil.disk_usage(folder).free < _LOW_BYTES else reason
    return reason


def read_error(error: Exception, folder: Path) -> LogReadError:
    """Return the error for a failed read, with advice for the person at the table."""
    reason = _fault_reason(error, folder) if isinstance(error, OSError | sqlite3.Error) else "damaged"
    advice = Message(f"log-{reason}")
    values: dict[str, Param] = {"place": str(folder), "reason": _text(error), "advice": advice}
    return LogReadError(Message("problem-log-not-read", values))


def write_error(error: OSError | sqlite3.Error, folder: Path) -> LogWriteError:
    """Return the error for a failed write, with advice for the person at the table."""
    reason = _fault_reason(error, folder)
    if reason == "busy":
        return LogBusyError(folder)
    advice = Message(f"log-{reason}")
    values: dict[str, Param] = {"place": str(folder), "reason": _text(error), "advice": advice}
    return LogWriteError(Message("problem-log-not-written", values), reason=reason)


def _text(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
