"""Passes a request on to the process that has in memory what it needs, at most once, and returns that process's response."""

from __future__ import annotations

import logging
import selectors
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, wraps
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, Final
from urllib.parse import quote, urlsplit

from apiflask import APIFlask
from flask import Response, current_app, request

from api.access.forwarded import HEADER, forwarded, full_path, signed
from api.access.identity import who
from api.context import context
from api.forwarding.owned_routes import OWNED_ROUTES, OwnedRoute
from api.problems import problem
from companion.hanafuda.messages import Message
from companion.store import Lease, LeaseLostError

__all__ = ["register"]

_CONNECT_S: Final = 1.0
"""Timeout of the connection to another process, s: they are in one network."""
_CHECK_S: Final = 1.0
"""How often a request that waits for the other process checks that it still holds the lease, s."""
_LONGEST_S: Final = 120.0
"""Timeout of a forwarded request, s: reading a photograph of a table may take a minute on a small machine."""
_RETRY_AFTER_S: Final = 1
_HOP_BY_HOP: Final = frozenset(
    (
        "connection",
        "content-length",
        "host",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    )
)
"""Headers that belong to one connection, in lower case."""
_OF_THE_FIRST_HOP: Final = ("x-forwarded", "forwarded", "companion-forwarded", "date", "server", "via")
"""Prefixes of headers that the other process must not get from the client, or the client from the other process."""

_logger = logging.getLogger(__name__)


class _NotAnsweredError(Exception):
    """Raised if the holder of a lease cannot be reached, or lost the lease before it answered."""


def register(app: APIFlask) -> None:
    """Let an application forward the requests of `OWNED_ROUTES`."""
    for endpoint, route in OWNED_ROUTES.items():
        app.view_functions[endpoint] = _forwarding(app.view_functions[endpoint], route)


def _forwarding(view: Callable[..., Any], route: OwnedRoute) -> Callable[..., Any]:
    """Return a view that calls ``view`` in the process that has what the route needs."""

    @wraps(view)
    def forwarding_view(**arguments: Any) -> Any:
        resource, ownership = route.resource(arguments), context().ownership
        if (hop := forwarded()) is not None:
            if ownership.own(hop.resource).token != hop.token:
                raise LeaseLostError(hop.resource)  # it was claimed again since
            return view(**arguments)
        while True:
            lease = ownership.elsewhere(resource)
            if lease is None and route.claims:
                if not ownership.holds(resource):
                    route.check(arguments)
                lease = ownership.claim(resource)
            if lease is None or lease.own:
                return view(**arguments)
            with suppress(ConnectionRefusedError):
                return _passed_on(lease)
            ownership.revoke(lease)  # nobody listens there: that process has ended

    return forwarding_view


def _passed_on(lease: Lease) -> Response:
    """Send the current request to the holder of a lease and return its response.

    Raises `ConnectionRefusedError` if no process listens at the holder's address; the request was not read then.
    """
    try:
        return _exchanged(lease)
    except ConnectionRefusedError:
        raise
    except (OSError, HTTPException, _NotAnsweredError) as error:
        _logger.warning("%s, which has %s, does not answer: %s", lease.url, lease.resource, error)
        message = Message("problem-owner-away")
        headers = {"Retry-After": str(_RETRY_AFTER_S)}
        return problem(HTTPStatus.SERVICE_UNAVAILABLE, "owner-away", message, headers)


def _exchanged(lease: Lease) -> Response:
    connection = _connection(lease)
    try:
        body: Any = request.get_data() if request.is_json else request.stream
        headers = {name: value for name, value in request.headers.items() if _is_passed_on(name)}
        headers[HEADER] = signed(context().ownership.key, who(), lease)
        if request.content_length is not None:
            headers["Content-Length"] = str(request.content_length)
        path, _, query = full_path(request.environ).partition("?")
        target = quote(path, encoding="latin-1") + (f"?{query}" if query else "")
        connection.request(request.method, target, body if request.content_length else None, headers)
        _wait(connection, lease)
        return _copied(connection.getresponse())
    finally:
        connection.close()


def _connection(lease: Lease) -> HTTPConnection:
    """Return an open connection to the holder of a lease."""
    parsed = urlsplit(lease.url)
    host = parsed.hostname or ""
    connection = (
        HTTPSConnection(host, parsed.port, timeout=_CONNECT_S, context=_trusting(lease.root))
        if parsed.scheme == "https"
        else HTTPConnection(host, parsed.port, timeout=_CONNECT_S)
    )
    connection.connect()
    connection.sock.settimeout(_LONGEST_S)
    return connection


@lru_cache(maxsize=16)
def _trusting(root: str) -> ssl.SSLContext:
    """Return a TLS context that trusts the machine's authorities, and also the one with this root certificate (PEM), if any."""
    trusting = ssl.create_default_context()
    if root:
        trusting.load_verify_locations(cadata=root)
    return trusting


def _wait(connection: HTTPConnection, lease: Lease) -> None:
    """Wait for the response; raises `_NotAnsweredError` as soon as the other process has lost the lease."""
    until = time.monotonic() + _LONGEST_S
    with selectors.DefaultSelector() as selector:
        selector.register(connection.sock, selectors.EVENT_READ)
        while not selector.select(_CHECK_S):
            if time.monotonic() > until or not context().ownership.is_held(lease):
                raise _NotAnsweredError("the lease has expired")


def _copied(answer: HTTPResponse) -> Response:
    response = current_app.response_class(answer.read(), status=answer.status)
    response.headers.clear()
    for name, value in answer.getheaders():
        if _is_passed_on(name):
            response.headers.add(name, value)
    return response


def _is_passed_on(name: str) -> bool:
    lower = name.lower()
    return lower not in _HOP_BY_HOP and not lower.startswith(_OF_THE_FIRST_HOP)
