"""What all requests share, built without a web application."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from flask import current_app

from api.live.cameras import Cameras, Peers, summary_of
from api.live.live_tables import LiveTables
from api.live.log_follower import LogFollower
from api.live.phone_camera import PhoneCameras
from api.live.streams import ADDRESS_STREAMS, Hub
from api.live.watching import TableDriver
from api.pictures.queued_scans import QueuedScans
from api.pictures.service import Pictures, runner
from api.services.devices import Devices, Printing, RecentScans
from api.services.known_decks import Enrollments, Shelf
from api.services.layouts import Layouts
from api.services.odds import RoundOdds
from api.services.pairings import Pairings
from api.services.readiness import Readiness
from companion.settings import Settings
from companion.store.notices import Notices
from companion.store.recovery import open_for_server
from companion.store.tag_pairings import Tags

if TYPE_CHECKING:
    from vision.photograph.scanner import Scanner

EXTENSION: Final = "hanafuda-companion"
"""Where an application has its context."""
MAX_STREAMS: Final = 500
"""Default for the maximum number of event streams: the number of phones that the load test measures."""


class Context:
    """The services and stores of a server."""

    def __init__(
        self,
        folder: Path,
        scanner: Scanner | None = None,
        *,
        max_streams: int = MAX_STREAMS,
        store_url: str | None = None,
    ) -> None:
        """Open the log in a data folder, or in a database. Tests may pass a fake ``scanner``.

        ``store_url`` is the connection string of a PostgreSQL database, ``postgresql://…``, that has the log of several processes;
        ``folder`` then has what belongs to this machine: settings, certificates, logs and notices.
        ``max_streams`` is the maximum number of event streams. Raises `LogUnusableError`.
        """
        self.folder = folder
        self.settings, self.notices = Settings.load(folder), Notices(folder)
        self.store = store = open_for_server(folder, self.notices, store_url)
        documents, signals = store.documents, store.signals
        per_address = None if self.settings.proxies else ADDRESS_STREAMS
        self.hub = Hub(max_streams, per_address=per_address, signals=signals)
        self.pairings = Pairings(store.pairings, signals=signals, end_streams=self.hub.end_streams)
        self.readiness = Readiness(store)
        # tables and who watches them
        self.tables = LiveTables(store, self.hub, self.pairings.move_seats)
        self.log_follower = LogFollower(self.tables, signals)
        self.cameras, self.layouts, self.peers = Cameras(), Layouts(documents), Peers(signals)
        self.phone_cameras = PhoneCameras()
        self.driver = TableDriver(self.tables, self.cameras, store.pictures, self._move_camera)
        self.odds, self.live_odds = RoundOdds(), RoundOdds()
        """Those of finished rounds, and of running ones for the displays, which do not wait for finished rounds."""
        # photographs and decks
        self.pictures = Pictures(runner(documents, scanner))
        self.queued_scans = None if store.scan_queue is None else QueuedScans(store.scan_queue)
        """None: the pictures are read by this process, and their requests wait for them."""
        self.shelf, self.enrollments = Shelf(documents), Enrollments()
        # devices
        self.devices, self.printing = Devices(documents), Printing()
        self.tags, self.scanned = Tags(documents), RecentScans()

    def close(self) -> None:
        """End the threads and processes, and close the log, which cannot be used afterwards."""
        self.pictures.close()
        self.driver.close()
        self.log_follower.close()
        self.pairings.close()
        self.store.close()

    def _move_camera(self, table_id: str, following: str) -> None:
        """Move the camera of a table and its layout to the next one."""
        self.layouts.put(following, self.layouts.get(table_id))
        self.cameras.move(table_id, following)
        self.phone_cameras.move(table_id, following)


def context() -> Context:
    """Return the context of the current application."""
    current: Context = current_app.extensions[EXTENSION]
    return current


def camera_summaries(ctx: Context) -> dict[str, dict[str, Any]]:
    """Return the state of each camera by table id, as it was last reported here or at another process."""
    here = {table_id: summary_of(ctx.cameras.status_of(table_id)) for table_id in ctx.cameras.tables()}
    return here | {
        table_id: each
        for table_id, each in ctx.peers.cameras().items()
        if table_id not in here or here[table_id]["age"] is None or each["age"] < here[table_id]["age"]
    }
