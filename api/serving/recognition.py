"""Recognizes paired devices from request headers, so that their requests have priority."""

from __future__ import annotations

from collections.abc import Mapping

from werkzeug.http import parse_cookie

from api.access.who import COOKIE, SECURE_COOKIE
from api.services.pairings import Pairings
from api.serving.gateway import Recognize


def recognizer(pairings: Pairings) -> Recognize:
    """Return a function that returns whether the cookie or token in a request's headers is that of a pairing that exists.

    It does not wait for the database, see `Pairings.recognizes`.
    """

    def recognize(headers: Mapping[str, str]) -> bool:
        scheme, _, token = headers.get("AUTHORIZATION", "").partition(" ")
        cookies = parse_cookie(headers.get("COOKIE", ""))
        candidates = (
            token if scheme.lower() == "bearer" else None,
            cookies.get(SECURE_COOKIE),
            cookies.get(COOKIE),
        )
        return any(each is not None and pairings.recognizes(each) for each in candidates)

    return recognize
