"""The application factory: the API, the pages, the log and the eyes put together."""

from __future__ import annotations

from http import HTTPStatus
from importlib.metadata import version
from pathlib import Path
from typing import Any

from apiflask import APIFlask
from flask import Response, request
from werkzeug.exceptions import BadRequest, Forbidden, UnsupportedMediaType

from api import (
    bodies,
    decks,
    devices,
    devices_pages,
    games,
    health,
    live_pages,
    metrics,
    pages,
    presses,
    printing,
    problems,
    request_log,
    rules,
    scans,
    scans_table,
    tables,
    tables_watch,
    tags,
)
from api.access import identity, pairing
from api.access.pairings import Pairings
from api.camera import Cameras
from api.context import EXTENSION, Context
from api.devices_store import Devices, Scanned
from api.eyes import Eyes, ScannerLike
from api.layouts import Layouts
from api.live import Hub
from api.live_tables import LiveTables
from api.pictured import Pictured
from api.printing_job import Printing
from api.readers import Readers
from api.referees import Referees
from api.seeing import Seeing
from api.shelf import Enrolments, Shelf
from companion.log import Log
from companion.settings import Settings
from companion.tags import Tags
from companion.terminal import decks_folder
from vision.decks.library import Library
from vision.pictures import MAX_BYTES

__all__ = ["create_app"]

MOST_STREAMS = 100
"""Pages that can follow tables at once where nobody says how many; each holds a thread of the server."""

_FORM_BYTES = 2**20
"""Room beside the picture for the form's other fields."""
_UPLOADS = frozenset((scans.UPLOAD, *decks.UPLOADS, *tables_watch.UPLOADS))


def create_app(
    data: Path, scanner: ScannerLike | None = None, *, most_streams: int = MOST_STREAMS
) -> APIFlask:
    """Return the application with its log in folder ``data``; tests put a double in place of the scanner.

    ``most_streams`` pages can follow tables at once: the server needs as many threads, and some for everything else.
    """
    app = APIFlask(
        __name__,
        title="hanafuda-companion",
        version=version("hanafuda-companion"),
        spec_path="/api/openapi.json",
        docs_path=None,  # the ready-made documentation pages load their scripts from other people's servers
        json_errors=False,
    )
    app.config.update(
        MAX_CONTENT_LENGTH=MAX_BYTES + _FORM_BYTES,
        HTTP_ERROR_SCHEMA=problems.PROBLEM_SCHEMA,
        VALIDATION_ERROR_SCHEMA=problems.PROBLEM_SCHEMA,
        VALIDATION_ERROR_DESCRIPTION="The request is not of the documented shape, or cannot be carried out.",
    )
    settings = Settings.load(data)
    log = Log(data)
    log.prune()
    library = Library(decks_folder(data))
    hub = Hub(most_streams)
    eyes = Eyes(scanner, library)
    live, referees, cameras = LiveTables(log, hub), Referees(log.evidence), Cameras()
    layouts = Layouts(data / "layouts")
    seeing = Seeing(live, referees, cameras, layouts)
    app.extensions[EXTENSION] = Context(
        settings=settings,
        log=log,
        eyes=eyes,
        shelf=Shelf(library),
        enrolments=Enrolments(),
        pairings=Pairings(data),
        hub=hub,
        tables=live,
        referees=referees,
        cameras=cameras,
        layouts=layouts,
        pictured=Pictured(eyes),
        devices=Devices(data),
        tags=Tags(data / "tags"),
        scanned=Scanned(),
        printing=Printing(),
        seeing=seeing,
        readers=Readers(live, referees, cameras, seeing),
    )
    request_log.register(app)
    problems.register(app)
    bodies.register(app)
    identity.register(app)
    tables.register(app)
    app.spec_processor(_finish_spec)
    app.before_request(_check_sender)
    app.after_request(_keep_to_itself)
    for blueprint in (
        scans.blueprint,
        decks.blueprint,
        games.blueprint,
        rules.blueprint,
        tables.blueprint,
        tables_watch.blueprint,
        scans_table.blueprint,
        devices.blueprint,
        tags.blueprint,
        presses.blueprint,
        printing.blueprint,
        health.blueprint,
        pairing.blueprint,
        pages.blueprint,
        live_pages.blueprint,
        devices_pages.blueprint,
    ):
        app.register_blueprint(blueprint)
    if settings.metrics:
        metrics.register(app, app.extensions[EXTENSION])
    return app


def _check_sender() -> None:
    """Refuse what a page of another site makes a browser send, and bodies of another kind than asked for."""
    if request.method in {"GET", "HEAD", "OPTIONS"} or request.endpoint is None:
        return
    if request.headers.get("Sec-Fetch-Site") == "cross-site":
        raise Forbidden("Another site's page sent this; only this program's own pages may.")
    if request.method == "DELETE":
        return
    wanted = "multipart/form-data" if request.endpoint in _UPLOADS else "application/json"
    if request.mimetype != wanted:
        came = request.mimetype or "something without a type"
        raise UnsupportedMediaType(f"Send {wanted} here, not {came}.")
    if request.is_json and request.get_json() is None:
        raise BadRequest  # else APIFlask would take null for {}


def _keep_to_itself(response: Response) -> Response:
    """Let nothing that is served here load anything else; the pages bring a policy of their own."""
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    response.headers.setdefault("Referrer-Policy", "same-origin")
    # The faces are SVG with styles of their own.
    response.headers.setdefault(
        "Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
    )
    return response


def _finish_spec(spec: dict[Any, Any] | str) -> dict[Any, Any] | str:
    """Say in the OpenAPI document what APIFlask does not: bodies are required, errors have their own type."""
    assert isinstance(spec, dict)
    for operations in spec["paths"].values():
        for operation in operations.values():
            if body := operation.get("requestBody"):
                body["required"] = True
            for status, answer in operation["responses"].items():
                if int(status) >= HTTPStatus.BAD_REQUEST and "application/json" in answer.get("content", {}):
                    answer["content"] = {problems.MEDIA_TYPE: answer["content"].pop("application/json")}
    return spec
