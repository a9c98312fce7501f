"""Decks that the scanner recognizes: enroll one from pictures, download or import its file, delete it; and the tags of their cards.

`api.access.policy` restricts all but the list of decks; the last scans may reveal the cards of a hand.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from http import HTTPStatus
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any, Final, List, Literal, cast, get_args  # noqa: UP035  # APIFlask recognizes a list of files by this type

from apiflask.fields import UploadFile
from flask import Response, url_for
from pydantic import Field, StringConstraints
from werkzeug.datastructures import FileStorage

from api.context import context
from api.languages import request_language
from api.models.base import (
    Answer,
    CardId,
    Pack,
    Strict,
)
from api.problems import refused
from api.routing import MediaType, Routes, attachment
from api.services.known_decks import Enrollment
from companion.hanafuda.cards import BACK, DECKS, UnknownCardError
from companion.hanafuda.errors import BadRequestError, NotFoundError
from companion.hanafuda.messages import Message
from companion.messages import render
from companion.store.tag_pairings import LONGEST_TAG, MAX_TAGS, stuck_on
from vision.decks.deck_errors import DeckFileError, DeckTakenError, EnrollmentError

if TYPE_CHECKING:
    from vision.decks.deck_library import KnownDeck
    from vision.decks.deck_profile import DeckProfile

_MAX_PHOTOS: Final = 4
_MAX_CARDS: Final = 120
_DECK_TYPE: Final = "application/vnd.hanafuda-companion.deck+zip"
_CARD_AGE_S: Final = 2 * 3600
_PACKS: Final = frozenset(get_args(Pack))

_MAX_FIXES = 120
"""Corrected names of cards in one request: more than two packs have."""

DeckName = Annotated[
    str,
    StringConstraints(max_length=200),
    Field(description="1 to 40 letters, digits, - and _; spaces become -.", examples=["grandmothers"]),
]


class EnrollIn(Strict):
    """A deck to enroll: photographs of all cards laid out, or one picture per card."""

    name: DeckName
    pack: Pack
    photos: Annotated[
        List[UploadFile] | None,  # noqa: UP006
        Field(description="1 to 4 photographs of the whole deck laid out in rows, as for a scan."),
    ] = None
    cards: Annotated[
        List[UploadFile] | None,  # noqa: UP006
        Field(
            description="Alternatively one picture per card, at most 120; the file name is the card's id (`pine-crane.png`)"
            " or its month and index (`01-0.png`)."
        ),
    ] = None


class Fix(Strict):
    """A corrected card name; null: a card of the box that has no id."""

    number: Annotated[int, Field(ge=1, lt=2**31)]
    card: CardId | None


class FixesIn(Strict):
    """Corrections, applied in this order."""

    fixes: Annotated[list[Fix], Field(max_length=_MAX_FIXES, default_factory=list)]
    name: DeckName | None = None


class KeepIn(Strict):
    """An enrollment to finish, after its names were checked."""

    enrollment: Annotated[str, StringConstraints(max_length=80)]
    replace: Annotated[bool, Field(description="Whether to replace an enrolled deck of that name.")] = False


class DeckFileIn(Strict):
    """A deck file to import."""

    file: UploadFile
    name: Annotated[DeckName | None, Field(description="By default, the name in the file.")] = None
    replace: Annotated[Literal["0", "1"], Field(description="1: replace the deck of that name.")] = "0"


class DeckOut(Answer):
    """A known deck; if it has a `problem`, only the name is reliable."""

    name: str
    own: Annotated[bool, Field(description="Enrolled or imported here; false: shipped with the program.")]
    pack: Pack | None
    cards: int | None
    made: Annotated[str | None, Field(description="When it was enrolled, ISO 8601.")]
    source: str | None
    license: str | None
    problem: Annotated[str | None, Field(description="Why it cannot be used.")]
    file: Annotated[str, Field(description="The URL of its file.")]


class DecksOut(Answer):
    """The known decks; shipped decks are first."""

    decks: list[DeckOut]


class PlaceOut(Answer):
    """A card of a deck being enrolled, with its proposed name."""

    number: int
    where: str
    card: Annotated[str | None, Field(description="Null: a card of the box that has no id.")]
    sure: float
    doubtful: Annotated[bool, Field(description="Whether a person should check the name.")]
    others: Annotated[list[str], Field(description="Alternative names, most likely first.")]
    picture: str


class EnrollmentOut(Answer):
    """A deck being enrolled."""

    id: str
    name: str
    replaces: Annotated[bool, Field(description="Whether an enrolled deck of that name exists.")]
    pack: Pack
    layout: Annotated[str, Field(description="The detected layout of the cards.")]
    notes: Annotated[list[str], Field(description="Notes for the user.")]
    missing: Annotated[list[str], Field(description="Cards of the pack that are missing from the proposal.")]
    places: list[PlaceOut]


Tag = Annotated[
    str,
    StringConstraints(min_length=1, max_length=LONGEST_TAG),
    Field(description="A tag's number in hex, or the text of a code.", examples=["E0040150A1B2C3D4"]),
]


class TagsIn(Strict):
    """The new tag pairings of a deck, replacing all previous ones."""

    tags: Annotated[dict[Tag, CardId], Field(max_length=MAX_TAGS)]
    deck: Annotated[str | None, Field(max_length=80, description="If given, the deck in the address.")] = None


class PairTagIn(Strict):
    """A tag and its card; null removes the pairing."""

    uid: Tag
    card: CardId | None
    move: Annotated[bool, Field(description="Whether another pairing of the tag is replaced.")] = False


class TagsOut(Answer):
    """The tag pairings of a deck."""

    deck: str
    pack: Pack
    tags: dict[str, str]
    problem: Annotated[str | None, Field(description="What was wrong with the stored file.")]


class LabelsIn(Strict):
    """The format of a sticker sheet."""

    kind: Literal["qr", "datamatrix"] = "qr"
    paper: Literal["A4", "letter"] = "A4"
    size: Annotated[float, Field(ge=8, le=60, strict=False, allow_inf_nan=False, description="mm.")] = 15.0


class LastScanIn(Strict):
    """Which scans to return, and the deck whose pairings identify the cards."""

    pairing: Annotated[
        Literal["0", "1"],
        Field(description="1: a tag is being paired with a card, so tables ignore scans for the next 3 s."),
    ] = "0"
    after: Annotated[int, Field(ge=0, lt=2**53, strict=False, description="The last known scan.")] = 0
    deck: Annotated[str | None, Field(max_length=80)] = None


class LastScanDoc(Answer):
    """A scanned tag or code with its card."""

    number: int
    device: str | None
    uid: str | None
    card: str | None
    sticker: Annotated[bool, Field(description="Whether its text has the card id, so it needs no pairing.")]
    ago_s: float | None


class LastScanOut(LastScanDoc):
    """The last scan (`number` 0: none yet), and all scans after number `after`, oldest first."""

    scans: list[LastScanDoc]


_NONE_YET: Final = LastScanDoc(number=0, device=None, uid=None, card=None, sticker=False, ago_s=None)

blueprint = Routes("decks", __name__, tag="Decks")
tags_blueprint = Routes("tags", __name__, tag="Devices")


@blueprint.get("/api/decks")
def decks() -> DecksOut:
    """List the decks that the scanner recognizes."""
    return DecksOut(decks=[_deck(each) for each in context().shelf.known.values()])


@blueprint.post("/api/enrollments", status=HTTPStatus.CREATED, refusals=refused(500, 503))
def enroll(files_data: EnrollIn) -> EnrollmentOut:
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
    return _enrollment(enrollment)


@blueprint.get("/api/enrollments/<enrollment_id>")
def enrollment(enrollment_id: str) -> EnrollmentOut:
    """Return a deck being enrolled: its cards with their proposed names."""
    return _enrollment(context().enrollments.get(enrollment_id))


@blueprint.patch("/api/enrollments/<enrollment_id>")
def fix(enrollment_id: str, json_data: FixesIn) -> EnrollmentOut:
    """Correct card names, all or none. If another card already has the new name, the two cards swap names."""

    def fixed(enrollment: Enrollment) -> Enrollment:
        proposal = enrollment.proposal
        for each in json_data.fixes:
            proposal = proposal.fix(each.number, each.card)
        name = enrollment.name if json_data.name is None else context().shelf.free_name(json_data.name)
        return replace(enrollment, name=name, proposal=proposal)

    return _enrollment(context().enrollments.change(enrollment_id, fixed))


@blueprint.delete("/api/enrollments/<enrollment_id>")
def drop(enrollment_id: str) -> None:
    """Cancel an enrollment. Succeeds even if it no longer exists."""
    context().enrollments.drop(enrollment_id)


@blueprint.get("/api/enrollments/<enrollment_id>/cards/<number>")
def card(enrollment_id: str, number: str) -> Annotated[Response, MediaType("image/png", "The card")]:
    """Return the upright picture of one card of a deck being enrolled, as cropped from the photograph."""
    items = context().enrollments.get(enrollment_id).proposal.places
    item = next((item for item in items if str(item.number) == number), None)
    if item is None:
        raise NotFoundError("no-such-card", Message("problem-no-such-card"))
    import cv2  # noqa: PLC0415  # slow to load, needed only for enrolling

    response = Response(cv2.imencode(".png", item.pictures[0])[1].tobytes(), mimetype="image/png")
    response.cache_control.max_age = _CARD_AGE_S
    response.cache_control.private = True
    return response


@blueprint.post(
    "/api/decks",
    status=HTTPStatus.CREATED,
    refusals={
        404: "No such enrollment",
        409: "An enrolled deck has that name, or there are too many decks",
        **refused(500, 503, 507),
    },
)
def keep(json_data: KeepIn) -> DeckOut:
    """Finish an enrollment and store the deck; it is used for all pictures scanned from now on."""
    enrollment = context().enrollments.get(json_data.enrollment)
    existing = context().shelf.taken(enrollment.name)
    if existing is not None and not existing.shipped and not json_data.replace:
        raise DeckTakenError(existing.name)  # refuse before the expensive work, too
    profile = context().pictures.enroll(enrollment.proposal, enrollment.name)
    return _store(profile, json_data.replace)


@blueprint.post(
    "/api/decks/files",
    status=HTTPStatus.CREATED,
    refusals={409: "An enrolled deck has that name, or there are too many decks", **refused(507)},
)
def take_in(files_data: DeckFileIn) -> DeckOut:
    """Import a deck file that was exported from another installation."""
    profile = context().pictures.read_deck(files_data.file)
    name = context().shelf.free_name(profile.name if files_data.name is None else files_data.name)
    return _store(replace(profile, name=name), files_data.replace == "1")


@blueprint.get("/api/decks/<name>/file")
def file(name: str) -> Annotated[Response, MediaType(_DECK_TYPE, "The deck's file")]:
    """Download a deck's file, to import elsewhere; it contains the cards' appearance and small pictures of them."""
    deck = context().shelf.get(name)
    if deck.profile is None:
        raise DeckFileError(deck.problem or "")
    return attachment(deck.profile.to_bytes(), _DECK_TYPE, f"{name}.deck")


@blueprint.delete("/api/decks/<name>", refusals={409: "The deck is shipped with the program", **refused(507)})
def forget(name: str) -> None:
    """Delete a deck that was enrolled or imported here."""
    context().shelf.forget(name)


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


def _enrollment(enrollment: Enrollment) -> EnrollmentOut:
    document = enrollment.proposal.to_json()
    for place in document["places"]:
        place["picture"] = url_for("decks.card", enrollment_id=enrollment.id, number=place["number"])
    replaces = context().shelf.taken(enrollment.name) is not None
    return EnrollmentOut(id=enrollment.id, name=enrollment.name, replaces=replaces, **document)


def _store(profile: DeckProfile, overwrite: bool) -> DeckOut:
    return _deck(context().shelf.add(profile, instead=overwrite))


def _deck(deck: KnownDeck) -> DeckOut:
    facts: dict[str, Any] = dict.fromkeys(("pack", "cards", "made", "source", "license"))
    if (profile := deck.profile) is not None:
        facts = {name: getattr(profile, name) for name in facts} | {"cards": len(profile.cards)}
    return DeckOut(
        name=deck.name,
        own=not deck.shipped,
        **facts,
        problem=None if deck.problem is None else render(deck.problem, request_language()),
        file=url_for("decks.file", name=deck.name),
    )


@tags_blueprint.get("/api/decks/<deck>/tags")
def tags(deck: str) -> TagsOut:
    """Return the tag pairings of a deck, or of a pack for tables without a known deck."""
    return _tags(deck, _pack(deck))


@tags_blueprint.put(
    "/api/decks/<deck>/tags", refusals={409: "The tag is paired with another card: `card`", **refused(507)}
)
def put_tags(deck: str, json_data: TagsIn) -> TagsOut:
    """Replace all tag pairings of a deck."""
    pack = _pack(deck)
    if json_data.deck not in {None, deck}:
        raise BadRequestError(f"these are the tags of {json_data.deck}, and this is the deck {deck}")
    for card in json_data.tags.values():
        _check_card(pack, card)
    context().tags.put(deck, json_data.tags)
    return _tags(deck, pack)


@tags_blueprint.post(
    "/api/decks/<deck>/tags", refusals={409: "The tag is paired with another card: `card`", **refused(507)}
)
def pair(deck: str, json_data: PairTagIn) -> TagsOut:
    """Pair a tag with a card, or remove its pairing."""
    pack = _pack(deck)
    if json_data.card is not None:
        _check_card(pack, json_data.card)
    context().tags.pair(deck, json_data.uid, json_data.card, move=json_data.move)
    return _tags(deck, pack)


@tags_blueprint.get("/api/decks/<deck>/labels.pdf")
def labels(
    deck: str, query_data: LabelsIn
) -> Annotated[Response, MediaType("application/pdf", "The stickers")]:
    """Return a printable PDF of stickers for a deck's cards. Their codes contain the card ids, so they need no pairing."""
    from companion.paper.stickers import labels_pdf  # noqa: PLC0415  # loads the PDF library, not needed at startup

    pdf = labels_pdf([_pack(deck)], kind=query_data.kind, paper=query_data.paper, size=query_data.size)
    return attachment(pdf, "application/pdf", f"stickers-{deck}.pdf")


@tags_blueprint.get("/api/tags/last")
def last(query_data: LastScanIn) -> LastScanOut:
    """Return the last scan, and all scans after number ``after``, for the page that pairs tags."""
    if query_data.pairing == "1":
        context().scanned.reserve_for_pairing()
    scans = []
    for scan, ago_s in context().scanned.after(0):
        scans.append(
            LastScanDoc(
                number=scan.number,
                device=scan.device,
                uid=scan.tag,
                card=context().tags.find(scan.tag, query_data.deck),
                sticker=stuck_on(scan.tag) is not None,
                ago_s=ago_s,
            )
        )
    newest = scans[-1] if scans else _NONE_YET
    later = [scan for scan in scans if scan.number > query_data.after]
    return LastScanOut(**dict(newest), scans=later)


def _tags(deck: str, pack: Pack) -> TagsOut:
    problem = context().tags.problem(deck)
    text = None if problem is None else render(problem, request_language())
    return TagsOut(deck=deck, pack=pack, tags=dict(context().tags.of(deck)), problem=text)


def _pack(deck: str) -> Pack:
    """Return the pack of a deck; ``deck`` may also be a pack's name. Raises `NotFoundError`."""
    if deck in _PACKS:
        return cast(Pack, deck)
    profile = context().shelf.get(deck).profile
    if profile is None:
        raise NotFoundError("no-such-deck", Message("problem-deck-damaged", {"deck": deck}))
    return cast(Pack, profile.pack)


def _check_card(pack: Pack, card: str) -> None:
    ids = [each.id for each in DECKS[pack]]
    if card not in ids:
        raise UnknownCardError(card, ids)
