"""The log of nights: list, show, close, delete and restore them, start a rematch, statistics, and export and import.

Closing, deleting and restoring append events to the night's tables.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from http import HTTPStatus
from typing import Annotated, Any, Final, Literal

from apiflask.fields import UploadFile
from flask import Response, url_for
from pydantic import AfterValidator, Field, StringConstraints

from api.access.reports import check_reports
from api.access.who import who
from api.context import context
from api.models.base import Answer, MessageOut, RulesNamed, Skip, Strict
from api.problems import refused
from api.routing import MediaType, Routes, attachment
from companion.people.nights import BestHand, Night, TurningPoint
from companion.people.statistics import (
    BestRound,
    MonthOfPlayer,
    Pair,
    RoundFilter,
    Statistics,
    Streak,
    YakuStatistics,
)
from companion.store.event_lines import MergeResult, event_lines, merge_lines
from companion.store.export import rounds_csv
from companion.store.timestamps import iso_utc
from companion.table import NewEvent, Table

_NIGHTS: Final = 20
"""Nights in one answer."""
_ROUNDS: Final = 50
"""Rounds in one answer."""

_Time = Annotated[str, StringConstraints(max_length=40)]


class NightsIn(Strict):
    """Which nights to list."""

    before: Annotated[_Time | None, Field(description="Only nights that ended before this time.")] = None
    player: Annotated[str | None, Field(max_length=40, description="Only nights of this player (an id).")] = (
        None
    )
    circle: Annotated[str | None, Field(max_length=40, description="Only nights of this circle.")] = None
    deleted: Annotated[
        Literal["0", "1"], Field(description="`1`: only those deleted in the last 30 days.")
    ] = "0"


class NightYakuOut(Answer):
    """A yaku of a player in a round."""

    name: str
    points: int


class NightSeatOut(Answer):
    """The result of a round for one player."""

    seat: int
    points: int
    won: bool
    calls: Annotated[int, Field(description="How often the player called koi-koi.")]
    yaku: list[NightYakuOut]


class NightRoundOut(Answer):
    """A finished round."""

    round: int
    time: str
    dealer: int
    month: int | None
    how: str
    rules: RulesNamed
    why: MessageOut
    seats: list[NightSeatOut]


class NightGameOut(Answer):
    """A game of a night, which is one table."""

    table: str
    name: str | None
    game: str
    rules: RulesNamed
    deck: str | None
    opened: str
    ended: str
    status: Literal["open", "closed", "deleted"]
    over: Annotated[bool, Field(description="Whether the game has ended by its rules.")]
    winners: Annotated[list[int], Field(description="The seats that won, or lead; empty if all are equal.")]
    played: Annotated[int, Field(description="The number of finished rounds.")]
    of: Annotated[int | None, Field(description="The number of rounds that the rules set.")]
    players: list[str]
    player_ids: Annotated[list[str], Field(description="The players' ids; empty for guests.")]
    points: list[int]
    rounds: Annotated[list[NightRoundOut], Field(description="Empty in a list of nights.")]


class NightDisputesOut(Answer):
    """The numbers of disputes of a night, without those that were withdrawn."""

    opened: int
    settled: int


class NightOut(Answer):
    """A night: the games of one evening."""

    id: str
    name: str | None
    began: str
    ended: str
    status: Literal["open", "closed", "deleted"]
    players: list[str]
    games: list[NightGameOut]
    best: Annotated[
        BestHand | None, Field(description="The one with the most points; null in a list of nights.")
    ]
    turn: Annotated[
        TurningPoint | None, Field(description="The largest swing toward a winner; null in a list.")
    ]
    disputes: NightDisputesOut


class NightsOut(Answer):
    """Nights, the most recent first."""

    nights: list[NightOut]
    next: Annotated[str | None, Field(description="`before` for the next page; null on the last one.")]


class RematchOut(Answer):
    """The table of the next game."""

    id: str


_DATE_LENGTH = len("2026-11-25")

_MOMENT = timedelta(milliseconds=1)


def _instant(text: str, days: int) -> str:
    """Return an ISO 8601 time as stored; a date is midnight in the server's time zone, ``days`` later."""
    try:
        if len(text) == _DATE_LENGTH:
            instant = datetime.combine(date.fromisoformat(text) + timedelta(days), datetime.min.time())
            instant -= days * _MOMENT
        else:
            instant = datetime.fromisoformat(text)
        return iso_utc(instant)
    except OverflowError as error:
        raise ValueError(str(error)) from error


def _since(text: str) -> str:
    return _instant(text, 0)


def _until(text: str) -> str:
    return _instant(text, 1)


_Text = Annotated[str, StringConstraints(min_length=1, max_length=200)]

_Flag = Annotated[Literal["0", "1"], AfterValidator(lambda text: text == "1")]


class StatisticsIn(Strict):
    """Which rounds count."""

    game: _Text | None = None
    rules: Annotated[_Text | None, Field(description="The name of the rules.")] = None
    since: Annotated[
        Annotated[_Time, AfterValidator(_since)] | None,
        Field(description="From this time or date on, in ISO 8601; a date is in the server's time zone."),
    ] = None
    until: Annotated[
        Annotated[_Time, AfterValidator(_until)] | None,
        Field(description="Up to and including this time or date."),
    ] = None
    player: Annotated[_Text | None, Field(description="The id of a player.")] = None
    circle: Annotated[
        _Text | None,
        Field(description="The id of a circle: rounds in which all players are members, guests aside."),
    ] = None

    def wanted(self) -> RoundFilter:
        """Return the filter."""
        return RoundFilter(**self.model_dump(exclude={"skip"}))


class RoundsIn(StatisticsIn):
    """Which rounds to list."""

    opponent: Annotated[_Text | None, Field(description="Another player of the round.")] = None
    won: Annotated[_Flag | None, Field(description="`1`: the player won; `0`: did not.")] = None
    called: Annotated[_Flag | None, Field(description="`1`: the player called koi-koi.")] = None
    yaku: Annotated[_Text | None, Field(description="A yaku that the player made.")] = None
    dealt: Annotated[_Flag | None, Field(description="`1`: the player's dealt hand is known.")] = None
    skip: Skip = "0"


class LoggedRoundOut(NightRoundOut):
    """A finished round with its night and game."""

    night: str
    table: str
    game: str
    players: list[str]
    player_ids: Annotated[list[str], Field(description="Empty for guests.")]


class RoundsOut(Answer):
    """Rounds, the most recent first."""

    total: Annotated[int, Field(description="The number of all rounds that pass the filter.")]
    rounds: list[LoggedRoundOut]


class RulesChoiceOut(Answer):
    """Rules that were played."""

    game: str
    name: str


class PlayerChoiceOut(Answer):
    """Somebody who played."""

    id: str
    name: str


class ChoicesOut(Answer):
    """What can be chosen in a filter."""

    games: Annotated[list[str], Field(description="The most played first.")]
    rules: list[RulesChoiceOut]
    players: list[PlayerChoiceOut]


class RatingOut(Answer):
    """A Glicko-2 rating."""

    value: float
    deviation: Annotated[float, Field(description="The strength is within 2 of them with 95 % confidence.")]


class PlayerStatisticsOut(Answer):
    """A player's results."""

    player: str
    rounds: int
    wins: int
    points: int
    best: BestRound
    called: Annotated[int, Field(description="Rounds in which the player called koi-koi.")]
    called_won: int
    called_points: int
    hands: Annotated[int, Field(description="Rounds in which the player's dealt hand is known.")]
    brights: Annotated[int, Field(description="Bright cards in these hands.")]
    streak: Streak | None
    rating: RatingOut | None


class StatisticsOut(Answer):
    """Statistics of rounds."""

    rounds: int
    players: Annotated[list[PlayerStatisticsOut], Field(description="The most points first.")]
    yaku: Annotated[list[YakuStatistics], Field(description="The most frequent first.")]
    pairs: list[Pair]
    months: list[MonthOfPlayer]


class EventFileIn(Strict):
    """A file of events."""

    file: UploadFile


class MergedOut(Answer):
    """What an import did, by the ids of the tables."""

    new: list[str]
    extended: list[str]
    same: list[str]
    conflict: list[str]
    people: Annotated[int, Field(description="The number of new events about people.")]


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

    The pages, seats, cameras and readers of the last game's table move to it. A last game without a round is that game already.
    """
    last, sender, tables = context().store.nights.night(night_id).games[-1], who(), context().tables
    with tables.at(last.table) as table:
        check_reports(sender, table, ())  # a player of another table has nothing to do here
        rules, names, begun = table.next_rules, table.names, bool(table.rounds)
    if not begun:
        return RematchOut(id=last.table), {"Location": url_for("tables.table", table_id=last.table)}
    opened = tables.open(
        name=last.name,
        rules=rules,
        players=names.given,
        player_ids=names.ids,
        deck=last.deck,
        actor=sender.name,
        source=sender.source,
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
def rounds_as_csv(
    query_data: RoundsIn,
) -> Annotated[Response, MediaType("text/csv", "A header and one line per player and round")]:
    """Export finished rounds as CSV, with the conditions of `/api/rounds`, the most recent first."""
    page = context().store.nights.rounds(query_data.wanted(), skip=int(query_data.skip))
    return attachment(rounds_csv(page.rounds), "text/csv", "hanafuda-rounds.csv")


@blueprint.get("/api/nights.jsonl")
def export() -> Annotated[Response, MediaType("application/jsonl", "A header and one line per event")]:
    """Export the events of all tables and those about people, for another installation; docs/data.md describes the format."""
    return attachment(event_lines(context().store), "application/jsonl", "hanafuda-nights.jsonl")


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
