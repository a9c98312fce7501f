"""The errors of the store.

- `companion.hanafuda.errors.BadRequestError`
  - `LogUnusableError`: the folder or the database cannot be opened
  - `NoSuchScanError`: no scan of that id
  - `NoSuchScanJobError`: no queued picture of that id
  - `TooManyDraftsError`: an unpaired phone has too many scans
  - `CorrectionError`: a correction that does not fit the scan
    - `CardTakenError`: the card is in the pile already
  - `RulesNameError`: rules cannot be saved under that name
    - `RulesNameTakenError`: other rules have this name
  - `NoSuchRulesError`: no saved rules of that name
  - `NoSuchTableError`: no table of that id
  - `NoSuchNightError`: no night of that id
  - `EventFileError`: a file is not one of events that can be imported
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

from companion.hanafuda.errors import BadRequestError, MessageError, hint, quote
from companion.hanafuda.messages import Message, card_message


class LogUnusableError(BadRequestError):
    """Raised if the data folder cannot be used, or its database is not a log."""

    code = "log-unusable"


class NoSuchScanError(BadRequestError):
    """Raised if no scan has this id."""

    code = "no-such-scan"

    def __init__(self, scan_id: str) -> None:
        self.scan = scan_id
        super().__init__(Message("problem-no-such-scan", {"scan": quote(scan_id)}))


class NoSuchScanJobError(BadRequestError):
    """Raised if no queued picture has this id; it is forgotten a day after it was read."""

    code = "no-such-scan-job"

    def __init__(self, job_id: str) -> None:
        self.job = job_id
        super().__init__(Message("problem-no-such-scan-job", {"job": quote(job_id)}))


class TooManyDraftsError(BadRequestError):
    """Raised if an unpaired phone has used up its limit of drafts."""

    code = "too-many-drafts"


class CorrectionError(BadRequestError):
    """Raised for a correction that does not fit its scan."""

    code = "bad-correction"


class CardTakenError(CorrectionError):
    """Raised if a correction names a card that the pile already has, at `index`."""

    code = "card-twice"

    def __init__(self, card_id: str, index: int) -> None:
        self.card = card_id
        self.index = index
        super().__init__(
            Message("problem-card-taken", {"card": card_message(card_id), "id": card_id, "index": index})
        )


class RulesNameError(BadRequestError):
    """Raised if rules cannot be saved under this name."""

    code = "bad-rules-name"


class RulesNameTakenError(RulesNameError):
    """Raised if other rules are saved under this name."""

    code = "rules-name-taken"

    def __init__(self, name: str, time: str) -> None:
        super().__init__(Message("problem-rules-name-taken", {"name": name, "day": time[:10]}))


class NoSuchRulesError(BadRequestError):
    """Raised if no rules are saved under this name."""

    code = "no-such-rules"

    def __init__(self, wanted: str, names: Sequence[str]) -> None:
        super().__init__(
            Message("problem-no-such-rules", {"name": quote(wanted), "hint": hint(wanted, names)})
        )


class NoSuchTableError(BadRequestError):
    """Raised if no table has this id."""

    code = "no-such-table"

    def __init__(self, table_id: str) -> None:
        self.table = table_id
        super().__init__(Message("problem-no-such-table", {"table": quote(table_id)}))


class NoSuchNightError(BadRequestError):
    """Raised if no night has this id."""

    code = "no-such-night"

    def __init__(self, night_id: str) -> None:
        self.night = night_id
        super().__init__(Message("problem-no-such-night", {"night": quote(night_id)}))


class EventFileError(BadRequestError):
    """Raised for a file that is not one of events, or whose events cannot be stored; `line` is a line's number, from 1."""

    code = "bad-event-file"

    def __init__(self, line: int, reason: Message | str) -> None:
        self.line = line
        super().__init__(Message("import-bad-line", {"line": line, "reason": reason}))


class OutOfStepError(BadRequestError):
    """Raised if events were to follow event `expected`, but the last event is `seq`."""

    code = "out-of-step"

    def __init__(self, expected: int, seq: int) -> None:
        self.expected = expected
        self.seq = seq
        super().__init__(Message("problem-out-of-step", {"expected": str(expected), "seq": str(seq)}))


FaultReason: TypeAlias = Literal["busy", "damaged", "failed", "full", "read-only", "replaced", "unreachable"]
"""Why the disk or the database failed."""


class LogWriteError(MessageError):
    """Raised if the disk or the database failed; nothing of the request was stored."""

    code = "log-not-written"

    def __init__(self, message: Message | str, *, reason: FaultReason = "failed") -> None:
        self.reason = reason
        super().__init__(message)


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

    def __init__(self, count: int) -> None:
        super().__init__(Message("problem-scan-queue-full", {"count": count}))
