"""Routes for pairing: invitations, joining with a QR code or PIN, and the list of phones and machines."""

from __future__ import annotations

from dataclasses import asdict
from http import HTTPStatus
from typing import Annotated, Any, Final, Literal

from flask import Response, jsonify, request
from pydantic import Field, StringConstraints

from api.access.visitors import adopt_drafts
from api.access.who import COOKIE, SECURE_COOKIE, Who, identity_of, who
from api.context import context
from api.models.base import Answer, PhoneName, Seat, Strict, TableId
from api.page_shell import phones_address, plain_address, qr_svg
from api.problems import refused
from api.routing import Routes
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message
from companion.net.addresses import client_key
from companion.store.pairings import INVITATION_S, Pairing, Role

_COOKIE_S: Final = 365 * 24 * 3600
"""The server decides when a pairing ends; the cookie only has to last longer."""


class PairIn(Strict):
    """The PIN of an invitation, or the code from its QR code."""

    pin: Annotated[str, StringConstraints(max_length=40)] | None = None
    code: Annotated[str, StringConstraints(max_length=80)] | None = None
    name: Annotated[PhoneName | None, Field(description="The name of the person or machine.")] = None


class ClientIdentity(Answer):
    """Who a client is."""

    role: Role
    name: str
    seat: int | None
    table: Annotated[
        str | None,
        Field(
            description="The table of the seat, or to which a phone without one was invited; null: any table."
        ),
    ]
    expires: Annotated[str | None, Field(description="When it ends unless it is used again, ISO 8601.")]


class MeOut(ClientIdentity):
    """The role and pairing of the client."""

    paired: bool
    id: Annotated[str | None, Field(description="The id of the pairing; null without one.")]
    taken: Annotated[list[int], Field(description="The seats that phones have at `table`.")]


class MeIn(Strict):
    """The name of this phone's user, or the seat to take; members that are left out stay as they are."""

    name: PhoneName | None = None
    seat: Annotated[
        Seat | None,
        Field(description="A free seat of the table that this phone was invited to; null: it watches."),
    ] = None


class PairedOut(MeOut):
    """The new pairing."""

    token: Annotated[str | None, Field(description="Only of machines, for `Authorization: Bearer`.")]


class InviteIn(Strict):
    """An invitation to create."""

    role: Role
    name: PhoneName | None = None
    seat: Seat | None = None
    table: Annotated[
        TableId | None,
        Field(description="The table of the seat, or the table to open after joining; null: any table."),
    ] = None
    uses: Annotated[int, Field(ge=1, le=50, description="The number of phones that can pair with it.")] = 1


class InvitedOut(Answer):
    """An invitation, valid for ten minutes: open `link` (or scan `qr`), or enter the PIN at `/join`."""

    pin: str
    code: str
    path: str
    link: str
    qr: Annotated[str, Field(description="The QR code of `link`, SVG.")]
    role: str
    name: str | None
    seat: int | None
    table: str | None
    uses: int
    expires: Annotated[str, Field(description="ISO 8601")]
    expires_in: Annotated[float, Field(description="s")]


class ChangePairingIn(Strict):
    """Changes to a pairing; members that are left out stay as they are."""

    role: Role | None = None
    name: PhoneName | None = None
    seat: Annotated[Seat | None, Field(description="Null: no seat.")] = None
    table: Annotated[TableId | None, Field(description="That of the seat; ignored without `seat`.")] = None


class PairingOut(ClientIdentity):
    """A paired phone or machine."""

    id: str
    since: str
    seen: Annotated[
        str | None,
        Field(
            description="When it was last used, with a resolution of one hour; null: a process of the program itself."
        ),
    ]


class OpenInvitationOut(Answer):
    """An invitation that can be used."""

    id: str
    role: Role
    name: str | None
    seat: int | None
    table: str | None
    uses: Annotated[int, Field(description="The number of phones that can still pair with it.")]
    expires: Annotated[str, Field(description="ISO 8601")]
    by: Annotated[
        str | None,
        Field(
            description="The name of the host whose phone made it, with whose role it ends; null: the server's own machine."
        ),
    ]


class PairingsOut(Answer):
    """All pairings and all invitations that can be used, oldest first."""

    pairings: list[PairingOut]
    invitations: list[OpenInvitationOut]
    pins_paused: Annotated[
        int | None,
        Field(
            description="The number of seconds in which no PIN is accepted because somebody is guessing; null: PINs are accepted."
        ),
    ]
    read: Annotated[
        Literal["everyone", "paired"],
        Field(description="Who may watch live tables; paired: watching needs an invitation."),
    ]


blueprint = Routes("pairing", __name__, tag="Pairing")


@blueprint.get("/api/me")
def me() -> Annotated[Response, MeOut]:
    """Return the client's role, name, seat and table, and when its pairing expires unless it is used."""
    response = jsonify(_me(who()).model_dump())
    pairing = _current()
    if pairing is not None and not pairing.machine:  # renews the cookie, which would otherwise expire
        _set_cookie(response, context().store.pairings.token(pairing))
    return response


@blueprint.patch("/api/me", refusals={409: "Another phone has the seat", **refused(507)})
def change_me(json_data: MeIn) -> MeOut:
    """Change the name under which this phone keeps score, or the seat at the table that it was invited to.

    The server's own machine keeps its name and has no seat.
    """
    pairing = _current()
    if pairing is None:
        return _me(who())
    if json_data.name is not None:
        pairing = context().pairings.change(pairing.id, name=json_data.name)
    if "seat" in json_data.model_fields_set:
        pairing = context().pairings.sit(pairing.id, json_data.seat, _player(pairing.table, json_data.seat))
    return _me(identity_of(pairing))


@blueprint.post("/api/pair", refusals={429: "Too many wrong PINs", **refused(507)})
def pair(json_data: PairIn) -> Annotated[Response, PairedOut]:
    """Redeem an invitation: pair this phone with a cookie, or this machine with a token."""
    if (json_data.pin is None) == (json_data.code is None):
        raise BadRequestError("a PIN is needed, or the code of a QR code, and not both")
    pairings = context().pairings
    pairing = pairings.pair(
        code=json_data.code,
        pin=json_data.pin,
        name=json_data.name,
        client=client_key(request.remote_addr or ""),
        current=_current(),
    )
    token = context().store.pairings.token(pairing)
    paired = PairedOut(**_me(identity_of(pairing)).model_dump(), token=token if pairing.machine else None)
    response = jsonify(paired.model_dump())
    if not pairing.machine:
        _set_cookie(response, token)
        if pairing.role != "viewer":  # viewers still own their drafts as visitors
            adopt_drafts()
    return response


@blueprint.get("/api/pairings")
def pairings() -> Annotated[dict[str, Any], PairingsOut]:
    """List the phones and machines that are paired, and the open invitations, for the host."""
    store = context().pairings
    return {
        "pairings": store.all(),
        "invitations": context().store.pairings.invitations(),
        "pins_paused": store.pins_paused_s(),
        "read": context().settings.read,
    }


@blueprint.post("/api/pairings", status=HTTPStatus.CREATED, refusals=refused(404, 507))
def invite(json_data: InviteIn) -> InvitedOut:
    """Create an invitation that is valid for ten minutes: a link, its QR code, and a PIN as a fallback."""
    current = _current()
    invitation = context().store.pairings.invite(
        json_data.role,
        name=json_data.name,
        seat=json_data.seat,
        table=json_data.table,
        uses=json_data.uses,
        # Somebody at the machine itself is a host whatever the role of this browser's pairing.
        maker=current.id if current is not None and current.role == "host" else None,
    )
    # The code is in the fragment, which browsers send neither to a server nor as Referer, so it appears in no log.
    if invitation.role == "camera" and invitation.table is not None:
        # First without HTTPS: the page there says what a browser's warning of our certificate means.
        path, origin = f"/t/{invitation.table}/camera#code={invitation.code}", plain_address()
    else:
        # A phone that is a host already goes on to the table.
        query = "" if invitation.table is None else f"?to=/t/{invitation.table}"
        path, origin = f"/join{query}#code={invitation.code}", phones_address()
    link = f"{origin}{path}"
    qr = qr_svg(link).decode()  # inline, because the URL of a picture would appear in logs
    return InvitedOut(**asdict(invitation), path=path, link=link, qr=qr, expires_in=INVITATION_S)


@blueprint.delete("/api/invitations/<invitation_id>", refusals=refused(507))
def withdraw(invitation_id: str) -> None:
    """Withdraw an invitation: it pairs nobody any more."""
    context().store.pairings.withdraw(invitation_id)


@blueprint.patch("/api/pairings/<pairing_id>", refusals=refused(404, 507))
def change(pairing_id: str, json_data: ChangePairingIn) -> Annotated[Pairing, PairingOut]:
    """Change the role, name or seat of a phone or machine; a host may also step down."""
    return context().pairings.change(
        pairing_id,
        role=json_data.role,
        name=json_data.name,
        seat=json_data.seat,
        table=json_data.table,
        reseat="seat" in json_data.model_fields_set,
    )


@blueprint.delete("/api/pairings/<pairing_id>", refusals=refused(507))
def revoke(pairing_id: str) -> None:
    """Remove a phone or machine: from now on it can only watch."""
    context().pairings.revoke(pairing_id)


@blueprint.delete("/api/pairings", refusals=refused(507))
def revoke_all() -> None:
    """Remove all phones and machines except the sender, and withdraw all invitations."""
    current = _current()
    context().pairings.revoke_all(None if current is None else current.id)


def _me(sender: Who) -> MeOut:
    """Return who a sender is, with the seats that phones have at the table."""
    taken: set[int] = set()
    if sender.table is not None:
        at = (each for each in context().pairings.all() if each.table in {None, sender.table})
        taken = {each.seat for each in at if each.seat is not None}
    return MeOut(**asdict(sender), taken=sorted(taken))


def _player(table: str | None, seat: int | None) -> str | None:
    """Return the name of the player at a seat; None without a seat. Raises `BadRequestError` if a table has no such seat."""
    if table is None or seat is None:
        return None
    with context().tables.at(table) as opened:
        names = opened.names.given
    if seat > len(names):
        raise BadRequestError(Message("live-no-seat", {"seat": seat}))
    return names[seat - 1]


def _current() -> Pairing | None:
    """Return the sender's stored pairing; None for the server's own machine and for unpaired senders."""
    sender = who()
    return None if sender.id is None else context().pairings.get(sender.id)


def _set_cookie(response: Response, token: str) -> None:
    # HTTPS uses a different name: a page on plain HTTP may not replace a Secure cookie, so a phone that comes back without
    # HTTPS could not pair.
    secure = request.is_secure
    response.set_cookie(
        SECURE_COOKIE if secure else COOKIE,
        token,
        max_age=_COOKIE_S,
        samesite="Lax",
        httponly=True,
        secure=secure,
    )
