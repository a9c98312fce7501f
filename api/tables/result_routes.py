"""Results of rounds without their moves: the form, what a report would score, and the piles in a photograph."""

from __future__ import annotations

from typing import Final

from apiflask import APIBlueprint
from flask import Response, jsonify, request

from api.access.audience import audience_at
from api.context import context
from api.languages import message_json
from api.problems import JSON_REFUSED, refused
from api.tables.table_schemas import (
    PilesOut,
    ResultFormIn,
    ResultFormOut,
    ResultIn,
    ResultOut,
    TablePictureIn,
)
from companion.hanafuda.cards import BACK
from companion.table.result_entry import form_of, preview
from vision.photograph.captured_piles import split_piles
from vision.pictures.picture_files import MAX_BYTES

__all__ = ["UPLOAD", "blueprint"]

UPLOAD: Final = "results.piles"
"""The endpoint that accepts a picture."""
_FORM_BYTES: Final = 2**20

blueprint = APIBlueprint("results", __name__, tag="Tables")


@blueprint.before_request
def _allow_pictures() -> None:
    if request.endpoint == UPLOAD:
        request.max_content_length = MAX_BYTES + _FORM_BYTES


@blueprint.get("/api/tables/<table_id>/result")
@blueprint.input(ResultFormIn, location="query")
@blueprint.output(ResultFormOut)
@blueprint.doc(responses={404: "No such table"})
def form(table_id: str, query_data: ResultFormIn) -> Response:
    """Return what can be entered as the result of the current or next round, or of the round of event `of`."""
    with context().tables.at(table_id, audience_at(table_id)) as table:
        return jsonify(form_of(table, query_data.of))


@blueprint.post("/api/tables/<table_id>/result")
@blueprint.input(ResultIn)
@blueprint.output(ResultOut)
@blueprint.doc(responses={**JSON_REFUSED, 404: "No such table"})
def score(table_id: str, json_data: ResultIn) -> Response:
    """Return what the data of a `scored` event would score; nothing is stored."""
    with context().tables.at(table_id, audience_at(table_id)) as table:
        scored, names = preview(table, json_data.data, json_data.of), table.names
    outcome = scored.outcome
    return jsonify(
        how=outcome.how,
        winners=list(outcome.winners),
        points=list(outcome.points),
        why=message_json(names.within(outcome.why)),
        seats=[
            {"total": seat.total, "yaku": [{"name": slug, "points": points} for slug, points in seat.yaku]}
            for seat in scored.seats
        ],
    )


@blueprint.post("/api/tables/<table_id>/piles")
@blueprint.input(TablePictureIn, location="files")
@blueprint.output(PilesOut)
@blueprint.doc(responses={**refused(400, 403, 413, 415, 500, 503), 404: "No such table"})
def piles(table_id: str, files_data: TablePictureIn) -> Response:
    """Read the captured piles in a photograph. `group` is 0 for the upper or left pile, 1 for the other, null between them."""
    with context().tables.at(table_id) as table:
        deck = table.opened.get("deck")
    result, _ = context().pictures.scan(files_data.image, deck)
    cards = [card for card in result.cards if card.card != BACK]
    return jsonify(
        cards=[
            {
                "card": card.card,
                "confidence": card.confidence,
                "quad": [[x / result.width, y / result.height] for x, y in card.quad],
                "group": group,
            }
            for card, group in zip(cards, split_piles([card.quad for card in cards]), strict=True)
        ],
        width=result.width,
        height=result.height,
    )
