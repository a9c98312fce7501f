"""The errors of the store.

- `companion.hanafuda.errors.BadRequestError`
  - `LogUnusableError`: the folder or the database cannot be opened
  - `NoSuchScanError`: no scan of that id
  - `TooManyDraftsError`: an unpaired phone has too many scans
  - `CorrectionError`: a correction that does not fit the scan
    - `CardTakenError`: the card is in the pile already
  - `RulesNameError`: rules cannot be saved under that name
    - `RulesNameTakenError`: other rules have this name
  - `NoSuchRulesError`: no saved rules of that name
  - `NoSuchTableError`: no table of that id
  - `OutOfStepError`: other events were added to the table in the meantime
- `LogWriteError`: the request is valid, but the disk or database failed; nothing was stored
  - `LogBusyError`: another program has locked the database; a retry may succeed
- `LogReadError`: the database could not be read
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Literal, TypeAlias

from companion.hanafuda.cards import twin
from companion.hanafuda.errors import BadRequestError, did_you_mean, nearest, quote

__all__ = [
    "CardTakenError",
    "CorrectionError",
    "FaultReason",
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
    "TooManyDraftsError",
]


class LogUnusableError(BadRequestError):
    """Raised if the data folder cannot be used, or its database is not a log."""

    code: ClassVar[str] = "log-unusable"


class NoSuchScanError(BadRequestError):
    """Raised if no scan has this id."""

    code: ClassVar[str] = "no-such-scan"

    def __init__(self, scan_id: str) -> None:
        self.scan = scan_id
        super().__init__(f"the log has no scan {scan_id!r}: it was deleted, or the id is mistyped")


class TooManyDraftsError(BadRequestError):
    """Raised if an unpaired phone has used up its limit of drafts."""

    code: ClassVar[str] = "too-many-drafts"

    def __init__(self, why: str) -> None:
        super().__init__(f"{why}; or pair the phone with the host's QR code, which lifts the limit")


class CorrectionError(BadRequestError):
    """Raised for a correction that does not fit its scan."""

    code: ClassVar[str] = "bad-correction"


class CardTakenError(CorrectionError):
    """Raised if a correction names a card that the pile already has, at `index`."""

    code: ClassVar[str] = "card-twice"

    def __init__(self, card_id: str, index: int) -> None:
        self.card = card_id
        self.index = index
        other = twin(card_id)
        hint = f"; its twin is {other}" if other else ""
        super().__init__(
            f"{card_id} is named twice, but a deck has only one: it is card {index} of this scan already"
            f" (correct that one in the same request){hint}"
        )


class RulesNameError(BadRequestError):
    """Raised if rules cannot be saved under this name."""

    code: ClassVar[str] = "bad-rules-name"


class RulesNameTakenError(RulesNameError):
    """Raised if other rules are saved under this name."""

    code: ClassVar[str] = "rules-name-taken"

    def __init__(self, name: str, time: str) -> None:
        super().__init__(
            f"there are rules called {name} already, saved on {time[:10]}: choose another name, or use"
            " --replace"
        )


class NoSuchRulesError(BadRequestError):
    """Raised if no rules are saved under this name."""

    code: ClassVar[str] = "no-such-rules"

    def __init__(self, wanted: str, names: Sequence[str]) -> None:
        known = f"; there are {', '.join(names)}" if names else "; there are none yet"
        super().__init__(
            f"no rules are saved as {quote(wanted)}{did_you_mean(nearest(wanted, names)) or known}"
        )


class NoSuchTableError(BadRequestError):
    """Raised if no table has this id."""

    code: ClassVar[str] = "no-such-table"

    def __init__(self, table_id: str) -> None:
        self.table = table_id
        super().__init__(
            f"there is no table {quote(table_id)}: the id is mistyped, or the table is in another data folder"
        )


class OutOfStepError(BadRequestError):
    """Raised if events were to follow event `expected`, but the last event is `seq`."""

    code: ClassVar[str] = "out-of-step"

    def __init__(self, expected: int, seq: int) -> None:
        self.expected = expected
        self.seq = seq
        super().__init__(
            f"this was reported after event {expected}, but there are {seq} events: check the events in between"
            " and report it again"
        )


FaultReason: TypeAlias = Literal["busy", "damaged", "failed", "full", "read-only", "replaced"]
"""Why the disk or the database failed."""


class LogWriteError(Exception):
    """Raised if the disk or the database failed; nothing of the request was stored."""

    code: ClassVar[str] = "log-not-written"

    def __init__(self, message: str, *, reason: FaultReason = "failed") -> None:
        self.reason = reason
        super().__init__(message)


class LogBusyError(LogWriteError):
    """Raised if another program has locked the database."""

    code: ClassVar[str] = "log-busy"
    retry_after_s: ClassVar[int] = 2
    """Recommended wait before a retry, s."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"another program is using the database in {folder}, so nothing was stored: try again in a moment, or close the"
            " program that has it open",
            reason="busy",
        )


class LogReadError(Exception):
    """Raised if the part of the database that a request needs cannot be read."""

    code: ClassVar[str] = "log-not-read"
