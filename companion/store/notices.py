"""Notices about the stored data, kept until a host dismisses them.

They are in a file beside the database, because the database may be what they are about.
"""

from __future__ import annotations

import json
import logging
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from pathlib import Path
from typing import Any, Final

from companion.files import write_json
from companion.hanafuda.messages import Message
from companion.messages import DEFAULT_LANGUAGE, render
from companion.store.errors import FaultReason
from companion.store.timestamps import now_utc

__all__ = ["NOTICES_FILE", "Notice", "Notices", "fault_notice"]

NOTICES_FILE: Final = "notices.json"
_MAX_NOTICES: Final = 20
"""Beyond this number the oldest are dropped; nobody would read more."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice about the stored data for everybody at the table."""

    code: str
    params: Mapping[str, Any]
    id: str | None = None
    """The id by which a host dismisses it; None for a notice that lasts as long as its cause."""
    time: str | None = None

    @property
    def message(self) -> Message:
        """The message to display."""
        make = _WITH_PARAMS.get(self.code)
        return Message(self.code) if make is None else make(self.params)

    def to_dict(self, language: str) -> dict[str, Any]:
        """Return the notice for the API, its message in ``language``."""
        return {
            "id": self.id,
            "code": self.code,
            "params": dict(self.params),
            "time": self.time,
            "message": render(self.message, language),
        }


class Notices:
    """The notices of a data folder; thread-safe."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NOTICES_FILE
        self._lock = threading.Lock()
        self._notices = _read(self._path)

    def all(self) -> tuple[Notice, ...]:
        """Return the notices, oldest first."""
        return self._notices

    def add(self, code: str, **params: Any) -> None:
        """Add a notice; if the disk cannot be written, it lasts until the program ends."""
        time = now_utc("seconds")
        notice = Notice(code, params, secrets.token_hex(4), time)
        _log.warning("%s", render(notice.message, DEFAULT_LANGUAGE))
        with self._lock:
            same = [each for each in self._notices if (each.code, dict(each.params)) != (code, params)]
            self._keep((*same[1 - _MAX_NOTICES :], notice))

    def dismiss(self, notice_id: str) -> None:
        """Remove a notice, if it exists."""
        with self._lock:
            self._keep(tuple(each for each in self._notices if each.id != notice_id))

    def _keep(self, notices: tuple[Notice, ...]) -> None:
        self._notices = notices
        try:
            write_json(self._path, [asdict(each) for each in notices])
        except OSError as error:
            _log.warning("cannot write %s: %s", self._path, error)


def fault_notice(reason: FaultReason) -> Notice:
    """Return the notice of a fault, which is displayed as long as the fault lasts."""
    return Notice(f"log-{reason}", {})


def _read(path: Path) -> tuple[Notice, ...]:
    try:
        notices = [Notice(**each) for each in json.loads(path.read_text(encoding="utf-8"))]
        return tuple(each for each in notices if each.code in _CODES)
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, TypeError) as error:
        _log.warning("cannot read %s: %s", path, error)
        return ()


def _restored(params: Mapping[str, Any]) -> Message:
    return _replaced(params, Message("log-restored", {"backup": params["backup"]}))


def _emptied(params: Mapping[str, Any]) -> Message:
    return _replaced(params, Message("log-emptied"))


def _replaced(params: Mapping[str, Any], result: Message) -> Message:
    """Return why the database was replaced, with what, and which of its old files were kept."""
    parts = [Message(f"log-database-{params['cause']}"), result]
    if params["files"]:
        parts.append(Message("log-left-files", {"files": ", ".join(params["files"])}))
    return _joined(parts)


def _joined(sentences: Sequence[Message]) -> Message:
    return reduce(
        lambda first, second: Message("log-sentences", {"first": first, "second": second}), sentences
    )


_WITH_PARAMS: Final[Mapping[str, Callable[[Mapping[str, Any]], Message]]] = {
    "log-restored": _restored,
    "log-emptied": _emptied,
    "backup-failed": lambda params: Message("backup-failed", {"error": params["error"]}),
}
_CODES: Final = frozenset(
    (
        *_WITH_PARAMS,
        "log-repaired",
        "log-reopened",
        "log-unchecked",
        "log-busy",
        "log-full",
        "log-read-only",
        "log-replaced",
        "log-damaged",
        "log-failed",
        "log-unreachable",
    )
)
"""All codes; a file written by a newer version may have others, which are ignored."""
