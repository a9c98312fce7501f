"""What cameras, card readers and buttons report at a live table: observations, pictures, scans and presses; and the zone layout."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from threading import BoundedSemaphore
from typing import Annotated, Any, Final, Literal, Self

from apiflask.fields import UploadFile
from flask import Response, request
from pydantic import AfterValidator, Field, StringConstraints, ValidationError, model_validator
from werkzeug.datastructures import FileStorage
from werkzeug.exceptions import RequestEntityTooLarge

from api.access.reports import check_reports
from api.access.who import audience_at, who
from api.context import context
from api.languages import message_json
from api.live.cameras import WATCHING
from api.live.live_tables import TableChange, dumped
from api.live.phone_camera import PHONE, camera_watches, no_picture
from api.live.streams import message
from api.models.base import (
    MAX_NOTE,
    Answer,
    CameraWorkerOut,
    EventOut,
    Key,
    MessageOut,
    PhoneName,
    PhotographIn,
    PictureIn,
    Seat,
    Strict,
)
from api.models.device_config import Place
from api.pictures.stored import stored_picture
from api.problems import problem, refused
from api.request_bodies import UPLOAD_BYTES
from api.routes.tables import TableChangeIn, TableChangeOut, change_response, json_response
from api.routing import MediaType, Routes
from companion.hanafuda.errors import BadRequestError, ConflictError, NotFoundError, quote
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import GAMES
from companion.hanafuda.strict_json import BadJSONError, loads
from companion.observations import Observation
from companion.readers import ReaderReport
from companion.redaction import redacted
from companion.store.tag_pairings import LONGEST_TAG
from companion.table import NewEvent, Table
from companion.table.events import Event
from companion.table.presses import Button, PressKind, PressRefusedError, did, pressed
from companion.watch.impossible_tables import impossible_table, unknown_deck
from vision.pictures.picture_files import PictureError, media_type

_JPEG: Final = "image/jpeg"
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_SINGLE_TAG_DRIVERS: Final = frozenset({"rdm6300", "pn532", "button-box"})
"""Drivers of readers that read one tag at a time: a tag that they no longer read was taken off the reader, not off the table."""
_MAX_AGE_MS: Final = 5_000.0
"""A press older than this is refused, ms: the situation that it was meant for has passed."""
_SOON_S: Final = 3.0
"""People press a button before the camera or the readers report the card that they just played, so at a watched table a press
waits up to this long for that report, s."""
_AGAIN_S: Final = 0.05
"""How often a waiting press is tried, s."""
_waiting_slots: Final = BoundedSemaphore(8)
"""Limits the presses that wait at the same time; each occupies a server thread."""
_SAME_UNDO_S: Final = 1.0
"""If two people undo the same action within this time, s, the second press is refused, so that it does not undo another action."""


class ObservationIn(Strict):
    """A camera worker's observation of a stable table."""

    observation: Annotated[str, Field(description="JSON of an `Observation`.", max_length=2**20)]
    frame: Annotated[UploadFile | None, Field(description="The picture, JPEG of at most 4 MB.")] = None


class RefereeEventsOut(Answer):
    """The events that the referee reported for an observation."""

    seq: int
    events: list[EventOut]


class SnapOut(RefereeEventsOut):
    """The events of a photograph, and what is in it."""

    view: Annotated[
        dict[str, Any],
        Field(
            description="`size` (px), `zones` (`zone`, `polygon`) and `cards` (`card`, `zone`, `quad`, `wrong`);"
            " coordinates are fractions of width and height."
        ),
    ]


class CameraIn(Strict):
    """A camera's status report, sent about once a second and whenever its state changes."""

    state: Annotated[
        str,
        Field(
            description="JSON: an object in the format of `CameraOut`, without the ages.", max_length=2**18
        ),
    ]
    frame: Annotated[UploadFile | None, Field(description="The newest picture, JPEG of at most 1 MB.")] = None


class CameraState(Strict):
    """The status of a camera, as it reports it."""

    state: Literal["starting", "watching", "hands", "failed", "ended"]
    message: Annotated[
        Annotated[str, StringConstraints(max_length=MAX_NOTE), AfterValidator(redacted)] | None,
        Field(description="What is wrong, and what to do."),
    ] = None
    source: Annotated[str, StringConstraints(max_length=400), AfterValidator(redacted)] | None = None
    fps: Annotated[float, Field(ge=0, le=1000)] | None = None
    frame_age_ms: Annotated[float, Field(ge=0)] | None = None
    size: tuple[int, int] | None = None
    quads: Annotated[
        list[dict[str, Any]],
        Field(default_factory=list, max_length=400, description="`card`, `key` and `quad` (px of `size`)."),
    ]
    zones: Annotated[
        list[dict[str, Any]],
        Field(default_factory=list, max_length=64, description="`zone` and `polygon` (px of `size`)."),
    ]
    viewfinder: Annotated[
        dict[str, Any] | None,
        Field(
            description="`cards` (`card`, `quad`) and `zones` (`zone`, `polygon`) in fractions of the camera's own picture, and `hint`:"
            " what is wrong with its place or the light (`no-cards`, `dark`, `small`, `steep`, `glare`, `edge`, `moved`), or null."
        ),
    ] = None
    more: Annotated[dict[str, Any], Field(default_factory=dict, description="Details for troubleshooting.")]


class CameraOut(CameraState):
    """The status of a table's camera."""

    state: Annotated[  # type: ignore[assignment]  # responses are only read
        str,
        Field(
            description="`absent`: no camera; `silent`: no report for 5 s, unless it ended; otherwise the reported state:"
            " `starting`, `watching`, `hands`, `failed`, `ended`."
        ),
    ]
    age: Annotated[float | None, Field(description="Time since its last report, s.")]
    picture_age: Annotated[float | None, Field(description="Time since its newest picture, s.")]
    worker: CameraWorkerOut | None


class ReportedOut(Answer):
    """The response to a camera's report."""

    table: Annotated[
        str,
        Field(
            description="The table at which the evening continues: another one after the next game was dealt."
        ),
    ]
    layout: Annotated[int, Field(description="If it changes, the layout must be fetched again.")]


class LayoutDoc(Strict):
    """The zone layout of a table, in the format of `vision.geometry.zone_layout`."""

    layout: Annotated[dict[str, Any] | None, Field(description="Null: the default for game and seats.")]


class PressIn(Strict):
    """A button press at a seat, or (`seat` null) in the middle of the table."""

    button: Button
    how: PressKind = "press"
    seat: Seat | None = None
    key: Key | None = None
    ago_ms: Annotated[float, Field(ge=0, description="Time since the press, at most 5 s.")] = 0.0
    device: Annotated[PhoneName | None, Field(description="The button's device, for the history.")] = None
    source: Literal["button", "keyboard"] = "button"


class PressedOut(RefereeEventsOut):
    """The message and the events of a button press."""

    did: MessageOut


class ReaderScanIn(Strict):
    """A scanned tag (`uid`) or code (`text`); exactly one of the two is given."""

    uid: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TAG)] | None = None
    text: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TAG)] | None = None
    present: Annotated[bool, Field(description="False: the tag was removed from the reader.")] = True
    ago_ms: Annotated[
        float, Field(ge=0, lt=2**53, description="Time since the scan; a tag may stay on a reader for days.")
    ] = 0.0
    rssi: Annotated[float | None, Field(ge=-200, le=100, description="The tag's signal strength, dBm.")] = (
        None
    )

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.uid is None) == (self.text is None):
            raise ValueError("a scan needs either a uid or a text, not both")
        return self


class ScansIn(Strict):
    """A reader's scans, in the order in which they were made."""

    device: PhoneName
    place: Place
    seat: Seat | None = None
    scans: Annotated[list[ReaderScanIn], Field(max_length=500)]
    key: Annotated[Key | None, Field(description="Identifies the request; repeated, it is ignored.")] = None


class ScannedOut(RefereeEventsOut):
    """The response to scans. `events` is empty: the referee's events follow in the event streams."""

    unknown: Annotated[list[str], Field(description="Tags and codes without a card of this game.")]


blueprint = Routes("cameras", __name__, tag="Cameras")
reports_blueprint = Routes("reports", __name__, tag="Devices")


@blueprint.post("/api/tables/<table_id>/observations", refusals=refused(500, 507))
def observe(table_id: str, files_data: ObservationIn) -> Annotated[Response, RefereeEventsOut]:
    """Submit an observation of a stable table to the referee. Its events are published to all followers immediately."""
    client = who()
    observation = Observation.from_json(_object(files_data.observation, "observation"))
    picture = jpeg_of(files_data.frame)
    table_id = context().tables.newest(table_id)
    table_id, events = context().driver.observe(
        table_id, observation, picture, actor=client.name, source=observation.source
    )
    return _events_response(context().tables.now(table_id).seq, events)


@blueprint.post(
    "/api/tables/<table_id>/pictures",
    refusals={
        422: "Not a picture, a table that cannot be, or a deck that is not known; `view` has the zones and the cards, the wrong ones marked",
        409: "A camera watches this table already",
        **refused(500, 503, 507),
    },
)
def take(table_id: str, files_data: PhotographIn) -> Annotated[Response, SnapOut]:
    """Submit a photo of the table, taken with a phone, to the referee; an alternative to a fixed camera."""
    client = who()
    tables = context().tables
    table_id = tables.newest(table_id)
    with tables.at(table_id) as table:
        rules, players, deck = table.rules, table.game.players, table.opened.get("deck")
    if context().cameras.status_of(table_id)["state"] in WATCHING:
        raise camera_watches()
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
        table_id, events = context().driver.observe(
            table_id, observation, picture, actor=client.name, source="camera"
        )
        return _events_response(tables.now(table_id).seq, events, view=_view(observation))


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


@blueprint.post(
    "/api/tables/<table_id>/rescan",
    refusals={409: "Out of step (`seq` is the newest event), or no observation yet", **refused(500, 507)},
)
def rescan(table_id: str, json_data: TableChangeIn) -> Annotated[Response, TableChangeOut]:
    """Reset the table to the last camera observation, overriding the committed state."""
    client = who()
    tables, driver = context().tables, context().driver
    with driver.at(table_id) as table:
        events = driver.watched(table_id).rescan(table)
        if events is None:
            raise ConflictError("no-observation-yet", Message("problem-no-observation-yet"))
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


@blueprint.post("/api/tables/<table_id>/camera", refusals=refused(507))
def report(table_id: str, files_data: CameraIn) -> ReportedOut:
    """Report the status of a camera. With `ended`, the referee also reports what the end of the observations implies, unless the camera is
    a phone, which has only left."""
    client = who()
    try:
        state = CameraState.model_validate_json(files_data.state)
    except ValidationError as error:
        raise BadRequestError(f"this is no camera's state: {error.errors()[0]['msg']}") from None
    picture = jpeg_of(files_data.frame)
    table_id = context().tables.newest(table_id)
    tables, cameras = context().tables, context().cameras
    with tables.at(table_id):
        changed = cameras.report(table_id, state.model_dump(), picture)
        if changed:
            context().hub.publish(table_id, message("camera", json.dumps(cameras.status_of(table_id))))
        if changed and state.state == "ended" and state.source != PHONE:
            context().driver.finish(table_id, actor=client.name, source=client.source)
    return ReportedOut(table=table_id, layout=context().layouts.version(table_id))


@blueprint.get("/api/tables/<table_id>/camera")
def camera(table_id: str) -> Annotated[Response, CameraOut]:
    """Return the status of a table's camera, including the detected cards and zones."""
    context().tables.now(table_id)
    return json_response(json.dumps(context().cameras.status_of(table_id)))


@blueprint.get("/api/tables/<table_id>/camera.jpg")
def camera_picture(table_id: str) -> Annotated[Response, MediaType(_JPEG, "The newest picture")]:
    """Return the newest small picture from a table's camera. The `X-Picture-Age` header is its age in seconds."""
    context().tables.now(table_id)
    cameras = context().cameras
    picture = cameras.picture(table_id)
    if picture is None:
        raise no_picture()
    age = cameras.status_of(table_id)["picture_age"]
    return Response(picture, mimetype=_JPEG, headers={"X-Picture-Age": str(age)})


@blueprint.get("/api/tables/<table_id>/layout")
def layout(table_id: str) -> LayoutDoc:
    """Return the zone layout set for a table; null: the default layout for its game and number of seats."""
    context().tables.now(table_id)
    return LayoutDoc(layout=context().layouts.get(table_id))


@blueprint.put("/api/tables/<table_id>/layout", refusals=refused(507))
def put_layout(table_id: str, json_data: LayoutDoc) -> LayoutDoc:
    """Set the zone layout of a table. Its camera applies it after its next report."""
    context().tables.now(table_id)
    context().layouts.put(table_id, json_data.layout)
    return json_data


@blueprint.get("/api/tables/<table_id>/pictures/<name>")
def picture(
    table_id: str, name: str, query_data: PictureIn
) -> Annotated[Response, MediaType(_JPEG, "The picture")]:
    """Return a picture that an event refers to by name, scaled down if `width` is given."""
    context().tables.now(table_id)
    stored = context().store.pictures
    found = _HASH.fullmatch(name) and stored_picture(
        context().pictures, stored, name, _JPEG, query_data.width
    )
    if not found:
        raise NotFoundError("no-such-picture", Message("problem-no-such-picture"))
    return found


def _object(text: str, field: str) -> dict[str, Any]:
    try:
        value = loads(text)
    except BadJSONError as error:
        raise BadRequestError(f"the {field} is no JSON: {error}") from None
    if not isinstance(value, dict):
        raise BadRequestError(f"the {field} must be an object, not {quote(value)}")
    return value


def jpeg_of(upload: FileStorage | None) -> bytes | None:
    """Return the bytes of an uploaded JPEG, or None without one.

    Raises `PictureError` if it isn't a JPEG, `RequestEntityTooLarge` if it is too large.
    """
    if upload is None:
        return None
    data: bytes = upload.read()
    if len(data) > UPLOAD_BYTES[request.endpoint or ""]:
        raise RequestEntityTooLarge
    if media_type(data) != _JPEG:
        raise PictureError("not-a-picture", "the picture of an observation must be a JPEG")
    return data


@reports_blueprint.post(
    "/api/tables/<table_id>/scans",
    refusals={
        409: "Tags are being paired at another server process: report the scans with the status of the devices"
    },
)
def scans(table_id: str, json_data: ScansIn) -> ScannedOut:
    """Report a reader's scans, in order. The referee gets them once the readers are quiet; its events appear in the streams."""
    if context().peers.pairing:
        raise ConflictError("tags-being-paired", Message("problem-tags-being-paired"))
    now = time.monotonic()
    table_id = context().tables.newest(table_id)
    with context().tables.at(table_id) as table:
        rules, deck, seq = table.rules, table.opened.get("deck"), table.seq
    cards = GAMES[rules.game].cards(rules)
    known, unknown = [], []
    monitors = _monitors(json_data.device)
    for scan in json_data.scans:
        text = scan.uid if scan.uid is not None else str(scan.text)
        if scan.present:
            context().scanned.saw(json_data.device, text, scan.ago_ms / 1000)
        card = context().tags.find(text, deck)
        if card is None or card not in cards:
            unknown.append(text)
            continue
        known.append(
            ReaderReport(
                card,
                json_data.device,
                json_data.place,
                now - scan.ago_ms / 1000,
                scan.present,
                monitors and scan.uid is not None,
                json_data.seat,
                scan.rssi,
            )
        )
    if (
        not context().scanned.pairing
    ):  # otherwise somebody pairs tags with cards, so these scans are not moves
        context().driver.process(table_id, known, actor=json_data.device, key=json_data.key)
    return ScannedOut(seq=seq, events=[], unknown=list(dict.fromkeys(unknown)))


def _monitors(device: str) -> bool:
    """Return whether a reader monitors its zone continuously, rather than reading one tag at a time."""
    try:
        return context().devices.get(device).driver not in _SINGLE_TAG_DRIVERS
    except NotFoundError:
        return True


@reports_blueprint.post(
    "/api/tables/<table_id>/presses",
    refusals={
        409: "The button has no meaning now; `code` and `says` (a sentence by language) give the reason",
        **refused(507),
    },
)
def press(table_id: str, json_data: PressIn) -> Annotated[Response, PressedOut]:
    """Do what a button currently means at a table. A press that is sent again with the same `key` returns the first result.

    If a camera watches the table, or readers just reported something, and the button would be valid after one more card, the
    response waits up to 3 s for that card.
    """
    client = who()
    actor = json_data.device if json_data.device and client.role in {"host", "device"} else client.name
    tables, audience = context().tables, audience_at(table_id, client)

    def events_of(table: Table) -> list[NewEvent]:
        if json_data.ago_ms > _MAX_AGE_MS:
            raise _too_late(json_data.ago_ms)
        if json_data.button == "undo":
            _check_same_undo(table, actor)
        return pressed(table, json_data.seat, json_data.button, json_data.how)

    def do() -> tuple[TableChange, Message | None]:
        result = tables.report(
            table_id,
            events_of,
            actor=actor,
            source=json_data.source,
            audience=audience,
            check=partial(check_reports, client),
            key=json_data.key,
        )
        with tables.at(table_id, audience) as table:
            return result, did(table, result.events)

    result, description = _do_soon(table_id, do)
    assert description is not None, "a press that does nothing is refused"
    return _events_response(result.seq, result.events, did=message_json(description))


def _do_soon(
    table_id: str, do: Callable[[], tuple[TableChange, Message | None]]
) -> tuple[TableChange, Message | None]:
    """Call ``do``; if the press came early at a watched table, again until it is possible, for up to `_SOON_S`."""
    try:
        return do()
    except PressRefusedError as refused:
        watched = (
            context().cameras.status_of(table_id)["state"] in WATCHING
            or context().driver.due(table_id)  # its readers just reported something
        )
        if not (refused.early and watched and _waiting_slots.acquire(blocking=False)):
            raise
    try:
        deadline = time.monotonic() + _SOON_S
        while True:
            time.sleep(_AGAIN_S)
            try:
                return do()
            except PressRefusedError as refused:
                if not refused.early or time.monotonic() >= deadline:
                    raise
    finally:
        _waiting_slots.release()


def _check_same_undo(table: Table, actor: str) -> None:
    last = table.events[-1]
    # Negative if the clock was set back; then the press must not be refused, possibly for an hour.
    ago = datetime.now(UTC) - datetime.fromisoformat(last.time)
    if last.kind == "undone" and last.actor != actor and 0 <= ago.total_seconds() < _SAME_UNDO_S:
        description = table.says(last)
        raise PressRefusedError(
            "undone-already",
            Message("press-undone-already", {"undone": description}),
        )


def _too_late(ago_ms: float) -> PressRefusedError:
    return PressRefusedError("too-late", Message("press-too-late", {"seconds": round(ago_ms / 1000)}))


def _events_response(seq: int, events: Sequence[Event], **more: Any) -> Response:
    """Return the response with the events that a report caused, without the table's state, which machines do not need."""
    members = "".join(f',"{name}":{json.dumps(value)}' for name, value in more.items())
    return json_response(f'{{"seq":{seq},"events":{dumped(events)}{members}}}')
