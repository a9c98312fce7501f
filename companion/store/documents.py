"""Documents by kind and name: files of a data folder, or rows of a database server."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from companion.files import put_aside, write_whole
from companion.hanafuda.messages import Message
from companion.store.database import Connection
from companion.store.errors import LogReadError, LogUnusableError, LogWriteError
from companion.store.places import check_postgres_library, is_url, place_name

if TYPE_CHECKING:  # psycopg is optional
    from companion.store.postgres_database import PostgresDatabase

DocumentKind: TypeAlias = Literal["deck", "layout", "settings", "tags"]
"""What a document is: an enrolled deck (the bytes of a ``.deck`` file), a table's camera layout, a setting of the house such as
its devices, its printer or the position of its table in the camera's picture, or the tags of a deck's cards (JSON)."""


_PLACES: Final[Mapping[DocumentKind, tuple[str, str]]] = {
    "deck": ("decks", ".deck"),
    "layout": ("layouts", ".json"),
    "settings": (".", ".json"),
    "tags": ("tags", ".json"),
}
"""The folder and the file name extension of each kind."""


class DocumentFiles:
    """Documents as files of a data folder, one each, which may also be edited by hand."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writing = threading.Lock()

    def __reduce__(self) -> tuple[type[DocumentFiles], tuple[Path]]:
        return DocumentFiles, (self._folder,)

    def location(self, kind: DocumentKind, name: str) -> str:
        """Return the path of a document's file, for people."""
        return str(self._path(kind, name))

    def names(self, kind: DocumentKind) -> list[str]:
        """Return the names of all documents of a kind, sorted."""
        folder, suffix = _PLACES[kind]
        return sorted(path.name.removesuffix(suffix) for path in (self._folder / folder).glob(f"*{suffix}"))

    def versions(self, kind: DocumentKind) -> dict[str, str]:
        """Return the versions of all documents of a kind by name, sorted."""
        versions = {name: self.version(kind, name) for name in self.names(kind)}
        return {
            name: version for name, version in versions.items() if version is not None
        }  # else just deleted

    def version(self, kind: DocumentKind, name: str) -> str | None:
        """Return a text that differs after each change of a document: its file's time, length and number. None if there is no document."""
        path = self._path(kind, name)
        try:
            stat = path.stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unreadable(path, error) from error
        # Some file systems count time in steps of 10 ms; two writes in a row have files of different numbers.
        return f"{stat.st_mtime_ns}-{stat.st_size}-{stat.st_ino}"

    def read(self, kind: DocumentKind, name: str) -> bytes | None:
        """Return a document, or None if there is none."""
        path = self._path(kind, name)
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unreadable(path, error) from error

    def write(self, kind: DocumentKind, name: str, data: bytes | None) -> None:
        """Replace a document; None deletes it."""
        with self._writing:
            self._write(self._path(kind, name), data)

    def replace(self, kind: DocumentKind, name: str, data: bytes, version: str | None) -> bool:
        """Replace a document if its version is still ``version`` (None: there is none yet), and return whether it was.

        Another process may change it between the check and the write; a data folder has only one server.
        """
        with self._writing:
            if self.version(kind, name) != version:
                return False
            self._write(self._path(kind, name), data)
        return True

    def set_aside(self, kind: DocumentKind, name: str) -> str:
        """Rename a damaged document's file, so that nothing overwrites it, and return its new name."""
        path = self._path(kind, name)
        try:
            with self._writing:
                return put_aside(path).name
        except OSError as error:
            raise LogWriteError(
                Message("file-not-renamed", {"path": str(path), "reason": error.strerror or ""})
            ) from error

    def _write(self, path: Path, data: bytes | None) -> None:
        try:
            if data is None:
                path.unlink(missing_ok=True)
            else:
                write_whole(path, data)
        except OSError as error:
            raise LogWriteError(
                Message("file-not-written", {"path": str(path), "reason": error.strerror or ""})
            ) from error

    def _path(self, kind: DocumentKind, name: str) -> Path:
        folder, suffix = _PLACES[kind]
        return self._folder / folder / f"{name}{suffix}"


def _unreadable(path: Path, error: OSError) -> LogReadError:
    return LogReadError(Message("file-not-read", {"path": str(path), "reason": error.strerror or ""}))


_SCOPE = "documents"


class DocumentRows:
    """Documents as rows. Without a ``database`` it connects when it is first used."""

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
                from companion.store.postgres_database import PostgresDatabase  # noqa: PLC0415

                try:
                    self._opened = PostgresDatabase(self._url)
                except LogUnusableError as error:
                    raise failed(error.message) from error
            return self._opened

    def location(self, kind: DocumentKind, name: str) -> str:
        """Return the address of the database, without a password, with the kind and name of a document, for people."""
        return f"{place_name(self._url)}#{kind}/{name}"

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


DocumentStore: TypeAlias = DocumentFiles | DocumentRows
"""Documents by kind and name, each replaced as a whole.

They can be used without opening the rest of the store, and pickled for another process that reads them.
"""


def open_documents(place: Path | str) -> DocumentStore:
    """Return the documents of a data folder or of the database at a URL.

    The folder need not exist, and the database is opened when they are first used.
    """
    if not is_url(place):
        return DocumentFiles(Path(place))
    check_postgres_library()
    return DocumentRows(str(place))
