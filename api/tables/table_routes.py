"""Live tables: opening one, following it, telling what happened there, taking it back, putting it right.

Who may tell what is decided here; what it comes to is the table's (`companion.table`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from http import HTTPStatus
from typing import Final

from apiflask import APIBlueprint, APIFlask
from flask import Response, jsonify, request, url_for

from api.access.audience import audience_at
from api.access.identity import who
from api.access.reports import check_reports
from api.context import context
from api.games.rules_routes import meant
from api.live.streams import Stream, StreamClient, TooManyStreamsError, message
from api.problems import JSON_REFUSED, problem, sentence
from api.serving.channel import CONNECTION
from api.serving.limits import client_key
from api.tables.live_tables import NoSuchEventError, NothingToUndoError, Told, dumped
from api.tables.table_schemas import (
    AlternativesOut,
    EventsIn,
    MovesOut,
    NewTableIn,
    StateOut,
    TablesOut,
    ToldOut,
    UndoIn,
)
from companion.hanafuda.round import IllegalMoveError
from companion.store import NoSuchTableError, OutOfStepError
from companion.table.event_messages import message_view
from companion.table.event_parsing import read_rules
from companion.table.events import Event, NewEvent

__all__ = ["blueprint", "register", "said_answer", "told_answer"]

_JSON_LINES: Final = "application/jsonl"

blueprint = APIBlueprint("tables", __name__, tag="Tables")


def register(app: APIFlask) -> None:
    """Make what can go wrong at a table end as a problem, in whichever blueprint."""
    app.register_error_handler(NoSuchTableError, _not_here)
    app.register_error_handler(NoSuchEventError, _not_here)
    app.register_error_handler(OutOfStepError, _out_of_step)
    app.register_error_handler(IllegalMoveError, _illegal_move)
    app.register_error_handler(NothingToUndoError, _nothing_to_undo)
    app.register_error_handler(TooManyStreamsError, _too_many_streams)


@blueprint.get("/api/tables")
@blueprint.output(TablesOut)
def tables() -> Response:
    """List the tables, the one where something happened last first."""
    cameras, hub = context().cameras, context().hub
    return jsonify(
        tables=[
            {
                **each,
                "following": hub.following(each["id"]),
                "camera": cameras.told(each["id"])["state"],
            }
            for each in context().tables.summaries()
        ]
    )


@blueprint.post("/api/tables")
@blueprint.input(NewTableIn)
@blueprint.output(StateOut, status_code=201)
@blueprint.doc(
    responses={
        **JSON_REFUSED,
        403: "Not the host",
        507: "The log could not be written",
    }
)
def open_table(json_data: NewTableIn) -> Response:
    """Open a table: a game, its rules, who plays."""
    host = who()
    told = context().tables.open(
        name=json_data.name,
        rules=read_rules({"game": json_data.game, "rules": meant(json_data.rules)}),
        players=json_data.players,
        deck=json_data.deck,
        actor=host.name,
        source=host.source,
    )
    response = _state(told)
    response.status_code = HTTPStatus.CREATED
    response.headers["Location"] = url_for("tables.table", table_id=told.table)
    return response


@blueprint.get("/api/tables/<table_id>")
@blueprint.output(StateOut)
@blueprint.doc(responses={404: "No such table"})
def table(table_id: str) -> Response:
    """Return how a table stands. Cards that the asker may not know yet are null."""
    return _state(context().tables.now(table_id, audience_at(table_id)))


@blueprint.get("/api/tables/<table_id>/events")
@blueprint.output({}, description="Server-sent events", content_type="text/event-stream")
@blueprint.doc(responses={404: "No such table", 503: "Too many pages are open; see Retry-After"})
def follow(table_id: str) -> Response:
    """Follow a table: `snapshot` first, then `change`s with their number as `id`, as server-sent events.

    `snapshot`: `seq`, `state`. `change`: `seq`, `events`, `state`, and as a rule `after` and `from`: of the state's `history`,
    `trail` and `night.rounds` only the lines are told from the number `from` says on (`history`, `trail`, `rounds`, from 0);
    those before are as in the state after event `after`. Who has another state fetches the table.
    With `Last-Event-ID` it goes on where it broke off, by one `change` for all that was missed, its state whole. `camera`:
    the camera's state has changed. `next`: `table` is where the evening goes on. `resync`: so much was missed that here is
    a snapshot again. Silence is broken by a comment every 12 s. Cards that the asker may not know yet are null.
    """
    tables, hub, cameras = context().tables, context().hub, context().cameras
    audience = audience_at(table_id)
    if request.method == "HEAD":
        tables.now(table_id)
        return Response(mimetype="text/event-stream")

    def idle() -> None:
        if cameras.fell_silent(table_id):
            hub.publish(table_id, message("camera", json.dumps(cameras.told(table_id))))

    client = _stream_client()
    hub.check_room(client)
    with tables.at(table_id):  # so that nothing happens between the first message and the next
        follower = hub.follow(table_id, audience, who().id, client)
        try:
            first = tables.first_message(table_id, request.headers.get("Last-Event-ID"), audience)
        except BaseException:
            hub.leave(table_id, follower)
            raise
    stream = Stream(
        follower,
        first,
        resync=lambda: tables.message(table_id, "resync", audience),
        idle=idle,
        gone=request.environ.get("waitress.client_disconnected", lambda: False),
        leave=lambda: hub.leave(table_id, follower),
    )
    # X-Accel-Buffering: a proxy in between (nginx) is to pass each message on at once.
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return Response(stream, mimetype="text/event-stream", headers=headers)


@blueprint.post("/api/tables/<table_id>/events")
@blueprint.input(EventsIn)
@blueprint.output(ToldOut)
@blueprint.doc(
    responses={
        **JSON_REFUSED,
        403: "Not for this role",
        404: "No such table",
        409: "Out of step: `seq` is the newest event now",
        507: "The log could not be written",
    }
)
def tell(table_id: str, json_data: EventsIn) -> Response:
    """Tell what happened at a table. An answered question brings the events of its choice along."""
    asker = who()
    new = [NewEvent(each.kind, each.data) for each in json_data.events]
    told = context().tables.tell(
        table_id,
        new,
        expect=json_data.expect,
        key=json_data.key,
        actor=asker.name,
        source=asker.source,
        audience=audience_at(table_id, asker),
        check=partial(check_reports, asker),
    )
    return told_answer(told)


@blueprint.post("/api/tables/<table_id>/undo")
@blueprint.input(UndoIn)
@blueprint.output(ToldOut)
@blueprint.doc(
    responses={
        **JSON_REFUSED,
        403: "Not for this role",
        404: "No such table",
        409: "Out of step (`seq` is the newest event now), or nothing to undo",
        507: "The log could not be written",
    }
)
def undo(table_id: str, json_data: UndoIn) -> Response:
    """Take the last thing back; it stays in the log, and can be brought back in the same way."""
    asker = who()
    told = context().tables.undo(
        table_id,
        expect=json_data.expect,
        key=json_data.key,
        actor=asker.name,
        source=asker.source,
        audience=audience_at(table_id, asker),
        check=partial(check_reports, asker),
    )
    return told_answer(told)


@blueprint.get("/api/tables/<table_id>/moves")
@blueprint.output(MovesOut)
@blueprint.doc(responses={404: "No such table"})
def moves(table_id: str) -> Response:
    """List the legal moves now, for entry by hand; none between rounds."""
    seq, found = context().tables.moves(table_id, audience_at(table_id))
    return jsonify(
        seq=seq,
        moves=[
            {"player": move.player, "words": list(move.words()), "says": message_view(says)}
            for move, says in found
        ],
    )


@blueprint.get("/api/tables/<table_id>/events/<int:seq>/alternatives")
@blueprint.output(AlternativesOut)
@blueprint.doc(responses={404: "No such table or event"})
def alternatives(table_id: str, seq: int) -> Response:
    """List what may have happened instead of an event, the likeliest first, to correct it with."""
    found = context().tables.alternatives(table_id, seq, audience_at(table_id))
    return jsonify(seq=seq, alternatives=found)


@blueprint.get("/api/tables/<table_id>/records")
@blueprint.output({}, description="A round a line", content_type=_JSON_LINES)
@blueprint.doc(responses={404: "No such table"})
def records(table_id: str) -> Response:
    """Return the finished rounds as round records, a line each, as `companion replay` reads them."""
    found = context().tables.records(table_id, audience_at(table_id))
    lines = [json.dumps(each, ensure_ascii=False) + "\n" for each in found]
    headers = {"Content-Disposition": f'attachment; filename="hanafuda-{table_id}.jsonl"'}
    return Response("".join(lines), mimetype=_JSON_LINES, headers=headers)


def _state(told: Told) -> Response:
    return _json(f'{{"id":{json.dumps(told.table)},"seq":{told.seq},"state":{told.state}}}')


def told_answer(told: Told) -> Response:
    """Return what came to a table, and how it stands."""
    return _json(f'{{"seq":{told.seq},"events":{dumped(told.events)},"state":{told.state}}}')


def said_answer(seq: int, events: Sequence[Event]) -> Response:
    """Return the events of an observation, without the state of the table, which a camera does not need."""
    return _json(f'{{"seq":{seq},"said":{dumped(events)}}}')


def _json(document: str) -> Response:
    response = Response(document, mimetype="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response


def _not_here(error: NoSuchTableError | NoSuchEventError) -> Response:
    return problem(HTTPStatus.NOT_FOUND, error.code, sentence(error))


def _out_of_step(error: OutOfStepError) -> Response:
    return problem(HTTPStatus.CONFLICT, "out-of-step", sentence(error), seq=error.seq)


def _illegal_move(error: IllegalMoveError) -> Response:
    problems = [{"code": each.code, "message": message_view(each.text)} for each in error.problems]
    return problem(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "illegal-move",
        sentence(error),
        problems=problems,
        move=list(error.move.words()),
    )


def _nothing_to_undo(error: NothingToUndoError) -> Response:
    return problem(HTTPStatus.CONFLICT, "nothing-to-undo", sentence(error))


def _stream_client() -> StreamClient:
    """Return whose stream the request at hand opens."""
    address = request.remote_addr or ""
    connection = request.environ.get(CONNECTION)  # absent in Flask's test client
    paired = who().paired
    return (
        StreamClient(client_key(address), paired, connection.disconnect)
        if connection is not None
        else StreamClient(client_key(address), paired)
    )


def _too_many_streams(error: TooManyStreamsError) -> Response:
    headers = {"Retry-After": str(error.retry_after_s)}
    return problem(HTTPStatus.SERVICE_UNAVAILABLE, "too-many-pages", str(error), headers)
