"""Decks that the scanner recognizes: enroll one from pictures, download or import its file, delete it.

Listing decks is open; everything else needs permission to write (`api.access.policy`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from http import HTTPStatus
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

from apiflask import APIBlueprint
from flask import Response, jsonify, request, url_for
from werkzeug.datastructures import FileStorage

from api.context import context
from api.decks.deck_schemas import DeckFileIn, DeckOut, DecksOut, EnrollIn, EnrollmentOut, FixesIn, KeepIn
from api.languages import request_language
from api.problems import JSON_REFUSED, problem, refused, register_problems
from api.services.known_decks import (
    DeckWriteError,
    Enrollment,
    NoSuchDeckError,
    NoSuchEnrollmentError,
    ShippedDeckError,
    TooManyDecksError,
)
from companion.hanafuda.cards import BACK
from companion.hanafuda.messages import Message
from companion.messages import render
from vision.decks.deck_errors import DeckFileError, DeckNameError, DeckTakenError, EnrollmentError

if TYPE_CHECKING:
    from vision.decks.deck_library import KnownDeck
    from vision.decks.deck_profile import DeckProfile

__all__ = ["UPLOADS", "blueprint"]

UPLOADS = ("decks.enroll", "decks.take_in")
"""The endpoints that accept files; all others accept JSON."""

_MAX_PHOTOS: Final = 4
_MAX_CARDS: Final = 120
#: Total size of the pictures in one request, bytes; `_FORM_BYTES` allows for the form's other fields. They are all in memory at
#: once, so the limit is four photographs of 20 MB, although a single photograph may have 64 MB.
_MAX_BYTES: Final = 80 * 2**20
_FORM_BYTES: Final = 2**20
_DECK_TYPE: Final = "application/vnd.hanafuda-companion.deck+zip"
_CARD_AGE_S: Final = 2 * 3600

blueprint = APIBlueprint("decks", __name__, tag="Decks")
register_problems(blueprint, HTTPStatus.UNPROCESSABLE_ENTITY, EnrollmentError, DeckNameError, DeckFileError)
register_problems(blueprint, HTTPStatus.NOT_FOUND, NoSuchDeckError, NoSuchEnrollmentError)
register_problems(blueprint, HTTPStatus.CONFLICT, ShippedDeckError, TooManyDecksError)
register_problems(blueprint, HTTPStatus.CONFLICT, DeckTakenError, members=["deck"])
register_problems(blueprint, HTTPStatus.INSUFFICIENT_STORAGE, DeckWriteError, log=True)


@blueprint.before_request
def _set_size_limit() -> None:
    if request.endpoint == UPLOADS[0]:
        request.max_content_length = _MAX_BYTES + _FORM_BYTES


@blueprint.get("/api/decks")
@blueprint.output(DecksOut)
def decks() -> Response:
    """List the decks that the scanner recognizes."""
    return jsonify(decks=[_deck_json(deck) for deck in context().shelf.known.values()])


@blueprint.post("/api/enrollments")
@blueprint.input(EnrollIn, location="files")
@blueprint.output(EnrollmentOut, status_code=201)
@blueprint.doc(responses={**refused(400, 413, 415, 500, 503), 403: "Not paired"})
def enroll(files_data: EnrollIn) -> Response:
    """Start enrolling a deck: find its cards in the pictures and propose a name for each. Nothing is written to disk."""
    name = context().shelf.free_name(files_data.name)
    photos, cards = files_data.photos or [], files_data.cards or []
    if bool(photos) == bool(cards):
        raise EnrollmentError(Message("enroll-photos-or-cards"))
    if len(photos) > _MAX_PHOTOS or len(cards) > _MAX_CARDS:
        values = {"count": len(photos) or len(cards), "photos": _MAX_PHOTOS, "cards": _MAX_CARDS}
        raise EnrollmentError(Message("enroll-too-many-pictures", values))
    pictures = context().pictures
    if photos:
        proposal = pictures.propose(photos, files_data.pack)
    else:
        proposal = pictures.propose_cards(_by_file_name(cards), files_data.pack)
    enrollment = context().enrollments.add(name, proposal)
    response = _enrollment(enrollment)
    response.status_code = HTTPStatus.CREATED
    return response


@blueprint.get("/api/enrollments/<enrollment_id>")
@blueprint.output(EnrollmentOut)
@blueprint.doc(responses={404: "No such enrollment"})
def enrollment(enrollment_id: str) -> Response:
    """Return a deck being enrolled: its cards with their proposed names."""
    return _enrollment(context().enrollments.get(enrollment_id))


@blueprint.patch("/api/enrollments/<enrollment_id>")
@blueprint.input(FixesIn)
@blueprint.output(EnrollmentOut)
@blueprint.doc(
    responses={
        **JSON_REFUSED,
        404: "No such enrollment",
    }
)
def fix(enrollment_id: str, json_data: FixesIn) -> Response:
    """Correct card names, all or none. If another card already has the new name, the two cards swap names."""

    def fixed(enrollment: Enrollment) -> Enrollment:
        proposal = enrollment.proposal
        for each in json_data.fixes:
            proposal = proposal.fix(each.number, each.card)
        name = enrollment.name if json_data.name is None else context().shelf.free_name(json_data.name)
        return replace(enrollment, name=name, proposal=proposal)

    return _enrollment(context().enrollments.change(enrollment_id, fixed))


@blueprint.delete("/api/enrollments/<enrollment_id>")
@blueprint.output({}, status_code=204)
def drop(enrollment_id: str) -> tuple[str, int]:
    """Cancel an enrollment. Succeeds even if it no longer exists."""
    context().enrollments.drop(enrollment_id)
    return "", HTTPStatus.NO_CONTENT


@blueprint.get("/api/enrollments/<enrollment_id>/cards/<number>")
@blueprint.output({}, description="The card", content_type="image/png")
@blueprint.doc(responses={404: "No such enrollment"})
def card(enrollment_id: str, number: str) -> Response:
    """Return the upright picture of one card of a deck being enrolled, as cropped from the photograph."""
    items = context().enrollments.get(enrollment_id).proposal.places
    item = next((item for item in items if str(item.number) == number), None)
    if item is None:
        return problem(HTTPStatus.NOT_FOUND, "no-such-card", Message("problem-no-such-card"))
    import cv2  # noqa: PLC0415  # slow to load, needed only for enrolling

    response = Response(cv2.imencode(".png", item.pictures[0])[1].tobytes(), mimetype="image/png")
    response.cache_control.max_age = _CARD_AGE_S
    response.cache_control.private = True
    return response


@blueprint.post("/api/decks")
@blueprint.input(KeepIn)
@blueprint.output(DeckOut, status_code=201)
@blueprint.doc(
    responses={
        **JSON_REFUSED,
        **refused(500, 503),
        403: "Not paired",
        404: "No such enrollment",
        409: "An enrolled deck has that name, or there are too many decks",
        507: "The deck could not be written",
    }
)
def keep(json_data: KeepIn) -> Response:
    """Finish an enrollment and store the deck; it is used for all pictures scanned from now on."""
    enrollment = context().enrollments.get(json_data.enrollment)
    existing = context().shelf.taken(enrollment.name)
    if existing is not None and not existing.shipped and not json_data.replace:
        raise DeckTakenError(existing.name)  # refuse before the expensive work, too
    profile = context().pictures.enroll(enrollment.proposal, enrollment.name)
    return _created(profile, json_data.replace)


@blueprint.post("/api/decks/files")
@blueprint.input(DeckFileIn, location="files")
@blueprint.output(DeckOut, status_code=201)
@blueprint.doc(
    responses={
        **refused(400, 413, 415),
        403: "Not paired",
        409: "An enrolled deck has that name, or there are too many decks",
        507: "The deck could not be written",
    }
)
def take_in(files_data: DeckFileIn) -> Response:
    """Import a deck file that was exported from another installation."""
    profile = context().pictures.read_deck(files_data.file)
    name = context().shelf.free_name(profile.name if files_data.name is None else files_data.name)
    return _created(replace(profile, name=name), files_data.replace == "1")


@blueprint.get("/api/decks/<name>/file")
@blueprint.output({}, description="The deck's file", content_type=_DECK_TYPE)
@blueprint.doc(responses={404: "No such deck"})
def file(name: str) -> Response:
    """Download a deck's file, to import elsewhere; it contains the cards' appearance and small pictures of them."""
    deck = context().shelf.get(name)
    if deck.profile is None:
        raise DeckFileError(deck.problem or "")
    response = Response(deck.profile.to_bytes(), mimetype=_DECK_TYPE)
    response.headers.set("Content-Disposition", "attachment", filename=f"{name}.deck")
    response.headers["Cache-Control"] = "no-cache"
    return response


@blueprint.delete("/api/decks/<name>")
@blueprint.output({}, status_code=204)
@blueprint.doc(
    responses={
        403: "Not paired",
        404: "No such deck",
        409: "The deck is shipped with the program",
        507: "The deck could not be deleted",
    }
)
def forget(name: str) -> tuple[str, int]:
    """Delete a deck that was enrolled or imported here."""
    context().shelf.forget(name)
    return "", HTTPStatus.NO_CONTENT


def _by_file_name(cards: Iterable[FileStorage]) -> dict[str, FileStorage]:
    """Return the pictures by file name without extension, leaving out the card back. Raises `EnrollmentError` for duplicates."""
    pictures: dict[str, FileStorage] = {}
    for each in cards:
        stem = "".join(
            character for character in PurePath(each.filename or "").stem if character.isprintable()
        )[:80]
        if stem in pictures:
            raise EnrollmentError(Message("enroll-same-names", {"names": stem}))
        if stem.lower() != BACK:
            pictures[stem] = each
    return pictures


def _enrollment(enrollment: Enrollment) -> Response:
    document = enrollment.proposal.to_json()
    for place in document["places"]:
        place["picture"] = url_for("decks.card", enrollment_id=enrollment.id, number=place["number"])
    replaces = context().shelf.taken(enrollment.name) is not None
    return jsonify({"id": enrollment.id, "name": enrollment.name, "replaces": replaces, **document})


def _created(profile: DeckProfile, overwrite: bool) -> Response:
    response = jsonify(_deck_json(context().shelf.add(profile, instead=overwrite)))
    response.status_code = HTTPStatus.CREATED
    return response


def _deck_json(deck: KnownDeck) -> dict[str, Any]:
    profile = deck.profile
    return {
        "name": deck.name,
        "own": not deck.shipped,
        "pack": profile and profile.pack,
        "cards": profile and len(profile.cards),
        "made": profile and profile.made,
        "source": profile and profile.source,
        "license": profile and profile.license,
        "problem": deck.problem and render(deck.problem, request_language()),
        "file": url_for("decks.file", name=deck.name),
    }
