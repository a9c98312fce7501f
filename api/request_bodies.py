"""Validation of request contents: limited, unambiguous JSON, and text without NUL.

Done once for all routes, so that no other code has to handle lone surrogates, NaN, or a million brackets.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final, NoReturn

from apiflask import APIFlask
from flask import Request, Response, request
from flask.json.provider import DefaultJSONProvider
from werkzeug.exceptions import BadRequest, NotFound, RequestEntityTooLarge, UnsupportedMediaType

from api.problems import problem
from companion.hanafuda.messages import Message
from companion.hanafuda.strict_json import BadJSONError, check_text, loads
from vision.pictures.picture_files import MAX_BYTES

JSON_BYTES: Final = 256 * 2**10
"""Maximum size of a JSON body, bytes: four times a table's layout, or the corrections of a picture with 200 cards."""

EVENT_BYTES: Final = 64 * 2**10
"""Maximum size of a body with events of a table, bytes: six times a deal of a whole pack with 49 moves.

Events are kept forever and sent to every phone at the table.
"""

UPLOAD_BYTES: Final = {
    "scans.scan": MAX_BYTES,
    "people.put_picture": MAX_BYTES,
    "tables.piles": MAX_BYTES,
    "cameras.take": MAX_BYTES,
    "cameras.observe": 4 * 2**20,
    "cameras.report": 2**20,
    "phone_cameras.frame": 4 * 2**20,
    # Four photographs of 20 MB, because all are in memory at once, although a single one may have 64 MB.
    "decks.enroll": 80 * 2**20,
    "decks.take_in": 19 * 2**20,
    "nights.merge": 64 * 2**20,  # some 10,000 rounds
}
"""The endpoints that accept files, with the maximum size of their files together, bytes; all others accept JSON."""
_FORM_BYTES: Final = 2 * 2**20
"""Maximum size of the other fields of a form with files, bytes."""

_EVENT_BLUEPRINT: Final = "tables"
_JSON: Final = "application/json"


class MalformedJSONError(BadRequest):
    """Raised for a body that is not JSON; the description says why."""


class _StrictRequest(Request):
    def on_json_loading_failure(self, e: ValueError | None) -> NoReturn:
        """Raise `MalformedJSONError` with the reason."""
        raise MalformedJSONError(f"The request's body is not JSON that can be read: {e}.") from e


class _StrictJson(DefaultJSONProvider):
    """A strict JSON parser; the encoder keeps non-ASCII characters readable."""

    ensure_ascii = False
    sort_keys = False

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        """Parse a JSON document. Raises `BadJSONError` for anything that parsers interpret differently."""
        return loads(s)


def register(app: APIFlask) -> None:
    """Install the checks for all requests of an application."""
    app.config["MAX_CONTENT_LENGTH"] = JSON_BYTES
    app.json = _StrictJson(app)
    app.request_class = _StrictRequest
    app.register_error_handler(MalformedJSONError, _malformed)
    app.register_error_handler(RequestEntityTooLarge, _too_large)
    app.before_request(_check_size)
    app.before_request(_check_address)


def _check_size() -> Response | None:
    """Set the maximum size of a body for its route, and refuse a JSON body that is larger."""
    if request.endpoint in UPLOAD_BYTES:
        request.max_content_length = UPLOAD_BYTES[request.endpoint] + _FORM_BYTES
    if request.mimetype != _JSON:
        return None
    limit = (
        EVENT_BYTES
        if request.blueprint == _EVENT_BLUEPRINT or request.endpoint == "reports.press"
        else JSON_BYTES
    )
    request.max_content_length = limit
    if (request.content_length or 0) <= limit:
        return None
    detail = (
        f"The request has {request.content_length} bytes, and at most {limit // 2**10} kB of JSON are taken here:"
        " send less at once."
    )
    return problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-many-bytes", detail)


def check_type() -> None:
    """Refuse a body of the wrong media type: a form for the endpoints that accept files, JSON for all others."""
    if request.method in {"GET", "HEAD", "OPTIONS", "DELETE"} or request.endpoint is None:
        return
    expected = "multipart/form-data" if request.endpoint in UPLOAD_BYTES else _JSON
    if request.mimetype != expected:
        received = request.mimetype or "something without a type"
        raise UnsupportedMediaType(f"Send {expected} here, not {received}.")
    if request.is_json and request.get_json() is None:
        raise BadRequest  # APIFlask would treat null as {}


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


def _too_large(error: RequestEntityTooLarge) -> Response:
    limit = UPLOAD_BYTES.get(request.endpoint or "", request.max_content_length or 0)
    message = Message("problem-too-many-bytes", {"max": limit // 2**20})
    return problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-many-bytes", message)
