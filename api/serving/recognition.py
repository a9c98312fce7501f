"""Recognizing paired devices before a request is answered, so that they come first."""

from __future__ import annotations

from collections.abc import Mapping

from werkzeug.http import parse_cookie

from api.access.identity import COOKIE, SECURE_COOKIE
from api.access.pairings import Pairings
from api.serving.server import Recognize

__all__ = ["recognizer"]


def recognizer(pairings: Pairings) -> Recognize:
    """Return a function that tells from the headers of a request whether its cookie or token bears our signature.

    It does not know whether the pairing was revoked since; that is checked when the request is answered.
    """

    def recognize(headers: Mapping[str, str]) -> bool:
        scheme, _, token = headers.get("AUTHORIZATION", "").partition(" ")
        cookies = parse_cookie(headers.get("COOKIE", ""))
        shown = (
            token if scheme.lower() == "bearer" else None,
            cookies.get(SECURE_COOKIE),
            cookies.get(COOKIE),
        )
        return any(each is not None and pairings.is_signed(each) for each in shown)

    return recognize
