"""What the program stores: scans with their pictures, house rules, events of tables, pairings, and documents such as decks and tags.

`open_store` opens it in a data folder or in a PostgreSQL database. Stored events, readings and corrections never change; changes are
added to them.
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
from companion.store.events import TableSummary
from companion.store.house_rules import RulesStore
from companion.store.pairings import PairingStore
from companion.store.pictures import PictureStore
from companion.store.places import default_folder, demo_folder, is_url, place_name
from companion.store.scan_records import DRAFT_DAYS, Changes, Scan
from companion.store.store import Store, has_store, open_store

__all__ = [
    "DRAFT_DAYS",
    "CardTakenError",
    "Changes",
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
    "PairingStore",
    "PictureStore",
    "RulesNameError",
    "RulesNameTakenError",
    "RulesStore",
    "Scan",
    "ScanQueueFullError",
    "Store",
    "TableSummary",
    "TooManyDraftsError",
    "default_folder",
    "demo_folder",
    "has_store",
    "is_url",
    "open_documents",
    "open_store",
    "place_name",
]
