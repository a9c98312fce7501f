"""Route for the scans of readers at a table: maps tags and codes to cards and passes the cards on to the table's referee."""

from __future__ import annotations

import time
from http import HTTPStatus
from typing import Annotated, Final, Self

from apiflask import APIBlueprint
from flask import Response, jsonify
from pydantic import Field, StringConstraints, model_validator

from api.context import context
from api.problems import problem
from api.schemas import Name, Strict
from api.services.device_models import Place
from api.services.device_store import NoSuchDeviceError
from api.tables.table_schemas import Key, RefereeEventsOut
from companion.hanafuda.messages import Message
from companion.readers import ReaderReport
from companion.readers.scanned_table import deck_of
from companion.readers.tag_pairings import LONGEST_TAG

__all__ = ["blueprint"]

#: Drivers of readers that read one tag at a time: a tag that they no longer read was taken off the reader, not off the table.
_SINGLE_TAG_DRIVERS: Final = frozenset({"rdm6300", "pn532", "button-box"})

blueprint = APIBlueprint("scans_table", __name__, tag="Devices")


class ReaderScanIn(Strict):
    """A scanned tag (`uid`) or code (`text`); exactly one of the two is given."""

    uid: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TAG)] | None = None
    text: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TAG)] | None = None
    present: Annotated[bool, Field(description="False: the tag was removed from the reader.")] = True
    ago_ms: Annotated[
        float, Field(ge=0, lt=2**53, description="Time since the scan; a tag may stay on a reader for days.")
    ] = 0.0
    rssi: Annotated[float | None, Field(ge=-200, le=100, description="Signal strength of the tag, dBm.")] = (
        None
    )

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.uid is None) == (self.text is None):
            raise ValueError("a scan needs either a uid or a text, not both")
        return self


class ScansIn(Strict):
    """A reader's scans, in the order in which they were made."""

    device: Name
    place: Place
    seat: Annotated[int, Field(ge=1, le=12)] | None = None
    scans: Annotated[list[ReaderScanIn], Field(max_length=500)]
    key: Annotated[
        Key | None, Field(description="Identifies the request; the scans of a repeated request are ignored.")
    ] = None


class ScannedOut(RefereeEventsOut):
    """The response to scans. `events` is empty: the referee's events follow in the event streams."""

    unknown: Annotated[list[str], Field(description="Tags and codes without a card of this game.")]


@blueprint.post("/api/tables/<table_id>/scans")
@blueprint.input(ScansIn)
@blueprint.output(ScannedOut)
@blueprint.doc(
    responses={
        400: "Malformed JSON, or a game without a referee",
        401: "An unknown token",
        403: "No device",
        404: "No such table",
        409: "Tags are being paired at another server process: report the scans with the status of the devices",
        413: "Too large",
        415: "Not JSON",
    }
)
def scans(table_id: str, json_data: ScansIn) -> Response:
    """Report a reader's scans, in order. The referee gets them once the readers are quiet; its events appear in the streams."""
    if context().peers.pairing:
        return problem(HTTPStatus.CONFLICT, "tags-being-paired", Message("problem-tags-being-paired"))
    now = time.monotonic()
    table_id = context().tables.newest(table_id)
    with context().tables.at(table_id) as table:
        rules, deck, seq = table.rules, table.opened.get("deck"), table.seq
    cards = deck_of(rules)
    known, unknown = [], []
    monitors = _monitors(json_data.device)
    for scan in json_data.scans:
        text = scan.uid if scan.uid is not None else str(scan.text)
        if scan.present:
            context().scanned.saw(json_data.device, text, scan.ago_ms / 1000)
        pairing = context().tags.find(text, deck)
        if pairing is None or pairing.card not in cards:
            unknown.append(text)
            continue
        known.append(
            ReaderReport(
                pairing.card,
                json_data.device,
                json_data.place,
                now - scan.ago_ms / 1000,
                scan.present,
                monitors and scan.uid is not None,
                json_data.seat,
                scan.rssi,
            )
        )
    if context().scanned.pairing:  # somebody is pairing tags with cards, so these scans are not moves
        return jsonify(seq=seq, events=[], unknown=list(dict.fromkeys(unknown)))
    context().readers.process(table_id, known, actor=json_data.device, key=json_data.key)
    return jsonify(seq=seq, events=[], unknown=list(dict.fromkeys(unknown)))


def _monitors(device: str) -> bool:
    """Return whether a reader monitors its zone continuously, rather than reading one tag at a time."""
    try:
        return context().devices.get(device).driver not in _SINGLE_TAG_DRIVERS
    except NoSuchDeviceError:
        return True
