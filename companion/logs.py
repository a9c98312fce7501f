"""Log files of the server: JSON lines in `logs/server.log` of the data folder, rotated, readable by their owner only.

Secrets never reach a log: values of keys such as `token` and `pin`, and tokens, cookies and invitation codes inside texts,
are replaced before a line is written.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import MutableMapping
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
_EXCEPTIONS: Final = structlog.processors.ExceptionRenderer(
    structlog.tracebacks.ExceptionDictTransformer(show_locals=False)  # a local variable may be a secret
)
_SECRET_KEYS: Final = frozenset({"authorization", "cookie", "invitation", "password", "pin", "token"})


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

    Returns the path of the log file. Raises `OSError` if the file cannot be opened.
    """
    logs = folder / LOG_FOLDER
    logs.mkdir(mode=0o700, parents=True, exist_ok=True)
    shared: list[structlog.typing.Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    to_file = _PrivateRotatingFile(
        logs / _FILE,
        maxBytes=_FILE_BYTES,
        backupCount=_OLDER_FILES,
        encoding="utf-8",
        errors="backslashreplace",
    )
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
    to_person = logging.StreamHandler(err or sys.stderr)
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


class _PrivateRotatingFile(RotatingFileHandler):
    """A rotating log file that only its owner may read."""

    def _open(self) -> Any:
        def private(path: str, flags: int) -> int:
            return os.open(path, flags, 0o600)

        return open(  # the handler closes it; Path.open has no opener
            self.baseFilename, self.mode, encoding=self.encoding, errors=self.errors, opener=private
        )


class _OneLine(logging.Formatter):
    """One line for the person at the terminal; the traceback is in the log file."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the message without its traceback, secrets replaced."""
        text = without_controls(redacted(record.getMessage()))
        record = logging.makeLogRecord({**record.__dict__, "msg": text, "args": None})
        record.exc_info, record.exc_text, record.stack_info = None, None, None
        return " ".join(super().format(record).split())
