"""Live tables: open one, follow it, report events, undo, and correct.

These routes check who may report what; `companion.table` validates the events themselves.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from apiflask import APIBlueprint, APIFlask
from flask import Response, jsonify, request, url_for

from api.access.audience import audience_at
from api.access.identity import who
from api.access.reports import check_reports
from api.context import camera_summaries, context
from api.games.rules_routes import meant
from api.languages import message_json, request_language
from api.live.streams import RECONNECT, Stream, StreamClient, TooManyStreamsError
from api.problems import JSON_REFUSED, problem_of, refused, register_problems
from api.services.live_tables import NoSuchEventError, NothingToUndoError, TableChange, dumped
from api.serving.channel import CONNECTION
from api.serving.limits import client_key
from api.tables.table_schemas import (
    AlternativesOut,
    EventsIn,
    MovesOut,
    NewTableIn,
    RulesChangeIn,
    StateOut,
    TableChangeOut,
    TablesIn,
    TablesOut,
    UndoIn,
)
from companion.hanafuda.round import IllegalMoveError
from companion.hanafuda.rules import resolve
from companion.messages import with_texts
from companion.store import NoSuchTableError, OutOfStepError
from companion.table.event_parsing import read_rules
from companion.table.events import Event, NewEvent

__all__ = ["blueprint", "change_response", "referee_events_response", "register"]

_JSON_LINES: Final = "application/jsonl"

blueprint = APIBlueprint("tables", __name__, tag="Tables")


def register(app: APIFlask) -> None:
    """Register the error handlers for table errors, for all blueprints of ``app``."""
    register_problems(app, HTTPStatus.NOT_FOUND, NoSuchTableError, NoSuchEventError)
    register_problems(app, HTTPStatus.CONFLICT, OutOfStepError, members=["seq"])
    register_problems(app, HTTPStatus.CONFLICT, NothingToUndoError)
    register_problems(app, HTTPStatus.SERVICE_UNAVAILABLE, TooManyStreamsError)
    app.register_error_handler(IllegalMoveError, _illegal_move)


@blueprint.get("/api/tables")
@blueprint.input(TablesIn, location="query")
@blueprint.output(TablesOut)
def tables(query_data: TablesIn) -> Response:
    """List the most recently active tables; the log of evenings (`/api/nights`) has all."""
    cameras, hub = camera_summaries(context()), context().hub
    return jsonify(
        tables=[
            {
                **each,
                "following": hub.following(each["id"]),
                "camera": cameras[each["id"]]["state"] if each["id"] in cameras else "absent",
            }
            for each in context().tables.summaries(query_data.limit)
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
    """Open a table with a game, its rules, and its players."""
    host = who()
    result = context().tables.open(
        name=json_data.name,
        rules=read_rules({"game": json_data.game, "rules": meant(json_data.rules)}),
        players=json_data.players,
        player_ids=json_data.player_ids,
        deck=json_data.deck,
        actor=host.name,
        source=host.source,
    )
    response = _state_response(result)
    response.status_code = HTTPStatus.CREATED
    response.headers["Location"] = url_for("tables.table", table_id=result.table)
    return response


@blueprint.get("/api/tables/<table_id>")
@blueprint.output(StateOut)
@blueprint.doc(responses={404: "No such table"})
def table(table_id: str) -> Response:
    """Return the state of a table. Cards that the client may not know yet are null."""
    return _state_response(context().tables.now(table_id, audience_at(table_id)))


@blueprint.get("/api/tables/<table_id>/events")
@blueprint.output({}, description="Server-sent events", content_type="text/event-stream")
@blueprint.doc(responses={404: "No such table", 503: "Too many pages are open; see Retry-After"})
def follow(table_id: str) -> Response:
    """Follow a table with server-sent events.

    - `snapshot`, the first message: `seq` and `state`.
    - `change`: `seq`, `events` and `state`, and usually `after` and `from`. Then the lists `history`, `trail` and
      `night.rounds` of the state contain only the items from the index in `from` on (`history`, `trail`, `rounds`; counted
      from 0); the items before it are those of the state after event `after`. A client with any other state fetches the table.
    - `camera`: the camera's state has changed.
    - `next`: the evening continues at the table with the id in `table`.
    - `resync`: a new snapshot, sent because the client fell too far behind.

    Changes and snapshots have `seq` as their `id`. A client that reconnects with `Last-Event-ID` gets one `change` with all
    missed events and the complete state. A comment is sent after 12 s without a message. Cards that the client may not know
    yet are null.
    """
    tables, hub = context().tables, context().hub
    audience = audience_at(table_id)
    if request.method == "HEAD":
        tables.now(table_id)
        return Response(mimetype="text/event-stream")
    client = _stream_client()
    hub.check_room(client)
    with tables.at(table_id):  # no change may be lost between the first message and the next
        follower = hub.follow(table_id, audience, who().id, client)
        try:
            first = tables.first_message(table_id, request.headers.get("Last-Event-ID"), audience)
        except BaseException:
            hub.leave(table_id, follower)
            raise
    stream = Stream(
        follower,
        first + RECONNECT,
        resync=lambda: tables.message(table_id, "resync", audience),
        leave=lambda: hub.leave(table_id, follower),
    )
    # X-Accel-Buffering: tells a proxy (nginx) to pass on each message immediately.
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    body: Iterable[bytes] = stream
    if (connection := request.environ.get(CONNECTION)) is not None:
        connection.keep_open(stream)
        body = iter((stream.first,))
    return Response(body, mimetype="text/event-stream", headers=headers)


@blueprint.post("/api/tables/<table_id>/events")
@blueprint.input(EventsIn)
@blueprint.output(TableChangeOut)
@blueprint.doc(
    responses={
        **JSON_REFUSED,
        **refused(403, 507),
        404: "No such table",
        409: "Out of step: `seq` is the newest event",
    }
)
def submit_events(table_id: str, json_data: EventsIn) -> Response:
    """Report events at a table. An answer to a question also adds the events of the chosen answer."""
    client = who()
    new = [NewEvent(each.kind, each.data) for each in json_data.events]
    result = context().tables.report(
        table_id,
        new,
        expect=json_data.expect,
        key=json_data.key,
        actor=client.name,
        source=client.source,
        audience=audience_at(table_id, client),
        check=partial(check_reports, client),
    )
    return change_response(result)


@blueprint.post("/api/tables/<table_id>/undo")
@blueprint.input(UndoIn)
@blueprint.output(TableChangeOut)
@blueprint.doc(
    responses={
        **JSON_REFUSED,
        **refused(403, 507),
        404: "No such table",
        409: "Out of step (`seq` is the newest event), or nothing to undo",
    }
)
def undo(table_id: str, json_data: UndoIn) -> Response:
    """Undo the last action. It stays in the log; an `undone` event for the undo itself restores it."""
    client = who()
    result = context().tables.undo(
        table_id,
        expect=json_data.expect,
        key=json_data.key,
        actor=client.name,
        source=client.source,
        audience=audience_at(table_id, client),
        check=partial(check_reports, client),
    )
    return change_response(result)


@blueprint.post("/api/tables/<table_id>/rules")
@blueprint.input(RulesChangeIn)
@blueprint.output(TableChangeOut)
@blueprint.doc(
    responses={
        **JSON_REFUSED,
        **refused(403, 507),
        404: "No such table",
        409: "Out of step: `seq` is the newest event",
    }
)
def change_rules(table_id: str, json_data: RulesChangeIn) -> Response:
    """Change the rules of a table from its next round on: a `rules_changed` event, which can be undone.

    `GET /api/rules/{name}?against=` with the share code of the rules in force tells beforehand what changes.
    """
    client = who()
    with context().tables.at(table_id) as table:
        game = table.rules.game
    rules = resolve(meant(json_data.rules), game)
    result = context().tables.report(
        table_id,
        [NewEvent("rules_changed", {"rules": rules.to_dict(), "rules_name": rules.name})],
        expect=json_data.expect,
        key=json_data.key,
        actor=client.name,
        source=client.source,
        audience=audience_at(table_id, client),
        check=partial(check_reports, client),
    )
    return change_response(result)


@blueprint.get("/api/tables/<table_id>/moves")
@blueprint.output(MovesOut)
@blueprint.doc(responses={404: "No such table"})
def moves(table_id: str) -> Response:
    """List the current legal moves, for entry by hand; empty between rounds."""
    seq, legal_moves = context().tables.moves(table_id, audience_at(table_id))
    return jsonify(
        seq=seq,
        moves=[
            {"player": move.player, "words": list(move.words()), "says": message_json(text)}
            for move, text in legal_moves
        ],
    )


@blueprint.get("/api/tables/<table_id>/events/<int:seq>/alternatives")
@blueprint.output(AlternativesOut)
@blueprint.doc(responses={404: "No such table or event"})
def alternatives(table_id: str, seq: int) -> Response:
    """List the possible corrections of an event, most likely first."""
    corrections = context().tables.alternatives(table_id, seq, audience_at(table_id))
    return jsonify(seq=seq, alternatives=with_texts(corrections, request_language()))


@blueprint.get("/api/tables/<table_id>/records")
@blueprint.output({}, description="One round per line", content_type=_JSON_LINES)
@blueprint.doc(responses={404: "No such table"})
def records(table_id: str) -> Response:
    """Return the rounds as round records in JSON Lines, the format that `companion replay` reads."""
    rounds = context().tables.records(table_id, audience_at(table_id))
    lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in rounds]
    headers = {"Content-Disposition": f'attachment; filename="hanafuda-{table_id}.jsonl"'}
    return Response("".join(lines), mimetype=_JSON_LINES, headers=headers)


def _state_response(result: TableChange) -> Response:
    return _json_response(f'{{"id":{json.dumps(result.table)},"seq":{result.seq},"state":{result.state}}}')


def change_response(result: TableChange) -> Response:
    """Return the response with a table's new events and its state."""
    return _json_response(f'{{"seq":{result.seq},"events":{dumped(result.events)},"state":{result.state}}}')


def referee_events_response(
    seq: int, events: Sequence[Event], view: Mapping[str, Any] | None = None
) -> Response:
    """Return the response with the events that an observation caused, without the table's state, which cameras don't need.

    ``view``: the zones and cards of a photograph.
    """
    more = "" if view is None else f',"view":{json.dumps(view)}'
    return _json_response(f'{{"seq":{seq},"events":{dumped(events)}{more}}}')


def _json_response(document: str) -> Response:
    response = Response(document, mimetype="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response


def _illegal_move(error: IllegalMoveError) -> Response:
    problems = [{"code": each.code, "message": message_json(each.text)} for each in error.problems]
    return problem_of(
        HTTPStatus.UNPROCESSABLE_ENTITY, error, problems=problems, move=list(error.move.words())
    )


def _stream_client() -> StreamClient:
    """Return the client that opens a stream with the current request."""
    address = request.remote_addr or ""
    connection = request.environ.get(CONNECTION)  # absent in Flask's test client
    paired = who().paired
    return (
        StreamClient(client_key(address), paired, connection.disconnect)
        if connection is not None
        else StreamClient(client_key(address), paired)
    )
