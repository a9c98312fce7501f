"""Notices about the stored data, kept until a host dismisses them.

They are in a file beside the database, because the database may be what they are about.
"""

from __future__ import annotations

import json
import logging
import secrets
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from companion.files import write_json
from companion.hanafuda.messages import Message
from companion.messages import DEFAULT_LANGUAGE, render
from companion.store.errors import FaultReason
from companion.store.timestamps import now_utc

NOTICES_FILE: Final = "notices.json"
_MAX_NOTICES: Final = 20
"""Beyond this number the oldest are dropped; nobody would read more."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice about the stored data for everybody at the table."""

    code: str
    message: Message
    id: str | None = None
    """The id by which a host dismisses it; None for a notice that lasts as long as its cause."""
    time: str | None = None

    def to_dict(self, language: str) -> dict[str, Any]:
        """Return the notice for the API, its message in ``language``."""
        return {
            "id": self.id,
            "code": self.code,
            "params": self.message.to_dict().get("params", {}),
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

    def add(self, code: str, message: Message | None = None) -> None:
        """Add a notice, by default with the text of its code; if the disk cannot be written, it lasts until the program ends."""
        notice = Notice(code, message or Message(code), secrets.token_hex(4), now_utc("seconds"))
        _log.warning("%s", render(notice.message, DEFAULT_LANGUAGE))
        with self._lock:
            others = [each for each in self._notices if each.message != notice.message]
            self._keep((*others[1 - _MAX_NOTICES :], notice))

    def dismiss(self, notice_id: str) -> None:
        """Remove a notice, if it exists."""
        with self._lock:
            self._keep(tuple(each for each in self._notices if each.id != notice_id))

    def _keep(self, notices: tuple[Notice, ...]) -> None:
        self._notices = notices
        document = [
            {"code": each.code, "message": each.message.to_dict(), "id": each.id, "time": each.time}
            for each in notices
        ]
        try:
            write_json(self._path, document)
        except OSError as error:
            _log.warning("cannot write %s: %s", self._path, error)


def fault_notice(reason: FaultReason) -> Notice:
    """Return the notice of a fault, which is displayed as long as the fault lasts."""
    return Notice(f"log-{reason}", Message(f"log-{reason}"))


def _read(path: Path) -> tuple[Notice, ...]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        return tuple(
            Notice(each["code"], Message.from_dict(each["message"]), each["id"], each["time"])
            for each in document
        )
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        _log.warning("cannot read %s: %s", path, error)
        return ()
