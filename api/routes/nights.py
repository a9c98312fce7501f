"""The log of nights: list, show, close, delete and restore them, start a rematch, statistics, and export and import.

Closing, deleting and restoring append events to the night's tables.
"""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import Annotated, Any, Final, Literal

from flask import Response, url_for

from api.access.who import who
from api.context import context
from api.models.people import (
    ChoicesOut,
    EventFileIn,
    LoggedRoundOut,
    MergedOut,
    NightOut,
    NightRoundOut,
    NightsIn,
    NightsOut,
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
from companion.people.nights import Night
from companion.people.statistics import Statistics
from companion.store.event_lines import MergeResult, event_lines, merge_lines
from companion.store.export import rounds_csv
from companion.table import NewEvent, Table

_NIGHTS: Final = 20
"""Nights in one answer."""
_ROUNDS: Final = 50
"""Rounds in one answer."""

blueprint = Routes("nights", __name__, tag="Nights")


@blueprint.get("/api/nights")
def nights(query_data: NightsIn) -> Annotated[dict[str, Any], NightsOut]:
    """List the nights, the most recent first."""
    found = context().store.nights.nights(
        limit=_NIGHTS + 1,
        before=query_data.before,
        player=query_data.player,
        circle=query_data.circle,
        deleted=query_data.deleted == "1",
    )
    page = found[:_NIGHTS]
    return {"nights": page, "next": page[-1].ended if len(found) > _NIGHTS else None}


@blueprint.get("/api/nights/<night_id>")
def night(night_id: str) -> Annotated[Night, NightOut]:
    """Return a night with the results of all its rounds."""
    return context().store.nights.night(night_id)


@blueprint.post("/api/nights/<night_id>/close", refusals=refused(507))
def close(night_id: str) -> Annotated[Night, NightOut]:
    """Close a night. A later deal at one of its tables opens it again."""
    games = context().store.nights.night(night_id).games
    return _changed(night_id, "closed", (game.table for game in games if game.status == "open"))


@blueprint.post("/api/nights/<night_id>/reopen", refusals=refused(507))
def reopen(night_id: str) -> Annotated[Night, NightOut]:
    """Open a closed night again: its last game goes on."""
    last = context().store.nights.night(night_id).games[-1]
    return _undone(night_id, "closed", [last.table])


@blueprint.post("/api/nights/<night_id>/delete", refusals=refused(507))
def delete(night_id: str) -> Annotated[Night, NightOut]:
    """Delete a night from all lists. Its events stay, so it can be restored."""
    games = context().store.nights.night(night_id).games
    return _changed(night_id, "removed", (game.table for game in games if game.status != "deleted"))


@blueprint.post("/api/nights/<night_id>/restore", refusals=refused(507))
def restore(night_id: str) -> Annotated[Night, NightOut]:
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
def statistics(query_data: StatisticsIn) -> Annotated[Statistics, StatisticsOut]:
    """Return statistics by player, yaku, pair and month. Ratings are Glicko-2 with a night as the rating period."""
    return context().store.nights.statistics(query_data.wanted())


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
                **dict(NightRoundOut.model_validate(each.result)),
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
def merge(files_data: EventFileIn) -> Annotated[MergeResult, MergedOut]:
    """Add the tables and people of an exported file that the log does not have. Tables that differ here are left as they are."""
    return merge_lines(context().store, files_data.file.stream)


def _changed(night_id: str, kind: Literal["closed", "removed"], tables: Iterable[str]) -> Night:
    """Append an event to tables, and return the night."""
    sender = who()
    for table_id in tables:
        context().tables.report(table_id, [NewEvent(kind, {})], actor=sender.name, source=sender.source)
    return context().store.nights.night(night_id)


def _undone(night_id: str, kind: Literal["closed", "removed"], tables: Iterable[str]) -> Night:
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
    return context().store.nights.night(night_id)
