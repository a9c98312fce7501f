"""Routes for pairing: invitations, joining with a QR code or PIN, and the list of phones and machines."""

from __future__ import annotations

from dataclasses import asdict
from http import HTTPStatus
from typing import Final

from apiflask import APIBlueprint
from flask import Response, jsonify, request

from api.access.visitors import adopt_drafts
from api.access.who import COOKIE, SECURE_COOKIE, identity_of, who
from api.context import context
from api.models.pairings import (
    ChangePairingIn,
    InvitedOut,
    InviteIn,
    MeIn,
    MeOut,
    OpenInvitationOut,
    PairedOut,
    PairIn,
    PairingOut,
    PairingsOut,
)
from api.page_shell import phones_address, qr_svg
from api.problems import refused
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message
from companion.net.addresses import client_key
from companion.store.pairings import INVITATION_S, Pairing

_COOKIE_S: Final = 365 * 24 * 3600
"""The server decides when a pairing ends; the cookie only has to last longer."""

blueprint = APIBlueprint("pairing", __name__, tag="Pairing")


@blueprint.get("/api/me")
@blueprint.output(MeOut)
def me() -> Response:
    """Return the client's role, name, seat and table, and when its pairing expires unless it is used."""
    response = jsonify(MeOut.model_validate(who()).model_dump())
    pairing = _current()
    if pairing is not None and not pairing.machine:  # renews the cookie, which would otherwise expire
        _set_cookie(response, context().store.pairings.token(pairing))
    return response


@blueprint.patch("/api/me")
@blueprint.input(MeIn)
@blueprint.output(MeOut)
@blueprint.doc(responses=refused(507))
def rename_me(json_data: MeIn) -> MeOut:
    """Change the name under which this phone keeps score; the server's own machine keeps its name."""
    pairing = _current()
    renamed = pairing and context().pairings.change(pairing.id, name=json_data.name)
    return MeOut.model_validate(identity_of(renamed) if renamed else who())


@blueprint.post("/api/pair")
@blueprint.input(PairIn)
@blueprint.output(PairedOut)
@blueprint.doc(responses={429: "Too many wrong PINs", **refused(507)})
def pair(json_data: PairIn) -> Response:
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
    paired = PairedOut(**asdict(identity_of(pairing)), token=token if pairing.machine else None)
    response = jsonify(paired.model_dump())
    if not pairing.machine:
        _set_cookie(response, token)
        if pairing.role != "viewer":  # viewers still own their drafts as visitors
            adopt_drafts()
    return response


@blueprint.get("/api/pairings")
@blueprint.output(PairingsOut)
def pairings() -> PairingsOut:
    """List the phones and machines that are paired, and the open invitations, for the host."""
    store = context().pairings
    return PairingsOut(
        pairings=[PairingOut.model_validate(each) for each in store.all()],
        invitations=[
            OpenInvitationOut.model_validate(each) for each in context().store.pairings.invitations()
        ],
        pins_paused=store.pins_paused_s(),
        read=context().settings.read,
    )


@blueprint.post("/api/pairings")
@blueprint.input(InviteIn)
@blueprint.output(InvitedOut, status_code=201)
@blueprint.doc(responses=refused(404, 507))
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
    path = f"/join#code={invitation.code}"
    link = f"{phones_address()}{path}"
    qr = qr_svg(link).decode()  # inline, because the URL of a picture would appear in logs
    return InvitedOut(**asdict(invitation), path=path, link=link, qr=qr, expires_in=INVITATION_S)


@blueprint.delete("/api/invitations/<invitation_id>")
@blueprint.output({}, status_code=204)
@blueprint.doc(responses=refused(507))
def withdraw(invitation_id: str) -> tuple[str, int]:
    """Withdraw an invitation: it pairs nobody any more."""
    context().store.pairings.withdraw(invitation_id)
    return "", HTTPStatus.NO_CONTENT


@blueprint.patch("/api/pairings/<pairing_id>")
@blueprint.input(ChangePairingIn)
@blueprint.output(PairingOut)
@blueprint.doc(responses=refused(507))
def change(pairing_id: str, json_data: ChangePairingIn) -> PairingOut:
    """Change the role, name or seat of a phone or machine; a host may also step down."""
    members = json_data.model_fields_set
    try:
        changed = context().pairings.change(
            pairing_id,
            role=json_data.role,
            name=json_data.name,
            seat=json_data.seat,
            table=json_data.table,
            reseat="seat" in members,
        )
    except ValueError:
        raise BadRequestError(Message("problem-phone-or-machine")) from None
    return PairingOut.model_validate(changed)


@blueprint.delete("/api/pairings/<pairing_id>")
@blueprint.output({}, status_code=204)
@blueprint.doc(responses=refused(507))
def revoke(pairing_id: str) -> tuple[str, int]:
    """Remove a phone or machine: from now on it can only watch."""
    context().pairings.revoke(pairing_id)
    return "", HTTPStatus.NO_CONTENT


@blueprint.delete("/api/pairings")
@blueprint.output({}, status_code=204)
@blueprint.doc(responses=refused(507))
def revoke_all() -> tuple[str, int]:
    """Remove all phones and machines except the sender, and withdraw all invitations."""
    current = _current()
    context().pairings.revoke_all(None if current is None else current.id)
    return "", HTTPStatus.NO_CONTENT


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
