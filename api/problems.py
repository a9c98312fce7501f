"""Error responses in a single format: RFC 9457 problem details.

``type`` ends with a stable slug; ``code`` and ``params`` are the message for the person at the table, ``message`` and
``detail`` its text in the language of the request.
"""

from __future__ import annotations

import errno
import os
import re
import tempfile
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from apiflask import APIFlask, HTTPError
from flask import Response, current_app, json, request
from werkzeug.exceptions import HTTPException

from api.languages import message_json, request_language
from api.page_shell import render_page
from companion.hanafuda.errors import ConflictError, MessageError, NotFoundError
from companion.hanafuda.messages import Message
from companion.hanafuda.round import IllegalMoveError
from companion.hanafuda.rules import BadRuleValueError, UnknownRuleError
from companion.messages import error_text, render
from companion.store import TooManyDraftsError
from companion.table.presses import PressRefusedError

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

_USUAL_REFUSALS: Final = {
    400: "Malformed",
    404: "Not known",
    413: "Too many bytes or pixels",
    415: "Another media type",
    500: "The scanner or the referee failed",
    503: "Busy",
    507: "The log could not be written",
}


def refused(*statuses: int) -> dict[int, str]:
    """Return the usual reasons for refusing a request, by status, for the OpenAPI document.

    `api.openapi` adds what every route can answer: 401, 403, 421, and 400, 413 and 415 for a body.
    """
    return {status: _USUAL_REFUSALS[status] for status in statuses}


class RequestRefusedError(MessageError):
    """Raised for a request that is refused with a status and code that no error of its own stands for."""

    def __init__(
        self,
        status: HTTPStatus,
        code: str,
        message: Message,
        headers: dict[str, str] | None = None,
        **members: Any,
    ) -> None:
        """``members`` are the extension members of the answer."""
        super().__init__(message)
        self.status, self.code, self.headers, self.members = status, code, headers, members


_STATUS: Final[Mapping[str, HTTPStatus]] = {
    "no-such-invitation": HTTPStatus.FORBIDDEN,
    "no-such-pin": HTTPStatus.FORBIDDEN,
    "picture-too-costly": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "too-many-bytes": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "too-many-pixels": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "not-a-picture": HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    "pins-paused": HTTPStatus.TOO_MANY_REQUESTS,
    "too-many-drafts": HTTPStatus.TOO_MANY_REQUESTS,
    "too-many-guesses": HTTPStatus.TOO_MANY_REQUESTS,
    "scanner-failed": HTTPStatus.INTERNAL_SERVER_ERROR,
    "busy": HTTPStatus.SERVICE_UNAVAILABLE,
    "log-busy": HTTPStatus.SERVICE_UNAVAILABLE,
    "log-not-read": HTTPStatus.SERVICE_UNAVAILABLE,
    "reserved-name": HTTPStatus.UNPROCESSABLE_ENTITY,
    "log-unreachable": HTTPStatus.SERVICE_UNAVAILABLE,
    "scan-queue-full": HTTPStatus.SERVICE_UNAVAILABLE,
    "too-many-pages": HTTPStatus.SERVICE_UNAVAILABLE,
    "deck-not-written": HTTPStatus.INSUFFICIENT_STORAGE,
    "log-not-written": HTTPStatus.INSUFFICIENT_STORAGE,
}
"""The statuses of the errors whose class does not say it, by their code; 422 for all others about a wrong value."""

_LOGGED: Final = frozenset(
    (
        "scanner-failed",
        "log-not-read",
        "log-unreachable",
        "deck-not-written",
        "log-not-written",
    )
)
"""The codes of errors that are written to the server's log, too."""


def status_of(code: str) -> HTTPStatus:
    """Return the status of the answer to a request that failed with an error of this code."""
    return _STATUS.get(code, HTTPStatus.UNPROCESSABLE_ENTITY)


def register(app: APIFlask) -> None:
    """Register error handlers that turn all errors of an application into problem responses."""
    app.register_error_handler(MessageError, _answer)
    app.register_error_handler(
        RequestRefusedError, lambda error: problem_of(error.status, error, error.headers, **error.members)
    )
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Exception, _unexpected)
    app.register_error_handler(HTTPError, _invalid)


def _answer(error: MessageError) -> Response:
    if isinstance(error, NotFoundError):
        status = HTTPStatus.NOT_FOUND
    elif isinstance(error, ConflictError):
        status = HTTPStatus.CONFLICT
    elif isinstance(error, ValueError) or error.code in _STATUS:
        status = status_of(error.code)
    else:
        return _unexpected(error)
    if error.code in _LOGGED:
        cause = error if status == HTTPStatus.INTERNAL_SERVER_ERROR else None
        current_app.logger.error("%s", error_text(error), exc_info=cause)
    retry_after_s = getattr(error, "retry_after_s", None)
    headers = {} if retry_after_s is None else {"Retry-After": str(retry_after_s)}
    return problem_of(status, error, headers, **error.members, **_details(error))


def _details(error: MessageError) -> dict[str, Any]:
    """Return the extension members that are computed from an error."""
    match error:
        case TooManyDraftsError():
            return {"join": "/join"}
        case PressRefusedError():
            return {"code": error.code, "says": message_json(error.message)}
        case IllegalMoveError():
            problems = [{"code": each.code, "message": message_json(each.text)} for each in error.problems]
            return {"problems": problems, "move": list(error.move.words())}
        case BadRuleValueError():
            return {
                "options": [
                    {
                        "key": each.key,
                        "problem": render(each.message, request_language()),
                        "nearest": each.nearest,
                    }
                    for each in error.values
                ],
                "contradictions": [
                    {"keys": list(each.keys), "message": message_json(each.message)}
                    for each in error.contradictions
                ],
            }
        case UnknownRuleError():
            unknown = render(Message("problem-no-such-option"), request_language())
            return {
                "options": [
                    {"key": key, "problem": unknown, "nearest": nearest}
                    for key, nearest in error.nearest.items()
                ]
            }
        case _:
            return {}


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
    if isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}:  # of an uploaded file
        place = {"path": tempfile.gettempdir(), "reason": os.strerror(error.errno)}
        current_app.logger.error("%(path)s: %(reason)s", place)
        return problem(HTTPStatus.INSUFFICIENT_STORAGE, "disk-full", Message("file-not-written", place))
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
