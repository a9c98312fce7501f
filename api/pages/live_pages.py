"""The pages of a live table: lobby, joining, seat, table, display, host and overlay.

Each is the same shell with an entry module in ``static/js/live`` and style sheets of its own; what moves in it follows the
table's stream (``static/js/live/store.js``).
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlsplit

import segno
from flask import Blueprint, Response, abort, request

from api.pages.page_routes import in_their_language, keep_pages_to_themselves
from companion.net.addresses import PORT, urls

__all__ = ["blueprint"]

_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_LONGEST_PATH = 512  # of an address in a QR code; more makes it too fine for a phone across the table


@dataclass(frozen=True, slots=True)
class _Shell:
    """What stands around a page."""

    entry: str
    """The module of ``static/js/live`` that starts it."""
    sheets: tuple[str, ...]
    """Its style sheets after ``base`` and ``live``, in ``static/css``."""
    masthead: bool = False
    """Whether the program's band with the other pages stands on top; a table's own pages need the room."""


_PHONE = ("sheet", "live-frame", "points", "live-cards", "live-keys")
_TABLE = (*_PHONE, "live-decision", "live-asks", "live-entry", "live-history")
_WALL = (
    "live-type",
    "live-display",
    "live-display-ring",
    "live-display-between",
    "live-moments",
    "live-display-upright",
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
blueprint.after_request(keep_pages_to_themselves)


@blueprint.get("/tables")
def lobby_page() -> Response:
    """Open a table, or join one that is open."""
    return _page("lobby")


@blueprint.get("/join")
def join_page() -> Response:
    """Pair this phone: with the code of a QR code (``#code=``) or a PIN; then go on to its seat or to ``?to=``."""
    return _page("join")


@blueprint.get("/t/<table_id>")
def table_page(table_id: str) -> Response:
    """Show both sides of a table, its field, its history and its night."""
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
    """Show what the camera sees, and the health of everything."""
    return _page("host", table_id)


@blueprint.get("/t/<table_id>/overlay")
def overlay_page(table_id: str) -> Response:
    """Show a table on a transparent ground, for a stream's overlay."""
    return _page("overlay", table_id)


@blueprint.get("/qr.svg")
def qr_code() -> Response:
    """Draw the address of a page of ours (``?path=/…``) as a QR code that a phone in the same network can follow."""
    path = request.args.get("path", "/")
    if not path.startswith("/") or path.startswith("//") or len(path) > _LONGEST_PATH:
        abort(HTTPStatus.BAD_REQUEST)
    drawn = io.BytesIO()
    segno.make(phones_address() + path, error="m", micro=False).save(
        drawn, kind="svg", border=2, scale=8, dark="#241a15", light="#fffaf0"
    )
    return Response(drawn.getvalue(), content_type="image/svg+xml")


def phones_address() -> str:
    """Return the origin by which phones reach this server, without a slash: the machine's own name is none to them."""
    asked = urlsplit(request.host_url)
    if asked.hostname in _LOOPBACK:
        return urls(port=asked.port or PORT)[0].rstrip("/")
    return request.host_url.rstrip("/")


def _page(name: str, table: str | None = None, seat: int | None = None) -> Response:
    """Return the shell of a live page, in the person's language."""
    boot = {"page": name, "table": table, "seat": seat, "address": phones_address()}
    return in_their_language("live.html", boot, shell=_SHELLS[name])
