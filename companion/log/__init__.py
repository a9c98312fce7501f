"""The log: every scan with its picture, the program's reading, what people corrected, and the score.

`Log` is the way in. What a person changes is added to what is there; the program's reading never changes.
"""

from companion.log.errors import (
    CardTakenError,
    CorrectionError,
    LogUnusableError,
    LogWriteError,
    NoSuchScanError,
)
from companion.log.scan import Changes, Correction, Scan, Score
from companion.log.store import DRAFT_DAYS, Log, default_folder

__all__ = [
    "DRAFT_DAYS",
    "CardTakenError",
    "Changes",
    "Correction",
    "CorrectionError",
    "Log",
    "LogUnusableError",
    "LogWriteError",
    "NoSuchScanError",
    "Scan",
    "Score",
    "default_folder",
]
