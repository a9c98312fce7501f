"""Models of live tables: their events, results, replays, disputes, cameras and readers."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

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
    Skip,
    Strict,
)
from companion.odds import WinProbabilities
from companion.table.events import Kind

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


class ResultFormIn(Strict):
    """Which result is entered."""

    of: Annotated[int | None, Field(ge=1, strict=False, description="The `scored` event to correct.")] = None


class ResultFormOut(Answer):
    """What can be entered as the result of a round; `companion.hanafuda.description.ResultForm` describes the parts."""

    round: int
    new_round: Annotated[bool, Field(description="Whether the round was not dealt.")]
    dealer: int
    month: int | None
    winners: Literal["one", "several", "computed"]
    nobody: bool
    ends: list[dict[str, Any]]
    yaku: list[dict[str, Any]]
    yaku_of: Literal["winner", "each"]
    calls: bool
    points: Literal["winner", "each", "none"]
    piles: bool
    out: MessageOut | None
    paid: MessageOut | None


class YakuCardsOut(Answer):
    """A yaku and the cards that take part in it."""

    name: str
    en: str
    ja: str
    romaji: str
    points: int
    count: Annotated[int, Field(description="How many of `cards` make it.")]
    cards: list[str]


class GameCardsOut(Answer):
    """The cards of a game, and the yaku that a table's rules play."""

    cards: list[str]
    yaku: Annotated[list[YakuCardsOut], Field(description="Empty if they are no sets of captured cards.")]


class ResultIn(Strict):
    """The data of a `scored` event."""

    data: Annotated[dict[str, Any], Field(default_factory=dict)]
    of: Annotated[int | None, Field(ge=1, description="The `scored` event to correct.")] = None


class ResultOut(Answer):
    """What a reported result scores."""

    how: str
    winners: list[int]
    points: list[int]
    why: MessageOut
    seats: Annotated[list[dict[str, Any]], Field(description="`total`, and `yaku` with `name` and `points`.")]


class PileCardOut(Answer):
    """A card in a photograph of piles."""

    card: Annotated[str | None, Field(description="Null: not recognized.")]
    confidence: float
    quad: Annotated[list[tuple[float, float]], Field(description="Corners, fractions of width and height.")]
    group: Annotated[int | None, Field(description="0: the upper or left pile; 1: the other; null: between.")]


class PilesOut(Answer):
    """The captured cards in a photograph."""

    cards: list[PileCardOut]
    width: int
    height: int


# --- readers


# --- disputes


class DisputesIn(Strict):
    """Which disputes to list."""

    skip: Skip = "0"
    night: Annotated[str | None, Field(max_length=40, description="Only disputes of this evening.")] = None


class ListedDisputeOut(Answer):
    """A dispute in a list."""

    night: str
    table: str
    seq: Annotated[int, Field(description="The event that opened it.")]
    round: int | None
    time: str
    state: Literal["open", "agreed", "ruled", "withdrawn"]
    verdict: Annotated[str | None, Field(description="`stands`, or `changed`: the event was wrong.")]
    player: Annotated[str, Field(description="Who opened it: the player, or the device without a seat.")]
    text: str
    says: Annotated[MessageOut, Field(description="The event in question.")]


class DisputesOut(Answer):
    """Disputes: the open ones first, then the most recent."""

    disputes: list[ListedDisputeOut]
    total: int


class DisputeOut(Answer):
    """A dispute and what it can be decided by."""

    table: str
    night: str
    game: str
    players: list[str]
    dispute: Annotated[dict[str, Any], Field(description="As in the table's view.")]
    step: Annotated[int | None, Field(description="The step of the round's replay after the event.")]
    pictures: Annotated[dict[str, Any], Field(description="Their names: `before` and `after` the event.")]
    detected: Annotated[dict[str, Any], Field(description="Who reported the event, and the confidence.")]
    problems: Annotated[list[dict[str, Any]], Field(description="What the rules say against the event.")]
    yaku: Annotated[list[dict[str, Any]], Field(description="The yaku it completed, with their sources.")]
    house: Annotated[dict[str, Any], Field(description="The rules of its round.")]
    readings: Annotated[
        list[dict[str, Any]],
        Field(
            description="What may have happened, and what it would give: the number of later moves that would be illegal,"
            " and the points. The first one, without `says`, is what was reported."
        ),
    ]
    rules: Annotated[
        list[dict[str, Any]],
        Field(description="The rules that decide, with their sources and what other values would give."),
    ]


# --- replays


class ReplaySeatOut(Answer):
    """A player's side of the board at a step."""

    seat: int
    hand: Annotated[int, Field(description="The number of cards in the hand.")]
    cards: Annotated[list[str | None] | None, Field(description="The hand; hidden cards are null.")]
    captured: list[str]
    yaku: list[dict[str, Any]]
    total: Annotated[int | None, Field(description="What the cards are worth at this step.")]


class ReplayBoardOut(Answer):
    """The board at a step."""

    field: list[str]
    stock: Annotated[int, Field(description="The number of face-down cards.")]
    discard: list[str]
    seats: list[ReplaySeatOut]


class ReplayStepOut(Answer):
    """The deal, a move, or another event of the round."""

    kind: Annotated[str, Field(description="`deal`, `move`, `set`, `scored` or `abandoned`.")]
    moves: Annotated[int, Field(description="The number of moves made by then.")]
    player: int | None
    words: Annotated[list[str], Field(description="The move in text form; empty for another event.")]
    says: MessageOut
    problems: list[dict[str, Any]]
    seq: Annotated[int | None, Field(description="The event; null for a move that nobody reported.")]
    time: str | None
    source: str | None
    confidence: float | None
    corrected: bool
    picture: Annotated[str | None, Field(description="The name of the camera's picture.")]
    board: ReplayBoardOut


class ReplayOut(Answer):
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


class OddsOut(Answer):
    """The probabilities of a round after each move."""

    state: Annotated[
        Literal["computing", "ready", "none"],
        Field(description="`none`: the round goes on, has no moves, or its game has no probabilities."),
    ]
    policy: Annotated[MessageOut | None, Field(description="How the simulated players choose their moves.")]
    positions: Annotated[int, Field(description="The number of positions: the moves of the round and 1.")]
    after: Annotated[list[WinProbabilities], Field(description="After 0, 1, 2 … moves, as far as computed.")]


class LiveOddsOut(Answer):
    """The probabilities of a running round."""

    state: Annotated[
        Literal["off", "computing", "ready", "none"],
        Field(description="`off`: not all players agreed; `none`: no round goes on, or there are none."),
    ]
    seq: Annotated[int, Field(description="The number of the table's newest event.")]
    odds: WinProbabilities | None
