"""Monitors the log while the server runs: notifies all open pages when a fault occurs or is resolved."""

from __future__ import annotations

from typing import Final

from api.live.streams import Hub, message
from api.monitoring.periodic import Periodic
from companion.store import Store
from companion.store.notices import Notice, Notices, fault_notice

__all__ = ["Monitor", "current_notices"]

_PERIOD_S: Final = 0.5
"""How often the log is checked, s; users should learn of a fault within a second."""


def current_notices(log: Store, notices: Notices) -> list[Notice]:
    """Return the current notices: the current fault, if any, and all notices that were not dismissed."""
    fault = log.fault()
    return [*([] if fault is None else [fault_notice(fault.reason)]), *notices.all()]


class Monitor(Periodic):
    """Checks the log and notifies the pages, while the context manager is active."""

    def __init__(self, log: Store, notices: Notices, hub: Hub) -> None:
        super().__init__("log monitor", _PERIOD_S)
        self._log = log
        self._notices = notices
        self._hub = hub
        self._published = list[Notice]()
        self._restored = 0

    def step(self) -> None:
        """Notify the pages if the notices have changed."""
        if self._log.restored > self._restored:
            self._restored = self._log.restored
            self._notices.add("log-reopened")
        current = current_notices(self._log, self._notices)
        if current != self._published:
            self._published = current
            self._hub.publish_everywhere(message("notices", "{}"))
