"""What the program stores: scans with their pictures, house rules, events of tables, pairings, and documents such as decks and tags.

`Store` is the interface, `SqliteStore` its implementation. Stored events, readings and corrections never change; changes are
added to them.
"""

from companion.store.errors import (
    CardTakenError,
    CorrectionError,
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
from companion.store.opening import (
    default_folder,
    demo_folder,
    has_store,
    is_url,
    open_documents,
    open_store,
    place_name,
)
from companion.store.scan_records import Changes, Correction, Scan, ScanScore
from companion.store.sqlite.sqlite_store import SqliteStore
from companion.store.store_protocol import (
    DocumentKind,
    DocumentStore,
    EventStore,
    NightStore,
    PairingStore,
    PictureStore,
    RulesStore,
    Store,
)
from companion.store.stored_records import DRAFT_DAYS, SavedRules, TableSummary

__all__ = [
    "DRAFT_DAYS",
    "CardTakenError",
    "Changes",
    "Correction",
    "CorrectionError",
    "DocumentKind",
    "DocumentStore",
    "EventStore",
    "LogBusyError",
    "LogReadError",
    "LogUnreachableError",
    "LogUnusableError",
    "LogWriteError",
    "NightStore",
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
    "SavedRules",
    "Scan",
    "ScanQueueFullError",
    "ScanScore",
    "SqliteStore",
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
