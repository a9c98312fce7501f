"""Protection against cross-site requests and DNS rebinding, on every route and before the body is read.

Checks three kinds of headers that browsers set and pages cannot change: `Host` (against DNS rebinding), `Origin`, and
`Sec-Fetch-…`. Programs other than browsers send neither of the last two.
"""

from __future__ import annotations

from collections.abc import Collection
from http import HTTPStatus
from typing import Final

from flask import Response, request
from werkzeug.exceptions import BadRequest, UnsupportedMediaType

from api.access.hosts import HostName, is_known
from api.context import context
from api.problems import problem
from companion.hanafuda.messages import Message

__all__ = ["check_body_type", "check_sender", "protect"]

_READS: Final = frozenset(("GET", "HEAD", "OPTIONS"))
_OWN: Final = frozenset(("same-origin", "none"))
"""Values of `Sec-Fetch-Site` for our own pages, and for typed addresses and bookmarks."""
_API: Final = "/api/"


def check_sender() -> Response | None:
    """Return a problem response if a request was sent to an unknown host or by a page of another site, otherwise None."""
    host = HostName.parse(request.environ.get("HTTP_HOST", ""))
    if host is None or not is_known(host, context().settings.hosts):
        return _other_host(request.environ.get("HTTP_HOST", ""))
    origin = request.headers.get("Origin")
    if origin is not None and not _is_own(origin, host):
        return _forbidden(Message("problem-other-origin", {"origin": repr(origin[:100]), "host": host.name}))
    site = request.headers.get("Sec-Fetch-Site", "none")
    if site in _OWN or (request.method in _READS and not _is_read_by_page()):
        return None
    return _forbidden(Message("problem-forbidden"))


def check_body_type(uploads: Collection[str]) -> None:
    """Refuse a body of the wrong media type: a form for the endpoints in ``uploads``, JSON for all others."""
    if request.method in _READS or request.method == "DELETE" or request.endpoint is None:
        return
    expected = "multipart/form-data" if request.endpoint in uploads else "application/json"
    if request.mimetype != expected:
        received = request.mimetype or "something without a type"
        raise UnsupportedMediaType(f"Send {expected} here, not {received}.")
    if request.is_json and request.get_json() is None:
        raise BadRequest  # APIFlask would treat null as {}


def protect(response: Response) -> Response:
    """Add headers that keep other sites from embedding our responses and our responses from loading anything.

    Our own pages set a less strict policy for their scripts and style sheets.
    """
    headers = response.headers
    headers.setdefault("X-Content-Type-Options", "nosniff")
    headers.setdefault("Referrer-Policy", "same-origin")
    headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
    headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
    # Card faces are SVG files with inline styles.
    headers.setdefault(
        "Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
    )
    return response


def _is_own(origin: str, host: HostName) -> bool:
    """Whether a page of this origin is one of ours: same scheme, host, and port as the request."""
    scheme, separator, name = origin.lower().partition("://")
    named = HostName.parse(name) if separator else None
    return named is not None and named.origin(scheme) == host.origin(request.scheme)


def _is_read_by_page() -> bool:
    """Whether a script or element of a page loads data, rather than a person following a link."""
    followed = request.headers.get("Sec-Fetch-Mode") == "navigate"
    in_window = request.headers.get("Sec-Fetch-Dest", "document") == "document"
    return request.path.startswith(_API) and not (followed and in_window)


def _other_host(host: str) -> Response:
    message = Message("problem-unknown-host", {"host": repr(host[:100])})
    return problem(HTTPStatus.MISDIRECTED_REQUEST, "unknown-host", message)


def _forbidden(message: Message) -> Response:
    return problem(HTTPStatus.FORBIDDEN, "forbidden", message)
