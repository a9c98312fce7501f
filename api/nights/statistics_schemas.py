"""Schemas of the statistics; see `api.schemas`."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from api.nights.night_schemas import NightRoundOut
from api.schemas import ResponseSchema, RulesNamed, Strict
from companion.nights.statistics import RoundFilter
from companion.store.timestamps import iso_utc

__all__ = ["ChoicesOut", "RoundsIn", "RoundsOut", "StatisticsIn", "StatisticsOut"]

_DATE_LENGTH = len("2026-11-25")
_MOMENT = timedelta(milliseconds=1)
"""Resolution of the times in the log."""


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


_Time = Annotated[str, StringConstraints(max_length=40)]
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
    skip: Annotated[
        str, StringConstraints(pattern=r"^\d{1,9}$"), Field(description="The number of rounds to skip.")
    ] = "0"


class LoggedRoundOut(NightRoundOut):
    """A finished round with its night and game."""

    night: str
    table: str
    game: str
    rules: RulesNamed
    players: list[str]
    player_ids: Annotated[list[str], Field(description="Empty for guests.")]


class RoundsOut(ResponseSchema):
    """Rounds, the most recent first."""

    total: Annotated[int, Field(description="The number of all rounds that pass the filter.")]
    rounds: list[LoggedRoundOut]


class RulesChoiceOut(ResponseSchema):
    """Rules that were played."""

    game: str
    name: str


class PlayerChoiceOut(ResponseSchema):
    """Somebody who played."""

    id: str
    name: str


class ChoicesOut(ResponseSchema):
    """What can be chosen in a filter."""

    games: Annotated[list[str], Field(description="The most played first.")]
    rules: list[RulesChoiceOut]
    players: list[PlayerChoiceOut]


class BestRoundOut(ResponseSchema):
    """A player's round with the most points."""

    points: int
    night: str
    table: str
    round: int


class StreakOut(ResponseSchema):
    """Rounds that a player won in a row."""

    length: int
    since: str
    until: str


class RatingOut(ResponseSchema):
    """A Glicko-2 rating."""

    value: float
    deviation: Annotated[
        float, Field(description="The strength is within 2 deviations with 95 % confidence.")
    ]


class PlayerStatisticsOut(ResponseSchema):
    """A player's results."""

    player: str
    rounds: int
    wins: int
    points: int
    best: BestRoundOut
    called: Annotated[int, Field(description="Rounds in which the player called koi-koi.")]
    called_won: int
    called_points: int
    hands: Annotated[int, Field(description="Rounds in which the player's dealt hand is known.")]
    brights: Annotated[int, Field(description="Bright cards in these hands.")]
    streak: StreakOut | None
    rating: RatingOut | None


class YakuStatisticsOut(ResponseSchema):
    """How often a yaku was made, and what for."""

    yaku: str
    rounds: int
    won: int
    points: int


class PairOut(ResponseSchema):
    """Two players in the same rounds."""

    player: str
    opponent: str
    rounds: int
    wins: int
    losses: int
    points: Annotated[int, Field(description="The player's points minus the opponent's.")]


class MonthOut(ResponseSchema):
    """A player's results in a calendar month of the server's time zone."""

    month: str
    player: str
    rounds: int
    wins: int
    points: int


class StatisticsOut(ResponseSchema):
    """Statistics of rounds."""

    rounds: int
    players: Annotated[list[PlayerStatisticsOut], Field(description="The most points first.")]
    yaku: Annotated[list[YakuStatisticsOut], Field(description="The most frequent first.")]
    pairs: list[PairOut]
    months: list[MonthOut]
