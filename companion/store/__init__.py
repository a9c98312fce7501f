"""What the program stores: scans with their pictures, house rules, events of tables, pairings, and documents such as decks and tags.

`companion.store.store.open_store` opens it in a data folder or in a PostgreSQL database. Stored events, readings and corrections never
change; changes are added to them. The package itself exports what needs no database: the documents, places and errors.
"""

from companion.store.documents import DocumentKind, DocumentStore, open_documents
from companion.store.errors import (
    CardTakenError,
    LogBusyError,
    LogReadError,
    LogUnreachableError,
    LogUnusableError,
    LogWriteError,
    NoSuchNightError,
    NoSuchRulesError,
    NoSuchScanError,
    NoSuchScanJobError,
    NoSuchTableError,
    OutOfStepError,
    RulesNameError,
    RulesNameTakenError,
    ScanQueueFullError,
    TooManyDraftsError,
)
from companion.store.places import default_folder, demo_folder, is_url, place_name

__all__ = [
    "CardTakenError",
    "DocumentKind",
    "DocumentStore",
    "LogBusyError",
    "LogReadError",
    "LogUnreachableError",
    "LogUnusableError",
    "LogWriteError",
    "NoSuchNightError",
    "NoSuchRulesError",
    "NoSuchScanError",
    "NoSuchScanJobError",
    "NoSuchTableError",
    "OutOfStepError",
    "RulesNameError",
    "RulesNameTakenError",
    "ScanQueueFullError",
    "TooManyDraftsError",
    "default_folder",
    "demo_folder",
    "is_url",
    "open_documents",
    "place_name",
]
