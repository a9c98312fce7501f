"""The routes of the log of nights. Closing, deleting and restoring append events to the night's tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from http import HTTPStatus
from typing import Any, Final, Literal
from urllib.parse import quote

from apiflask import APIBlueprint, APIFlask
from flask import Response, jsonify, url_for

from api.access.identity import who
from api.context import context
from api.languages import request_language
from api.nights.night_schemas import NightOut, NightsIn, NightsOut, RematchOut, SheetIn
from api.page_shell import phones_address
from api.problems import problem_of
from companion.hanafuda.messages import Message
from companion.nights.night_results import GameResult, Night, RoundResult
from companion.nights.story import best_hand, turning_point
from companion.store import NoSuchNightError
from companion.table import NewEvent, Table

__all__ = ["blueprint", "register", "round_json"]

_PAGE: Final = 20
"""Nights in one answer."""
_CHANGED = {404: "No such evening", 507: "The log could not be written"}

blueprint = APIBlueprint("nights", __name__, tag="Nights")


def register(app: APIFlask) -> None:
    """Register the error handler for unknown nights."""
    app.register_error_handler(NoSuchNightError, _not_found)


@blueprint.get("/api/nights")
@blueprint.input(NightsIn, location="query")
@blueprint.output(NightsOut)
def nights(query_data: NightsIn) -> Response:
    """List the nights, the most recent first."""
    found = context().store.nights.nights(
        limit=_PAGE + 1,
        before=query_data.before,
        player=query_data.player,
        circle=query_data.circle,
        deleted=query_data.deleted == "1",
    )
    page = found[:_PAGE]
    return jsonify(
        nights=[_night(each) for each in page], next=page[-1].ended if len(found) > _PAGE else None
    )


@blueprint.get("/api/nights/<night_id>")
@blueprint.output(NightOut)
@blueprint.doc(responses={404: "No such evening"})
def night(night_id: str) -> Response:
    """Return a night with the results of all its rounds."""
    return jsonify(_night(context().store.nights.night(night_id)))


@blueprint.get("/api/nights/<night_id>/sheet.pdf")
@blueprint.input(SheetIn, location="query")
@blueprint.output({}, description="The score sheet", content_type="application/pdf")
@blueprint.doc(responses={404: "No such evening, or no such game", 422: "No round has ended yet"})
def score_sheet(night_id: str, query_data: SheetIn) -> Response:
    """Return the score sheet of a night, or of one of its games, for printing; in the language of the pages."""
    from companion.score_sheet import game_of, score_sheet_pdf  # noqa: PLC0415  # reportlab takes long to load

    found = context().store.nights.night(night_id)
    if query_data.table is not None:
        found = game_of(found, query_data.table)
    address = f"{phones_address()}/nights/{quote(night_id)}"
    pdf = score_sheet_pdf(found, address, request_language(), query_data.paper)
    headers = {"Content-Disposition": f'attachment; filename="hanafuda-{found.began[:10]}.pdf"'}
    return Response(pdf, mimetype="application/pdf", headers={**headers, "Cache-Control": "no-store"})


@blueprint.post("/api/nights/<night_id>/close")
@blueprint.output(NightOut)
@blueprint.doc(responses=_CHANGED)
def close(night_id: str) -> Response:
    """Close a night. A later deal at one of its tables opens it again."""
    games = context().store.nights.night(night_id).games
    return _changed(night_id, "closed", (game.table for game in games if game.status == "open"))


@blueprint.post("/api/nights/<night_id>/reopen")
@blueprint.output(NightOut)
@blueprint.doc(responses=_CHANGED)
def reopen(night_id: str) -> Response:
    """Open a closed night again: its last game goes on."""
    last = context().store.nights.night(night_id).games[-1]
    return _undone(night_id, "closed", [last.table])


@blueprint.post("/api/nights/<night_id>/delete")
@blueprint.output(NightOut)
@blueprint.doc(responses=_CHANGED)
def delete(night_id: str) -> Response:
    """Delete a night from all lists. Its events stay, so it can be restored."""
    games = context().store.nights.night(night_id).games
    return _changed(night_id, "removed", (game.table for game in games if game.status != "deleted"))


@blueprint.post("/api/nights/<night_id>/restore")
@blueprint.output(NightOut)
@blueprint.doc(responses=_CHANGED)
def restore(night_id: str) -> Response:
    """Restore a deleted night."""
    games = context().store.nights.night(night_id).games
    return _undone(night_id, "removed", [game.table for game in games if game.status == "deleted"])


@blueprint.post("/api/nights/<night_id>/rematch")
@blueprint.output(RematchOut, status_code=201)
@blueprint.doc(responses=_CHANGED)
def rematch(night_id: str) -> Response:
    """Open a table for another game with the players, rules and deck of the night's last game.

    The pages, seats, cameras and readers of the last game's table move to it.
    """
    last = context().store.nights.night(night_id).games[-1]
    host = who()
    with context().tables.at(last.table) as table:
        rules, names = table.next_rules, table.names
    opened = context().tables.open(
        name=last.name,
        rules=rules,
        players=names.given,
        player_ids=names.ids,
        deck=last.deck,
        actor=host.name,
        source=host.source,
        night=night_id,
    )
    context().tables.follow_with(last.table, opened.table)
    context().driver.hand_over(last.table, opened.table)
    response = jsonify(id=opened.table)
    response.status_code = HTTPStatus.CREATED
    response.headers["Location"] = url_for("tables.table", table_id=opened.table)
    return response


def _changed(night_id: str, kind: Literal["closed", "removed"], tables: Iterable[str]) -> Response:
    """Append an event to tables, and return the night."""
    sender = who()
    for table_id in tables:
        context().tables.report(table_id, [NewEvent(kind, {})], actor=sender.name, source=sender.source)
    return night(night_id)


def _undone(night_id: str, kind: Literal["closed", "removed"], tables: Iterable[str]) -> Response:
    """Undo the events of a kind at tables, and return the night."""
    sender = who()

    def undos(table: Table) -> list[NewEvent]:
        return [
            NewEvent("undone", {"of": event.seq})
            for event in reversed(table.events)
            if event.kind == kind and table.holds(event.seq)
        ]

    for table_id in tables:
        context().tables.react(table_id, undos, actor=sender.name, source=sender.source, key=None)
    return night(night_id)


def _night(night: Night) -> dict[str, Any]:
    best, turn = best_hand(night), turning_point(night)
    return {
        "id": night.id,
        "name": night.name,
        "began": night.began,
        "ended": night.ended,
        "status": night.status,
        "players": list(night.players),
        "games": [_game(game) for game in night.games],
        "best": best and asdict(best),
        "turn": turn and asdict(turn),
        "disputes": {"opened": night.disputes_opened, "settled": night.disputes_settled},
    }


def _game(game: GameResult) -> dict[str, Any]:
    return {
        "table": game.table,
        "name": game.name,
        "game": game.game,
        "rules": {"name": game.rules_name, "hash": game.rules_hash},
        "deck": game.deck,
        "opened": game.opened,
        "ended": game.ended,
        "status": game.status,
        "over": game.over,
        "winners": list(game.winners),
        "played": game.played,
        "of": game.of,
        "players": list(game.players),
        "player_ids": list(game.player_ids),
        "points": list(game.points),
        "rounds": [round_json(each) for each in game.rounds],
    }


def round_json(each: RoundResult) -> dict[str, Any]:
    """Return a round as JSON, its players by seat."""
    return {
        "round": each.number,
        "time": each.time,
        "dealer": each.dealer,
        "month": each.month,
        "how": each.how,
        "rules": {"name": each.rules_name, "hash": each.rules_hash},
        "why": Message.from_dict(each.why).with_names([seat.player for seat in each.seats]).to_dict(),
        "seats": [
            {
                "seat": seat.seat,
                "points": seat.points,
                "won": seat.won,
                "calls": seat.calls,
                "yaku": [{"name": name, "points": points} for name, points in seat.yaku],
            }
            for seat in each.seats
        ],
    }


def _not_found(error: NoSuchNightError) -> Response:
    return problem_of(HTTPStatus.NOT_FOUND, error)
