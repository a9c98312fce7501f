"""The store in a PostgreSQL database."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final

from companion.store.errors import LogWriteError
from companion.store.fault_check import FaultCheck
from companion.store.nights import Nights
from companion.store.postgres.database import PostgresDatabase
from companion.store.postgres.document_rows import DocumentRows
from companion.store.postgres.picture_rows import PictureRows
from companion.store.postgres.postgres_signals import PostgresSignals
from companion.store.scan_queue import ScanQueue
from companion.store.signals import Signals
from companion.store.sql.drafts import check_room
from companion.store.sql.house_rules import SqlHouseRules
from companion.store.sql.pairing_store import SqlPairings
from companion.store.sql.people_store import SqlPeople
from companion.store.sql.scan_store import SqlScans
from companion.store.sql.table_store import SqlEvents

__all__ = ["PostgresStore"]

_PAIRINGS: Final = 200_000
"""Greatest number of pairings: twenty phones and machines at each of ten thousand tables."""
_START_LINKS: Final = 10
"""Servers that may start within a day without withdrawing each other's printed link for the host."""
_INVITATIONS: Final = 2_000
"""Greatest number of open invitations: one for each seat of some hundred tables. A PIN is one of 900 million."""


class PostgresStore(SqlScans):
    """The store in a PostgreSQL database; see `companion.store.store_protocol.Store`. Several processes may use one database."""

    restored = 0
    """A database that is removed while the program runs is not restored."""

    def __init__(self, url: str, copies: Path) -> None:
        """Open the database at a URL, ``postgresql://…``; raises `LogUnusableError`.

        ``copies`` is a folder for the pictures that this machine has read lately.
        """
        self.database = PostgresDatabase(url)
        self.pictures = PictureRows(self.database, copies)
        super().__init__(self.database, self.pictures)
        self.scan_queue = ScanQueue(self.database, self.add_in, partial(check_room, queued=True))
        self.documents = DocumentRows(url, self.database)
        self._faults = FaultCheck(self.database.check, self.database.in_doubt)
        self.house_rules = SqlHouseRules(self.database)
        self.tables = SqlEvents(self.database)
        self.people = SqlPeople(self.database)
        self.nights = Nights(self.database, self.tables, self.people)
        self.pairings = SqlPairings(
            self.database, most=_PAIRINGS, most_invitations=_INVITATIONS, start_links=_START_LINKS
        )
        self.signals: Signals = PostgresSignals(url)

    @property
    def written(self) -> float | None:
        """Time of the last write, in seconds of the monotonic clock."""
        return self.database.written

    @property
    def connections(self) -> Mapping[str, int]:
        """The number of connections by state; see `Store.connections`."""
        return self.database.connections()

    def fault(self) -> LogWriteError | None:
        """Return why nothing can be stored at present; None if writing works.

        The check writes to the database and rolls back; it is repeated at most every 10 s, or every 0.5 s while there is a fault or
        the last use of the database failed.
        """
        return self._faults.fault()

    def close(self) -> None:
        """Close the connections; the store cannot be used afterwards."""
        self.nights.close()
        self.signals.close()
        self.database.close()
