"""Buttons: a box beside a seat, a keyboard, a home's automation say a word, and the table knows what it means now."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Final

from apiflask import APIBlueprint
from flask import Response

from api.context import context
from api.pairing import require
from api.problems import problem
from api.table_schemas import PressedOut, PressIn
from companion.rules import Text
from companion.table import NewEvent, Table
from companion.table.presses import PressRefusedError, did, pressed

__all__ = ["blueprint"]

#: A press that was under way for longer, ms, is none any more: what it was meant for is over.
_LATEST_MS: Final = 5_000.0

blueprint = APIBlueprint("presses", __name__, tag="Devices")


@blueprint.post("/api/tables/<table_id>/presses")
@blueprint.input(PressIn)
@blueprint.output(PressedOut)
@blueprint.doc(
    responses={
        400: "Malformed JSON",
        403: "Not for this role",
        404: "No such table",
        409: "The button means nothing now: `code` and `says` (a sentence by language) tell why",
        413: "Too large",
        415: "Not JSON",
        507: "The log could not be written",
    }
)
def press(table_id: str, json_data: PressIn) -> Response:
    """Do what a button means at a table now, once; of a press sent again (`key`), what it did the first time is told."""
    asker = require("scorer", "device")
    actor = json_data.device if json_data.device and asker.may("device") else asker.name
    tables = context().tables

    def meant(table: Table) -> list[NewEvent]:
        if json_data.ago_ms > _LATEST_MS:
            raise _too_late(json_data.ago_ms)
        return pressed(table, json_data.seat, json_data.button, json_data.how)

    with tables.at(table_id) as table:
        told = tables.react(table_id, meant, actor=actor, source=json_data.source, key=json_data.key)
        events = [table.events[event["seq"] - 1] for event in json.loads(told.events)]
        says = did(table, events)
    assert says is not None, "a press that does nothing is refused"
    body = f'{{"seq":{told.seq},"did":{json.dumps(says.to_dict())},"events":{told.events}}}'
    response = Response(body, mimetype="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.errorhandler(PressRefusedError)
def _refused(error: PressRefusedError) -> Response:
    return problem(HTTPStatus.CONFLICT, error.slug, str(error), code=error.slug, says=error.text.to_dict())


def _too_late(ago_ms: float) -> PressRefusedError:
    ago = round(ago_ms / 1000)
    return PressRefusedError(
        "too-late",
        Text(
            f"This was pressed {ago} s ago, and came only now: press again if it still holds",
            f"{ago}秒前に押されたものが今届いた：まだ必要なら、もう一度押してください",
        ),
    )
