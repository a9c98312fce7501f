"""The log of nights: list, show, close, delete and restore them, start a rematch, statistics, and export and import.

Closing, deleting and restoring append events to the night's tables.
"""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import Final, Literal

from flask import Response, url_for

from api.access.who import who
from api.context import context
from api.models.base import MessageOut, RulesNamed
from api.models.people import (
    ChoicesOut,
    EventFileIn,
    LoggedRoundOut,
    MergedOut,
    NightDisputesOut,
    NightGameOut,
    NightOut,
    NightRoundOut,
    NightSeatOut,
    NightsIn,
    NightsOut,
    NightYakuOut,
    PlayerChoiceOut,
    RematchOut,
    RoundsIn,
    RoundsOut,
    RulesChoiceOut,
    StatisticsIn,
    StatisticsOut,
)
from api.problems import refused
from api.routing import Routes
from companion.hanafuda.messages import Message
from companion.people.nights import GameResult, Night, RoundResult, best_hand, turning_point
from companion.store.event_lines import event_lines, merge_lines
from companion.store.export import rounds_csv
from companion.table import NewEvent, Table

_NIGHTS: Final = 20
"""Nights in one answer."""
_ROUNDS: Final = 50
"""Rounds in one answer."""

blueprint = Routes("nights", __name__, tag="Nights")


@blueprint.get("/api/nights")
def nights(query_data: NightsIn) -> NightsOut:
    """List the nights, the most recent first."""
    found = context().store.nights.nights(
        limit=_NIGHTS + 1,
        before=query_data.before,
        player=query_data.player,
        circle=query_data.circle,
        deleted=query_data.deleted == "1",
    )
    page = found[:_NIGHTS]
    return NightsOut(
        nights=[_night(each) for each in page], next=page[-1].ended if len(found) > _NIGHTS else None
    )


@blueprint.get("/api/nights/<night_id>")
def night(night_id: str) -> NightOut:
    """Return a night with the results of all its rounds."""
    return _night(context().store.nights.night(night_id))


@blueprint.post("/api/nights/<night_id>/close", refusals=refused(507))
def close(night_id: str) -> NightOut:
    """Close a night. A later deal at one of its tables opens it again."""
    games = context().store.nights.night(night_id).games
    return _changed(night_id, "closed", (game.table for game in games if game.status == "open"))


@blueprint.post("/api/nights/<night_id>/reopen", refusals=refused(507))
def reopen(night_id: str) -> NightOut:
    """Open a closed night again: its last game goes on."""
    last = context().store.nights.night(night_id).games[-1]
    return _undone(night_id, "closed", [last.table])


@blueprint.post("/api/nights/<night_id>/delete", refusals=refused(507))
def delete(night_id: str) -> NightOut:
    """Delete a night from all lists. Its events stay, so it can be restored."""
    games = context().store.nights.night(night_id).games
    return _changed(night_id, "removed", (game.table for game in games if game.status != "deleted"))


@blueprint.post("/api/nights/<night_id>/restore", refusals=refused(507))
def restore(night_id: str) -> NightOut:
    """Restore a deleted night."""
    games = context().store.nights.night(night_id).games
    return _undone(night_id, "removed", [game.table for game in games if game.status == "deleted"])


@blueprint.post("/api/nights/<night_id>/rematch", status=HTTPStatus.CREATED, refusals=refused(507))
def rematch(night_id: str) -> tuple[RematchOut, dict[str, str]]:
    """Open a table for another game with the players, rules and deck of the night's last game.

    The pages, seats, cameras and readers of the last game's table move to it.
    """
    last, host, tables = context().store.nights.night(night_id).games[-1], who(), context().tables
    with tables.at(last.table) as table:
        rules, names = table.next_rules, table.names
    opened = tables.open(
        name=last.name,
        rules=rules,
        players=names.given,
        player_ids=names.ids,
        deck=last.deck,
        actor=host.name,
        source=host.source,
        night=night_id,
    )
    tables.follow_with(last.table, opened.table)
    context().driver.hand_over(last.table, opened.table)
    return RematchOut(id=opened.table), {"Location": url_for("tables.table", table_id=opened.table)}


@blueprint.get("/api/stats")
def statistics(query_data: StatisticsIn) -> StatisticsOut:
    """Return statistics by player, yaku, pair and month. Ratings are Glicko-2 with a night as the rating period."""
    return StatisticsOut.model_validate(context().store.nights.statistics(query_data.wanted()))


@blueprint.get("/api/stats/choices")
def choices() -> ChoicesOut:
    """Return the games, rules and players of all rounds."""
    found = context().store.nights.choices()
    return ChoicesOut(
        games=list(found.games),
        rules=[RulesChoiceOut(game=game, name=name) for game, name in found.rules],
        players=[PlayerChoiceOut(id=player, name=name) for player, name in found.players],
    )


@blueprint.get("/api/rounds")
def rounds(query_data: RoundsIn) -> RoundsOut:
    """List finished rounds, the most recent first. The conditions from `player` on describe one player of the round."""
    page = context().store.nights.rounds(query_data.wanted(), limit=_ROUNDS, skip=int(query_data.skip))
    return RoundsOut(
        total=page.total,
        rounds=[
            LoggedRoundOut(
                night=each.night,
                table=each.table,
                game=each.game,
                players=[seat.player for seat in each.result.seats],
                player_ids=[seat.player_id for seat in each.result.seats],
                **dict(_round(each.result)),
            )
            for each in page.rounds
        ],
    )


@blueprint.get("/api/rounds.csv")
@blueprint.output({}, description="A header and one line per player and round", content_type="text/csv")
def rounds_as_csv(query_data: RoundsIn) -> Response:
    """Export finished rounds as CSV, with the conditions of `/api/rounds`, the most recent first."""
    page = context().store.nights.rounds(query_data.wanted(), skip=int(query_data.skip))
    headers = {"Content-Disposition": 'attachment; filename="hanafuda-rounds.csv"'}
    return Response(rounds_csv(page.rounds), mimetype="text/csv", headers=headers)


@blueprint.get("/api/nights.jsonl")
@blueprint.output({}, description="A header and one line per event", content_type="application/jsonl")
def export() -> Response:
    """Export the events of all tables and those about people, for another installation; docs/data.md describes the format."""
    headers = {"Content-Disposition": 'attachment; filename="hanafuda-nights.jsonl"'}
    return Response(event_lines(context().store), mimetype="application/jsonl", headers=headers)


@blueprint.post("/api/nights/import", refusals=refused(507))
def merge(files_data: EventFileIn) -> MergedOut:
    """Add the tables and people of an exported file that the log does not have. Tables that differ here are left as they are."""
    return MergedOut.model_validate(merge_lines(context().store, files_data.file.stream))


def _changed(night_id: str, kind: Literal["closed", "removed"], tables: Iterable[str]) -> NightOut:
    """Append an event to tables, and return the night."""
    sender = who()
    for table_id in tables:
        context().tables.report(table_id, [NewEvent(kind, {})], actor=sender.name, source=sender.source)
    return _night(context().store.nights.night(night_id))


def _undone(night_id: str, kind: Literal["closed", "removed"], tables: Iterable[str]) -> NightOut:
    """Undo the events of a kind at tables, and return the night."""
    sender = who()

    def undos(table: Table) -> list[NewEvent]:
        return [
            NewEvent("undone", {"of": event.seq})
            for event in reversed(table.events)
            if event.kind == kind and table.holds(event.seq)
        ]

    for table_id in tables:
        context().tables.report(table_id, undos, actor=sender.name, source=sender.source)
    return _night(context().store.nights.night(night_id))


def _night(night: Night) -> NightOut:
    return NightOut(
        id=night.id,
        name=night.name,
        began=night.began,
        ended=night.ended,
        status=night.status,
        players=list(night.players),
        games=[_game(game) for game in night.games],
        best=best_hand(night),
        turn=turning_point(night),
        disputes=NightDisputesOut(opened=night.disputes_opened, settled=night.disputes_settled),
    )


def _game(game: GameResult) -> NightGameOut:
    return NightGameOut(
        table=game.table,
        name=game.name,
        game=game.game,
        rules=RulesNamed(name=game.rules_name, hash=game.rules_hash),
        deck=game.deck,
        opened=game.opened,
        ended=game.ended,
        status=game.status,
        over=game.over,
        winners=list(game.winners),
        played=game.played,
        of=game.of,
        players=list(game.players),
        player_ids=list(game.player_ids),
        points=list(game.points),
        rounds=[_round(each) for each in game.rounds],
    )


def _round(each: RoundResult) -> NightRoundOut:
    why = Message.from_dict(each.why).with_names([seat.player for seat in each.seats])
    return NightRoundOut(
        round=each.number,
        time=each.time,
        dealer=each.dealer,
        month=each.month,
        how=each.how,
        rules=RulesNamed(name=each.rules_name, hash=each.rules_hash),
        why=MessageOut(**why.to_dict()),
        seats=[
            NightSeatOut(
                seat=seat.seat,
                points=seat.points,
                won=seat.won,
                calls=seat.calls,
                yaku=[NightYakuOut(name=name, points=points) for name, points in seat.yaku],
            )
            for seat in each.seats
        ],
    )
