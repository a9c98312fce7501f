"""The HTML shells of the pages: their files, the version and addresses of these files, and rendering in the user's language."""

from __future__ import annotations

import base64
import hashlib
import io
import mimetypes
import posixpath
import re
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

import segno
from flask import Response, current_app, make_response, render_template, request

from api.languages import LANGUAGE_COOKIE, request_language
from companion.faces import FACES_DIR
from companion.hanafuda.messages import Message
from companion.messages import LANGUAGES, catalog_source, language_name, render
from companion.net.addresses import PORT, urls

PLAIN_PORT: Final = "PLAIN_PORT"
SECURE_PORT: Final = "SECURE_PORT"
"""The keys of the ports of HTTP and HTTPS in the application's configuration; absent if the server does not listen there."""

_API: Final = Path(__file__).parent
_STATIC: Final = _API / "static"
WORKER: Final = _STATIC / "service-worker.js"
"""The script of the service worker."""
_TYPES: Final = frozenset((".js", ".css", ".svg", ".png", ".woff2"))
"""The types of the files that pages load; not the licenses beside them."""
_IMPORT: Final = re.compile(rb"""\b(?:from|import)\s*"(\.[^"]+)\"""")
"""An import of a module when it is loaded; a call of ``import()`` loads it later."""
_LOOPBACK: Final = frozenset(("localhost", "127.0.0.1", "::1"))

_RELOAD_SCRIPT: Final = """addEventListener("error", ({ target }) => {
  if (target.matches?.("script, link[rel=stylesheet]")) setTimeout(() => location.reload(), 2000);
}, true);"""
"""Loads a page again after 2 s if one of its files cannot be loaded: while servers are updated one after the other, its files
may be asked of one that has another version."""
_RELOAD_HASH: Final = base64.b64encode(hashlib.sha256(_RELOAD_SCRIPT.encode()).digest()).decode()
_CONTENT_SECURITY_POLICY: Final = (
    f"default-src 'none'; script-src 'self' 'sha256-{_RELOAD_HASH}'; style-src 'self'; font-src 'self';"
    " img-src 'self' blob:; manifest-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'"
)
_YEAR_S: Final = 365 * 24 * 3600
IMMUTABLE: Final = f"public, max-age={_YEAR_S}, immutable"
"""The ``Cache-Control`` of an address whose contents never change."""

# Some Windows registries map .js to text/plain, and browsers refuse modules of that type.
mimetypes.add_type("text/javascript", ".js")
mimetypes.add_type("font/woff2", ".woff2")


@cache
def page_files() -> dict[str, bytes]:
    """Return the files in ``static`` that pages load, except sample pictures, by name (``js/app.js``).

    They are read once, so that all files that a process sends belong to its version.
    """
    return {
        path.relative_to(_STATIC).as_posix(): path.read_bytes()
        for path in sorted(_STATIC.rglob("*"))
        if path.suffix in _TYPES and path != WORKER
    }


@cache
def shell_version() -> str:
    """Return a hash of everything that the pages consist of."""
    digest = hashlib.sha256()
    for name, content in page_files().items():
        digest.update(name.encode() + content)
    for path in (*sorted(FACES_DIR.glob("*.svg")), *sorted((_API / "templates").glob("*.html")), WORKER):
        digest.update(path.name.encode() + path.read_bytes())
    for language in LANGUAGES:
        digest.update(catalog_source(language).encode())
    return digest.hexdigest()[:12]


def file_address(name: str) -> str:
    """Return the path of a file of the pages; it contains the version, so browsers may cache the file forever."""
    return f"/files/{shell_version()}/{name}"


def file_type(name: str) -> str:
    """Return the media type of a file of the pages."""
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


@cache
def catalog_address(language: str) -> str:
    """Return the path of a language's message catalog; it contains a hash, so browsers may cache it forever."""
    digest = hashlib.sha256(catalog_source(language).encode()).hexdigest()[:12]
    return f"/texts/{language}-{digest}.ftl"


@cache
def _imported_modules(entry: str) -> tuple[str, ...]:
    """Return the names of all modules that a module imports, directly or not: a browser learns them level by level otherwise."""
    found: dict[str, None] = {}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        for path in _IMPORT.findall(page_files()[name]):
            module = posixpath.normpath(posixpath.join(posixpath.dirname(name), path.decode()))
            if module not in found:
                found[module] = None
                waiting.append(module)
    return tuple(found)


def phones_address() -> str:
    """Return the origin at which phones reach this server, without a slash; replaces loopback names, which phones can't use."""
    url = urlsplit(request.host_url)
    if url.hostname in _LOOPBACK:
        return urls(port=url.port or PORT)[0].rstrip("/")
    return request.host_url.rstrip("/")


def secure_address() -> str | None:
    """Return the origin at which phones reach this server over HTTPS, without a slash; None if it has none."""
    return phones_address() if request.is_secure else _other_port("https", SECURE_PORT)


def plain_address() -> str:
    """Return the origin at which phones reach this server without a browser's warning, without a slash."""
    return (request.is_secure and _other_port("http", PLAIN_PORT)) or phones_address()


def _other_port(scheme: str, key: str) -> str | None:
    port = current_app.config.get(key)
    host = urlsplit(phones_address()).hostname or "localhost"
    return None if port is None else urls(host, port, scheme=scheme)[0].rstrip("/")


def qr_svg(text: str) -> bytes:
    """Return a QR code as SVG."""
    buffer = io.BytesIO()
    segno.make(text, error="m", micro=False).save(
        buffer, kind="svg", border=2, scale=8, dark="#241a15", light="#fffaf0"
    )
    return buffer.getvalue()


def render_page(template: str, boot: dict[str, Any], shell: object = None, **known: Any) -> Response:
    """Render a page in the user's language and store a newly selected language; ``boot`` is passed to the page's scripts."""
    language, catalog = request_language(), catalog_address(request_language())
    names = {each: language_name(each) for each in LANGUAGES}
    html = render_template(
        template,
        page=boot["page"],
        lang=language,
        t=lambda code, **params: render(Message(code, params), language),
        boot=boot | {"lang": language, "catalog": catalog, "languages": names, "version": shell_version()},
        catalog=catalog,
        file=file_address,
        imported=_imported_modules,
        reload_script=_RELOAD_SCRIPT,
        others=[
            (code, name, f"?{urlencode({**request.args, LANGUAGE_COOKIE: code})}")
            for code, name in names.items()
            if code != language
        ],
        shell=shell,
        **known,
    )
    response = make_response(html)
    if request.args.get(LANGUAGE_COOKIE) == language:
        response.set_cookie(LANGUAGE_COOKIE, language, max_age=_YEAR_S, samesite="Lax", httponly=True)
    return add_page_headers(response)


def add_page_headers(response: Response) -> Response:
    """Add headers that let pages load only our own files, and make browsers revalidate cached pages."""
    response.headers["Content-Security-Policy"] = _CONTENT_SECURITY_POLICY
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers.setdefault("Cache-Control", "no-cache")
    if response.headers["Cache-Control"] != IMMUTABLE:
        response.vary.update(("Accept-Language", "Cookie"))
    return response
