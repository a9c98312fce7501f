"""The application factory: combines the API, the pages, the log, and the scanner."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from apiflask import APIFlask
from flask import Response, g, request
from werkzeug.middleware.proxy_fix import ProxyFix

from api import problems, request_bodies
from api.access import identity, pairing, policy, requests
from api.access.identity import Who
from api.context import EXTENSION, Context
from api.decks import deck_routes, tag_routes
from api.devices import device_routes, print_routes
from api.games import game_routes, rules_routes
from api.live.streams import ADDRESS_STREAMS, Hub
from api.monitoring import health, metrics, request_log
from api.nights import night_routes, statistics_routes, transfer_routes
from api.page_shell import shell_version
from api.people import people_routes
from api.pictures.queued_scans import QueuedScans
from api.pictures.service import Pictures, runner
from api.routes import pages
from api.scans import scan_routes
from api.services.camera_status import Cameras
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
from api.serving import https_routes
from api.serving.channel import CONNECTION
from api.tables import (
    camera_routes,
    dispute_routes,
    press_routes,
    reader_routes,
    replay_routes,
    result_routes,
    table_routes,
    yaku_routes,
)
from companion.readers.tag_pairings import Tags
from companion.settings import Settings
from companion.store.notices import Notices
from companion.store.opening import open_for_server

if TYPE_CHECKING:
    from vision.jobs.picture_jobs import ScannerLike

__all__ = ["create_app"]

MOST_STREAMS = 500
"""Default for the maximum number of event streams: the number of phones that `companion bench load` measures."""

_BODY_BYTES = 21 * 2**20
"""Maximum size of a request body without pictures, bytes; deck files and exported records have up to 8 MB."""
_UPLOADS = frozenset(
    (
        *(scan_routes.UPLOAD, result_routes.UPLOAD, transfer_routes.UPLOAD, people_routes.UPLOAD),
        *deck_routes.UPLOADS,
        *camera_routes.UPLOADS,
    )
)


def create_app(
    data: Path,
    scanner: ScannerLike | None = None,
    *,
    most_streams: int = MOST_STREAMS,
    store_url: str | None = None,
) -> APIFlask:
    """Create the application with its log in the folder ``data``. Tests may pass a fake ``scanner``.

    ``store_url`` is the connection string of a PostgreSQL database, ``postgresql://…``, that has the log of several processes;
    ``data`` then has what belongs to this machine: settings, certificates, logs, notices, and copies of pictures.
    ``most_streams`` is the maximum number of event streams.
    """
    app = APIFlask(
        __name__,
        title="hanafuda-companion",
        version=version("hanafuda-companion"),
        spec_path="/api/openapi.json",
        docs_path=None,  # APIFlask's documentation pages load scripts from third-party servers
        json_errors=False,
    )
    app.config.update(
        MAX_CONTENT_LENGTH=_BODY_BYTES,
        HTTP_ERROR_SCHEMA=problems.PROBLEM_SCHEMA,
        VALIDATION_ERROR_SCHEMA=problems.PROBLEM_SCHEMA,
        VALIDATION_ERROR_DESCRIPTION="The request does not have the documented format, or cannot be carried out.",
    )
    shell_version()  # reads the pages' files now, before an update of the program can replace some of them
    settings = Settings.load(data)
    notices = Notices(data)
    store = open_for_server(data, notices, store_url)
    per_address = None if settings.proxies else ADDRESS_STREAMS
    hub = Hub(most_streams, per_address=per_address, signals=store.signals)
    pairings = Pairings(store.pairings, signals=store.signals, end_streams=hub.end_streams)
    live = LiveTables(store, hub, pairings.move_seats)
    referees, cameras = Referees(store.pictures), Cameras()
    layouts = Layouts(store.documents)

    def move_cameras(table_id: str, following: str) -> None:
        layouts.put(following, layouts.get(table_id))
        cameras.move(table_id, following)
        referees.move(table_id, following)

    driver = TableDriver(live, referees, move_cameras)
    app.extensions[EXTENSION] = Context(
        folder=data,
        settings=settings,
        store=store,
        pictures=Pictures(runner(store.documents, scanner)),
        queued_scans=None if store.scan_queue is None else QueuedScans(store.scan_queue),
        shelf=Shelf(store.documents),
        enrollments=Enrollments(),
        pairings=pairings,
        hub=hub,
        tables=live,
        log_follower=LogFollower(live, hub, store),
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
    request_log.register(app)
    problems.register(app)
    request_bodies.register(app)
    identity.register(app)
    table_routes.register(app)
    night_routes.register(app)
    people_routes.register(app)
    app.spec_processor(partial(_finish_spec, app))
    app.view_functions["openapi.spec"] = _cached(app, app.view_functions["openapi.spec"])
    app.before_request(requests.check_sender)
    app.before_request(policy.check_role)
    app.before_request(partial(requests.check_body_type, _UPLOADS))
    app.after_request(requests.protect)
    app.after_request(_add_version)
    app.after_request(_remember_pairing)
    for blueprint in (
        scan_routes.blueprint,
        deck_routes.blueprint,
        game_routes.blueprint,
        rules_routes.blueprint,
        table_routes.blueprint,
        night_routes.blueprint,
        statistics_routes.blueprint,
        transfer_routes.blueprint,
        people_routes.blueprint,
        camera_routes.blueprint,
        reader_routes.blueprint,
        device_routes.blueprint,
        tag_routes.blueprint,
        press_routes.blueprint,
        result_routes.blueprint,
        replay_routes.blueprint,
        dispute_routes.blueprint,
        yaku_routes.blueprint,
        print_routes.blueprint,
        health.blueprint,
        pairing.blueprint,
        pages.blueprint,
        https_routes.blueprint,
    ):
        app.register_blueprint(blueprint)
    if settings.metrics:
        metrics.register(app, app.extensions[EXTENSION])
    policy.check_complete(app)
    if settings.proxies:
        # Not the host: a proxy that does not set X-Forwarded-Host passes on the client's value, which may be forged.
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=settings.proxies, x_proto=1, x_host=0)  # type: ignore[method-assign]
    return app


def _add_version(response: Response) -> Response:
    """Add the version of the pages to a response: a page of another version displays that it must be reloaded."""
    response.headers["App-Version"] = shell_version()
    return response


def _remember_pairing(response: Response) -> Response:
    """Mark the connection as one of a paired device, so that it is closed last if there is no room."""
    connection = request.environ.get(CONNECTION)
    sender: Who | None = g.get("who")
    if connection is not None and sender is not None and sender.paired:
        connection.paired = True
    return response


def _cached(app: APIFlask, view: Callable[..., Any]) -> Callable[[], Response]:
    """Return a view that caches its first response: creating the OpenAPI document takes 0.1 s, and anyone may request it."""
    lock = threading.Lock()
    cache: list[tuple[bytes, str]] = []

    def cached_view() -> Response:
        with lock:
            if not cache:
                response = app.make_response(view())
                cache.append((response.get_data(), response.mimetype or ""))
        data, mimetype = cache[0]
        return Response(data, mimetype=mimetype)

    return cached_view


def _finish_spec(app: APIFlask, spec: dict[Any, Any] | str) -> dict[Any, Any] | str:
    """Complete the OpenAPI document: bodies are required, errors have their own media type, and the access rules."""
    assert isinstance(spec, dict)
    policy.describe_access(app, spec)
    for operations in spec["paths"].values():
        for operation in operations.values():
            if body := operation.get("requestBody"):
                body["required"] = True
            for status, response in operation["responses"].items():
                if int(status) >= HTTPStatus.BAD_REQUEST and "application/json" in response.get(
                    "content", {}
                ):
                    response["content"] = {problems.MEDIA_TYPE: response["content"].pop("application/json")}
    return spec
