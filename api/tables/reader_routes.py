"""What the readers at a table scan: tags and codes to cards, cards to the table's board, and from there to its referee."""

from __future__ import annotations

import time
from typing import Final

from apiflask import APIBlueprint
from flask import Response, jsonify

from api.context import context
from api.devices.device_store import NoSuchDeviceError
from api.tables.reader_schemas import ScannedOut, ScansIn
from companion.readers import Scan
from companion.readers.scanned_table import deck_of

__all__ = ["blueprint"]

#: Readers that read one tag at a time: that it has gone only tells that it was taken off the reader.
_ONE_BY_ONE: Final = frozenset({"rdm6300", "pn532", "button-box"})

blueprint = APIBlueprint("scans_table", __name__, tag="Devices")


@blueprint.post("/api/tables/<table_id>/scans")
@blueprint.input(ScansIn)
@blueprint.output(ScannedOut)
@blueprint.doc(
    responses={
        400: "Malformed JSON, or a game that nobody can watch",
        401: "A token that stands for nobody",
        403: "No device",
        404: "No such table",
        413: "Too large",
        415: "Not JSON",
    }
)
def scans(table_id: str, json_data: ScansIn) -> Response:
    """Tell what a reader has scanned, in order. The referee is shown it once the readers are quiet, and the streams tell what he says."""
    now = time.monotonic()
    table_id = context().tables.newest(table_id)
    with context().tables.at(table_id) as table:
        rules, deck, seq = table.rules, table.opened.get("deck"), table.seq
    cards = deck_of(rules)
    found, unknown = [], []
    keeps = _keeps(json_data.device)
    for told in json_data.scans:
        text = told.uid if told.uid is not None else str(told.text)
        if told.present:
            context().scanned.saw(json_data.device, text, told.ago_ms / 1000)
        paired = context().tags.find(text, deck)
        if paired is None or paired.card not in cards:
            unknown.append(text)
            continue
        found.append(
            Scan(
                paired.card,
                json_data.device,
                json_data.place,
                now - told.ago_ms / 1000,
                told.present,
                keeps and told.uid is not None,
                json_data.seat,
                told.rssi,
            )
        )
    if context().scanned.claimed:  # somebody pairs tags with cards just now: that is no play
        return jsonify(seq=seq, said=[], unknown=list(dict.fromkeys(unknown)))
    context().readers.hear(table_id, found, actor=json_data.device, key=json_data.key)
    return jsonify(seq=seq, said=[], unknown=list(dict.fromkeys(unknown)))


def _keeps(device: str) -> bool:
    """Return whether a reader keeps watch over its place."""
    try:
        return context().devices.get(device).driver not in _ONE_BY_ONE
    except NoSuchDeviceError:
        return True
