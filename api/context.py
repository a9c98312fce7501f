"""The objects that all requests of the application share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flask import current_app

from api.live.streams import Hub
from api.pictures.queued_scans import QueuedScans
from api.pictures.service import Pictures
from api.services.camera_status import Cameras, summary_of
from api.services.device_store import Devices, RecentScans
from api.services.known_decks import Enrollments, Shelf
from api.services.layouts import Layouts
from api.services.live_tables import LiveTables
from api.services.log_follower import LogFollower
from api.services.pairings import Pairings
from api.services.peers import Peers
from api.services.reader_feed import Readers
from api.services.readiness import Readiness
from api.services.receipt_job import Printing
from api.services.referees import Referees
from api.services.round_odds import RoundOdds
from api.services.table_driver import TableDriver
from companion.readers.tag_pairings import Tags
from companion.settings import Settings
from companion.store import Store
from companion.store.notices import Notices

__all__ = ["EXTENSION", "Context", "camera_summaries", "context"]

EXTENSION = "hanafuda-companion"


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
