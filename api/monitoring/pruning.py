"""Removes expired drafts and unused pictures while the server runs, where several servers use one database.

A server that has the store in its data folder does this when it starts.
"""

from __future__ import annotations

import logging
from typing import Final

from api.monitoring.periodic import Periodic
from companion.store import LogReadError, LogWriteError, Store

__all__ = ["Pruning"]

_PERIOD_S: Final = 3600.0

_log = logging.getLogger(__name__)


class Pruning(Periodic):
    """Prunes the store every hour, while the context manager is active."""

    def __init__(self, store: Store) -> None:
        super().__init__("pruning", _PERIOD_S, _PERIOD_S)
        self._store = store

    def step(self) -> None:
        """Prune the store; a fault is reported on every page, and the next hour tries again."""
        try:
            self._store.prune()
        except (LogReadError, LogWriteError) as error:
            _log.warning("%s", error)
