"""The application factory: combines the API, the pages, the log, and the scanner."""

from __future__ import annotations

from importlib.metadata import version

from apiflask import APIFlask
from flask import Response
from werkzeug.middleware.proxy_fix import ProxyFix

from api import openapi, problems, request_bodies
from api.access import pairing, policy, sites
from api.context import EXTENSION, Context
from api.monitoring import metrics, request_log
from api.page_shell import shell_version
from api.routes import (
    cameras,
    decks,
    devices,
    games,
    health,
    nights,
    pages,
    people,
    phone_cameras,
    rounds,
    scans,
)
from api.serving import https_routes

_BLUEPRINTS = (
    scans.blueprint,
    decks.blueprint,
    games.blueprint,
    games.rules_blueprint,
    rounds.blueprint,  # has the routes of `api.routes.tables`, too
    nights.blueprint,
    people.blueprint,
    cameras.blueprint,
    cameras.reports_blueprint,
    phone_cameras.blueprint,
    devices.blueprint,
    decks.tags_blueprint,
    devices.printing_blueprint,
    health.blueprint,
    pairing.blueprint,
    pages.blueprint,
    https_routes.blueprint,
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
        HTTP_ERROR_SCHEMA=problems.PROBLEM_SCHEMA,
        VALIDATION_ERROR_SCHEMA=problems.PROBLEM_SCHEMA,
        VALIDATION_ERROR_DESCRIPTION="The request does not have the documented format, or cannot be carried out.",
    )
    shell_version()  # reads the pages' files now, before an update of the program can replace some of them
    app.extensions[EXTENSION] = ctx
    request_log.register(app)
    problems.register(app)
    request_bodies.register(app)
    openapi.register(app)
    app.before_request(sites.check_sender)
    app.before_request(policy.check_role)
    app.before_request(request_bodies.check_type)
    app.after_request(sites.protect)
    app.after_request(_add_version)
    for blueprint in _BLUEPRINTS:
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
