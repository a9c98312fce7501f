"""Reports this process's cameras to the other processes and notices cameras that fall silent, while the server runs."""

from __future__ import annotations

import json
from typing import Final

from api.live.streams import Hub, message
from api.monitoring.periodic import Periodic
from api.services.camera_status import Cameras, summary_of
from api.services.device_store import RecentScans
from api.services.peers import Peers
from api.services.referees import Referees

__all__ = ["ProcessReports"]

_PERIOD_S: Final = 1.0
"""How often a process reports, s."""


class ProcessReports(Periodic):
    """Reports to the other processes, while the context manager is active.

    Pages at all processes learn here that a camera fell silent, even if nobody follows the table at this one.
    """

    def __init__(
        self, peers: Peers, cameras: Cameras, referees: Referees, scanned: RecentScans, hub: Hub
    ) -> None:
        super().__init__("process reports", _PERIOD_S)
        self._peers, self._cameras, self._referees = peers, cameras, referees
        self._scanned, self._hub = scanned, hub

    def step(self) -> None:
        """Report, and publish which cameras fell silent."""
        watched = {*self._cameras.tables(), *self._referees.tables()}
        summaries = {table_id: summary_of(self._cameras.status_of(table_id)) for table_id in watched}
        self._peers.send(summaries, pairing=self._scanned.pairing)
        for table_id in self._cameras.tables():
            if not self._cameras.fell_silent(table_id):
                continue
            if self._peers.cameras().get(table_id, {"state": "silent"})["state"] != "silent":
                self._cameras.forget(table_id)  # it reports to another process now
            else:
                status = json.dumps(self._cameras.status_of(table_id))
                self._hub.publish(table_id, message("camera", status))
