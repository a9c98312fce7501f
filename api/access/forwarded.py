"""Requests that another process of the same store has forwarded: who sent them, signed with the key that the processes share.

The process that receives a request from a client finds out who sent it and signs that; the one that handles it believes only a
signature. A client cannot make one, so it cannot choose its address or role.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from flask import Response, request
from itsdangerous import BadSignature, URLSafeSerializer

from api.access.identity import FORWARDED_BY, Who
from api.problems import problem
from companion.hanafuda.messages import Message
from companion.store import Lease

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

__all__ = ["HEADER", "Forwarded", "ForwardedRequests", "check_forwarded", "forwarded", "full_path", "signed"]

HEADER: Final = "Companion-Forwarded"
"""The header with the signed facts about a forwarded request."""

_ENVIRON: Final = "HTTP_COMPANION_FORWARDED"
_SALT: Final = b"forwarded request"
_REFUSED: Final = "companion.forwarded_refused"

_App = Callable[["WSGIEnvironment", "StartResponse"], Iterable[bytes]]


@dataclass(frozen=True, slots=True)
class Forwarded:
    """What the process that forwarded a request says about it."""

    sender: Who
    address: str
    """The client's address."""
    scheme: str
    """``http`` or ``https``, as the client sent it."""
    host: str
    """The ``Host`` header of the client."""
    resource: str
    token: int
    """The fencing token of the lease for which it was forwarded; under another lease the request is refused."""


def signed(key: bytes, sender: Who, lease: Lease) -> str:
    """Return the header for forwarding the current request to the holder of a lease."""
    facts = [
        request.method,
        full_path(request.environ),
        sender.to_json(),
        request.remote_addr or "",
        request.scheme,
        request.environ.get("HTTP_HOST", ""),
        lease.resource,
        lease.token,
    ]
    return str(URLSafeSerializer(key, _SALT).dumps(facts))


def forwarded() -> Forwarded | None:
    """Return the facts about the current request if it was forwarded, otherwise None."""
    found: Forwarded | None = request.environ.get(FORWARDED_BY)
    return found


def check_forwarded() -> Response | None:
    """Refuse a request that claims to be forwarded but is not."""
    if not request.environ.get(_REFUSED):
        return None
    return problem(HTTPStatus.FORBIDDEN, "not-forwarded", Message("problem-forwarded-unknown"))


class ForwardedRequests:
    """WSGI middleware that gives forwarded requests the address, scheme and host with which the client sent them."""

    def __init__(self, app: _App, key: Callable[[], bytes]) -> None:
        """``key`` returns the secret that the processes of the store share."""
        self._app, self._key = app, key

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Handle a request."""
        header = environ.pop(_ENVIRON, None)
        if header is not None:
            facts = self._read(header, environ)
            if facts is None:
                environ[_REFUSED] = True
            else:
                environ[FORWARDED_BY] = facts
                environ["REMOTE_ADDR"], environ["wsgi.url_scheme"] = facts.address, facts.scheme
                environ["HTTP_HOST"] = facts.host
        return self._app(environ, start_response)

    def _read(self, header: str, environ: WSGIEnvironment) -> Forwarded | None:
        """Return the facts of a header with a valid signature for this request, otherwise None."""
        try:
            facts: Any = URLSafeSerializer(self._key(), _SALT).loads(header)
        except BadSignature:
            return None
        method, path, sender, address, scheme, host, resource, token = facts
        if (method, path) != (environ["REQUEST_METHOD"], full_path(environ)):
            return None
        return Forwarded(Who(**sender), address, scheme, host, resource, token)


def full_path(environ: WSGIEnvironment) -> str:
    """Return the path and the query of a request, separated by a question mark; the path's bytes are Latin-1 characters."""
    return f"{environ.get('PATH_INFO', '')}?{environ.get('QUERY_STRING', '')}"
