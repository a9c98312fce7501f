"""Who is asking, what that allows, and the ways to become somebody who may write.

Reading is free for everybody. People write with a cookie, machines with a bearer token, both given for an invitation's PIN or
code. Whoever sits at the machine itself is its host always: nobody can be locked out of his own table.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from http import HTTPStatus
from ipaddress import ip_address
from typing import Final
from urllib.parse import quote, urlsplit

from apiflask import APIBlueprint, APIFlask
from flask import Response, g, jsonify, request

from api.context import context
from api.pairings import (
    INVITATION_S,
    MACHINES,
    NoSuchInvitationError,
    NoSuchPairingError,
    Pairing,
    Role,
    TooManyGuessesError,
)
from api.problems import JSON_REFUSED, problem
from api.table_schemas import InvitedOut, InviteIn, MeOut, PairedOut, PairIn, PairingsOut
from companion.addresses import own_addresses
from companion.errors import BadRequestError
from companion.table.events import Source

__all__ = ["COOKIE", "NotAllowedError", "Who", "blueprint", "register", "require", "who"]

COOKIE: Final = "pairing"
_YEAR_S: Final = 365 * 24 * 3600
_RANK: Final[dict[Role, int]] = {"viewer": 0, "scorer": 1, "host": 2}
_SOURCES: Final[dict[Role, Source]] = {"camera": "camera", "device": "button"}
_THIS_MACHINE: Final = "this machine"

blueprint = APIBlueprint("pairing", __name__, tag="Pairing")


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


@blueprint.get("/api/me")
@blueprint.output(MeOut)
@blueprint.doc(responses={401: "A token that stands for nobody"})
def me() -> Response:
    """Tell who is asking, and so what he may do."""
    return jsonify(asdict(who()))


@blueprint.post("/api/pair")
@blueprint.input(PairIn)
@blueprint.output(PairedOut)
@blueprint.doc(
    responses={
        **JSON_REFUSED,
        403: "No such PIN or code, or not any more",
        429: "Too many wrong PINs",
        507: "The pairing could not be kept",
    }
)
def pair(json_data: PairIn) -> Response:
    """Pair this phone by a cookie, or this machine by a token, as an invitation allows."""
    told = json_data.code if json_data.pin is None else json_data.pin
    if told is None or None not in (json_data.pin, json_data.code):
        raise BadRequestError("a PIN is needed, or the code of a QR code, and not both")
    pairings = context().pairings
    pairing = pairings.pair(told, name=json_data.name, address=request.remote_addr or "")
    machine = pairing.role in MACHINES
    token = pairings.token(pairing)
    response = jsonify({**asdict(_paired(pairing)), "token": token if machine else None})
    if not machine:
        response.set_cookie(COOKIE, token, max_age=_YEAR_S, samesite="Lax", httponly=True)
    return response


@blueprint.get("/api/pairings")
@blueprint.output(PairingsOut)
@blueprint.doc(responses={403: "Not the host"})
def pairings() -> Response:
    """List who may write here, for the host."""
    require("host")
    return jsonify(pairings=[{**asdict(pairing), "seen": seen} for pairing, seen in context().pairings.all()])


@blueprint.post("/api/pairings")
@blueprint.input(InviteIn)
@blueprint.output(InvitedOut, status_code=201)
@blueprint.doc(responses={**JSON_REFUSED, 403: "Not the host"})
def invite(json_data: InviteIn) -> Response:
    """Make a PIN and a code by which phones or machines pair, for ten minutes."""
    require("host")
    invitation = context().pairings.invite(
        json_data.role, name=json_data.name, seat=json_data.seat, uses=json_data.uses
    )
    told = asdict(invitation)
    del told["until"]
    response = jsonify({**told, "path": f"/join?code={quote(invitation.code)}", "expires_in": INVITATION_S})
    response.status_code = HTTPStatus.CREATED
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.delete("/api/pairings/<pairing_id>")
@blueprint.output({}, status_code=204)
@blueprint.doc(
    responses={403: "Not the host", 404: "Nobody is paired under that id", 507: "It could not be revoked"}
)
def revoke(pairing_id: str) -> tuple[str, int]:
    """Let a phone or machine write no longer."""
    require("host")
    context().pairings.revoke(pairing_id)
    return "", HTTPStatus.NO_CONTENT


@blueprint.errorhandler(NoSuchInvitationError)
def _no_such_invitation(error: NoSuchInvitationError) -> Response:
    return problem(HTTPStatus.FORBIDDEN, "no-such-pin", str(error))


@blueprint.errorhandler(TooManyGuessesError)
def _too_many_guesses(error: TooManyGuessesError) -> Response:
    headers = {"Retry-After": str(error.retry_after_s)}
    return problem(HTTPStatus.TOO_MANY_REQUESTS, "too-many-guesses", str(error), headers)


@blueprint.errorhandler(NoSuchPairingError)
def _no_such_pairing(error: NoSuchPairingError) -> Response:
    return problem(
        HTTPStatus.NOT_FOUND, "no-such-pairing", "Nobody is paired under this id, or not any more."
    )


def _not_allowed(error: NotAllowedError) -> Response:
    return problem(HTTPStatus.FORBIDDEN, error.slug, str(error), join="/join", needs=list(error.needs))


def _bad_token(error: _BadTokenError) -> Response:
    return problem(
        HTTPStatus.UNAUTHORIZED,
        "bad-token",
        "This token stands for nobody, or not any more: pair this machine again.",
        {"WWW-Authenticate": "Bearer"},
    )


def _who() -> Who:
    shown = context().pairings.shown
    if request.authorization is not None:
        token = request.authorization.token if request.authorization.type == "bearer" else None
        machine = shown(token) if token else None
        if machine is None:
            raise _BadTokenError
        return _paired(machine)
    pairing = shown(request.cookies[COOKIE]) if COOKIE in request.cookies else None
    if _is_this_machine():
        name, seat = (pairing.name, pairing.seat) if pairing else (_THIS_MACHINE, None)
        return Who("host", name, seat, paired=True)
    if (
        pairing is None or pairing.role in MACHINES
    ):  # a machine's token in a browser's cookie is nothing we gave
        return Who("viewer", f"http {request.remote_addr}")
    return _paired(pairing)


def _paired(pairing: Pairing) -> Who:
    return Who(pairing.role, pairing.name, pairing.seat, paired=True)


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
