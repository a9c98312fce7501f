"""The language of a request, and messages rendered in it."""

from __future__ import annotations

from typing import Any, Final

from flask import has_request_context, request

from companion.hanafuda.messages import Message
from companion.messages import DEFAULT_LANGUAGE, LANGUAGES, render

LANGUAGE_COOKIE: Final = "lang"
"""The name of the cookie and the query parameter with the language that the user selected."""


def request_language() -> str:
    """Return the language that the user selected, otherwise the best match for ``Accept-Language``, otherwise English."""
    if not has_request_context():
        return DEFAULT_LANGUAGE
    for language in (request.args.get(LANGUAGE_COOKIE), request.cookies.get(LANGUAGE_COOKIE)):
        if language in LANGUAGES:
            return language
    return request.accept_languages.best_match(list(LANGUAGES)) or DEFAULT_LANGUAGE


def message_json(message: Message) -> dict[str, Any]:
    """Return a message for JSON: ``code``, ``params``, and its text in the language of the request."""
    return {**message.to_dict(), "message": render(message, request_language())}
