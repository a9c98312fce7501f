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
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from apiflask import APIFlask, HTTPError
from flask import Response, current_app, json, request
from werkzeug.exceptions import HTTPException

from api.languages import message_json, request_language
from api.live.live_tables import NoSuchEventError, NothingToUndoError
from api.live.streams import TooManyStreamsError
from api.page_shell import render_page
from api.pictures.queued_scans import UnreadPictureError
from api.pictures.service import BusyError, ScannerFailedError
from api.services.devices import DevicesChangedError, NoSuchDeviceError, PrintingError
from api.services.known_decks import (
    DeckWriteError,
    NoSuchDeckError,
    NoSuchEnrollmentError,
    ShippedDeckError,
    TooManyDecksError,
)
from api.services.wrong_pins import TooManyGuessesError
from companion.hanafuda.errors import BadRequestError, MessageError
from companion.hanafuda.messages import Message
from companion.hanafuda.round import IllegalMoveError
from companion.hanafuda.rules import BadRuleValueError, UnknownRuleError
from companion.messages import error_text, render
from companion.readers.tag_pairings import TagsWriteError, TagTakenError
from companion.store import (
    CardTakenError,
    LogBusyError,
    LogReadError,
    LogUnreachableError,
    LogWriteError,
    NoSuchNightError,
    NoSuchRulesError,
    NoSuchScanError,
    NoSuchScanJobError,
    NoSuchTableError,
    OutOfStepError,
    RulesNameTakenError,
    ScanQueueFullError,
    TooManyDraftsError,
)
from companion.store.pairings import NoSuchInvitationError, NoSuchPairingError
from companion.table.presses import PressRefusedError
from vision.decks.deck_errors import DeckFileError, DeckNameError, DeckTakenError, EnrollmentError
from vision.pictures.picture_files import PictureError

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


@dataclass(frozen=True, slots=True)
class _Refusal:
    """How an error is answered."""

    status: HTTPStatus
    members: tuple[str, ...] = ()
    """The attributes of the error that become extension members."""
    log: bool = False
    """Whether the error is written to the server's log, too."""


_REFUSALS: Final[Mapping[type[MessageError], _Refusal]] = {
    NoSuchInvitationError: _Refusal(HTTPStatus.FORBIDDEN),
    NoSuchDeckError: _Refusal(HTTPStatus.NOT_FOUND),
    NoSuchDeviceError: _Refusal(HTTPStatus.NOT_FOUND),
    NoSuchEnrollmentError: _Refusal(HTTPStatus.NOT_FOUND),
    NoSuchEventError: _Refusal(HTTPStatus.NOT_FOUND),
    NoSuchNightError: _Refusal(HTTPStatus.NOT_FOUND),
    NoSuchPairingError: _Refusal(HTTPStatus.NOT_FOUND),
    NoSuchRulesError: _Refusal(HTTPStatus.NOT_FOUND),
    NoSuchScanError: _Refusal(HTTPStatus.NOT_FOUND, ("scan",)),
    NoSuchScanJobError: _Refusal(HTTPStatus.NOT_FOUND, ("job",)),
    NoSuchTableError: _Refusal(HTTPStatus.NOT_FOUND),
    CardTakenError: _Refusal(HTTPStatus.CONFLICT, ("card", "index")),
    DeckTakenError: _Refusal(HTTPStatus.CONFLICT, ("deck",)),
    DevicesChangedError: _Refusal(HTTPStatus.CONFLICT, ("revision",)),
    NothingToUndoError: _Refusal(HTTPStatus.CONFLICT),
    OutOfStepError: _Refusal(HTTPStatus.CONFLICT, ("seq",)),
    PressRefusedError: _Refusal(HTTPStatus.CONFLICT),
    PrintingError: _Refusal(HTTPStatus.CONFLICT),
    RulesNameTakenError: _Refusal(HTTPStatus.CONFLICT),
    ShippedDeckError: _Refusal(HTTPStatus.CONFLICT),
    TagTakenError: _Refusal(HTTPStatus.CONFLICT, ("card",)),
    TooManyDecksError: _Refusal(HTTPStatus.CONFLICT),
    BadRequestError: _Refusal(HTTPStatus.UNPROCESSABLE_ENTITY),
    DeckFileError: _Refusal(HTTPStatus.UNPROCESSABLE_ENTITY),
    DeckNameError: _Refusal(HTTPStatus.UNPROCESSABLE_ENTITY),
    EnrollmentError: _Refusal(HTTPStatus.UNPROCESSABLE_ENTITY),
    IllegalMoveError: _Refusal(HTTPStatus.UNPROCESSABLE_ENTITY),
    PictureError: _Refusal(HTTPStatus.UNPROCESSABLE_ENTITY),
    UnreadPictureError: _Refusal(HTTPStatus.UNPROCESSABLE_ENTITY),
    TooManyDraftsError: _Refusal(HTTPStatus.TOO_MANY_REQUESTS),
    TooManyGuessesError: _Refusal(HTTPStatus.TOO_MANY_REQUESTS),
    ScannerFailedError: _Refusal(HTTPStatus.INTERNAL_SERVER_ERROR, log=True),
    BusyError: _Refusal(HTTPStatus.SERVICE_UNAVAILABLE),
    LogBusyError: _Refusal(HTTPStatus.SERVICE_UNAVAILABLE, ("reason",)),
    LogReadError: _Refusal(HTTPStatus.SERVICE_UNAVAILABLE, log=True),
    LogUnreachableError: _Refusal(HTTPStatus.SERVICE_UNAVAILABLE, ("reason",), log=True),
    ScanQueueFullError: _Refusal(HTTPStatus.SERVICE_UNAVAILABLE),
    TooManyStreamsError: _Refusal(HTTPStatus.SERVICE_UNAVAILABLE),
    DeckWriteError: _Refusal(HTTPStatus.INSUFFICIENT_STORAGE, log=True),
    LogWriteError: _Refusal(HTTPStatus.INSUFFICIENT_STORAGE, ("reason",), log=True),
    TagsWriteError: _Refusal(HTTPStatus.INSUFFICIENT_STORAGE, log=True),
}
"""The errors that become answers. A subclass without a row is answered as its base class."""

_STATUS_OF_PICTURE: Final[Mapping[str, HTTPStatus]] = {
    "too-many-bytes": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "too-many-pixels": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "picture-too-costly": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "not-a-picture": HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    "scanner-failed": HTTPStatus.INTERNAL_SERVER_ERROR,
    "too-many-drafts": HTTPStatus.TOO_MANY_REQUESTS,
    "log-not-written": HTTPStatus.INSUFFICIENT_STORAGE,
}
"""The statuses of pictures that could not be read, by the code of the error; 422 for all others."""


def register(app: APIFlask) -> None:
    """Register error handlers that turn all errors of an application into problem responses."""
    for error, refusal in _REFUSALS.items():
        app.register_error_handler(error, partial(_answer, refusal))
    app.register_error_handler(
        RequestRefusedError, lambda error: problem_of(error.status, error, error.headers, **error.members)
    )
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Exception, _unexpected)
    app.register_error_handler(HTTPError, _invalid)


def _answer(refusal: _Refusal, error: MessageError) -> Response:
    if refusal.log:
        cause = error if isinstance(error, ScannerFailedError) else None
        current_app.logger.error("%s", error_text(error), exc_info=cause)
    status, headers = refusal.status, {}
    if isinstance(error, PictureError | UnreadPictureError):
        status = _STATUS_OF_PICTURE.get(error.code, status)
    if (retry_after_s := getattr(error, "retry_after_s", None)) is not None:
        headers["Retry-After"] = str(retry_after_s)
    members = {name: getattr(error, name) for name in refusal.members}
    return problem_of(status, error, headers, **members, **_details(error))


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
