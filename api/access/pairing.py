"""Routes for pairing: invitations, joining with a QR code or PIN, and the list of phones and machines."""

from __future__ import annotations

from dataclasses import asdict
from http import HTTPStatus
from typing import Any, Final

from apiflask import APIBlueprint
from flask import Response, jsonify, request

from api.access.identity import COOKIE, SECURE_COOKIE, identity_of, who
from api.access.pairing_schemas import (
    ChangePairingIn,
    InvitedOut,
    InviteIn,
    MeIn,
    MeOut,
    PairedOut,
    PairIn,
    PairingOut,
    PairingsOut,
)
from api.access.visitors import adopt_drafts
from api.context import context
from api.page_shell import phones_address
from api.problems import JSON_REFUSED, register_problems
from api.routes.pages import qr_svg
from api.services.pairings import (
    INVITATION_S,
    Invitation,
    NoSuchInvitationError,
    NoSuchPairingError,
    Pairing,
    TooManyGuessesError,
)
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message

__all__ = ["blueprint"]

_COOKIE_S: Final = 365 * 24 * 3600
"""The server decides when a pairing ends; the cookie only has to last longer."""

blueprint = APIBlueprint("pairing", __name__, tag="Pairing")
register_problems(blueprint, HTTPStatus.FORBIDDEN, NoSuchInvitationError)
register_problems(blueprint, HTTPStatus.TOO_MANY_REQUESTS, TooManyGuessesError)
register_problems(blueprint, HTTPStatus.NOT_FOUND, NoSuchPairingError)


@blueprint.get("/api/me")
@blueprint.output(MeOut)
@blueprint.doc(responses={401: "The token is unknown or was revoked"})
def me() -> Response:
    """Return the client's role, name, seat and table, and when its pairing expires unless it is used."""
    response = jsonify(who().to_json())
    response.headers["Cache-Control"] = "no-store"
    pairing = _current()
    if pairing is not None and not pairing.machine:  # renews the cookie, which would otherwise expire
        _set_cookie(response, context().store.pairings.token(pairing))
    return response


@blueprint.patch("/api/me")
@blueprint.input(MeIn)
@blueprint.output(MeOut)
@blueprint.doc(responses={**JSON_REFUSED, 403: "This phone is not paired", 507: "It could not be stored"})
def rename_me(json_data: MeIn) -> Response:
    """Change the name under which this phone keeps score."""
    pairing = _current()
    if pairing is None:
        return jsonify(who().to_json())  # the machine itself keeps its name
    renamed = context().pairings.change(pairing.id, name=json_data.name)
    return jsonify(identity_of(renamed).to_json())


@blueprint.post("/api/pair")
@blueprint.input(PairIn)
@blueprint.output(PairedOut)
@blueprint.doc(
    responses={
        **JSON_REFUSED,
        403: "The PIN or code is wrong, used up, or expired",
        429: "Too many wrong PINs",
        507: "The pairing could not be stored",
    }
)
def pair(json_data: PairIn) -> Response:
    """Redeem an invitation: pair this phone with a cookie, or this machine with a token."""
    if (json_data.pin is None) == (json_data.code is None):
        raise BadRequestError("a PIN is needed, or the code of a QR code, and not both")
    pairings = context().pairings
    pairing = pairings.pair(
        code=json_data.code,
        pin=json_data.pin,
        name=json_data.name,
        address=request.remote_addr or "",
        current=_current(),
    )
    token = context().store.pairings.token(pairing)
    response = jsonify({**identity_of(pairing).to_json(), "token": token if pairing.machine else None})
    response.headers["Cache-Control"] = "no-store"
    if not pairing.machine:
        _set_cookie(response, token)
        if pairing.role != "viewer":  # viewers still own their drafts as visitors
            adopt_drafts()
    return response


@blueprint.get("/api/pairings")
@blueprint.output(PairingsOut)
@blueprint.doc(responses={403: "Not the host"})
def pairings() -> Response:
    """List the phones and machines that are paired, for the host."""
    store = context().pairings
    return jsonify(
        pairings=[_listed(each) for each in store.all()],
        pins_paused=store.pins_paused_s(),
        read=context().settings.read,
    )


@blueprint.post("/api/pairings")
@blueprint.input(InviteIn)
@blueprint.output(InvitedOut, status_code=201)
@blueprint.doc(responses={**JSON_REFUSED, 403: "Not the host", 507: "It could not be stored"})
def invite(json_data: InviteIn) -> Response:
    """Create an invitation that is valid for ten minutes: a link, its QR code, and a PIN as a fallback."""
    invitation = context().store.pairings.invite(
        json_data.role, name=json_data.name, seat=json_data.seat, table=json_data.table, uses=json_data.uses
    )
    link = f"{phones_address()}{_path(invitation)}"
    response = jsonify(
        {
            **asdict(invitation),
            "path": _path(invitation),
            "link": link,
            "qr": qr_svg(link).decode(),  # inline, because the URL of a picture would appear in logs
            "expires_in": INVITATION_S,
        }
    )
    response.status_code = HTTPStatus.CREATED
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.patch("/api/pairings/<pairing_id>")
@blueprint.input(ChangePairingIn)
@blueprint.output(PairingOut)
@blueprint.doc(
    responses={**JSON_REFUSED, 403: "Not the host", 404: "No such pairing", 507: "It could not be stored"}
)
def change(pairing_id: str, json_data: ChangePairingIn) -> Response:
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
    context().pairings.end_streams([pairing_id])
    return jsonify(_listed(changed))


@blueprint.delete("/api/pairings/<pairing_id>")
@blueprint.output({}, status_code=204)
@blueprint.doc(responses={403: "Not the host", 404: "No such pairing", 507: "It could not be stored"})
def revoke(pairing_id: str) -> tuple[str, int]:
    """Remove a phone or machine: from now on it can only watch."""
    context().pairings.revoke(pairing_id)
    context().pairings.end_streams([pairing_id])
    return "", HTTPStatus.NO_CONTENT


@blueprint.delete("/api/pairings")
@blueprint.output({}, status_code=204)
@blueprint.doc(responses={403: "Not the host", 507: "It could not be stored"})
def revoke_all() -> tuple[str, int]:
    """Remove all phones and machines except the sender, and withdraw all invitations."""
    current = _current()
    for pairing_id in context().pairings.revoke_all(None if current is None else current.id):
        context().pairings.end_streams([pairing_id])
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


def _path(invitation: Invitation) -> str:
    # The code is in the fragment, which browsers send neither to a server nor as Referer, so it appears in no log.
    return f"/join#code={invitation.code}"


def _listed(pairing: Pairing) -> dict[str, Any]:
    return {**asdict(pairing), "expires": pairing.expires}
