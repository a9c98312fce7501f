"""Schemas of the log of nights; see `api.schemas`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from api.schemas import MessageOut, ResponseSchema, RulesNamed, Strict

__all__ = ["NightOut", "NightRoundOut", "NightsIn", "NightsOut", "RematchOut", "SheetIn"]

_Time = Annotated[str, StringConstraints(max_length=40)]


class NightsIn(Strict):
    """Which nights to list."""

    before: Annotated[_Time | None, Field(description="Only nights that ended before this time.")] = None
    player: Annotated[str | None, Field(max_length=40, description="Only nights of this player, by id.")] = (
        None
    )
    circle: Annotated[str | None, Field(max_length=40, description="Only nights of this circle.")] = None
    deleted: Annotated[Literal["0", "1"], Field(description="`1`: only deleted ones.")] = "0"


class SheetIn(Strict):
    """Which score sheet."""

    table: Annotated[str | None, Field(max_length=40, description="Only the game at this table.")] = None
    paper: Literal["A4", "letter"] = "A4"


class NightYakuOut(ResponseSchema):
    """A yaku of a player in a round."""

    name: str
    points: int


class NightSeatOut(ResponseSchema):
    """The result of a round for one player."""

    seat: int
    points: int
    won: bool
    calls: Annotated[int, Field(description="How often the player called koi-koi.")]
    yaku: list[NightYakuOut]


class NightRoundOut(ResponseSchema):
    """A finished round."""

    round: int
    time: str
    dealer: int
    month: int | None
    how: str
    rules: RulesNamed
    why: MessageOut
    seats: list[NightSeatOut]


class NightGameOut(ResponseSchema):
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


class HandOut(ResponseSchema):
    """A player's result in a round."""

    table: str
    round: int
    seat: int


class TurnOut(HandOut):
    """The round that decided a game; `seat` won the game, or leads it."""

    before: Annotated[list[int], Field(description="The points of all players before the round.")]
    after: list[int]


class NightDisputesOut(ResponseSchema):
    """The numbers of disputes of a night, without those that were withdrawn."""

    opened: int
    settled: int


class NightOut(ResponseSchema):
    """A night: the games of one evening."""

    id: str
    name: str | None
    began: str
    ended: str
    status: Literal["open", "closed", "deleted"]
    players: list[str]
    games: list[NightGameOut]
    best: Annotated[
        HandOut | None, Field(description="The hand with the most points; null in a list of nights.")
    ]
    turn: Annotated[
        TurnOut | None,
        Field(description="The largest swing toward the winner of a game; null in a list of nights."),
    ]
    disputes: NightDisputesOut


class NightsOut(ResponseSchema):
    """Nights, the most recent first."""

    nights: list[NightOut]
    next: Annotated[
        str | None, Field(description="The value of `before` for the next page; null on the last one.")
    ]


class RematchOut(ResponseSchema):
    """The table of the next game."""

    id: str
