"""Schemas of the replay of a round; see `api.schemas`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from api.schemas import MessageOut, ResponseSchema

__all__ = ["LiveOddsOut", "OddsOut", "ReplayOut"]


class ReplaySeatOut(ResponseSchema):
    """A player's side of the board at a step."""

    seat: int
    hand: Annotated[int, Field(description="The number of cards in the hand.")]
    cards: Annotated[
        list[str | None] | None, Field(description="The hand, null for a hidden card; null if not known.")
    ]
    captured: list[str]
    yaku: list[dict[str, Any]]
    total: Annotated[int | None, Field(description="What the cards are worth at this step.")]


class ReplayBoardOut(ResponseSchema):
    """The board at a step."""

    field: list[str]
    stock: Annotated[int, Field(description="The number of face-down cards.")]
    discard: list[str]
    seats: list[ReplaySeatOut]


class ReplayStepOut(ResponseSchema):
    """The deal, a move, or another event of the round."""

    kind: Annotated[str, Field(description="`deal`, `move`, `set`, `scored` or `abandoned`.")]
    moves: Annotated[int, Field(description="The number of moves made by then.")]
    player: int | None
    words: Annotated[list[str], Field(description="The move in text form; empty for another event.")]
    says: MessageOut
    problems: list[dict[str, Any]]
    seq: Annotated[
        int | None, Field(description="The event; null for a move that nobody reported but that was made.")
    ]
    time: str | None
    source: str | None
    confidence: float | None
    corrected: bool
    picture: Annotated[str | None, Field(description="The name of the camera's picture.")]
    board: ReplayBoardOut


class ReplayOut(ResponseSchema):
    """A round step by step."""

    table: str
    night: str
    number: int
    rounds: Annotated[int, Field(description="The number of rounds dealt at the table.")]
    game: str
    rules: dict[str, Any]
    players: list[str]
    dealer: int | None
    month: int | None
    before: Annotated[list[int], Field(description="The points of all players before the round.")]
    steps: Annotated[list[ReplayStepOut], Field(description="Empty if only the result is known.")]
    result: Annotated[
        dict[str, Any] | None,
        Field(description="How it ended, with each player's yaku, calls and pile; null if it is not over."),
    ]


class ProbabilityOut(ResponseSchema):
    """An estimated probability with its 95 % interval."""

    p: float
    low: float
    high: float


class WinProbabilitiesOut(ResponseSchema):
    """How likely each player was to win the round."""

    wins: Annotated[list[ProbabilityOut], Field(description="In seat order.")]
    nobody: Annotated[ProbabilityOut, Field(description="That nobody wins.")]
    points: Annotated[list[float], Field(description="The mean points of each player.")]
    playouts: Annotated[int, Field(description="Simulated rounds; 0 if the round is over.")]


class OddsOut(ResponseSchema):
    """The probabilities of a round after each move."""

    state: Annotated[
        Literal["computing", "ready", "none"],
        Field(description="`none`: the round goes on, has no moves, or its game has no probabilities."),
    ]
    policy: Annotated[MessageOut | None, Field(description="How the simulated players choose their moves.")]
    positions: Annotated[int, Field(description="The number of positions: the moves of the round and 1.")]
    after: Annotated[
        list[WinProbabilitiesOut], Field(description="After 0, 1, 2 … moves, as far as they are computed.")
    ]


class LiveOddsOut(ResponseSchema):
    """The probabilities of a running round."""

    state: Annotated[
        Literal["off", "computing", "ready", "none"],
        Field(description="`off`: not all players agreed; `none`: no round goes on, or there are none."),
    ]
    seq: Annotated[int, Field(description="The number of the table's newest event.")]
    odds: WinProbabilitiesOut | None
