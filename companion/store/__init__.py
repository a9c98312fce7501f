"""The log: every scan with its picture, the program's reading, what people corrected, and the score; house
rules; and what happened at tables.

`Log` is the way in. What a person changes is added to what is there; the program's reading never changes.
"""

from companion.store.errors import (
    CardTakenError,
    CorrectionError,
    LogBusyError,
    LogReadError,
    LogUnusableError,
    LogWriteError,
    NoSuchRulesError,
    NoSuchScanError,
    NoSuchTableError,
    OutOfStepError,
    RulesNameError,
    RulesNameTakenError,
    TooManyDraftsError,
)
from companion.store.scan_records import Changes, Correction, Scan, Score
from companion.store.sqlite.drafts import DRAFT_DAYS
from companion.store.sqlite.house_rules import HouseRules, SavedRules
from companion.store.sqlite.pairing_store import AccessStore
from companion.store.sqlite.sqlite_store import Log, default_folder, demo_folder
from companion.store.sqlite.table_store import Tables, TableStore, TableSummary

__all__ = [
    "DRAFT_DAYS",
    "AccessStore",
    "CardTakenError",
    "Changes",
    "Correction",
    "CorrectionError",
    "HouseRules",
    "Log",
    "LogBusyError",
    "LogReadError",
    "LogUnusableError",
    "LogWriteError",
    "NoSuchRulesError",
    "NoSuchScanError",
    "NoSuchTableError",
    "OutOfStepError",
    "RulesNameError",
    "RulesNameTakenError",
    "SavedRules",
    "Scan",
    "Score",
    "TableStore",
    "TableSummary",
    "Tables",
    "TooManyDraftsError",
    "default_folder",
    "demo_folder",
]
