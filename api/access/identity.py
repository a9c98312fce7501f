"""Identify who sends a request, and refuse requests that the sender's role does not allow.

People identify themselves with a cookie, machines with a bearer token; both come from pairing (`api.access.pairing`).
"""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from apiflask import APIFlask
from flask import Response, g, request

from api.access.pairings import MACHINES, Pairing, Role
from api.context import context
from api.problems import problem
from companion.addresses import own_addresses
from companion.table.events import Source

__all__ = ["COOKIE", "NotAllowedError", "Who", "identity_of", "register", "require", "who"]

COOKIE: Final = "pairing"
_RANK: Final[dict[Role, int]] = {"viewer": 0, "scorer": 1, "host": 2}
_SOURCES: Final[dict[Role, Source]] = {"camera": "camera", "device": "button"}
_THIS_MACHINE: Final = "this machine"


@dataclass(frozen=True, slots=True)
class Who:
    """Who is asking."""

    role: Role
    name: str
    seat: int | None = None
    paired: bool = False

    @property
    def source(self) -> Source:
        """What his events come from."""
        return _SOURCES.get(self.role, "phone")

    def may(self, *roles: Role) -> bool:
        """Whether he has one of these roles, or one above it; the host may do what machines may."""
        rank = _RANK.get(self.role)
        return any(
            self.role == role or (rank is not None and rank >= _RANK.get(role, _RANK["host"]))
            for role in roles
        )


class NotAllowedError(Exception):
    """Whoever asks may not do this."""

    def __init__(self, asker: Who, roles: tuple[Role, ...]) -> None:
        self.slug = "not-paired" if asker.role == "viewer" else "role-too-low"
        self.needs = roles
        whom = " or ".join(roles)
        super().__init__(
            f"This device may only look: pair it first as {whom}. Open /join and type in the PIN that the host's page"
            " shows."
            if asker.role == "viewer"
            else f"{asker.name} is paired as {asker.role}, and this takes a {whom}: ask the host."
        )


class _BadTokenError(Exception):
    """A machine showed a token that stands for nobody."""


def who() -> Who:
    """Return who is asking.

    Raises where a machine shows a token that was revoked or never given; a cookie like that is none.
    """
    if "who" not in g:
        g.who = _who()
    asker: Who = g.who
    return asker


def require(*roles: Role) -> Who:
    """Return who is asking if he has one of these roles or one above it, or raise `NotAllowedError`."""
    asker = who()
    if not asker.may(*roles):
        raise NotAllowedError(asker, roles)
    return asker


def register(app: APIFlask) -> None:
    """Make refusals end as problems."""
    app.register_error_handler(NotAllowedError, _not_allowed)
    app.register_error_handler(_BadTokenError, _bad_token)


def _not_allowed(error: NotAllowedError) -> Response:
    return problem(HTTPStatus.FORBIDDEN, error.slug, str(error), join="/join", needs=list(error.needs))


def _bad_token(error: _BadTokenError) -> Response:
    return problem(
        HTTPStatus.UNAUTHORIZED,
        "bad-token",
        "This token stands for nobody, or not any more: pair this machine again.",
        {"WWW-Authenticate": "Bearer"},
    )


def identity_of(pairing: Pairing) -> Who:
    """Return the identity that a pairing gives."""
    return Who(pairing.role, pairing.name, pairing.seat, paired=True)


def _who() -> Who:
    shown = context().pairings.shown
    if request.authorization is not None:
        token = request.authorization.token if request.authorization.type == "bearer" else None
        machine = shown(token) if token else None
        if machine is None:
            raise _BadTokenError
        return identity_of(machine)
    pairing = shown(request.cookies[COOKIE]) if COOKIE in request.cookies else None
    if _is_this_machine():
        name, seat = (pairing.name, pairing.seat) if pairing else (_THIS_MACHINE, None)
        return Who("host", name, seat, paired=True)
    if (
        pairing is None or pairing.role in MACHINES
    ):  # a machine's token in a browser's cookie is nothing we gave
        return Who("viewer", f"http {request.remote_addr}")
    return identity_of(pairing)


def _is_this_machine() -> bool:
    """Whether the request was made on this machine, by a page of ours.

    One that a proxy passed on was made elsewhere. A browser here may show a page of another site whose name leads to this
    machine (DNS rebinding): then `Host` is that name.
    """
    if "X-Forwarded-For" in request.headers or "Forwarded" in request.headers:
        return False
    own = own_addresses()
    return _is_own(request.remote_addr, own) and _is_own(urlsplit(f"//{request.host}").hostname, own)


def _is_own(name: str | None, own: frozenset[str]) -> bool:
    if name is None:
        return False
    try:
        return name in own or ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"
