"""The pages as an app: the manifest with which phones install it, and the service worker with its copy of the pages' files.

The service worker asks the server first for pages, and uses its copy of them only without a connection. It takes files from its copy at
once, because their addresses name their version. The copy is complete for one version, and contains no answers of the API except the
cards and the games.
"""

from __future__ import annotations

import base64
import json
import mimetypes
from functools import cache
from http import HTTPStatus
from pathlib import PurePosixPath
from typing import Any, Final

from flask import Blueprint, Response, abort, jsonify

from api.languages import request_language
from api.pages.page_routes import IMMUTABLE, add_page_headers, catalog_address, render_page
from api.pages.shell_files import WORKER, file_address, page_files, shell_version
from companion.faces import FACES_DIR
from companion.hanafuda.messages import Message
from companion.messages import catalog_source, render

__all__ = ["add_version", "blueprint"]

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

blueprint = Blueprint("app_shell", __name__)


@cache
def _shell(language: str) -> bytes:
    files: dict[str, dict[str, str]] = {}
    for name, data in page_files().items():
        content = (
            {"base64": base64.b64encode(data).decode()}
            if PurePosixPath(name).suffix in _BINARY
            else {"text": data.decode("utf-8")}
        )
        files[file_address(name)] = {"type": _type(name), **content}
    for path in sorted(FACES_DIR.glob("*.svg")):
        files[f"/faces/{path.name}"] = {"type": _type(path.name), "text": path.read_text("utf-8")}
    files[catalog_address(language)] = {"type": "text/plain", "text": catalog_source(language)}
    return json.dumps({"version": shell_version(), "files": files}, ensure_ascii=False).encode()


def _type(name: str) -> str:
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


@blueprint.get("/files/<version>/<path:name>")
def page_file(version: str, name: str) -> Response:
    """Return a file of the pages; a server has the files of its own version only."""
    content = page_files().get(name) if version == shell_version() else None
    if content is None:
        abort(HTTPStatus.NOT_FOUND)
    return Response(content, mimetype=_type(name), headers={"Cache-Control": IMMUTABLE})


@blueprint.get("/app-shell.json")
def shell() -> Response:
    """Return the files of all pages, and the texts of the user's language, in one document for the service worker."""
    return Response(
        _shell(request_language()), mimetype="application/json", headers={"Cache-Control": "no-store"}
    )


@blueprint.get("/sw.js")
def service_worker() -> Response:
    """Return the service worker, which differs for each version of the pages."""
    script = f'const VERSION = "{shell_version()}";\n{WORKER.read_text("utf-8")}'
    return add_page_headers(Response(script, mimetype="text/javascript"))


@blueprint.get("/manifest.webmanifest")
def manifest() -> Response:
    """Return the web app manifest, in the user's language."""
    language = request_language()

    def text(code: str) -> str:
        return render(Message(code), language)

    pages = (("/tables", "log-nights-start"), ("/log", "nav-log"))
    document: dict[str, Any] = {
        "name": text("app-name"),
        "short_name": text("app-short-name"),
        "description": text("app-description"),
        "lang": language,
        "id": "/",
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        **_COLORS,
        "icons": _ICONS,
        "shortcuts": [{"name": text(code), "url": url} for url, code in pages],
    }
    response = add_page_headers(jsonify(document))
    response.mimetype = "application/manifest+json"
    return response


@blueprint.get("/offline")
def offline_page() -> Response:
    """Show that there is no connection; the service worker keeps this page for addresses that it does not know."""
    return add_page_headers(render_page("offline.html", {"page": "offline"}))


def add_version(response: Response) -> Response:
    """Add the version of the pages to a response: a page of another version displays that it must be reloaded."""
    response.headers["App-Version"] = shell_version()
    return response
