"""Visitors: browsers that may only watch, most of them unpaired, and the drafts that they scanned.

A visitor's browser that scans a photograph gets a random cookie, and the draft belongs to it. Only a hash of the
cookie is stored. The cookie is not signed: an invented one belongs to a new visitor without drafts.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from typing import Final

from flask import Response, request

from api.access.who import who
from api.context import context
from companion.net.addresses import client_key
from companion.store import NoSuchScanError, NoSuchScanJobError
from companion.store.scan_records import VISITOR_DRAFT_DAYS, Visitor

COOKIE: Final = "visitor"
SECURE_COOKIE: Final = "__Host-visitor"
"""The cookie's name over HTTPS, tried first; a page on plain HTTP cannot replace it."""
_BYTES: Final = 24
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{32}")
_COOKIE_S: Final = 2 * VISITOR_DRAFT_DAYS * 24 * 3600  # longer than any draft is kept


def new_visitor() -> tuple[Visitor, str] | None:
    """Return the visitor who sends the request, and its cookie; None for roles other than viewer."""
    if who().role != "viewer":
        return None
    token = _token() or secrets.token_urlsafe(_BYTES)
    return Visitor(_id(token), client_key(request.remote_addr or "")), token


def remember(response: Response, token: str) -> None:
    """Set the cookie that makes a browser the owner of its drafts."""
    name = SECURE_COOKIE if request.is_secure else COOKIE
    response.set_cookie(
        name, token, max_age=_COOKIE_S, samesite="Lax", httponly=True, secure=request.is_secure
    )


def check_own(scan_id: str) -> None:
    """Raise `NoSuchScanError` unless a draft belongs to the sender, as if it did not exist."""
    if not _is_own(context().store.scans.draft_owner(scan_id)):
        raise NoSuchScanError(scan_id)


def check_own_job(job_id: str) -> None:
    """Raise `NoSuchScanJobError` unless the sender has sent a queued picture, as if it did not exist."""
    queue = context().store.scan_queue
    if queue is None or not _is_own(queue.job(job_id).owner):
        raise NoSuchScanJobError(job_id)


def adopt_drafts() -> None:
    """Keep the drafts that a phone scanned before it was paired."""
    if (token := _token()) is not None:
        if (queue := context().store.scan_queue) is not None:
            queue.adopt(_id(token))  # first: a picture that is read at this moment becomes a draft
        context().store.scans.adopt_drafts(_id(token))


def _is_own(owner: str | None) -> bool:
    token = _token()
    return token is not None and owner is not None and secrets.compare_digest(_id(token), owner)


def _token() -> str | None:
    token = (request.is_secure and request.cookies.get(SECURE_COOKIE)) or request.cookies.get(COOKIE, "")
    return token if _TOKEN.fullmatch(token) else None


def _id(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
