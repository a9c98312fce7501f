"""Error responses in a single format: RFC 9457 problem details.

``type`` ends with a stable slug; ``code`` and ``params`` are the message for the person at the table, ``message`` and
``detail`` its text in the language of the request.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Final

from apiflask import APIFlask, HTTPError
from flask import Response, current_app, json, request
from flask.sansio.scaffold import Scaffold
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge

from api.languages import message_json, request_language
from api.page_shell import render_page
from api.pictures.service import BusyError, ScannerFailedError
from companion.hanafuda.errors import BadRequestError, MessageError
from companion.hanafuda.messages import Message
from companion.hanafuda.rules import BadRuleValueError, UnknownRuleError
from companion.messages import error_text, render
from companion.store import (
    CardTakenError,
    LogBusyError,
    LogReadError,
    LogUnreachableError,
    LogWriteError,
    NoSuchScanError,
    NoSuchScanJobError,
    ScanQueueFullError,
)
from vision.pictures.picture_files import PictureError

__all__ = [
    "JSON_REFUSED",
    "MEDIA_TYPE",
    "PICTURE_STATUS",
    "PROBLEM_SCHEMA",
    "problem",
    "problem_of",
    "register",
    "register_problems",
]

MEDIA_TYPE = "application/problem+json"

PROBLEM_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "What went wrong (RFC 9457). Some carry members of their own, as `card` and `index`.",
    "properties": {
        "type": {"type": "string", "format": "uri-reference", "examples": ["/problems/card-twice"]},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What was seen, what was expected, what to do."},
        "code": {"type": "string", "description": "The code of the message in the catalogs."},
        "params": {"type": "object", "description": "The parameters of the message, if it has any."},
        "message": {
            "type": "string",
            "description": "The message in the language of the request; as `detail`.",
        },
    },
    "required": ["type", "title", "status", "detail"],
}

JSON_REFUSED: Final = {400: "Malformed JSON", 413: "Too large", 415: "Not JSON"}
"""Reasons for refusing a JSON body, by status, for the OpenAPI document."""

_USUAL_REFUSALS: Final = {
    400: "Malformed request",
    401: "An unknown token",
    403: "Not for this role",
    413: "Too many bytes or pixels",
    415: "Another media type",
    500: "The scanner or the referee failed",
    503: "Busy",
    507: "The log could not be written",
}

PICTURE_STATUS: Final = {
    "too-many-bytes": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "too-many-pixels": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "picture-too-costly": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "not-a-picture": HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
}


def refused(*statuses: int) -> dict[int, str]:
    """Return the usual reasons for refusing a request, by status, for the OpenAPI document."""
    return {status: _USUAL_REFUSALS[status] for status in statuses}


def problem(
    status: int, slug: str, detail: str | Message, headers: dict[str, str] | None = None, **members: Any
) -> Response:
    """Return an error response; ``members`` are its extension members.

    The detail is rendered in the language of the request, which adds ``code``, ``params`` and ``message``. A sentence
    instead of a message stays English; it is for those who write programs. A person who opened an address in a browser
    gets a page instead of a JSON document.
    """
    if isinstance(detail, str):
        detail = Message("problem-bad-request", {"detail": detail})
    members = {**message_json(detail), **members}
    members["message"] = _sentence(members["message"])
    if "text/html" in request.headers.get("Accept", ""):
        page = render_page("problem.html", {"page": "problem"}, sentence=members["message"])
        page.status_code = int(status)
        page.headers.update(headers or {})
        return page
    phrase = HTTPStatus(status).phrase
    document = {
        "type": f"/problems/{slug}",
        "title": phrase,
        "status": int(status),
        "detail": members["message"],
        **members,
    }
    # ASCII only, because errors may quote input that cannot be encoded as UTF-8 (lone surrogates).
    body = json.dumps(document, ensure_ascii=True)
    return Response(body, status=status, headers=headers, content_type=MEDIA_TYPE)


def problem_of(
    status: int, error: MessageError, headers: dict[str, str] | None = None, **members: Any
) -> Response:
    """Return the response for an error; ``members`` are extension members."""
    return problem(status, error.code, error.message, headers, **members)


def register_problems(
    target: Scaffold,
    status: HTTPStatus,
    *errors: type[MessageError],
    members: Sequence[str] = (),
    log: bool = False,
) -> None:
    """Answer errors raised in an application or blueprint with a status.

    ``members`` are the attributes of the errors that become extension members; one with ``retry_after_s`` also becomes the
    header ``Retry-After``. ``log`` writes the errors to the server's log, too.
    """

    def answer(error: MessageError) -> Response:
        if log:
            current_app.logger.error("%s", error_text(error))
        retry_after_s = getattr(error, "retry_after_s", None)
        headers = None if retry_after_s is None else {"Retry-After": str(retry_after_s)}
        return problem_of(status, error, headers, **{name: getattr(error, name) for name in members})

    for each in errors:
        target.register_error_handler(each, answer)


def register(app: APIFlask) -> None:
    """Register error handlers that turn all errors of an application into problem responses."""
    register_problems(app, HTTPStatus.NOT_FOUND, NoSuchScanError, members=["scan"])
    register_problems(app, HTTPStatus.NOT_FOUND, NoSuchScanJobError, members=["job"])
    register_problems(app, HTTPStatus.CONFLICT, CardTakenError, members=["card", "index"])
    register_problems(app, HTTPStatus.UNPROCESSABLE_ENTITY, BadRequestError)
    register_problems(app, HTTPStatus.INSUFFICIENT_STORAGE, LogWriteError, members=["reason"], log=True)
    register_problems(app, HTTPStatus.SERVICE_UNAVAILABLE, LogBusyError, members=["reason"])
    register_problems(app, HTTPStatus.SERVICE_UNAVAILABLE, LogUnreachableError, members=["reason"], log=True)
    register_problems(app, HTTPStatus.SERVICE_UNAVAILABLE, LogReadError, log=True)
    register_problems(app, HTTPStatus.SERVICE_UNAVAILABLE, BusyError, ScanQueueFullError)
    app.register_error_handler(ScannerFailedError, _scanner_failed)
    app.register_error_handler(PictureError, _picture)
    app.register_error_handler(BadRuleValueError, _bad_rule_value)
    app.register_error_handler(UnknownRuleError, _unknown_rule)
    app.register_error_handler(RequestEntityTooLarge, _too_large)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Exception, _unexpected)
    app.register_error_handler(HTTPError, _invalid)


def _scanner_failed(error: ScannerFailedError) -> Response:
    current_app.logger.error("scanning failed", exc_info=error)
    return problem_of(HTTPStatus.INTERNAL_SERVER_ERROR, error)


def _picture(error: PictureError) -> Response:
    return problem_of(PICTURE_STATUS.get(error.code, HTTPStatus.UNPROCESSABLE_ENTITY), error)


def _bad_rule_value(error: BadRuleValueError) -> Response:
    language = request_language()
    options = [
        {"key": each.key, "problem": render(each.message, language), "nearest": each.nearest}
        for each in error.values
    ]
    contradictions = [
        {"keys": list(each.keys), "message": message_json(each.message)} for each in error.contradictions
    ]
    return problem_of(HTTPStatus.UNPROCESSABLE_ENTITY, error, options=options, contradictions=contradictions)


def _unknown_rule(error: UnknownRuleError) -> Response:
    options = [
        {"key": key, "problem": "is no option", "nearest": nearest} for key, nearest in error.nearest.items()
    ]
    return problem_of(HTTPStatus.UNPROCESSABLE_ENTITY, error, options=options)


def _too_large(error: RequestEntityTooLarge) -> Response:
    max_mb = (request.max_content_length or 0) // 2**20
    message = Message("problem-too-many-bytes", {"max": max_mb})
    return problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-many-bytes", message)


def _http(error: HTTPException) -> Response:
    """Handle HTTP errors: unknown path, wrong method, malformed JSON, wrong media type."""
    status = error.code or HTTPStatus.INTERNAL_SERVER_ERROR
    headers = {name: value for name, value in error.get_headers() if name in {"Allow", "Retry-After"}}
    return problem(status, _slug(HTTPStatus(status).phrase), _http_detail(error), headers)


def _http_detail(error: HTTPException) -> str | Message:
    match error.code:
        case HTTPStatus.BAD_REQUEST:
            return "The request cannot be understood: its body is cut short, or not what its type says."
        case HTTPStatus.NOT_FOUND:
            return Message("problem-not-found", {"path": request.path})
        case HTTPStatus.METHOD_NOT_ALLOWED:
            return f"{request.method} is not possible at {request.path}."
        case _:
            return error.description or HTTPStatus(error.code or 500).description


def _invalid(error: HTTPError) -> Response:
    """Handle a request that does not match its schema; lists all errors by field."""
    parts: dict[str, dict[str, list[str]]] = error.detail or {}
    lines = [
        f"{where.removeprefix('_')}: {' '.join(messages)}"
        for fields in parts.values()
        for where, messages in fields.items()
    ]
    detail = "The request is not of the documented shape: " + "; ".join(lines) + ". See /api/openapi.json."
    return problem(error.status_code, "invalid-request", detail, errors=parts)


def _unexpected(error: Exception) -> Response:
    current_app.logger.error("unforeseen error at %s %s", request.method, request.path, exc_info=error)
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, "internal-error", Message("problem-internal-error"))


def _sentence(text: str) -> str:
    """Return an error's text as a complete sentence; on the command line the same text follows a colon."""
    first = text.split(maxsplit=1)[0]
    if first.isalpha():  # otherwise it is an identifier such as a card id, which must not be capitalized
        text = text[0].upper() + text[1:]
    if text.endswith((".", "?", "!", "。", "？", "！")):
        return text
    return text + ("。" if request_language() == "ja" else ".")


def _slug(phrase: str) -> str:
    return re.sub(r"[^a-z]+", "-", phrase.lower()).strip("-")
