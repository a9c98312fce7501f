"""The pages of a live table: lobby, joining, seat, table, display, host and overlay.

All use the same HTML shell with their own entry module in ``static/js/live`` and style sheets. Scripts update the content from
the table's stream (``static/js/live/store.js``).
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from http import HTTPStatus

import segno
from flask import Blueprint, Response, abort, request

from api.pages.addresses import phones_address
from api.pages.page_routes import add_page_headers, render_page

__all__ = ["blueprint"]

_MAX_PATH = 512  # longer paths make a QR code too fine to be scanned across a table


@dataclass(frozen=True, slots=True)
class _Shell:
    """The parameters of a page's HTML shell."""

    entry: str
    """The page's entry module in ``static/js/live``."""
    sheets: tuple[str, ...]
    """The page's style sheets in ``static/css``, loaded after ``base`` and ``live``."""
    masthead: bool = False
    """Whether to show the program's navigation bar at the top; the pages of a table need the space."""


_PHONE = ("sheet", "live-frame", "points", "live-cards", "live-keys", "live-speech", "live-odds")
_TABLE = (
    *_PHONE,
    "live-decision",
    "live-asks",
    "live-entry",
    "live-result",
    "live-zones",
    "live-history",
    "disputes",
    "live-help",
)
_WALL = (
    "live-type",
    "live-display",
    "live-display-ring",
    "live-display-between",
    "live-moments",
    "live-display-upright",
    "sheet",
    "live-speech",
    "live-odds",
)
_SHELLS = {
    "lobby": _Shell("app", (*_PHONE, "live-lobby", "live-people"), masthead=True),
    "join": _Shell("app", (*_PHONE, "live-lobby"), masthead=True),
    "seat": _Shell("app", (*_TABLE, "live-seat")),
    "table": _Shell("app", (*_TABLE, "live-table", "live-people")),
    "display": _Shell("display", _WALL),
    "host": _Shell("host", (*_TABLE, "live-people", "live-host")),
    "overlay": _Shell("overlay", ("live-type", "live-overlay")),
}

blueprint = Blueprint("live_pages", __name__)
blueprint.after_request(add_page_headers)


@blueprint.get("/tables")
def lobby_page() -> Response:
    """Show the lobby, to open a table or join an open one."""
    return _page("lobby")


@blueprint.get("/join")
def join_page() -> Response:
    """Pair this phone: with the code of a QR code (``#code=``) or a PIN; then go on to its seat or to ``?to=``."""
    return _page("join")


@blueprint.get("/t/<table_id>")
def table_page(table_id: str) -> Response:
    """Show both sides of a table, its field, its history, and the scores of the evening."""
    return _page("table", table_id)


@blueprint.get("/t/<table_id>/seat/<int:seat>")
def seat_page(table_id: str, seat: int) -> Response:
    """Show a table as the player at a seat (from 1) sees it."""
    return _page("seat", table_id, seat)


@blueprint.get("/t/<table_id>/display")
def display_page(table_id: str) -> Response:
    """Show a table on a wall screen."""
    return _page("display", table_id)


@blueprint.get("/t/<table_id>/host")
def host_page(table_id: str) -> Response:
    """Show the camera's view and the health of all components."""
    return _page("host", table_id)


@blueprint.get("/t/<table_id>/overlay")
def overlay_page(table_id: str) -> Response:
    """Show a table on a transparent background, as an overlay for video streams."""
    return _page("overlay", table_id)


@blueprint.get("/qr.svg")
def qr_code() -> Response:
    """Return a QR code (SVG) with the URL of one of our pages (``?path=/…``), reachable by phones in the same network."""
    path = request.args.get("path", "/")
    if not path.startswith("/") or path.startswith("//") or len(path) > _MAX_PATH:
        abort(HTTPStatus.BAD_REQUEST)
    buffer = io.BytesIO()
    segno.make(phones_address() + path, error="m", micro=False).save(
        buffer, kind="svg", border=2, scale=8, dark="#241a15", light="#fffaf0"
    )
    return Response(buffer.getvalue(), content_type="image/svg+xml")


def _page(name: str, table: str | None = None, seat: int | None = None) -> Response:
    """Return the shell of a live page in the user's language."""
    boot = {"page": name, "table": table, "seat": seat, "address": phones_address()}
    return render_page("live.html", boot, shell=_SHELLS[name])
