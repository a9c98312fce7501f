"""Renews the leases of this process and notices cameras that fall silent, while the server runs."""

from __future__ import annotations

import json
import logging
from types import TracebackType
from typing import Final

from api.live.streams import Hub, message
from api.monitoring.periodic import Periodic
from api.services.camera_status import Cameras, summary_of
from api.services.device_store import PAIRING, RecentScans
from api.services.ownership import DEVICES, Ownership, table_of

__all__ = ["LeaseRenewal"]

_PERIOD_S: Final = 1.0
"""How often leases are renewed, s: three times before they expire."""

_logger = logging.getLogger(__name__)


class LeaseRenewal(Periodic):
    """Renews the leases, each with the state of the table's camera, while the context manager is active.

    Pages at all processes learn here that a camera fell silent, even if nobody follows the table at this one.
    """

    def __init__(self, ownership: Ownership, cameras: Cameras, scanned: RecentScans, hub: Hub) -> None:
        super().__init__("lease renewal", _PERIOD_S)
        self._ownership, self._cameras, self._scanned, self._hub = ownership, cameras, scanned, hub

    def step(self) -> None:
        """Renew the leases; forget the cameras of tables that another process watches now."""
        for resource in self._ownership.renew(self._note):
            _logger.warning("another process has %s now", resource)
            if (table_id := table_of(resource)) is not None:
                self._cameras.forget(table_id)
        for table_id in self._cameras.tables():
            if self._cameras.fell_silent(table_id):
                status = json.dumps(self._cameras.status_of(table_id))
                self._hub.publish(table_id, message("camera", status))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        self._ownership.release()

    def _note(self, resource: str) -> str:
        """Return what other processes need to know: the state of a table's camera, or that tags are being paired."""
        if resource == DEVICES:
            return PAIRING if self._scanned.pairing else ""
        table_id = table_of(resource)
        return "" if table_id is None else json.dumps(summary_of(self._cameras.status_of(table_id)))
