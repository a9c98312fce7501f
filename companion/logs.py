"""Log files of the server: JSON lines in `logs/server.log` of the data folder, rotated, readable by their owner only.

Secrets never reach a log: values of keys such as `token` and `pin`, and tokens, cookies and invitation codes inside texts,
are replaced before a line is written. Of one kind of warning or error only a few lines are written, then one a minute, so that a client that
provokes them can neither fill the disk nor push everything else out of the log.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
import traceback
from collections.abc import MutableMapping
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, Final, TextIO

import structlog

from companion.redaction import HIDDEN, redacted, without_controls

LOG_FOLDER: Final = "logs"

_FILE: Final = "server.log"
#: Size of one log file, bytes, and how many older ones are kept: some weeks of game nights in 12 MB.
_FILE_BYTES: Final = 2 * 2**20
_OLDER_FILES: Final = 5
_KIND_BURST: Final = 5
"""Lines of one kind of warning or error at once."""
_KIND_PER_S: Final = 1 / 60
"""Lines of one kind a second after that."""
_EXCEPTIONS: Final = structlog.processors.ExceptionRenderer(
    structlog.tracebacks.ExceptionDictTransformer(show_locals=False)  # a local variable may be a secret
)
_SECRET_KEYS: Final = frozenset({"authorization", "cookie", "invitation", "password", "pin", "token"})


class LineLimit:
    """A limit for lines of a log: ``burst`` at once, then ``per_s`` a second. Thread-safe."""

    def __init__(self, burst: int, per_s: float) -> None:
        self._burst = burst
        self._per_s = per_s
        self._lock = threading.Lock()
        self._tokens = float(burst)
        self._updated_at = time.monotonic()
        self._omitted = 0

    def take(self) -> int | None:
        """Return None if the next line must be omitted, otherwise how many were omitted before it."""
        with self._lock:
            now = time.monotonic()
            self._tokens = min(self._burst, self._tokens + self._per_s * (now - self._updated_at))
            self._updated_at = now
            if self._tokens < 1:
                self._omitted += 1
                return None
            self._tokens -= 1
            omitted, self._omitted = self._omitted, 0
            return omitted


def redact(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Replace secrets in a log event, in the lists and tables of its values too; a structlog processor."""
    for key, value in event.items():
        event[key] = HIDDEN if key.lower() in _SECRET_KEYS else _redacted_value(value)
    return event


def _redacted_value(value: Any) -> Any:
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, dict):
        return redact(None, "", {str(key): each for key, each in value.items()})
    if isinstance(value, list | tuple):
        return [_redacted_value(each) for each in value]
    return value if value is None or isinstance(value, int | float) else redacted(str(value))


def configure_logging(folder: Path, err: TextIO | None = None) -> Path:
    """Write this process's log to data folder ``folder``, and warnings as one line each to ``err`` (standard error).

    Returns the path of the log file. If the file cannot be written, ``err`` has a line about it, and each further line tries again.
    """
    logs = folder / LOG_FOLDER
    err = err or sys.stderr
    shared: list[structlog.typing.Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    to_file = _PrivateRotatingFile(logs / _FILE, err)
    to_file.addFilter(_KindLimit())
    to_file.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                _EXCEPTIONS,
                structlog.processors.EventRenamer("message"),
                redact,
                structlog.processors.JSONRenderer(ensure_ascii=False),
            ],
        )
    )
    to_person = _Terminal(err)
    to_person.addFilter(_KindLimit())
    to_person.setLevel(logging.WARNING)
    to_person.setFormatter(_OneLine("companion serve: %(message)s"))
    root = logging.getLogger()
    for handler in list(root.handlers):
        root.removeHandler(handler)
        handler.close()
    root.addHandler(to_file)
    root.addHandler(to_person)
    root.setLevel(logging.INFO)
    return logs / _FILE


class _KindLimit(logging.Filter):
    """Limits the warnings and errors of one kind: those of one line of the program, with an exception of one type from one line."""

    def __init__(self) -> None:
        super().__init__()
        self._limits: dict[tuple[object, ...], LineLimit] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a line is written; the first one after others that were omitted has their number."""
        if record.levelno < logging.WARNING:
            return True
        error, _, trace = record.exc_info or (None, None, None)
        origin = None if trace is None else traceback.extract_tb(trace)[-1]
        kind = (record.pathname, record.lineno, error, origin and (origin.filename, origin.lineno))
        omitted = self._limits.setdefault(kind, LineLimit(_KIND_BURST, _KIND_PER_S)).take()
        if omitted:
            record.omitted = omitted
        return omitted is not None


class _Terminal(logging.StreamHandler[TextIO]):
    """Lines for the person at the terminal, dropped if it is gone or its disk is full."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  # a name of the standard library
        """Report an error of the program, and nothing for one of the disk."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)


class _PrivateRotatingFile(RotatingFileHandler):
    """A rotating log file that only its owner may read."""

    def __init__(self, path: Path, err: TextIO) -> None:
        super().__init__(
            path,
            maxBytes=_FILE_BYTES,
            backupCount=_OLDER_FILES,
            encoding="utf-8",
            delay=True,
            errors="backslashreplace",
        )
        self._err = err
        self._limit = LineLimit(1, _KIND_PER_S)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  # a name of the standard library
        """Report in a line, once a minute, that the file cannot be written; the next record opens it again."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            super().handleError(record)
            return
        with suppress(OSError):  # what waits in its buffer cannot be written either
            self.close()
        if self._limit.take() is not None:
            with suppress(OSError):
                reason = error.strerror or str(error)
                self._err.write(f"companion serve: {self.baseFilename} cannot be written: {reason}\n")
                self._err.flush()

    def _open(self) -> Any:
        path = Path(self.baseFilename)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)

        def private(path: str, flags: int) -> int:
            return os.open(path, flags, 0o600)

        if path.exists() and path.stat().st_size and not path.read_bytes().endswith(b"\n"):
            with path.open("ab") as file:
                file.write(b"\n")  # the last line was cut off when the disk was full
        return open(  # the handler closes it; Path.open has no opener
            path, self.mode, encoding=self.encoding, errors=self.errors, opener=private
        )


class _OneLine(logging.Formatter):
    """One line for the person at the terminal; the traceback is in the log file."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the message without its traceback, secrets replaced."""
        text = without_controls(redacted(record.getMessage()))
        record = logging.makeLogRecord({**record.__dict__, "msg": text, "args": None})
        record.exc_info, record.exc_text, record.stack_info = None, None, None
        return " ".join(super().format(record).split())
