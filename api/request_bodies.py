"""What a request may contain: a bounded amount of JSON that every program reads the same way, and text without NUL.

One place for all routes, so that nothing behind it has to expect half a surrogate pair, NaN or a million brackets.
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
"""The largest body of JSON: four times a layout of a table or the corrections of a picture with 200 cards."""

EVENT_BYTES: Final = 64 * 2**10
"""The largest body that says what happened at a table: six times a deal of a whole pack with 49 moves.

Events are kept for ever and sent to every phone at the table.
"""

_EVENT_BLUEPRINTS: Final = frozenset({"tables", "presses"})
_JSON: Final = "application/json"


class MalformedJSONError(BadRequest):
    """Raised for a body that is not JSON; the description says why."""


class _Request(Request):
    def on_json_loading_failure(self, e: ValueError | None) -> NoReturn:
        """Raise the error that says what is wrong with the body."""
        raise MalformedJSONError(f"The request's body is not JSON that can be read: {e}.") from e


class _Json(DefaultJSONProvider):
    """JSON in and out; Japanese stays readable."""

    ensure_ascii = False
    sort_keys = False

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        """Return the document in a text; `BadJSONError` for what not every program reads the same way."""
        return loads(s)


def register(app: APIFlask) -> None:
    """Check every request of an app before anything else reads it."""
    app.json = _Json(app)
    app.request_class = _Request
    app.register_error_handler(MalformedJSONError, _malformed)
    app.before_request(_check_size)
    app.before_request(_check_address)


def _check_size() -> Response | None:
    """Refuse a body of JSON that is larger than any that this program has a use for."""
    if request.mimetype != _JSON:
        return None
    most = EVENT_BYTES if request.blueprint in _EVENT_BLUEPRINTS else JSON_BYTES
    request.max_content_length = most
    if (request.content_length or 0) <= most:
        return None
    detail = (
        f"The request has {request.content_length} bytes, and at most {most // 2**10} kB of JSON are taken here:"
        " send less at once."
    )
    return problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-many-bytes", detail)


def _check_address() -> Response | None:
    """Refuse text in the address that no name can have."""
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
