"""Opens the store of a data folder. Commands use these functions, so that only this module names the database."""

from __future__ import annotations

from pathlib import Path

import platformdirs

from companion.store.sqlite.document_files import DocumentFiles
from companion.store.sqlite.sqlite_store import SqliteStore
from companion.store.store_protocol import DocumentStore, Store

__all__ = ["default_folder", "demo_folder", "has_store", "open_documents", "open_store"]


def default_folder() -> Path:
    """Return the default data folder."""
    return platformdirs.user_data_path("hanafuda-companion", appauthor=False)


def demo_folder() -> Path:
    """Return the default data folder of the demo, whose games must not be mixed with real ones."""
    return platformdirs.user_data_path("hanafuda-companion-demo", appauthor=False)


def has_store(folder: Path) -> bool:
    """Return whether a data folder has a store."""
    return SqliteStore.is_in(folder)


def open_store(folder: Path) -> Store:
    """Open the store of a data folder, which is created if it does not exist; raises `LogUnusableError`."""
    return SqliteStore(folder)


def open_documents(folder: Path) -> DocumentStore:
    """Return the documents of a data folder without opening its database; the folder need not exist."""
    return DocumentFiles(folder)
