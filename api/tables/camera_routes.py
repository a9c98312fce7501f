"""Routes for the camera of a live table: observations, status reports, pictures, and the zone layout."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from http import HTTPStatus
from typing import Any, Final

from apiflask import APIBlueprint
from flask import Response, jsonify, request
from pydantic import ValidationError
from werkzeug.datastructures import FileStorage
from werkzeug.exceptions import RequestEntityTooLarge

from api.access.audience import audience_at
from api.access.identity import who
from api.context import context
from api.live.streams import message
from api.pictures.stored import stored_picture
from api.problems import JSON_REFUSED, problem, refused
from api.schemas import PictureIn
from api.tables.table_routes import change_response, referee_events_response
from api.tables.table_schemas import (
    CameraIn,
    CameraOut,
    CameraState,
    LayoutDoc,
    ObservationIn,
    RefereeEventsOut,
    ReportedOut,
    SnapOut,
    TableChangeOut,
    TablePictureIn,
    UndoIn,
)
from companion.driver import RefereeReport
from companion.hanafuda.errors import BadRequestError, quote
from companion.hanafuda.messages import Message
from companion.hanafuda.strict_json import BadJSONError, loads
from companion.observations import Observation
from companion.referee.impossible_tables import impossible_table, unknown_deck
from companion.table import Table
from companion.table.events import Event, Source
from vision.pictures.picture_files import MAX_BYTES, PictureError, media_type

__all__ = ["UPLOADS", "blueprint"]

UPLOADS: Final = ("tables_watch.observe", "tables_watch.report", "tables_watch.take")
"""The endpoints that accept pictures; all others accept JSON."""

_JPEG: Final = "image/jpeg"
#: Maximum picture size per endpoint, bytes; `_FORM_BYTES` allows for the form's other fields.
_MAX_PICTURE_BYTES: Final = {UPLOADS[0]: 4 * 2**20, UPLOADS[1]: 2**20, UPLOADS[2]: MAX_BYTES}
_FORM_BYTES: Final = 2 * 2**20
#: States of a camera that can see the table.
_WATCHING: Final = frozenset({"watching", "hands"})
#: A camera observes a still table three times, because the referee waits for confirmation; one picture counts as three.
_OBSERVATIONS_PER_PICTURE: Final = 3
_HASH: Final = re.compile(r"[0-9a-f]{64}")

blueprint = APIBlueprint("tables_watch", __name__, tag="Cameras")


@blueprint.before_request
def _set_size_limit() -> None:
    if request.endpoint in _MAX_PICTURE_BYTES:
        request.max_content_length = _MAX_PICTURE_BYTES[request.endpoint] + _FORM_BYTES


@blueprint.post("/api/tables/<table_id>/observations")
@blueprint.input(ObservationIn, location="files")
@blueprint.output(RefereeEventsOut)
@blueprint.doc(
    responses={
        **refused(400, 401, 413, 415, 500, 507),
        403: "Neither a camera nor a device",
        404: "No such table",
    }
)
def observe(table_id: str, files_data: ObservationIn) -> Response:
    """Submit an observation of a stable table to the referee. Its events are published to all followers immediately."""
    client = who()
    observation = Observation.from_json(_object(files_data.observation, "observation"))
    picture = _jpeg(files_data.frame)
    source: Source = (
        "scanner"
        if observation.cards and all(card.source == "scanner" for card in observation.cards)
        else "camera"
    )
    return _process(context().tables.newest(table_id), observation, picture, client.name, source)


@blueprint.post("/api/tables/<table_id>/pictures")
@blueprint.input(TablePictureIn, location="files")
@blueprint.output(SnapOut)
@blueprint.doc(
    responses={
        **refused(400, 403, 413, 415, 500, 503, 507),
        422: "Not a picture, a table that cannot be, or a deck that is not known; `view` has the zones and the cards, the wrong ones marked",
        404: "No such table",
        409: "A camera watches this table already",
    }
)
def take(table_id: str, files_data: TablePictureIn) -> Response:
    """Submit a photo of the table, taken with a phone, to the referee; an alternative to a fixed camera."""
    client = who()
    tables = context().tables
    table_id = tables.newest(table_id)
    with tables.at(table_id) as table:
        rules, players, deck = table.rules, table.game.players, table.opened.get("deck")
    if context().cameras.status_of(table_id)["state"] in _WATCHING:
        return problem(
            HTTPStatus.CONFLICT,
            "camera-watches",
            Message("problem-camera-watches"),
        )
    layout = context().layouts.get(table_id)
    with context().pictures.observe(table_id, files_data.image, rules, players, deck, layout) as (
        observation,
        picture,
    ):
        unknown = unknown_deck(observation)
        with tables.at(table_id) as table:
            impossible, names = unknown or impossible_table(observation, table), table.names
        if impossible is not None:
            return problem(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                "table-impossible" if unknown is None else "deck-unknown",
                names.within(impossible.message),
                view=_view(observation, impossible.cards),
            )
        table_id, events = _submit(
            table_id, observation, picture, client.name, "camera", attempts=_OBSERVATIONS_PER_PICTURE
        )
        return referee_events_response(tables.now(table_id).seq, events, _view(observation))


def _view(observation: Observation, wrong: Collection[int] = ()) -> dict[str, Any]:
    """Return the zones and cards of a photograph, with coordinates in fractions of its width and height."""
    width, height = observation.extra.get("size", (1, 1))
    quads = observation.extra.get("quads", {})
    return {
        "size": [width, height],
        "zones": observation.extra.get("zones", []),
        "cards": [
            {
                "card": card.card,
                "zone": card.zone,
                "wrong": card.key in wrong,
                "quad": [[x / width, y / height] for x, y in quads[str(card.key)]],
            }
            for card in observation.cards
            if str(card.key) in quads
        ],
    }


def _process(
    table_id: str, observation: Observation, picture: bytes | None, actor: str, source: Source
) -> Response:
    table_id, events = _submit(table_id, observation, picture, actor, source)
    return referee_events_response(context().tables.now(table_id).seq, events)


def _submit(
    table_id: str,
    observation: Observation,
    picture: bytes | None,
    actor: str,
    source: Source,
    attempts: int = 1,
) -> tuple[str, list[Event]]:
    """Process an observation and return its table, perhaps the next one, and the events.

    ``attempts`` is the maximum number of times the referee sees it until it reports something.
    """
    referees = context().referees

    def observe(watched: str, table: Table) -> RefereeReport:
        return referees.see(watched, observation, picture, table, source)

    table_id, events = context().driver.step(table_id, observe, actor=actor, attempts=attempts)
    context().readers.schedule(table_id)
    return table_id, events


@blueprint.post("/api/tables/<table_id>/rescan")
@blueprint.input(UndoIn)
@blueprint.output(TableChangeOut)
@blueprint.doc(
    responses={
        **JSON_REFUSED,
        **refused(403, 500, 507),
        404: "No such table",
        409: "Out of step (`seq` is the newest event), or no observation yet",
    }
)
def rescan(table_id: str, json_data: UndoIn) -> Response:
    """Reset the table to the last camera observation, overriding the committed state."""
    client = who()
    tables, referees, driver = context().tables, context().referees, context().driver
    with driver.at(table_id) as table:
        events = referees.rescan(table_id, table)
        if events is None:
            return problem(
                HTTPStatus.CONFLICT,
                "no-observation-yet",
                Message("problem-no-observation-yet"),
            )
        result = tables.report(
            table_id,
            events,
            expect=table.seq if json_data.expect is None else json_data.expect,
            key=json_data.key,
            actor=client.name,
            source=client.source,
            audience=audience_at(table_id, client),
        )
    return change_response(result)


@blueprint.post("/api/tables/<table_id>/camera")
@blueprint.input(CameraIn, location="files")
@blueprint.output(ReportedOut)
@blueprint.doc(responses={**refused(400, 401, 413, 415, 507), 403: "No camera", 404: "No such table"})
def report(table_id: str, files_data: CameraIn) -> Response:
    """Report the status of a camera. With `ended`, the referee also reports what the end of the observations implies."""
    client = who()
    try:
        state = CameraState.model_validate_json(files_data.state)
    except ValidationError as error:
        raise BadRequestError(f"this is no camera's state: {error.errors()[0]['msg']}") from None
    picture = _jpeg(files_data.frame)
    table_id = context().tables.newest(table_id)
    tables, cameras, referees = context().tables, context().cameras, context().referees
    with tables.at(table_id):
        changed = cameras.report(table_id, state.model_dump(), picture)
        if changed:
            context().hub.publish(table_id, message("camera", json.dumps(cameras.status_of(table_id))))
        if changed and state.state == "ended":
            context().driver.finish(
                table_id,
                lambda watched, table: referees.close(watched, table, client.source),
                actor=client.name,
            )
    return jsonify(table=table_id, layout=context().layouts.version(table_id))


@blueprint.get("/api/tables/<table_id>/camera")
@blueprint.output(CameraOut)
@blueprint.doc(responses={404: "No such table"})
def camera(table_id: str) -> Response:
    """Return the status of a table's camera, including the detected cards and zones."""
    context().tables.now(table_id)
    response = jsonify(context().cameras.status_of(table_id))
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.get("/api/tables/<table_id>/camera.jpg")
@blueprint.output({}, description="The newest picture", content_type=_JPEG)
@blueprint.doc(responses={404: "No such table, or no picture yet"})
def camera_picture(table_id: str) -> Response:
    """Return the newest small picture from a table's camera. The `X-Picture-Age` header is its age in seconds."""
    context().tables.now(table_id)
    cameras = context().cameras
    picture = cameras.picture(table_id)
    if picture is None:
        return problem(HTTPStatus.NOT_FOUND, "no-picture-yet", Message("problem-no-picture-yet"))
    age = cameras.status_of(table_id)["picture_age"]
    return Response(picture, mimetype=_JPEG, headers={"Cache-Control": "no-store", "X-Picture-Age": str(age)})


@blueprint.get("/api/tables/<table_id>/layout")
@blueprint.output(LayoutDoc)
@blueprint.doc(responses={404: "No such table"})
def layout(table_id: str) -> Response:
    """Return the zone layout set for a table; null: the default layout for its game and number of seats."""
    context().tables.now(table_id)
    return jsonify(layout=context().layouts.get(table_id))


@blueprint.put("/api/tables/<table_id>/layout")
@blueprint.input(LayoutDoc)
@blueprint.output(LayoutDoc)
@blueprint.doc(
    responses={
        **JSON_REFUSED,
        403: "Not the host",
        404: "No such table",
        507: "The layout could not be stored",
    }
)
def put_layout(table_id: str, json_data: LayoutDoc) -> Response:
    """Set the zone layout of a table. Its camera applies it after its next report."""
    context().tables.now(table_id)
    context().layouts.put(table_id, json_data.layout)
    return jsonify(layout=json_data.layout)


@blueprint.get("/api/tables/<table_id>/pictures/<name>")
@blueprint.input(PictureIn, location="query")
@blueprint.output({}, description="The picture", content_type=_JPEG)
@blueprint.doc(responses={404: "No such table or picture"})
def picture(table_id: str, name: str, query_data: PictureIn) -> Response:
    """Return a picture that an event refers to by name, scaled down if `width` is given."""
    context().tables.now(table_id)
    path = context().store.pictures.path(name, _JPEG) if _HASH.fullmatch(name) else None
    if path is None or not path.exists():
        return problem(HTTPStatus.NOT_FOUND, "no-such-picture", Message("problem-no-such-picture"))
    return stored_picture(context().pictures, path, _JPEG, name, query_data.width)


@blueprint.errorhandler(RequestEntityTooLarge)
def _too_large(error: RequestEntityTooLarge) -> Response:
    max_mb = _MAX_PICTURE_BYTES[request.endpoint or UPLOADS[0]] // 2**20
    message = Message("problem-too-many-bytes", {"max": max_mb})
    return problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-many-bytes", message)


def _object(text: str, field: str) -> dict[str, Any]:
    try:
        value = loads(text)
    except BadJSONError as error:
        raise BadRequestError(f"the {field} is no JSON: {error}") from None
    if not isinstance(value, dict):
        raise BadRequestError(f"the {field} must be an object, not {quote(value)}")
    return value


def _jpeg(upload: FileStorage | None) -> bytes | None:
    """Return the bytes of an uploaded JPEG, or None without one.

    Raises `PictureError` if it isn't a JPEG, `RequestEntityTooLarge` if it is too large.
    """
    if upload is None:
        return None
    data: bytes = upload.read()
    if len(data) > _MAX_PICTURE_BYTES[request.endpoint or ""]:
        raise RequestEntityTooLarge
    if media_type(data) != _JPEG:
        raise PictureError("not-a-picture", "the picture of an observation must be a JPEG")
    return data
