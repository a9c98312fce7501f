"""Refuse requests that pages of other sites make a browser send, on every route and before anything is read.

Three things that a browser says and a page cannot change are checked: `Host` (against DNS rebinding), `Origin`, and the
`Sec-Fetch-…` headers. Programs that are not browsers send neither of the last two.
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

__all__ = ["check_body_type", "check_sender", "protect"]

_READS: Final = frozenset(("GET", "HEAD", "OPTIONS"))
_OWN: Final = frozenset(("same-origin", "none"))
"""`Sec-Fetch-Site` of our own pages, and of what a person typed in or opened from a bookmark."""
_API: Final = "/api/"


def check_sender() -> Response | None:
    """Answer a request that was sent to another host, or that a page of another site caused, with a problem."""
    host = HostName.parse(request.environ.get("HTTP_HOST", ""))
    if host is None or not is_known(host, context().settings.hosts):
        return _other_host(request.environ.get("HTTP_HOST", ""))
    origin = request.headers.get("Origin")
    if origin is not None and not _is_own(origin, host):
        return _other_site(
            f"A page of {origin[:100]!r} sent this to {host.name}; only this program's own pages may. Behind a reverse proxy, set"
            " `proxies` in settings.toml and let the proxy pass `Host` and `X-Forwarded-Proto` on."
        )
    site = request.headers.get("Sec-Fetch-Site", "none")
    if site in _OWN or (request.method in _READS and not _is_read_by_page()):
        return None
    return _other_site("A page of another site sent this; only this program's own pages may.")


def check_body_type(uploads: Collection[str]) -> None:
    """Refuse a body that is not of the kind the route takes: a form for ``uploads`` (endpoints), else JSON."""
    if request.method in _READS or request.method == "DELETE" or request.endpoint is None:
        return
    wanted = "multipart/form-data" if request.endpoint in uploads else "application/json"
    if request.mimetype != wanted:
        came = request.mimetype or "something without a type"
        raise UnsupportedMediaType(f"Send {wanted} here, not {came}.")
    if request.is_json and request.get_json() is None:
        raise BadRequest  # else APIFlask would take null for {}


def protect(response: Response) -> Response:
    """Let no page of another site load or open what is served here, and nothing served here load anything else.

    Our own pages set a more open policy for their scripts and style sheets.
    """
    headers = response.headers
    headers.setdefault("X-Content-Type-Options", "nosniff")
    headers.setdefault("Referrer-Policy", "same-origin")
    headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
    headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
    # The faces are SVG with styles of their own.
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
    return problem(
        HTTPStatus.MISDIRECTED_REQUEST,
        "unknown-host",
        f"This server is not known as {host[:100]!r}. Use its address instead; or, if the name is yours, add it to `hosts` in"
        f' settings.toml in the data folder, for example: hosts = ["cards.home.example"], and start the server again.',
    )


def _other_site(detail: str) -> Response:
    return problem(HTTPStatus.FORBIDDEN, "forbidden", detail)
