"""The application factory: combines the API, the pages, the log, and the scanner."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from importlib.metadata import version
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
from api.monitoring import health, metrics, request_log
from api.nights import night_routes, statistics_routes, transfer_routes
from api.page_shell import shell_version
from api.people import people_routes
from api.routes import pages
from api.scans import scan_routes
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

if TYPE_CHECKING:
    pass

__all__ = ["create_app"]

_BODY_BYTES = 21 * 2**20
"""Maximum size of a request body without pictures, bytes; deck files and exported records have up to 8 MB."""
_UPLOADS = frozenset(
    (
        *(scan_routes.UPLOAD, result_routes.UPLOAD, transfer_routes.UPLOAD, people_routes.UPLOAD),
        *deck_routes.UPLOADS,
        *camera_routes.UPLOADS,
    )
)


def create_app(ctx: Context) -> APIFlask:
    """Create the application of a context."""
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
    app.extensions[EXTENSION] = ctx
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
    if ctx.settings.metrics:
        metrics.register(app, ctx)
    policy.check_complete(app)
    if proxies := ctx.settings.proxies:
        # Not the host: a proxy that does not set X-Forwarded-Host passes on the client's value, which may be forged.
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=proxies, x_proto=1, x_host=0)  # type: ignore[method-assign]
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
