"""Validation of request contents: limited, unambiguous JSON, and text without NUL.

Done once for all routes, so that no other code has to handle lone surrogates, NaN, or a million brackets.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final, NoReturn

from apiflask import APIFlask
from flask import Request, Response, request
from flask.json.provider import DefaultJSONProvider
from werkzeug.exceptions import BadRequest, NotFound

from api.problems import problem
from companion.hanafuda.strict_json import BadJSONError, check_text, loads

__all__ = ["EVENT_BYTES", "JSON_BYTES", "register"]

JSON_BYTES: Final = 256 * 2**10
"""Maximum size of a JSON body, bytes: four times a table's layout, or the corrections of a picture with 200 cards."""

EVENT_BYTES: Final = 64 * 2**10
"""Maximum size of a body with events of a table, bytes: six times a deal of a whole pack with 49 moves.

Events are kept forever and sent to every phone at the table.
"""

_EVENT_BLUEPRINTS: Final = frozenset({"tables", "presses", "results"})
_JSON: Final = "application/json"


class MalformedJSONError(BadRequest):
    """Raised for a body that is not JSON; the description says why."""


class _Request(Request):
    def on_json_loading_failure(self, e: ValueError | None) -> NoReturn:
        """Raise `MalformedJSONError` with the reason."""
        raise MalformedJSONError(f"The request's body is not JSON that can be read: {e}.") from e


class _Json(DefaultJSONProvider):
    """A strict JSON parser; the encoder keeps non-ASCII characters readable."""

    ensure_ascii = False
    sort_keys = False

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        """Parse a JSON document. Raises `BadJSONError` for anything that parsers interpret differently."""
        return loads(s)


def register(app: APIFlask) -> None:
    """Install the checks for all requests of an application."""
    app.json = _Json(app)
    app.request_class = _Request
    app.register_error_handler(MalformedJSONError, _malformed)
    app.before_request(_check_size)
    app.before_request(_check_address)


def _check_size() -> Response | None:
    """Refuse a JSON body that is larger than the limit for its route."""
    if request.mimetype != _JSON:
        return None
    limit = EVENT_BYTES if request.blueprint in _EVENT_BLUEPRINTS else JSON_BYTES
    request.max_content_length = limit
    if (request.content_length or 0) <= limit:
        return None
    detail = (
        f"The request has {request.content_length} bytes, and at most {limit // 2**10} kB of JSON are taken here:"
        " send less at once."
    )
    return problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-many-bytes", detail)


def _check_address() -> Response | None:
    """Refuse NUL characters and lone surrogates in the path and the query string."""
    try:
        check_text(request.path)
    except BadJSONError:
        raise NotFound from None
    try:
        for key, value in request.args.items(multi=True):
            check_text(key)
            check_text(value)
    except BadJSONError:
        detail = "The address has a character in it that no name here can have: a NUL, or half of a surrogate pair."
        return problem(HTTPStatus.BAD_REQUEST, "bad-request", detail)
    return None


def _malformed(error: MalformedJSONError) -> Response:
    return problem(HTTPStatus.BAD_REQUEST, "bad-request", str(error.description))
