"""The pairings of tags and codes with the cards of a deck, and the readers' last scans.

`api.access.policy` restricts both; the last scans may reveal the cards of a hand.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final, cast, get_args

from apiflask import APIBlueprint
from flask import Response, jsonify

from api.context import context
from api.decks.tag_schemas import LabelsIn, LastScanIn, LastScanOut, PairTagIn, TagsIn, TagsOut
from api.languages import request_language
from api.problems import JSON_REFUSED, register_problems
from api.schemas import Pack
from api.services.known_decks import NoSuchDeckError
from companion.hanafuda.cards import DECKS, UnknownCardError
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message
from companion.messages import render
from companion.readers.tag_pairings import TagsWriteError, TagTakenError, stuck_on

__all__ = ["blueprint"]

_PACKS: Final = frozenset(get_args(Pack))

blueprint = APIBlueprint("tags", __name__, tag="Devices")
register_problems(blueprint, HTTPStatus.CONFLICT, TagTakenError, members=["card"])
register_problems(blueprint, HTTPStatus.NOT_FOUND, NoSuchDeckError)
register_problems(blueprint, HTTPStatus.INSUFFICIENT_STORAGE, TagsWriteError, log=True)

_WRITE_RESPONSES: Final = {
    **JSON_REFUSED,
    403: "Not for this role",
    404: "No such deck",
    409: "The tag is paired with another card: `card`",
    507: "The pairings could not be stored",
}


@blueprint.get("/api/decks/<deck>/tags")
@blueprint.output(TagsOut)
@blueprint.doc(responses={404: "No such deck"})
def tags(deck: str) -> Response:
    """Return the tag pairings of a deck, or of a pack for tables without a known deck."""
    return _tags_response(deck, _pack(deck))


@blueprint.put("/api/decks/<deck>/tags")
@blueprint.input(TagsIn)
@blueprint.output(TagsOut)
@blueprint.doc(responses=_WRITE_RESPONSES)
def put_tags(deck: str, json_data: TagsIn) -> Response:
    """Replace all tag pairings of a deck."""
    pack = _pack(deck)
    if json_data.deck not in {None, deck}:
        raise BadRequestError(f"these are the tags of {json_data.deck}, and this is the deck {deck}")
    for card in json_data.tags.values():
        _check_card(pack, card)
    context().tags.put(deck, json_data.tags)
    return _tags_response(deck, pack)


@blueprint.post("/api/decks/<deck>/tags")
@blueprint.input(PairTagIn)
@blueprint.output(TagsOut)
@blueprint.doc(responses=_WRITE_RESPONSES)
def pair(deck: str, json_data: PairTagIn) -> Response:
    """Pair a tag with a card, or remove its pairing."""
    pack = _pack(deck)
    if json_data.card is not None:
        _check_card(pack, json_data.card)
    context().tags.pair(deck, json_data.uid, json_data.card, move=json_data.move)
    return _tags_response(deck, pack)


@blueprint.get("/api/decks/<deck>/labels.pdf")
@blueprint.input(LabelsIn, location="query")
@blueprint.output({}, description="The stickers", content_type="application/pdf")
@blueprint.doc(responses={404: "No such deck"})
def labels(deck: str, query_data: LabelsIn) -> Response:
    """Return a printable PDF of stickers for a deck's cards. Their codes contain the card ids, so they need no pairing."""
    from companion.card_stickers import labels_pdf  # noqa: PLC0415  # loads the PDF library, not needed at startup

    pdf = labels_pdf([_pack(deck)], kind=query_data.kind, paper=query_data.paper, size=query_data.size)
    response = Response(pdf, mimetype="application/pdf")
    response.headers.set("Content-Disposition", "attachment", filename=f"stickers-{deck}.pdf")
    return response


@blueprint.get("/api/tags/last")
@blueprint.input(LastScanIn, location="query")
@blueprint.output(LastScanOut)
@blueprint.doc(responses={403: "Not for this role"})
def last(query_data: LastScanIn) -> Response:
    """Return the last scan, and all scans after number ``after``, for the page that pairs tags."""
    if query_data.pairing == "1":
        context().scanned.reserve_for_pairing()
    tags = context().tags
    scans: list[dict[str, Any]] = []
    for scan, ago_s in context().scanned.after(0):
        pairing = tags.find(scan.tag, query_data.deck)
        scans.append(
            {
                "number": scan.number,
                "device": scan.device,
                "uid": scan.tag,
                "card": pairing and pairing.card,
                "sticker": stuck_on(scan.tag) is not None,
                "ago_s": ago_s,
            }
        )
    newest = scans[-1] if scans else _NONE_YET
    response = jsonify({**newest, "scans": [scan for scan in scans if scan["number"] > query_data.after]})
    response.headers["Cache-Control"] = "no-store"
    return response


_NONE_YET: Final = {"number": 0, "device": None, "uid": None, "card": None, "sticker": False, "ago_s": None}


def _tags_response(deck: str, pack: Pack) -> Response:
    tags = context().tags
    problem = tags.problem(deck)
    text = problem and render(problem, request_language())
    return jsonify(deck=deck, pack=pack, tags=dict(tags.of(deck)), problem=text)


def _pack(deck: str) -> Pack:
    """Return the pack of a deck; ``deck`` may also be a pack's name. Raises `NoSuchDeckError`."""
    if deck in _PACKS:
        return cast(Pack, deck)
    profile = context().shelf.get(deck).profile
    if profile is None:
        raise NoSuchDeckError(Message("problem-deck-damaged", {"deck": deck}))
    return cast(Pack, profile.pack)


def _check_card(pack: Pack, card: str) -> None:
    ids = [each.id for each in DECKS[pack]]
    if card not in ids:
        raise UnknownCardError(card, ids)
