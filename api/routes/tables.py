"""Live tables: open one, follow it, report events, undo and correct.

These routes check who may report what; `companion.table` validates the events themselves.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from http import HTTPStatus
from itertools import chain
from typing import Annotated, Any, Final

from flask import Response, jsonify, request, url_for
from pydantic import Field, StringConstraints

from api.access.reports import check_reports
from api.access.who import audience_at, who
from api.context import camera_summaries, context
from api.languages import request_language
from api.live.live_tables import TableChange, dumped, undoing
from api.live.streams import RECONNECT, StreamClient
from api.models.base import (
    MAX_SEATS,
    Answer,
    EventOut,
    Expect,
    Key,
    MessageOut,
    Name,
    PlayerName,
    RulesIn,
    RulesNamed,
    Strict,
)
from api.problems import refused
from api.routes.games import requested_rules
from api.routing import MediaType, Routes, attachment
from api.serving.connection import CONNECTION
from companion.hanafuda.rules import resolve
from companion.messages import with_texts
from companion.net.addresses import client_key
from companion.store.events import TableSummary
from companion.table.events import Kind, NewEvent
from companion.table.parsing import read_rules

_JSON_LINES: Final = "application/jsonl"

State = Annotated[
    dict[str, Any],
    Field(description="The complete view of the table: round, night, history, questions, problems."),
]


class NewTableIn(Strict):
    """A table to be opened."""

    game: Annotated[str, Field(max_length=40)]
    players: Annotated[
        list[PlayerName],
        Field(min_length=1, max_length=MAX_SEATS, description="Names in seat order; empty: none."),
    ]
    player_ids: Annotated[
        list[Annotated[str, StringConstraints(max_length=40)] | None],
        Field(
            default_factory=list,
            max_length=MAX_SEATS,
            description="The players' ids; empty: a guest; null: the name is the id.",
        ),
    ]
    name: Name | None = None
    rules: RulesIn | None = None
    deck: Annotated[str, StringConstraints(max_length=80)] | None = None


class TableOut(Answer):
    """A table in the list."""

    id: str
    seq: int
    name: str | None
    game: str
    rules: Annotated[RulesNamed, Field(description="The rules with which it was opened.")]
    deck: str | None
    players: list[str]
    time: Annotated[str, Field(description="When it was opened.")]
    last: Annotated[str, Field(description="Time of its last event.")]
    following: Annotated[int, Field(description="The number of pages that follow it.")]
    camera: Annotated[str, Field(description="The camera's state; `absent` without one.")]


class TablesIn(Strict):
    """How many tables to list."""

    limit: Annotated[int, Field(ge=1, le=1000, strict=False)] = 200


class TablesOut(Answer):
    """The tables, most recently active first."""

    tables: list[TableOut]


class StateOut(Answer):
    """The state of a table after its event `seq`."""

    id: str
    seq: int
    state: State


class NewEventIn(Strict):
    """An event to add."""

    kind: Kind
    data: Annotated[dict[str, Any], Field(default_factory=dict)]


class TableChangeIn(Strict):
    """A request to change a table, such as to undo the last action."""

    expect: Expect = None
    key: Annotated[
        Key | None,
        Field(description="Identifies the request: repeated, it has no second effect and the same response."),
    ] = None


class EventsIn(TableChangeIn):
    """Events in order; either all of them are added or none."""

    events: Annotated[list[NewEventIn], Field(min_length=1, max_length=50)]


class RulesChangeIn(TableChangeIn):
    """Rules for the next rounds of a table."""

    rules: RulesIn


class TableChangeOut(Answer):
    """The new events and the state. For a repeated request, `events` are those of the first one."""

    seq: int
    events: list[EventOut]
    state: State


class MoveOut(Answer):
    """A legal move; `player` and `words` are the data of a `moved` event."""

    player: int
    words: list[str]
    says: MessageOut


class MovesOut(Answer):
    """The legal moves after event `seq`."""

    seq: int
    moves: list[MoveOut]


class AlternativeOut(Answer):
    """A possible correction; `kind` and `data` go into a `corrected` event."""

    says: MessageOut
    p: Annotated[float | None, Field(description="The reporter's probability of this alternative, if known.")]
    kind: Kind | None
    data: dict[str, Any]


class AlternativesOut(Answer):
    """The possible corrections of an event, most likely first."""

    seq: int
    alternatives: list[AlternativeOut]


blueprint = Routes("tables", __name__, tag="Tables")


@blueprint.get("/api/tables")
def tables(query_data: TablesIn) -> TablesOut:
    """List the most recently active tables; the log of evenings (`/api/nights`) has all."""
    log, cameras = context().store, camera_summaries(context())
    deleted = log.nights.deleted()
    return TablesOut(
        tables=[
            _listed(each, cameras) for each in log.tables.list(query_data.limit) if each.id not in deleted
        ]
    )


def _listed(table: TableSummary, cameras: Mapping[str, Any]) -> TableOut:
    opened = table.opened.data
    rules = resolve(opened["rules"], opened["game"])
    return TableOut(
        id=table.id,
        seq=table.seq,
        name=opened.get("name"),
        game=rules.game,
        rules=RulesNamed(name=opened.get("rules_name") or rules.name, hash=rules.hash),
        deck=opened.get("deck"),
        players=list(opened["players"]),
        time=table.opened.time,
        last=table.time,
        following=context().hub.following(table.id),
        camera=cameras[table.id]["state"] if table.id in cameras else "absent",
    )


@blueprint.post("/api/tables", status=HTTPStatus.CREATED, refusals=refused(507))
def open_table(json_data: NewTableIn) -> Annotated[Response, StateOut]:
    """Open a table with a game, its rules, and its players."""
    host = who()
    result = context().tables.open(
        name=json_data.name,
        rules=read_rules({"game": json_data.game, "rules": requested_rules(json_data.rules)}),
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
def table(table_id: str) -> Annotated[Response, StateOut]:
    """Return the state of a table. Cards that the client may not know yet are null."""
    return _state_response(context().tables.now(table_id, audience_at(table_id)))


@blueprint.get("/api/tables/<table_id>/events", refusals={503: "Too many pages are open; see Retry-After"})
def follow(table_id: str) -> Annotated[Response, MediaType("text/event-stream", "Server-sent events")]:
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
        follower = hub.follow(
            table_id, audience, who().id, client, lambda: tables.message(table_id, "resync", audience)
        )
        try:
            first = tables.first_message(table_id, request.headers.get("Last-Event-ID"), audience) + RECONNECT
        except BaseException:
            follower.close()
            raise
    # X-Accel-Buffering: tells a proxy (nginx) to pass on each message immediately.
    headers = {"X-Accel-Buffering": "no"}
    connection = request.environ.get(CONNECTION)  # absent in Flask's test client
    if connection is None:
        return Response(chain([first], follower), mimetype="text/event-stream", headers=headers)
    connection.keep_open(follower)
    return Response(iter([first]), mimetype="text/event-stream", headers=headers)  # without a length


@blueprint.post(
    "/api/tables/<table_id>/events", refusals={409: "Out of step: `seq` is the newest event", **refused(507)}
)
def submit_events(table_id: str, json_data: EventsIn) -> Annotated[Response, TableChangeOut]:
    """Report events at a table. An answer to a question also adds the events of the chosen answer."""
    new = [NewEvent(each.kind, each.data) for each in json_data.events]
    return change_response(context().tables.report(table_id, new, **_arguments(table_id, json_data)))


@blueprint.post(
    "/api/tables/<table_id>/undo",
    refusals={409: "Out of step (`seq` is the newest event), or nothing to undo", **refused(507)},
)
def undo(table_id: str, json_data: TableChangeIn) -> Annotated[Response, TableChangeOut]:
    """Undo the last action. It stays in the log; an `undone` event for the undo itself restores it."""
    return change_response(context().tables.report(table_id, undoing, **_arguments(table_id, json_data)))


@blueprint.post(
    "/api/tables/<table_id>/rules", refusals={409: "Out of step: `seq` is the newest event", **refused(507)}
)
def change_rules(table_id: str, json_data: RulesChangeIn) -> Annotated[Response, TableChangeOut]:
    """Change the rules of a table from its next round on: a `rules_changed` event, which can be undone.

    `GET /api/rules/{name}?against=` with the share code of the rules in force tells beforehand what changes.
    """
    with context().tables.at(table_id) as table:
        game = table.rules.game
    rules = resolve(requested_rules(json_data.rules), game)
    new = [NewEvent("rules_changed", {"rules": rules.to_dict(), "rules_name": rules.name})]
    return change_response(context().tables.report(table_id, new, **_arguments(table_id, json_data)))


@blueprint.get("/api/tables/<table_id>/moves")
def moves(table_id: str) -> MovesOut:
    """List the current legal moves, for entry by hand; empty between rounds."""
    with context().tables.at(table_id, audience_at(table_id)) as table:
        return MovesOut(
            seq=table.seq,
            moves=[
                MoveOut(player=move.player, words=list(move.words()), says=MessageOut.of(text))
                for move, text in table.legal_moves()
            ],
        )


@blueprint.get("/api/tables/<table_id>/events/<int:seq>/alternatives")
def alternatives(table_id: str, seq: int) -> Annotated[Response, AlternativesOut]:
    """List the possible corrections of an event, most likely first."""
    corrections = context().tables.alternatives(table_id, seq, audience_at(table_id))
    return jsonify(seq=seq, alternatives=with_texts(corrections, request_language()))


@blueprint.get("/api/tables/<table_id>/records")
def records(table_id: str) -> Annotated[Response, MediaType(_JSON_LINES, "One round per line")]:
    """Return the rounds as round records in JSON Lines, the format that `companion replay` reads."""
    with context().tables.at(table_id, audience_at(table_id)) as table:
        rounds = [table.record(number) for number in range(1, table.round_number + 1)]
    lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in rounds]
    return attachment("".join(lines), _JSON_LINES, f"hanafuda-{table_id}.jsonl")


def _arguments(table_id: str, sent: EventsIn | TableChangeIn | RulesChangeIn) -> dict[str, Any]:
    """Return the arguments of a change of a table that stand in every request, with its sender and the check of what it may do."""
    client = who()
    return {
        "expect": sent.expect,
        "key": sent.key,
        "actor": client.name,
        "source": client.source,
        "audience": audience_at(table_id, client),
        "check": partial(check_reports, client),
    }


def change_response(result: TableChange) -> Response:
    """Return the response with a table's new events and its state."""
    return json_response(f'{{"seq":{result.seq},"events":{dumped(result.events)},"state":{result.state}}}')


def _state_response(result: TableChange) -> Response:
    return json_response(f'{{"id":{json.dumps(result.table)},"seq":{result.seq},"state":{result.state}}}')


def json_response(document: str) -> Response:
    """Return a response with a JSON document."""
    return Response(document, mimetype="application/json")


def _stream_client() -> StreamClient:
    """Return the client that opens a stream with the current request."""
    address, paired = client_key(request.remote_addr or ""), who().paired
    connection = request.environ.get(CONNECTION)  # absent in Flask's test client
    return (
        StreamClient(address, paired)
        if connection is None
        else StreamClient(address, paired, connection.disconnect)
    )
