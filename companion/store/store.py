"""Everything that the server stores, in one SQLite database with files beside it or in one PostgreSQL database.

What belongs to one machine is no part of it and stays in files of its data folder: the keys and certificates of HTTPS (``tls/``),
``settings.toml``, logs, locks, and notices about the stored data itself.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from companion.hanafuda.messages import Message
from companion.store.data_folder import EVIDENCE
from companion.store.database import Database
from companion.store.documents import DocumentFiles, DocumentRows, DocumentStore
from companion.store.errors import LogUnusableError, LogWriteError
from companion.store.events import EventStore
from companion.store.house_rules import RulesStore
from companion.store.nights import NightStore
from companion.store.pairings import FESTIVAL, HOUSEHOLD, PairingLimits, PairingStore
from companion.store.people import PeopleStore
from companion.store.pictures import PictureFiles, PictureRows, PictureStore
from companion.store.places import check_postgres_library, is_url
from companion.store.scan_queue import ScanQueue
from companion.store.scans import ScanStore
from companion.store.signals import Signals
from companion.store.sqlite_database import DATABASE, SqliteDatabase, read_error, reason_of

_CHECK_S: Final = 10.0
"""Validity of a successful write check, s; each check costs a write to the disk."""
_FAULT_CHECK_S: Final = 0.5
"""Validity of a write check that found a fault, or while there are signs of one, s."""


class Store:
    """Everything that the server stores. Any thread may use it; several processes may use the same database.

    Methods that change something return once the change is durable, and change all of it or nothing; they raise `LogWriteError` if they
    cannot. If the connection to a database server is lost during a commit, it is not known whether the change is stored; the error's
    message says so, and the caller repeats the request with its key. Reading raises `LogReadError` if the data cannot be read.
    """

    def __init__(
        self,
        database: Database,
        pictures: PictureStore,
        documents: DocumentStore,
        signals: Signals,
        limits: PairingLimits,
        scan_queue: ScanQueue | None = None,
    ) -> None:
        self.database = database
        self.pictures = pictures
        self.documents = documents
        self.signals = signals
        self.house_rules = RulesStore(database)
        self.scans = ScanStore(database, pictures)
        self.tables = EventStore(database)
        self.people = PeopleStore(database)
        self.nights = NightStore(database, self.tables, self.people)
        self.pairings = PairingStore(database, limits)
        self.scan_queue = scan_queue
        """The queue of photographs that scan workers read; None: only this process reads photographs."""
        self._checking = threading.Lock()
        self._fault: LogWriteError | None = None
        self._checked = float("-inf")

    def fault(self) -> LogWriteError | None:
        """Return why nothing can be stored at present; None if writing works.

        The check writes to the database and rolls back. It is repeated at most every 10 s, or every 0.5 s while there is a fault or a
        sign of one.
        """
        with self._checking:
            age = time.monotonic() - self._checked
            if age > _CHECK_S or (age > _FAULT_CHECK_S and (self._fault or self.database.in_doubt())):
                self._fault = self.database.check()
                self._checked = time.monotonic()
            return self._fault

    def close(self) -> None:
        """Close the store, which cannot be used afterwards."""
        self.nights.close()
        self.signals.close()
        self.database.close()


def has_store(place: Path | str) -> bool:
    """Return whether a data folder has a store; at a URL there always is one."""
    return is_url(place) or (Path(place) / DATABASE).exists()


def open_store(place: Path | str, prepare: Callable[[], None] | None = None) -> Store:
    """Open the store of a data folder, which is created if it does not exist, or in the database at a URL ``postgresql://…``.

    ``prepare`` repairs a data folder before its database is opened; see `SqliteDatabase`. Raises `LogUnusableError`.
    """
    if not is_url(place):
        return _open_folder(Path(place), prepare)
    check_postgres_library()
    from companion.store.postgres_database import PostgresDatabase  # noqa: PLC0415  # optional
    from companion.store.postgres_signals import PostgresSignals  # noqa: PLC0415

    url = str(place)
    database = PostgresDatabase(url)
    pictures = PictureRows(database)
    return Store(
        database,
        pictures,
        DocumentRows(url, database),
        PostgresSignals(url),
        FESTIVAL,
        ScanQueue(database, ScanStore(database, pictures)),
    )


def _open_folder(folder: Path, prepare: Callable[[], None] | None) -> Store:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        database = SqliteDatabase(folder / DATABASE, prepare=prepare)
    except OSError as error:
        raise LogUnusableError(
            Message("log-folder-unusable", {"folder": str(folder), "reason": error.strerror or ""})
        ) from error
    except sqlite3.Error as error:
        if reason_of(error) in {None, "damaged"}:
            values = {"path": str(folder / DATABASE), "reason": str(error)}
            raise LogUnusableError(Message("log-unusable", values)) from error
        raise LogUnusableError(read_error(error, folder).message) from error
    return Store(database, PictureFiles(folder / EVIDENCE), DocumentFiles(folder), Signals(), HOUSEHOLD)
