"""The pages of the phone and the desk: one shell in each language; what moves in it is in ``static/js``."""

from __future__ import annotations

import hashlib
import mimetypes
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Response, abort, make_response, render_template, request

from api.languages import LANGUAGE_COOKIE, request_language
from companion.hanafuda.messages import Message
from companion.messages import LANGUAGES, catalog_source, language_name, render
from vision.photograph.picture_files import MAX_BYTES

SCRIPTS = Path(__file__).parents[1] / "static" / "js"

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
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

# Some Windows registries call .js text/plain, and a browser refuses modules of that type.
mimetypes.add_type("text/javascript", ".js")
mimetypes.add_type("application/manifest+json", ".webmanifest")


@dataclass(frozen=True, slots=True)
class Shell:
    """What a page loads: its entry module and what that imports, in ``static/js``, and its sheets in ``static/css``."""

    entry: str
    sheets: tuple[str, ...]
    modules: tuple[str, ...]


_SHELL = Shell(
    entry="app.js",
    sheets=("base", "home", "scan", "picture", "points", "score", "tiles", "sheet", "log", "house", "decks"),
    modules=tuple(sorted(path.name for path in SCRIPTS.glob("*.js"))),
)

blueprint = Blueprint("pages", __name__)


@cache
def catalog_address(language: str) -> str:
    """Return the path of the texts in a language; it changes with them, so that browsers may keep them."""
    digest = hashlib.sha256(catalog_source(language).encode()).hexdigest()[:12]
    return f"/texts/{language}-{digest}.ftl"


@cache
def language_names() -> dict[str, str]:
    """Return what each language calls itself, by its code."""
    return {language: language_name(language) for language in LANGUAGES}


def page(
    name: str,
    scan: str | None = None,
    rules: str | None = None,
    enrolment: str | None = None,
    deck: str | None = None,
    shell: Shell = _SHELL,
) -> Response:
    """Return the shell of page ``name``, in the person's language."""
    boot = {
        "page": name,
        "scan": scan,
        "rules": rules,
        "enrolment": enrolment,
        "deck": deck,
        "maxBytes": MAX_BYTES,
    }
    return in_their_language("page.html", boot, shell=shell)


def in_their_language(template: str, boot: dict[str, Any], **known: Any) -> Response:
    """Return a page in the person's language, and remember a switch to it; ``boot`` is for its scripts."""
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
        boot=boot | {"lang": language, "catalog": catalog, "languages": language_names()},
        catalog=catalog,
        others=others,
        **known,
    )
    response = make_response(html)
    if request.args.get(LANGUAGE_COOKIE) == language:
        response.set_cookie(LANGUAGE_COOKIE, language, max_age=_YEAR_S, samesite="Lax", httponly=True)
    return response


@blueprint.get("/texts/<language>-<digest>.ftl")
def texts(language: str, digest: str) -> Response:
    """Return every text in a language, for the pages' scripts (Project Fluent)."""
    if language not in LANGUAGES:
        abort(HTTPStatus.NOT_FOUND)
    response = make_response(catalog_source(language))
    response.content_type = "text/plain; charset=utf-8"
    if request.path == catalog_address(language):
        response.headers["Cache-Control"] = f"public, max-age={_YEAR_S}, immutable"
    return response


@blueprint.get("/")
def scan_page() -> Response:
    """Take or choose a picture, see what it is worth."""
    return page("home")


@blueprint.get("/log")
def log_page() -> Response:
    """List the scans that were kept."""
    return page("log")


@blueprint.get("/log/<scan_id>")
def logged_scan_page(scan_id: str) -> Response:
    """Open one scan again, still correctable."""
    return page("scan", scan_id)


@blueprint.get("/decks")
def decks_page() -> Response:
    """List the decks that are known by sight."""
    return page("decks")


@blueprint.get("/decks/new")
def new_deck_page() -> Response:
    """Learn a deck: photograph it and look the names through."""
    return page("enroll")


@blueprint.get("/decks/new/<enrolment_id>")
def learnt_deck_page(enrolment_id: str) -> Response:
    """Look the names of a deck through that was photographed already."""
    return page("enroll", enrolment=enrolment_id)


@blueprint.get("/r/<code>")
@blueprint.get("/R/<code>")  # a QR code holds capitals in fewer bits
def rules_page(code: str) -> Response:
    """Read out the rules of a share code."""
    return page("rules", rules=code)


@blueprint.after_request
def keep_pages_to_themselves(response: Response) -> Response:
    """Let a page load nothing but our own files, and never show an old one from the browser's cache."""
    response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers.setdefault("Cache-Control", "no-cache")
    response.vary.update(("Accept-Language", "Cookie"))
    return response
