"""The pages for phones and computers: an HTML shell in the user's language; the scripts are in ``static/js``."""

from __future__ import annotations

import base64
import hashlib
import mimetypes
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Response, abort, make_response, render_template, request

from api.languages import LANGUAGE_COOKIE, request_language
from api.pages.addresses import phones_address
from api.pages.shell_files import file_address, imported_modules, shell_version
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import default_game
from companion.messages import LANGUAGES, catalog_source, language_name, render
from vision.pictures.picture_files import MAX_BYTES

RELOAD_SCRIPT = """addEventListener("error", ({ target }) => {
  if (target.matches?.("script, link[rel=stylesheet]")) setTimeout(() => location.reload(), 2000);
}, true);"""
"""Loads a page again after 2 s if one of its files cannot be loaded: while servers are updated one after the other, its files
may be asked of one that has another version."""

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        f"script-src 'self' 'sha256-{base64.b64encode(hashlib.sha256(RELOAD_SCRIPT.encode()).digest()).decode()}'",
        "style-src 'self'",
        "font-src 'self'",
        "img-src 'self' blob:",
        "manifest-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)

_YEAR_S = 365 * 24 * 3600
IMMUTABLE = f"public, max-age={_YEAR_S}, immutable"
"""The ``Cache-Control`` of an address whose contents never change."""

# Some Windows registries map .js to text/plain, and browsers refuse modules of that type.
mimetypes.add_type("text/javascript", ".js")
mimetypes.add_type("font/woff2", ".woff2")


@dataclass(frozen=True, slots=True)
class Shell:
    """What a page loads: its entry module in ``static/js``, and its style sheets in ``static/css``."""

    entry: str
    sheets: tuple[str, ...]


_SHELL = Shell(
    entry="app.js",
    sheets=(
        "base",
        "home",
        "scan",
        "picture",
        "points",
        "score",
        "tiles",
        "sheet",
        "log",
        "night",
        "statistics",
        "replay",
        "disputes",
        "people",
        "house",
        "rules",
        "decks",
    ),
)

blueprint = Blueprint("pages", __name__)


@cache
def catalog_address(language: str) -> str:
    """Return the path of a language's message catalog; it contains a hash, so browsers may cache it forever."""
    digest = hashlib.sha256(catalog_source(language).encode()).hexdigest()[:12]
    return f"/texts/{language}-{digest}.ftl"


@cache
def language_names() -> dict[str, str]:
    """Return the native name of each language by its code."""
    return {language: language_name(language) for language in LANGUAGES}


def page(
    name: str,
    scan: str | None = None,
    rules: str | None = None,
    enrollment: str | None = None,
    deck: str | None = None,
    night: str | None = None,
    table: str | None = None,
    round_number: int | None = None,
    dispute: int | None = None,
    shell: Shell = _SHELL,
) -> Response:
    """Return the shell of page ``name`` in the user's language."""
    boot = {
        "page": name,
        "scan": scan,
        "rules": rules,
        "enrollment": enrollment,
        "deck": deck,
        "night": night,
        "table": table,
        "round": round_number,
        "dispute": dispute,
        "maxBytes": MAX_BYTES,
        "address": phones_address(),
    }
    return render_page("page.html", boot, shell=shell)


def render_page(template: str, boot: dict[str, Any], **known: Any) -> Response:
    """Render a page in the user's language and store a newly selected language; ``boot`` is passed to the page's scripts."""
    language = request_language()
    catalog = catalog_address(language)
    others = [
        (code, own_name, f"?{urlencode({**request.args, LANGUAGE_COOKIE: code})}")
        for code, own_name in language_names().items()
        if code != language
    ]
    html = render_template(
        template,
        page=boot["page"],
        lang=language,
        t=lambda code, **params: render(Message(code, params), language),
        boot=boot
        | {"lang": language, "catalog": catalog, "languages": language_names(), "version": shell_version()},
        catalog=catalog,
        file=file_address,
        imported=imported_modules,
        reload_script=RELOAD_SCRIPT,
        others=others,
        **known,
    )
    response = make_response(html)
    if request.args.get(LANGUAGE_COOKIE) == language:
        response.set_cookie(LANGUAGE_COOKIE, language, max_age=_YEAR_S, samesite="Lax", httponly=True)
    return response


@blueprint.get("/texts/<language>-<digest>.ftl")
def texts(language: str, digest: str) -> Response:
    """Return the message catalog of a language for the pages' scripts (Project Fluent)."""
    if language not in LANGUAGES:
        abort(HTTPStatus.NOT_FOUND)
    response = make_response(catalog_source(language))
    response.content_type = "text/plain; charset=utf-8"
    if request.path == catalog_address(language):
        response.headers["Cache-Control"] = IMMUTABLE
    return response


@blueprint.get("/")
def scan_page() -> Response:
    """Take or choose a picture and see its score."""
    return page("home")


@blueprint.get("/log")
def log_page() -> Response:
    """List the evenings and the scans in the log."""
    return page("log")


@blueprint.get("/nights/<night_id>")
def night_page(night_id: str) -> Response:
    """Show the games and rounds of an evening."""
    return page("night", night=night_id)


@blueprint.get("/stats")
def statistics_page() -> Response:
    """Show the statistics of the rounds played."""
    return page("statistics")


@blueprint.get("/players")
def players_page() -> Response:
    """List the players and circles."""
    return page("players")


@blueprint.get("/rounds")
def rounds_page() -> Response:
    """List the rounds behind a number of the statistics."""
    return page("rounds")


@blueprint.get("/rounds/<table_id>/<int:number>")
def round_page(table_id: str, number: int) -> Response:
    """Replay a round step by step; `#step=` names a step."""
    return page("replay", table=table_id, round_number=number)


@blueprint.get("/disputes")
def disputes_page() -> Response:
    """List the disputes of all evenings, or of one (`?night=`)."""
    return page("disputes")


@blueprint.get("/disputes/<table_id>/<int:seq>")
def dispute_page(table_id: str, seq: int) -> Response:
    """Show a dispute with pictures, rules and other readings, to be decided or printed."""
    return page("dispute", table=table_id, dispute=seq)


@blueprint.get("/log/<scan_id>")
def logged_scan_page(scan_id: str) -> Response:
    """Show a stored scan, which can still be corrected."""
    return page("scan", scan_id)


@blueprint.get("/decks")
def decks_page() -> Response:
    """List the known decks."""
    return page("decks")


@blueprint.get("/decks/new")
def new_deck_page() -> Response:
    """Enroll a deck: photograph it and check the card names."""
    return page("enroll")


@blueprint.get("/decks/new/<enrollment_id>")
def learnt_deck_page(enrollment_id: str) -> Response:
    """Check the card names of a deck that was already photographed."""
    return page("enroll", enrollment=enrollment_id)


@blueprint.get("/r/<code>")
@blueprint.get("/R/<code>")  # QR codes encode capitals in fewer bits
def rules_page(code: str) -> Response:
    """Describe the rules of a share code."""
    return page("rules", rules=code)


@blueprint.get("/rules")
def rules_list_page() -> Response:
    """List the presets and the saved rules of every game."""
    return page("rules-list")


@blueprint.get("/rules/edit")
def rules_editor_page() -> Response:
    """Change rules (``?rules=``, a name or share code) and save them under a name."""
    return page("rules-editor", rules=request.args.get("rules") or default_game().rules.standard())


@blueprint.after_request
def add_page_headers(response: Response) -> Response:
    """Add headers that let pages load only our own files, and make browsers revalidate cached pages."""
    response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers.setdefault("Cache-Control", "no-cache")
    if response.headers["Cache-Control"] != IMMUTABLE:
        response.vary.update(("Accept-Language", "Cookie"))
    return response
