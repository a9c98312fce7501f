"""The pages for phones, computers and wall screens: HTML shells whose scripts are in ``static/js``, and the app that they form.

Browsers install the pages as an app with the manifest. The service worker asks the server first for pages, and uses its copy of
them only without a connection. It takes files from its copy at once, because their addresses name their version. The copy is
complete for one version, and contains no answers of the API except the cards and the games.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from http import HTTPStatus
from pathlib import PurePosixPath
from typing import Final

from flask import Blueprint, Response, abort, jsonify, make_response, request

from api.languages import request_language
from api.page_shell import (
    IMMUTABLE,
    WORKER,
    add_page_headers,
    catalog_address,
    file_address,
    file_type,
    page_files,
    phones_address,
    qr_svg,
    render_page,
    secure_address,
    shell_version,
)
from companion.faces import FACES, face_svg
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import default_game
from companion.messages import LANGUAGES, catalog_source, render
from vision.pictures.picture_files import MAX_BYTES

_MAX_PATH: Final = 512
"""Longer paths make a QR code too fine to be scanned across a table, characters."""
_BINARY: Final = frozenset((".png", ".woff2"))
_COLORS: Final = {"background_color": "#fffaf0", "theme_color": "#7d1020"}
_ICONS: Final = (
    {"src": "/static/icon.svg", "sizes": "any", "type": "image/svg+xml", "purpose": "any"},
    *(
        {"src": f"/static/icons/{name}.png", "sizes": size, "type": "image/png", "purpose": purpose}
        for name, size, purpose in (
            ("icon-192", "192x192", "any"),
            ("icon-512", "512x512", "any"),
            ("maskable-512", "512x512", "maskable"),
        )
    ),
)

_APP: Final = (
    "base kit home scan picture points score tiles sheet log night statistics replay disputes people house rules"
    " decks"
)
_DEVICES: Final = "base kit sheet devices tags"
_PHONE: Final = "base kit live live-frame points live-cards live-keys live-speech live-odds"
_TABLE: Final = (
    f"{_PHONE} live-decision live-asks live-entry live-result live-zones live-history disputes live-help"
    " live-people"
)
_WALL: Final = (
    "base kit live live-type live-display live-display-ring live-display-between live-moments"
    " live-display-upright live-asks live-speech live-odds"
)


@dataclass(frozen=True, slots=True)
class _PageShell:
    """What the HTML shell of a page loads."""

    name: str
    """The page's name for its scripts, and its endpoint in `api.access.policy`."""
    title: str | None = None
    """The code of its title, before the program's name."""
    section: str | None = None
    """The entry of the navigation bar to which it belongs."""
    entry: str = "app.js"
    """The entry module in ``static/js``."""
    sheets: str = _APP
    """The style sheets in ``static/css``."""


_PAGES: Final = {
    "/": _PageShell("home", None, "home"),
    "/log": _PageShell("log", "nav-log", "log"),
    "/log/<scan>": _PageShell("scan", "nav-log", "log"),
    "/nights/<night>": _PageShell("night", "nav-log", "log"),
    "/stats": _PageShell("statistics", "stats-title", "log"),
    "/players": _PageShell("players", "nav-log", "log"),
    "/rounds": _PageShell("rounds", "nav-log", "log"),
    "/rounds/<table>/<int:round>": _PageShell("replay", "nav-log", "log"),
    "/disputes": _PageShell("disputes", "disputes-title", "log"),
    "/disputes/<table>/<int:dispute>": _PageShell("dispute", "disputes-title", "log"),
    "/decks": _PageShell("decks", "nav-decks", "decks"),
    "/decks/new": _PageShell("enroll", "nav-decks", "decks"),
    "/decks/new/<enrollment>": _PageShell("enroll", "nav-decks", "decks"),
    "/decks/<deck>/tags": _PageShell("tags", "decks-tags", "decks", "devices/app.js", _DEVICES),
    "/devices": _PageShell("devices", "decks-readers-devices", None, "devices/app.js", _DEVICES),
    "/r/<rules>": _PageShell("rules", "house-title"),
    "/R/<rules>": _PageShell("rules", "house-title"),  # QR codes encode capitals in fewer bits
    "/rules": _PageShell("rules-list", "house-title"),
    "/rules/edit": _PageShell("rules-editor", "house-title"),
}
_LIVE_PAGES: Final = {
    "/tables": _PageShell("lobby", None, "lobby", "live/app.js", f"{_PHONE} live-lobby live-people"),
    "/join": _PageShell("join", None, None, "live/app.js", f"{_PHONE} live-lobby"),
    "/t/<table>": _PageShell("table", None, None, "live/app.js", f"{_TABLE} live-table"),
    "/t/<table>/seat/<int:seat>": _PageShell("seat", None, None, "live/app.js", f"{_TABLE} live-seat"),
    "/t/<table>/host": _PageShell("host", None, None, "live/host.js", f"{_TABLE} live-host"),
    "/t/<table>/camera": _PageShell(
        "camera", None, None, "live/camera-page.js", "base kit live live-host live-camera"
    ),
    "/t/<table>/display": _PageShell("display", None, None, "live/display.js", _WALL),
    "/t/<table>/overlay": _PageShell(
        "overlay", None, None, "live/overlay.js", "base kit live live-type live-overlay"
    ),
}
"""The pages of live tables, which have a template of their own. The scripts get the parameters of the address."""

blueprint = Blueprint("pages", __name__)


def _show(page: _PageShell, **parameters: str | int) -> Response:
    """Return the shell of a page in the user's language."""
    if page.name == "rules-editor":
        parameters["rules"] = request.args.get("rules") or default_game().rules.standard()
    names = ("scan", "rules", "enrollment", "deck", "night", "table", "round", "dispute")
    boot = {"page": page.name, **dict.fromkeys(names), **parameters, "maxBytes": MAX_BYTES}
    return render_page("page.html", {**boot, "address": phones_address()}, page)


def _show_live(page: _PageShell, table: str | None = None, seat: int | None = None) -> Response:
    """Return the shell of a page of live tables in the user's language."""
    boot = {"page": page.name, "table": table, "seat": seat, "address": phones_address()}
    if page.name == "camera":
        boot["secure"] = secure_address()
    return render_page("live.html", boot, page)


def _add_pages(pages: Mapping[str, _PageShell], show: Callable[..., Response]) -> None:
    views = {page: partial(show, page) for page in pages.values()}
    for path, page in pages.items():
        blueprint.add_url_rule(path, page.name, views[page])


_add_pages(_PAGES, _show)
_add_pages(_LIVE_PAGES, _show_live)


@blueprint.get("/offline")
def offline() -> Response:
    """Show that there is no connection; the service worker keeps this page for addresses that it does not know."""
    return render_page("offline.html", {"page": "offline"})


@blueprint.get("/qr.svg")
def qr_code() -> Response:
    """Return a QR code (SVG) with the URL of one of our pages (``?path=/…``), reachable by phones in the same network."""
    path = request.args.get("path", "/")
    if not path.startswith("/") or path.startswith("//") or len(path) > _MAX_PATH:
        abort(HTTPStatus.BAD_REQUEST)
    return add_page_headers(Response(qr_svg(phones_address() + path), content_type="image/svg+xml"))


@blueprint.get("/texts/<language>-<digest>.ftl")
def texts(language: str, digest: str) -> Response:
    """Return the message catalog of a language for the pages' scripts (Project Fluent)."""
    if language not in LANGUAGES:
        abort(HTTPStatus.NOT_FOUND)
    response = make_response(catalog_source(language))
    response.content_type = "text/plain; charset=utf-8"
    if request.path == catalog_address(language):
        response.headers["Cache-Control"] = IMMUTABLE
    return add_page_headers(response)


@blueprint.get("/files/<version>/<path:name>")
def page_file(version: str, name: str) -> Response:
    """Return a file of the pages; a server has the files of its own version only."""
    content = page_files().get(name) if version == shell_version() else None
    if content is None:
        abort(HTTPStatus.NOT_FOUND)
    return Response(content, mimetype=file_type(name), headers={"Cache-Control": IMMUTABLE})


@cache
def _shell(language: str) -> bytes:
    files: dict[str, dict[str, str]] = {}
    for name, data in page_files().items():
        content = (
            {"base64": base64.b64encode(data).decode()}
            if PurePosixPath(name).suffix in _BINARY
            else {"text": data.decode("utf-8")}
        )
        files[file_address(name)] = {"type": file_type(name), **content}
    for name in FACES:
        files[f"/faces/{name}.svg"] = {"type": file_type("face.svg"), "text": face_svg(name)}
    files[catalog_address(language)] = {"type": "text/plain", "text": catalog_source(language)}
    return json.dumps({"version": shell_version(), "files": files}, ensure_ascii=False).encode()


@blueprint.get("/app-shell.json")
def shell() -> Response:
    """Return the files of all pages, and the texts of the user's language, in one document for the service worker."""
    return Response(_shell(request_language()), mimetype="application/json")


@blueprint.get("/sw.js")
def service_worker() -> Response:
    """Return the service worker, which differs for each version of the pages."""
    script = f'const VERSION = "{shell_version()}";\n{WORKER.read_text("utf-8")}'
    return add_page_headers(Response(script, mimetype="text/javascript"))


@blueprint.get("/manifest.webmanifest")
def manifest() -> Response:
    """Return the web app manifest, in the user's language."""
    language = request_language()
    names = {
        key: render(Message(code), language)
        for key, code in (
            ("name", "app-name"),
            ("short_name", "pack-hanafuda"),
            ("description", "app-description"),
        )
    }
    shortcuts = (("/tables", "log-nights-start"), ("/log", "nav-log"))
    response = jsonify(
        {
            **names,
            "lang": language,
            "id": "/",
            "start_url": "/",
            "scope": "/",
            "display": "standalone",
            **_COLORS,
            "icons": _ICONS,
            "shortcuts": [{"name": render(Message(code), language), "url": url} for url, code in shortcuts],
        }
    )
    response.mimetype = "application/manifest+json"
    return add_page_headers(response)
