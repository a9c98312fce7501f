"""Watches the log while the server runs: tells every open page when something goes wrong with it or is well again."""

from __future__ import annotations

from typing import Final

from api.live.streams import Hub, message
from api.monitoring.periodic import Periodic
from companion.store import Store
from companion.store.notices import Notice, Notices, fault_notice

__all__ = ["Monitor", "current_notices"]

_PERIOD_S: Final = 0.5
"""How often the log is looked at; people are to learn of a fault within a second."""


def current_notices(log: Store, notices: Notices) -> list[Notice]:
    """Return what everybody should know now: the fault that lasts, if there is one, and what nobody has dismissed."""
    fault = log.fault()
    return [*([] if fault is None else [fault_notice(fault.reason)]), *notices.all()]


class Monitor(Periodic):
    """Looks at the log and tells the pages; use it with ``with``."""

    def __init__(self, log: Store, notices: Notices, hub: Hub) -> None:
        super().__init__("log monitor", _PERIOD_S)
        self._log = log
        self._notices = notices
        self._hub = hub
        self._shown = list[Notice]()
        self._restored = 0

    def step(self) -> None:
        """Tell the pages if the notices are others than before."""
        if self._log.restored > self._restored:
            self._restored = self._log.restored
            self._notices.add("log-reopened")
        now = current_notices(self._log, self._notices)
        if now != self._shown:
            self._shown = now
            self._hub.publish_everywhere(message("notices", "{}"))
