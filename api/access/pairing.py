"""Routes for pairing: invitations, joining with a PIN or code, and the list of pairings."""

from __future__ import annotations

from dataclasses import asdict
from http import HTTPStatus
from typing import Final
from urllib.parse import quote

from apiflask import APIBlueprint
from flask import Response, jsonify, request

from api.access.identity import COOKIE, identity_of, who
from api.access.pairings import (
    INVITATION_S,
    MACHINES,
    NoSuchInvitationError,
    NoSuchPairingError,
    TooManyGuessesError,
)
from api.context import context
from api.problems import JSON_REFUSED, problem
from api.table_schemas import InvitedOut, InviteIn, MeOut, PairedOut, PairIn, PairingsOut
from companion.errors import BadRequestError

__all__ = ["blueprint"]

_YEAR_S: Final = 365 * 24 * 3600

blueprint = APIBlueprint("pairing", __name__, tag="Pairing")


@blueprint.get("/api/me")
@blueprint.output(MeOut)
@blueprint.doc(responses={401: "A token that stands for nobody"})
def me() -> Response:
    """Tell who is asking, and so what he may do."""
    return jsonify(who().to_json())


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
    response = jsonify({**identity_of(pairing).to_json(), "token": token if machine else None})
    if not machine:
        response.set_cookie(COOKIE, token, max_age=_YEAR_S, samesite="Lax", httponly=True)
    return response


@blueprint.get("/api/pairings")
@blueprint.output(PairingsOut)
@blueprint.doc(responses={403: "Not the host"})
def pairings() -> Response:
    """List who may write here, for the host."""
    return jsonify(pairings=[{**asdict(pairing), "seen": seen} for pairing, seen in context().pairings.all()])


@blueprint.post("/api/pairings")
@blueprint.input(InviteIn)
@blueprint.output(InvitedOut, status_code=201)
@blueprint.doc(responses={**JSON_REFUSED, 403: "Not the host"})
def invite(json_data: InviteIn) -> Response:
    """Make a PIN and a code by which phones or machines pair, for ten minutes."""
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
