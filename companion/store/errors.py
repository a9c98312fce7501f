"""The errors of the store.

- `companion.hanafuda.errors.BadRequestError`
  - `LogUnusableError`: the folder or the database cannot be opened
  - `TooManyDraftsError`: an unpaired phone has too many scans
  - `CorrectionError`: a correction that does not fit the scan
  - `RulesNameError`: rules cannot be saved under that name
  - `EventFileError`: a file is not one of events that can be imported
  - `companion.hanafuda.errors.NotFoundError`
    - `NoSuchScanError`, `NoSuchScanJobError`: no scan or queued picture of that id
    - `NoSuchRulesError`, `NoSuchTableError`, `NoSuchNightError`: no saved rules of that name, no table or night of that id
  - `companion.hanafuda.errors.ConflictError`
    - `CardTakenError`: the card is in the pile already
    - `RulesNameTakenError`: other rules have this name
    - `OutOfStepError`: other events were added to the table in the meantime
- `LogWriteError`: the request is valid, but the disk or database failed; nothing was stored
  - `LogBusyError`: another program has locked the database; a retry may succeed
  - `LogUnreachableError`: the database server does not answer; a retry may succeed
- `LogReadError`: the database could not be read
- `ScanQueueFullError`: too many pictures are waiting to be read
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Literal, TypeAlias

from companion.hanafuda.errors import (
    BadRequestError,
    ConflictError,
    MessageError,
    NotFoundError,
    hint,
    quote,
)
from companion.hanafuda.messages import Message, Param, card_message


class LogUnusableError(BadRequestError):
    """Raised if the data folder cannot be used, or its database is not a log."""

    code = "log-unusable"


class NoSuchScanError(NotFoundError):
    """Raised if no scan has this id."""

    def __init__(self, scan_id: str) -> None:
        message = Message("problem-no-such-scan", {"scan": quote(scan_id)})
        super().__init__("no-such-scan", message, scan=scan_id)


class NoSuchScanJobError(NotFoundError):
    """Raised if no queued picture has this id; it is forgotten a day after it was read."""

    def __init__(self, job_id: str) -> None:
        message = Message("problem-no-such-scan-job", {"job": quote(job_id)})
        super().__init__("no-such-scan-job", message, job=job_id)


class TooManyDraftsError(BadRequestError):
    """Raised if an unpaired phone has used up its limit of drafts."""

    code = "too-many-drafts"


class CorrectionError(BadRequestError):
    """Raised for a correction that does not fit its scan."""

    code = "bad-correction"


class CardTakenError(ConflictError):
    """Raised if a correction names a card that the pile already has, at `index`."""

    def __init__(self, card_id: str, index: int) -> None:
        values: dict[str, Param] = {"card": card_message(card_id), "id": card_id, "index": index}
        super().__init__("card-twice", Message("problem-card-taken", values), card=card_id, index=index)


class RulesNameError(BadRequestError):
    """Raised if rules cannot be saved under this name."""

    code = "bad-rules-name"


class RulesNameTakenError(ConflictError):
    """Raised if other rules are saved under this name."""

    def __init__(self, name: str, time: str) -> None:
        super().__init__(
            "rules-name-taken", Message("problem-rules-name-taken", {"name": name, "day": time[:10]})
        )


class NoSuchRulesError(NotFoundError):
    """Raised if no rules are saved under this name."""

    def __init__(self, wanted: str, names: Sequence[str]) -> None:
        values: dict[str, Param] = {"name": quote(wanted), "hint": hint(wanted, names)}
        super().__init__("no-such-rules", Message("problem-no-such-rules", values))


class NoSuchTableError(NotFoundError):
    """Raised if no table has this id."""

    def __init__(self, table_id: str) -> None:
        super().__init__("no-such-table", Message("problem-no-such-table", {"table": quote(table_id)}))


class NoSuchNightError(NotFoundError):
    """Raised if no night has this id."""

    def __init__(self, night_id: str) -> None:
        super().__init__("no-such-night", Message("problem-no-such-night", {"night": quote(night_id)}))


class EventFileError(BadRequestError):
    """Raised for a file that is not one of events, or whose events cannot be stored; `line` is a line's number, from 1."""

    code = "bad-event-file"

    def __init__(self, line: int, reason: Message | str) -> None:
        self.line = line
        super().__init__(Message("import-bad-line", {"line": line, "reason": reason}))


class OutOfStepError(ConflictError):
    """Raised if events were to follow event `expected`, but the last event is `seq`."""

    def __init__(self, expected: int, seq: int) -> None:
        self.expected, self.seq = expected, seq
        message = Message("problem-out-of-step", {"expected": str(expected), "seq": str(seq)})
        super().__init__("out-of-step", message, seq=seq)


FaultReason: TypeAlias = Literal["busy", "damaged", "failed", "full", "read-only", "replaced", "unreachable"]
"""Why the disk or the database failed."""


class LogWriteError(MessageError):
    """Raised if the disk or the database failed; nothing of the request was stored."""

    code = "log-not-written"

    def __init__(self, message: Message | str, *, reason: FaultReason = "failed") -> None:
        super().__init__(message)
        self.reason = reason
        self.members = {"reason": reason}


class LogBusyError(LogWriteError):
    """Raised if another program has locked the database."""

    code = "log-busy"
    retry_after_s: ClassVar[int] = 2
    """Recommended wait before a retry, s."""

    def __init__(self, folder: Path | str) -> None:
        super().__init__(Message("problem-log-busy", {"folder": str(folder)}), reason="busy")


class LogUnreachableError(LogWriteError):
    """Raised if the connection to the database server is lost. Unless the message says otherwise, nothing was stored."""

    code = "log-unreachable"
    retry_after_s: ClassVar[int] = 2
    """Recommended wait before a retry, s."""

    def __init__(self, message: Message) -> None:
        super().__init__(message, reason="unreachable")


class LogReadError(MessageError):
    """Raised if the part of the database that a request needs cannot be read."""

    code = "log-not-read"


class ScanQueueFullError(MessageError):
    """Raised if too many pictures are waiting to be read."""

    code = "scan-queue-full"
    retry_after_s: ClassVar[int] = 30
    """Recommended wait before a retry, s."""

    def __init__(self) -> None:
        super().__init__(Message("problem-busy"))
