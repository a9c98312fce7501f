"""Opens the store of a data folder. Commands use these functions, so that only this module names the database."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import platformdirs

from companion.hanafuda.messages import Message
from companion.messages import error_text
from companion.store.errors import LogUnusableError, LogWriteError
from companion.store.notices import Notices
from companion.store.sqlite.document_files import DocumentFiles
from companion.store.sqlite.sqlite_store import SqliteStore
from companion.store.store_protocol import DocumentStore, Store

__all__ = [
    "default_folder",
    "demo_folder",
    "has_store",
    "is_url",
    "open_documents",
    "open_for_server",
    "open_store",
    "place_name",
]

_log = logging.getLogger(__name__)


def default_folder() -> Path:
    """Return the default data folder."""
    return platformdirs.user_data_path("hanafuda-companion", appauthor=False)


def demo_folder() -> Path:
    """Return the default data folder of the demo, whose games must not be mixed with real ones."""
    return platformdirs.user_data_path("hanafuda-companion-demo", appauthor=False)


def has_store(place: Path | str) -> bool:
    """Return whether a data folder has a store; at a URL there always is one."""
    return is_url(place) or SqliteStore.is_in(Path(place))


def place_name(place: Path | str) -> str:
    """Return where a store is, for people: the folder, or the URL without user and password."""
    if not is_url(place):
        return str(place)
    parts = urlsplit(str(place))
    return f"postgresql://{parts.netloc.rpartition('@')[2]}{parts.path}"


def is_url(place: Path | str) -> bool:
    """Return whether a place is the connection string of a PostgreSQL database and not a data folder."""
    return str(place).startswith(("postgresql:", "postgres:"))


def open_store(place: Path | str, copies: Path | None = None) -> Store:
    """Open the store of a data folder, which is created if it does not exist, or in the database at a URL ``postgresql://…``.

    ``copies``: the folder for copies of pictures in a database, by default that of the user's caches. Raises `LogUnusableError`.
    """
    if is_url(place):
        with _optional_library():
            from companion.store.postgres.postgres_store import PostgresStore  # noqa: PLC0415

        copies = copies or platformdirs.user_cache_path("hanafuda-companion", appauthor=False) / "pictures"
        return PostgresStore(str(place), copies)
    return SqliteStore(Path(place))


def open_for_server(folder: Path, notices: Notices, url: str | None = None) -> Store:
    """Open the store for a server: in its data folder, repaired if necessary, or in the database at a URL.

    With a database, the data folder has only what belongs to this machine. Raises `LogUnusableError`.
    """
    from companion.store.sqlite.data_folder import CACHE, make_private  # noqa: PLC0415  # commands do not need the repair
    from companion.store.sqlite.recovery import open_log  # noqa: PLC0415

    if url is None:
        return open_log(folder, notices)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        make_private(folder)
    except OSError as error:
        raise LogUnusableError(
            Message("log-folder-unusable", {"folder": str(folder), "reason": error.strerror or ""})
        ) from error
    store = open_store(url, folder / CACHE / "pictures")
    try:
        store.prune()
    except LogWriteError as error:
        _log.warning("%s", error_text(error))  # reported on every page, and it may pass
    return store


def open_documents(place: Path | str) -> DocumentStore:
    """Return the documents of a data folder or of the database at a URL.

    The folder need not exist, and the database is opened when they are first used.
    """
    if is_url(place):
        with _optional_library():
            from companion.store.postgres.document_rows import DocumentRows  # noqa: PLC0415

        return DocumentRows(str(place))
    return DocumentFiles(Path(place))


@contextmanager
def _optional_library() -> Iterator[None]:
    """Raise `LogUnusableError` with advice if the library of PostgreSQL is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise LogUnusableError(Message("database-library-missing", {"place": "postgresql://"})) from error
