"""Watches the log while the server runs: tells every open page when something goes wrong with it or is well again."""

from __future__ import annotations

import logging
import threading
from types import TracebackType
from typing import Final, Self

from api.live import Hub, message
from companion.log import Log
from companion.log.notices import Notice, Notices, fault_notice

__all__ = ["Monitor", "current_notices"]

_PERIOD_S: Final = 0.5
"""How often the log is looked at; people are to learn of a fault within a second."""

_logger = logging.getLogger(__name__)


def current_notices(log: Log, notices: Notices) -> list[Notice]:
    """Return what everybody should know now: the fault that lasts, if there is one, and what nobody has dismissed."""
    fault = log.fault()
    return [*([] if fault is None else [fault_notice(fault.reason)]), *notices.all()]


class Monitor:
    """A thread that looks at the log and tells the pages; use it with ``with``."""

    def __init__(self, log: Log, notices: Notices, hub: Hub) -> None:
        self._log = log
        self._notices = notices
        self._hub = hub
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="log monitor", daemon=True)

    def __enter__(self) -> Self:
        """Begin."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End, and wait for that."""
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        before, restored = list[Notice](), 0
        while not self._ended.wait(_PERIOD_S):
            try:
                if self._log.database.restored > restored:
                    restored = self._log.database.restored
                    self._notices.add("log-reopened")
                now = current_notices(self._log, self._notices)
                if now != before:
                    before = now
                    self._hub.publish_everywhere(message("notices", "{}"))
            except Exception:  # the watch goes on, whatever happens
                _logger.exception("the log cannot be watched")
