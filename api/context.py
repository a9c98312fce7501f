"""What all requests share, built without a web application."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from flask import current_app

from api.live.cameras import Cameras, Layouts, Peers, summary_of
from api.live.live_tables import LiveTables
from api.live.log_follower import LogFollower
from api.live.odds import RoundOdds
from api.live.streams import ADDRESS_STREAMS, Hub
from api.live.watching import Readers, Referees, TableDriver
from api.pictures.queued_scans import QueuedScans
from api.pictures.service import Pictures, runner
from api.services.devices import Devices, Printing, RecentScans
from api.services.known_decks import Enrollments, Shelf
from api.services.pairings import Pairings
from api.services.readiness import Readiness
from companion.readers.tag_pairings import Tags
from companion.settings import Settings
from companion.store import Store
from companion.store.notices import Notices
from companion.store.recovery import open_for_server

if TYPE_CHECKING:
    from vision.jobs.picture_jobs import ScannerLike

__all__ = ["EXTENSION", "MAX_STREAMS", "Context", "camera_summaries", "context"]

EXTENSION: Final = "hanafuda-companion"
"""Where an application has its context."""
MAX_STREAMS: Final = 500
"""Default for the maximum number of event streams: the number of phones that the load test measures."""


@dataclass(frozen=True, slots=True)
class Context:
    """The services and stores of an application."""

    folder: Path
    """The data folder, for what belongs to this machine: certificates, logs, backups."""
    settings: Settings
    store: Store
    pictures: Pictures
    queued_scans: QueuedScans | None
    """None: the pictures are read by this process, and their requests wait for them."""
    shelf: Shelf
    enrollments: Enrollments
    pairings: Pairings
    hub: Hub
    tables: LiveTables
    log_follower: LogFollower
    referees: Referees
    cameras: Cameras
    layouts: Layouts
    devices: Devices
    tags: Tags
    scanned: RecentScans
    printing: Printing
    peers: Peers
    driver: TableDriver
    readers: Readers
    notices: Notices
    readiness: Readiness
    odds: RoundOdds
    """Those of finished rounds."""
    live_odds: RoundOdds
    """Those of running rounds, for the displays: they do not wait for finished rounds."""

    @classmethod
    def open(
        cls,
        folder: Path,
        scanner: ScannerLike | None = None,
        *,
        max_streams: int = MAX_STREAMS,
        store_url: str | None = None,
    ) -> Self:
        """Open the log in a data folder, or in a database. Tests may pass a fake ``scanner``.

        ``store_url`` is the connection string of a PostgreSQL database, ``postgresql://…``, that has the log of several processes;
        ``folder`` then has what belongs to this machine: settings, certificates, logs, notices, and copies of pictures.
        ``max_streams`` is the maximum number of event streams. Raises `LogUnusableError`.
        """
        settings, notices = Settings.load(folder), Notices(folder)
        store = open_for_server(folder, notices, store_url)
        hub = Hub(
            max_streams, per_address=None if settings.proxies else ADDRESS_STREAMS, signals=store.signals
        )
        pairings = Pairings(store.pairings, signals=store.signals, end_streams=hub.end_streams)
        tables = LiveTables(store, hub, pairings.move_seats)
        referees, cameras, layouts = Referees(store.pictures), Cameras(), Layouts(store.documents)

        def move_cameras(table_id: str, following: str) -> None:
            layouts.put(following, layouts.get(table_id))
            cameras.move(table_id, following)
            referees.move(table_id, following)

        driver = TableDriver(tables, referees, move_cameras)
        return cls(
            folder=folder,
            settings=settings,
            store=store,
            pictures=Pictures(runner(store.documents, scanner)),
            queued_scans=None if store.scan_queue is None else QueuedScans(store.scan_queue),
            shelf=Shelf(store.documents),
            enrollments=Enrollments(),
            pairings=pairings,
            hub=hub,
            tables=tables,
            log_follower=LogFollower(tables, hub, store),
            referees=referees,
            cameras=cameras,
            layouts=layouts,
            devices=Devices(store.documents),
            tags=Tags(store.documents),
            scanned=RecentScans(),
            printing=Printing(),
            peers=Peers(store.signals),
            driver=driver,
            readers=Readers(referees, cameras, driver),
            notices=notices,
            readiness=Readiness(store),
            odds=RoundOdds(),
            live_odds=RoundOdds(),
        )

    def close(self) -> None:
        """End the threads and processes, and close the log, which cannot be used afterwards."""
        self.pictures.close()
        self.readers.close()
        self.log_follower.close()
        self.store.close()


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
