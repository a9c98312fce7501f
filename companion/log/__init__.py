"""The log: every scan with its picture, the program's reading, what people corrected, and the score; house rules.

`Log` is the way in. What a person changes is added to what is there; the program's reading never changes.
"""

from companion.log.errors import (
    CardTakenError,
    CorrectionError,
    LogUnusableError,
    LogWriteError,
    NoSuchRulesError,
    NoSuchScanError,
    RulesNameError,
    RulesNameTakenError,
)
from companion.log.house_rules import HouseRules, SavedRules
from companion.log.scan import Changes, Correction, Scan, Score
from companion.log.store import DRAFT_DAYS, Log, default_folder

__all__ = [
    "DRAFT_DAYS",
    "CardTakenError",
    "Changes",
    "Correction",
    "CorrectionError",
    "HouseRules",
    "Log",
    "LogUnusableError",
    "LogWriteError",
    "NoSuchRulesError",
    "NoSuchScanError",
    "RulesNameError",
    "RulesNameTakenError",
    "SavedRules",
    "Scan",
    "Score",
    "default_folder",
]
