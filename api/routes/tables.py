"""Live tables: open one, follow it, report events, undo and correct; results, replays, disputes, and the cards of its game.

These routes check who may report what; `companion.table` validates the events themselves.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any, Final

from flask import Response, jsonify, request, url_for

from api.access.reports import check_reports
from api.access.who import audience_at, who
from api.context import camera_summaries, context
from api.languages import request_language
from api.live.live_tables import TableChange, dumped, undoing
from api.live.streams import RECONNECT, Stream, StreamClient
from api.models.base import MessageOut, PhotographIn, RulesNamed
from api.models.tables import (
    AlternativesOut,
    DisputeOut,
    DisputesIn,
    DisputesOut,
    EventsIn,
    GameCardsOut,
    LiveOddsOut,
    MoveOut,
    MovesOut,
    NewTableIn,
    OddsOut,
    PileCardOut,
    PilesOut,
    ReplayOut,
    ResultFormIn,
    ResultFormOut,
    ResultIn,
    ResultOut,
    RulesChangeIn,
    StateOut,
    TableChangeIn,
    TableChangeOut,
    TableOut,
    TablesIn,
    TablesOut,
    YakuCardsOut,
)
from api.problems import refused
from api.routes.games import requested_rules
from api.routing import Routes
from api.serving.connection import CONNECTION
from companion.hanafuda.cards import BACK
from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import resolve
from companion.messages import with_texts
from companion.net.addresses import client_key
from companion.store import TableSummary
from companion.table.disputes import dispute_at
from companion.table.events import NewEvent
from companion.table.grounds import grounds_of
from companion.table.parsing import read_rules
from companion.table.replay import replay_of, step_of
from companion.table.results import form_of, preview
from companion.table.view import odds_agreement
from vision.photograph.captured_piles import split_piles

_JSON_LINES: Final = "application/jsonl"
_DISPUTES: Final = 50
"""Disputes in one answer."""

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
@blueprint.output({}, description="Server-sent events", content_type="text/event-stream")
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
    headers = {"X-Accel-Buffering": "no"}
    body: Iterable[bytes] = stream
    if (connection := request.environ.get(CONNECTION)) is not None:
        connection.keep_open(stream)
        body = iter((stream.first,))
    return Response(body, mimetype="text/event-stream", headers=headers)


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
@blueprint.output({}, description="One round per line", content_type=_JSON_LINES)
def records(table_id: str) -> Response:
    """Return the rounds as round records in JSON Lines, the format that `companion replay` reads."""
    with context().tables.at(table_id, audience_at(table_id)) as table:
        rounds = [table.record(number) for number in range(1, table.round_number + 1)]
    lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in rounds]
    headers = {"Content-Disposition": f'attachment; filename="hanafuda-{table_id}.jsonl"'}
    return Response("".join(lines), mimetype=_JSON_LINES, headers=headers)


@blueprint.get("/api/tables/<table_id>/result")
def result_form(table_id: str, query_data: ResultFormIn) -> Annotated[Response, ResultFormOut]:
    """Return what can be entered as the result of the current or next round, or of the round of event `of`."""
    with context().tables.at(table_id, audience_at(table_id)) as table:
        return jsonify(form_of(table, query_data.of))


@blueprint.post("/api/tables/<table_id>/result")
def score_result(table_id: str, json_data: ResultIn) -> ResultOut:
    """Return what the data of a `scored` event would score; nothing is stored."""
    with context().tables.at(table_id, audience_at(table_id)) as table:
        scored, names = preview(table, json_data.data, json_data.of), table.names
    outcome = scored.outcome
    return ResultOut(
        how=outcome.how,
        winners=list(outcome.winners),
        points=list(outcome.points),
        why=MessageOut.of(names.within(outcome.why)),
        seats=[
            {"total": seat.total, "yaku": [{"name": slug, "points": points} for slug, points in seat.yaku]}
            for seat in scored.seats
        ],
    )


@blueprint.post("/api/tables/<table_id>/piles", refusals=refused(500, 503))
def piles(table_id: str, files_data: PhotographIn) -> PilesOut:
    """Read the captured piles in a photograph. `group` is 0 for the upper or left pile, 1 for the other, null between them."""
    with context().tables.at(table_id) as table:
        deck = table.opened.get("deck")
    result, _ = context().pictures.scan(files_data.image, deck)
    cards = [card for card in result.cards if card.card != BACK]
    return PilesOut(
        cards=[
            PileCardOut(
                card=card.card,
                confidence=card.confidence,
                quad=[(x / result.width, y / result.height) for x, y in card.quad],
                group=group,
            )
            for card, group in zip(cards, split_piles([card.quad for card in cards]), strict=True)
        ],
        width=result.width,
        height=result.height,
    )


@blueprint.get("/api/tables/<table_id>/rounds/<int:number>", refusals={422: "No such round"})
def replay(table_id: str, number: int) -> Annotated[Response, ReplayOut]:
    """Return a round step by step. Cards that the client may not know yet are null."""
    with context().tables.at(table_id, audience_at(table_id)) as table:
        steps = replay_of(table, number)
        return jsonify(table=table_id, night=table.opened.get("night") or table_id, **steps)


@blueprint.get("/api/tables/<table_id>/rounds/<int:number>/odds", refusals={422: "No such round"})
def odds(table_id: str, number: int) -> Annotated[Response, OddsOut]:
    """Return how likely each player was to win after each move. Ask again while `state` is `computing`.

    The players are simulated: hidden cards are dealt at random, the stock is shuffled, and everybody follows a simple policy.
    A round that still goes on has no probabilities, so that nobody gets help from them.
    """
    with context().tables.at(table_id, audience_at(table_id)) as table:
        live = table.round_at(number)
        if live.outcome is None or live.items[0].kind == "scored":
            return jsonify(state="none", policy=None, positions=0, after=[])
        policy = GAMES[live.round.rules.game].policy_text.to_dict()
        return jsonify(policy=policy, **context().odds.of(table_id, live).to_dict())


@blueprint.get("/api/tables/<table_id>/odds")
def live_odds(table_id: str) -> Annotated[Response, LiveOddsOut]:
    """Return how likely each player is to win the current round, if all players agreed to it (`odds` of the table's view).

    They are computed from what everybody at the table can see: no hand is known. Ask again while `state` is `computing`.
    """
    with context().tables.at(table_id) as table:
        if not odds_agreement(table.events, table.game.players)["shown"]:
            return jsonify(state="off", seq=table.seq, odds=None)
        live = table.live
        if live is None or table.round is None or live.outcome is not None:
            return jsonify(state="none", seq=table.seq, odds=None)
        found = context().live_odds.now(table_id, live)
        return jsonify(
            state=found.state, seq=table.seq, odds=found.after[0].to_dict() if found.after else None
        )


@blueprint.get("/api/disputes")
def disputes(query_data: DisputesIn) -> DisputesOut:
    """List the disputes of all evenings, the open ones first."""
    found = context().store.nights.disputes(night=query_data.night)
    skip = int(query_data.skip)
    return DisputesOut.model_validate({"total": len(found), "disputes": found[skip : skip + _DISPUTES]})


@blueprint.get("/api/tables/<table_id>/disputes/<int:seq>", refusals={422: "No such dispute"})
def dispute(table_id: str, seq: int) -> Annotated[Response, DisputeOut]:
    """Return the dispute that event `seq` opened: pictures, detection, rules, other readings and other house rules."""
    with context().tables.at(table_id, audience_at(table_id)) as table:
        found = dispute_at(table, seq)
        return jsonify(
            table=table_id,
            night=table.opened.get("night") or table_id,
            game=table.rules.game,
            players=list(table.names.given),
            dispute=found.view(table),
            step=step_of(table, found.round, found.of.seq),
            **grounds_of(table, found),
        )


@blueprint.get("/api/tables/<table_id>/yaku")
def yaku(table_id: str) -> GameCardsOut:
    """Return the cards of a table's game, and the yaku that its rules play in the current round, or else in the next one."""
    with context().tables.at(table_id, audience_at(table_id)) as table:
        played = table.next_round({}) if table.live is None else table.live.round
        rules = played.rules
    game = GAMES[rules.game]
    names = {} if game.scorer is None else game.scorer.yaku
    return GameCardsOut(
        cards=sorted(game.cards(rules)),
        yaku=[
            YakuCardsOut(
                name=each.slug,
                **{key: names[each.slug][key] for key in ("en", "ja", "romaji")},
                points=each.points,
                count=each.count,
                cards=sorted(each.cards),
            )
            for each in game.yaku_cards(played)
        ],
    )


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
