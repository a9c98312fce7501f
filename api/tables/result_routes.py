"""Results of rounds without their moves: the form, what a report would score, and the piles in a photograph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from apiflask import APIBlueprint
from flask import Response, jsonify, request

from api.access.audience import audience_at
from api.context import context
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
from companion.table.event_messages import message_view
from companion.table.result_entry import form_of, preview
from vision.pictures.picture_files import MAX_BYTES

__all__ = ["UPLOAD", "blueprint"]

UPLOAD: Final = "results.piles"
"""The endpoint that accepts a picture."""
_FORM_BYTES: Final = 2**20

_MIN_GAP: Final = 0.4
"""Two piles are at least this far apart, in heights of a card; cards of one pile overlap or lie side by side."""

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
        why=message_view(names.within(outcome.why)),
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


def split_piles(quads: Sequence[Sequence[Sequence[float]]]) -> list[int | None]:
    """Return the pile of each card: 0 for the upper or left one, 1 for the other, None for cards between them, on the field.

    Cards of one pile are closer together than two piles. With more than three groups, only the widest gap counts.
    """
    if not quads:
        return []
    heights = sorted(_length(quad[0], quad[3]) for quad in quads)
    min_gap = _MIN_GAP * heights[len(heights) // 2]
    for axis in (1, 0):  # players sit above and below the field, or left and right of it
        borders = _gaps(quads, axis, min_gap)
        if len(borders) > 2:
            borders = borders[:1]
        if borders:
            low, high = min(borders), max(borders)
            return [_side(quad, axis, low, high) for quad in quads]
    return [0] * len(quads)


def _gaps(quads: Sequence[Sequence[Sequence[float]]], axis: int, min_gap: float) -> list[float]:
    """Return the middles of the gaps between cards along an axis, the widest first."""
    spans = sorted(
        (min(corner[axis] for corner in quad), max(corner[axis] for corner in quad)) for quad in quads
    )
    gaps, end = [], spans[0][1]
    for low, high in spans[1:]:
        if low - end >= min_gap:
            gaps.append((low - end, (low + end) / 2))
        end = max(end, high)
    return [middle for _, middle in sorted(gaps, reverse=True)]


def _side(quad: Sequence[Sequence[float]], axis: int, low: float, high: float) -> int | None:
    center = sum(corner[axis] for corner in quad) / len(quad)
    return 0 if center < low else 1 if center > high else None


def _length(first: Sequence[Any], second: Sequence[Any]) -> float:
    return float(((first[0] - second[0]) ** 2 + (first[1] - second[1]) ** 2) ** 0.5)
