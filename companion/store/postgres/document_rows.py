"""Documents as rows of the database."""

from __future__ import annotations

import threading

from companion.store.errors import LogReadError, LogUnusableError, LogWriteError
from companion.store.postgres.address import Address
from companion.store.postgres.database import PostgresDatabase
from companion.store.sql.connection import Connection
from companion.store.store_protocol import DocumentKind

__all__ = ["DocumentRows"]

_SCOPE = "documents"


class DocumentRows:
    """See `companion.store.store_protocol.DocumentStore`. Without a ``database`` it connects when it is first used."""

    def __init__(self, url: str, database: PostgresDatabase | None = None) -> None:
        self._url = url
        self._opened = database
        self._opening = threading.Lock()

    def __reduce__(self) -> tuple[type[DocumentRows], tuple[str]]:
        return DocumentRows, (self._url,)

    def _database(self, failed: type[LogReadError | LogWriteError]) -> PostgresDatabase:
        """Return the database, opened if necessary; raises ``failed`` if it cannot be opened."""
        with self._opening:
            if self._opened is None:
                try:
                    self._opened = PostgresDatabase(self._url)
                except LogUnusableError as error:
                    raise failed(error.message) from error
            return self._opened

    def location(self, kind: DocumentKind, name: str) -> str:
        """Return the address of the database, without a password, with the kind and name of a document."""
        return f"{Address(self._url).place}#{kind}/{name}"

    def names(self, kind: DocumentKind) -> list[str]:
        """Return the names of all documents of a kind, sorted."""
        return list(self.versions(kind))

    def versions(self, kind: DocumentKind) -> dict[str, str]:
        """Return the versions of all documents of a kind by name, sorted."""
        with self._database(LogReadError).reading() as db:
            rows = db.execute("SELECT name, version FROM documents WHERE kind = ? ORDER BY name", (kind,))
            return {name: str(version) for name, version in rows.fetchall()}

    def version(self, kind: DocumentKind, name: str) -> str | None:
        """Return the number of a document's last change; None if there is no document."""
        with self._database(LogReadError).reading() as db:
            return _version(db, kind, name)

    def read(self, kind: DocumentKind, name: str) -> bytes | None:
        """Return a document, or None if there is none."""
        with self._database(LogReadError).reading() as db:
            row = db.execute(
                "SELECT data FROM documents WHERE kind = ? AND name = ?", (kind, name)
            ).fetchone()
            return None if row is None else bytes(row[0])

    def write(self, kind: DocumentKind, name: str, data: bytes | None) -> None:
        """Replace a document; None deletes it."""
        with self._database(LogWriteError).writing(_SCOPE) as db:
            _write(db, kind, name, data)

    def replace(self, kind: DocumentKind, name: str, data: bytes, version: str | None) -> bool:
        """Replace a document if its version is still ``version``, and return whether it was."""
        with self._database(LogWriteError).writing(_SCOPE) as db:
            if _version(db, kind, name) != version:
                return False
            _write(db, kind, name, data)
        return True

    def set_aside(self, kind: DocumentKind, name: str) -> str:
        """Move a damaged document to the table ``damaged_documents`` and return the name that it has there."""
        with self._database(LogWriteError).writing(_SCOPE) as db:
            db.execute(
                "INSERT INTO damaged_documents (kind, name, data)"
                " SELECT kind, name, data FROM documents WHERE kind = ? AND name = ?",
                (kind, name),
            )
            _write(db, kind, name, None)
            # If another process was faster, it is the copy of that one.
            row = db.execute(
                "SELECT max(id) FROM damaged_documents WHERE kind = ? AND name = ?", (kind, name)
            ).fetchone()
        return f"{name}.damaged-{row[0] if row else 0}"


def _version(db: Connection, kind: DocumentKind, name: str) -> str | None:
    row = db.execute("SELECT version FROM documents WHERE kind = ? AND name = ?", (kind, name)).fetchone()
    return None if row is None else str(row[0])


def _write(db: Connection, kind: DocumentKind, name: str, data: bytes | None) -> None:
    # A changed document is a new row, so that its version is a new number.
    db.execute("DELETE FROM documents WHERE kind = ? AND name = ?", (kind, name))
    if data is not None:
        db.execute("INSERT INTO documents (kind, name, data) VALUES (?, ?, ?)", (kind, name, data))
