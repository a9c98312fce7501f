"""The store on disk: a SQLite database and, beside it, pictures and documents as files."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Mapping
from pathlib import Path

from companion.hanafuda.messages import Message
from companion.store.errors import LogBusyError, LogUnusableError, LogWriteError
from companion.store.fault_check import FaultCheck
from companion.store.nights import Nights
from companion.store.picture_files import PictureFiles
from companion.store.signals import LocalSignals, Signals
from companion.store.sql.house_rules import SqlHouseRules
from companion.store.sql.pairing_store import SqlPairings
from companion.store.sql.people_store import SqlPeople
from companion.store.sql.scan_store import SqlScans
from companion.store.sql.table_store import SqlEvents
from companion.store.sqlite.data_folder import LOG_MARKER
from companion.store.sqlite.database import DATABASE, LogDatabase
from companion.store.sqlite.document_files import DocumentFiles

__all__ = ["SqliteStore"]

_LOW_BYTES = 2**20
"""Free disk space below which the disk may soon be full, bytes."""
_CHECK_BYTES = 16_384
"""Size of the test write, bytes: that of a large event."""


class SqliteStore(SqlScans):
    """The store in one data folder; see `companion.store.store_protocol.Store`. Several processes may use one folder."""

    scan_queue = None
    """Photographs are read by the process that uses the folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pictures = PictureFiles(folder / "evidence")
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if (folder / LOG_MARKER).exists() and not self.is_in(folder):
                raise LogUnusableError(Message("log-missing", {"path": str(folder / DATABASE)}))
            self.database = LogDatabase(folder / DATABASE)
        except OSError as error:
            raise LogUnusableError(
                Message("log-folder-unusable", {"folder": str(folder), "reason": error.strerror or ""})
            ) from error
        except sqlite3.Error as error:
            raise LogUnusableError(
                Message("log-unusable", {"path": str(folder / DATABASE), "reason": str(error)})
            ) from error
        super().__init__(self.database, self.pictures)
        self._faults = FaultCheck(self._check, self._signs)
        self.house_rules = SqlHouseRules(self.database)
        self.tables = SqlEvents(self.database)
        self.people = SqlPeople(self.database)
        self.nights = Nights(self.database, self.tables, self.people)
        self.pairings = SqlPairings(self.database)
        self.documents = DocumentFiles(folder)
        self.signals: Signals = LocalSignals()

    @property
    def written(self) -> float | None:
        """Time of the last write, in seconds of the monotonic clock."""
        return self.database.written

    @property
    def restored(self) -> int:
        """Number of times the database was restored after its file was removed while the program ran."""
        return self.database.restored

    @staticmethod
    def is_in(folder: Path) -> bool:
        """Return whether a folder has a log."""
        return (folder / DATABASE).exists()

    def close(self) -> None:
        """Close the database; the log cannot be used afterwards."""
        self.nights.close()
        self.database.close()

    @property
    def connections(self) -> Mapping[str, int]:
        """Nothing: the database is a file."""
        return {}

    def fault(self) -> LogWriteError | None:
        """Return why nothing can be stored at present; None if writing works.

        The check writes to the database and rolls back, and writes a temporary file of the size of a large event beside it. It is
        repeated at most every 10 s, or every 0.5 s while there is a fault or a sign of one. Signs are cheap to check: a failed
        write, a nearly full disk, a missing file.
        """
        return self._faults.fault()

    def _signs(self) -> bool:
        """Return whether there is a sign that the log cannot be written."""
        try:
            low = shutil.disk_usage(self.folder).free < _LOW_BYTES
            return low or not os.access(self.folder, os.W_OK) or self.database.in_doubt
        except OSError:
            return True

    def _check(self) -> LogWriteError | None:
        try:
            with self.database.writing(probe=True) as db:
                db.execute("SAVEPOINT checked")
                db.execute("CREATE TABLE checked (at)")
                db.execute("ROLLBACK TO checked")
                with tempfile.TemporaryFile(dir=self.folder) as file:
                    file.write(bytes(_CHECK_BYTES))
                    file.flush()
                    os.fsync(file.fileno())
        except LogBusyError as error:
            # If it is not locked for long, this program or another one is just writing.
            return error if self.database.locked else None
        except LogWriteError as error:
            return error
        return None
