"""Export and import of nights as a file of the tables' events."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Final

from apiflask import APIBlueprint
from apiflask.fields import UploadFile
from flask import Response, jsonify, request
from pydantic import Field

from api.context import context
from api.problems import refused
from api.schemas import ResponseSchema, Strict
from companion.store.event_lines import event_lines, merge_lines

__all__ = ["UPLOAD", "blueprint"]

UPLOAD: Final = "transfer.merge"
"""The endpoint that accepts a file."""
_MAX_BYTES: Final = 64 * 2**20
"""Size of a request with a file, bytes: some 10,000 rounds."""

blueprint = APIBlueprint("transfer", __name__, tag="Nights")


class EventFileIn(Strict):
    """A file of events."""

    file: UploadFile


class MergedOut(ResponseSchema):
    """What an import did, by the ids of the tables."""

    new: list[str]
    extended: list[str]
    same: list[str]
    conflict: list[str]
    people: Annotated[int, Field(description="The number of new events about people.")]


@blueprint.before_request
def _set_size_limit() -> None:
    if request.endpoint == UPLOAD:
        request.max_content_length = _MAX_BYTES


@blueprint.get("/api/nights.jsonl")
@blueprint.output({}, description="A header and one line per event", content_type="application/jsonl")
def export() -> Response:
    """Export the events of all tables and those about people, for another installation; docs/data.md describes the format."""
    headers = {"Content-Disposition": 'attachment; filename="hanafuda-nights.jsonl"'}
    return Response(event_lines(context().store), mimetype="application/jsonl", headers=headers)


@blueprint.post("/api/nights/import")
@blueprint.input(EventFileIn, location="files")
@blueprint.output(MergedOut)
@blueprint.doc(responses={**refused(400, 413, 415), 507: "The log could not be written"})
def merge(files_data: EventFileIn) -> Response:
    """Add the tables and people of an exported file that the log does not have. Tables that differ here are left as they are."""
    return jsonify(asdict(merge_lines(context().store, files_data.file.stream)))
