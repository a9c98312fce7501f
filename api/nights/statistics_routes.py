"""The routes of the statistics and of the rounds behind their numbers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from apiflask import APIBlueprint
from flask import Response, jsonify

from api.context import context
from api.nights.night_routes import round_json
from api.nights.statistics_schemas import ChoicesOut, RoundsIn, RoundsOut, StatisticsIn, StatisticsOut
from companion.nights.statistics import LoggedRound, PlayerStatistics
from companion.store.export_tables import rounds_csv

__all__ = ["blueprint"]

_PAGE: Final = 50
"""Rounds in one answer."""

blueprint = APIBlueprint("statistics", __name__, tag="Nights")


@blueprint.get("/api/stats")
@blueprint.input(StatisticsIn, location="query")
@blueprint.output(StatisticsOut)
def statistics(query_data: StatisticsIn) -> Response:
    """Return statistics by player, yaku, pair and month. Ratings are Glicko-2 with a night as the rating period."""
    result = context().store.nights.statistics(query_data.wanted())
    return jsonify({**asdict(result), "players": [_player(each) for each in result.players]})


@blueprint.get("/api/stats/choices")
@blueprint.output(ChoicesOut)
def choices() -> Response:
    """Return the games, rules and players of all rounds."""
    found = context().store.nights.choices()
    return jsonify(
        games=found.games,
        rules=[{"game": game, "name": name} for game, name in found.rules],
        players=[{"id": player, "name": name} for player, name in found.players],
    )


@blueprint.get("/api/rounds")
@blueprint.input(RoundsIn, location="query")
@blueprint.output(RoundsOut)
def rounds(query_data: RoundsIn) -> Response:
    """List finished rounds, the most recent first. The conditions from `player` on describe one player of the round."""
    page = context().store.nights.rounds(query_data.wanted(), limit=_PAGE, skip=int(query_data.skip))
    return jsonify(total=page.total, rounds=[_round(each) for each in page.rounds])


@blueprint.get("/api/rounds.csv")
@blueprint.input(RoundsIn, location="query")
@blueprint.output({}, description="A header and one line per player and round", content_type="text/csv")
def rounds_as_csv(query_data: RoundsIn) -> Response:
    """Export finished rounds as CSV, with the conditions of `/api/rounds`, the most recent first."""
    page = context().store.nights.rounds(query_data.wanted(), skip=int(query_data.skip))
    headers = {"Content-Disposition": 'attachment; filename="hanafuda-rounds.csv"'}
    return Response(rounds_csv(page.rounds), mimetype="text/csv", headers=headers)


def _player(each: PlayerStatistics) -> dict[str, Any]:
    points, night, table, number = each.best
    rating = each.rating and {"value": each.rating.value, "deviation": each.rating.deviation}
    best = {"points": points, "night": night, "table": table, "round": number}
    return {**asdict(each), "best": best, "rating": rating}


def _round(each: LoggedRound) -> dict[str, Any]:
    return {
        "night": each.night,
        "table": each.table,
        "game": each.game,
        "players": [seat.player for seat in each.result.seats],
        "player_ids": [seat.player_id for seat in each.result.seats],
        **round_json(each.result),
    }
