"""Schemas of live tables and their cameras; see `api.schemas`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from apiflask.fields import UploadFile
from pydantic import Field, StringConstraints

from api.monitoring.health_schemas import CameraWorkerOut
from api.schemas import (
    LONGEST_NOTE,
    MessageOut,
    Name,
    Photograph,
    ResponseSchema,
    RulesIn,
    RulesNamed,
    Strict,
)
from companion.table.button_presses import Button, How
from companion.table.events import Kind, Source

__all__ = [
    "AlternativesOut",
    "CameraIn",
    "CameraOut",
    "EventsIn",
    "GameCardsOut",
    "LayoutDoc",
    "MovesOut",
    "NewTableIn",
    "ObservationIn",
    "PilesOut",
    "PressIn",
    "PressedOut",
    "RefereeEventsOut",
    "ReportedOut",
    "ResultFormIn",
    "ResultFormOut",
    "ResultIn",
    "ResultOut",
    "SnapOut",
    "StateOut",
    "TableChangeOut",
    "TableOut",
    "TablesOut",
    "UndoIn",
    "YakuCardsOut",
]

PlayerName = Annotated[str, StringConstraints(max_length=40, strip_whitespace=True)]
Seq = Annotated[int, Field(ge=0, lt=2**53)]
Expect = Annotated[
    Seq | None,
    Field(description="The newest event that the sender knows; null if it does not matter."),
]
Key = Annotated[str, StringConstraints(min_length=1, max_length=200)]
State = Annotated[
    dict[str, Any],
    Field(description="The complete view of the table: round, night, history, questions, problems."),
]

# --- tables


class NewTableIn(Strict):
    """A table to be opened."""

    game: Annotated[str, Field(max_length=40)]
    players: Annotated[
        list[PlayerName], Field(min_length=1, max_length=12, description="Names in seat order; empty: none.")
    ]
    player_ids: Annotated[
        list[Annotated[str, StringConstraints(max_length=40)] | None],
        Field(
            default_factory=list,
            max_length=12,
            description="The players' ids; empty: a guest; null: the name is the id.",
        ),
    ]
    name: Name | None = None
    rules: RulesIn | None = None
    deck: Annotated[str, StringConstraints(max_length=80)] | None = None


class TableOut(ResponseSchema):
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


class TablesOut(ResponseSchema):
    """The tables, most recently active first."""

    tables: list[TableOut]


class StateOut(ResponseSchema):
    """The state of a table after its event `seq`."""

    id: str
    seq: int
    state: State


class EventOut(ResponseSchema):
    """An event at a table; the members of `data` depend on `kind`."""

    seq: int
    group: Annotated[int, Field(description="The first event of its group; the group is undone together.")]
    time: str
    actor: str
    source: Source
    kind: Kind
    data: dict[str, Any]
    confidence: float
    evidence: str | None


class NewEventIn(Strict):
    """An event to add."""

    kind: Kind
    data: Annotated[dict[str, Any], Field(default_factory=dict)]


class EventsIn(Strict):
    """Events in order; either all of them are added or none."""

    events: Annotated[list[NewEventIn], Field(min_length=1, max_length=50)]
    expect: Expect = None
    key: Annotated[
        Key | None,
        Field(
            description="Identifies the request; a repeated request has no second effect and gets the same response."
        ),
    ] = None


class UndoIn(Strict):
    """A request to undo the last action."""

    expect: Expect = None
    key: Key | None = None


class RulesChangeIn(Strict):
    """Rules for the next rounds of a table."""

    rules: RulesIn
    expect: Expect = None
    key: Key | None = None


class PressIn(Strict):
    """A button press at a seat, or (`seat` null) in the middle of the table."""

    button: Button
    how: How = "press"
    seat: Annotated[int, Field(ge=1, le=12)] | None = None
    key: Key | None = None
    ago_ms: Annotated[
        float, Field(ge=0, description="Time since the press; a press older than 5 s is refused.")
    ] = 0.0
    device: Annotated[
        Name | None,
        Field(description="The name of the button's device, for the history; not for phones."),
    ] = None
    source: Literal["button", "keyboard"] = "button"


class RefereeEventsOut(ResponseSchema):
    """The events that the referee reported for an observation."""

    seq: int
    events: list[EventOut]


class SnapOut(RefereeEventsOut):
    """The events of a photograph, and what is in it."""

    view: Annotated[
        dict[str, Any],
        Field(
            description="`size` (px), `zones` (`zone`, `polygon`) and `cards` (`card`, `zone`, `quad`, `wrong`);"
            " coordinates are fractions of width and height."
        ),
    ]


class PressedOut(RefereeEventsOut):
    """The message and the events of a button press."""

    did: MessageOut


class TableChangeOut(RefereeEventsOut):
    """The new events and the state. For a repeated request, `events` are those of the first one."""

    state: State


class MoveOut(ResponseSchema):
    """A legal move; `player` and `words` are the data of a `moved` event."""

    player: int
    words: list[str]
    says: MessageOut


class MovesOut(ResponseSchema):
    """The legal moves after event `seq`."""

    seq: int
    moves: list[MoveOut]


class AlternativeOut(ResponseSchema):
    """A possible correction; `kind` and `data` go into a `corrected` event."""

    says: MessageOut
    p: Annotated[float | None, Field(description="The reporter's probability of this alternative, if known.")]
    kind: Kind | None
    data: dict[str, Any]


class AlternativesOut(ResponseSchema):
    """The possible corrections of an event, most likely first."""

    seq: int
    alternatives: list[AlternativeOut]


# --- results


class ResultFormIn(Strict):
    """Which result is entered."""

    of: Annotated[
        int | None, Field(ge=1, strict=False, description="The number of the `scored` event to correct.")
    ] = None


class ResultFormOut(ResponseSchema):
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


class YakuCardsOut(ResponseSchema):
    """A yaku and the cards that take part in it."""

    name: str
    en: str
    ja: str
    romaji: str
    points: int
    count: Annotated[int, Field(description="How many of `cards` make it.")]
    cards: list[str]


class GameCardsOut(ResponseSchema):
    """The cards of a game, and the yaku that a table's rules play."""

    cards: list[str]
    yaku: Annotated[
        list[YakuCardsOut], Field(description="Empty if the game's yaku are no sets of captured cards.")
    ]


class ResultIn(Strict):
    """The data of a `scored` event."""

    data: Annotated[dict[str, Any], Field(default_factory=dict)]
    of: Annotated[int | None, Field(ge=1, description="The number of the `scored` event to correct.")] = None


class ResultOut(ResponseSchema):
    """What a reported result scores."""

    how: str
    winners: list[int]
    points: list[int]
    why: MessageOut
    seats: Annotated[list[dict[str, Any]], Field(description="`total`, and `yaku` with `name` and `points`.")]


class PileCardOut(ResponseSchema):
    """A card in a photograph of piles."""

    card: Annotated[str | None, Field(description="Null: not recognized.")]
    confidence: float
    quad: Annotated[
        list[tuple[float, float]], Field(description="Its corners, fractions of width and height.")
    ]
    group: Annotated[
        int | None, Field(description="0: the upper or left pile; 1: the other; null: between them.")
    ]


class PilesOut(ResponseSchema):
    """The captured cards in a photograph."""

    cards: list[PileCardOut]
    width: int
    height: int


# --- the camera


class ObservationIn(Strict):
    """A camera worker's observation of a stable table."""

    observation: Annotated[
        str, Field(description="JSON: `companion.observations.Observation.to_json`.", max_length=2**20)
    ]
    frame: Annotated[UploadFile | None, Field(description="The picture, JPEG of at most 4 MB.")] = None


class TablePictureIn(Strict):
    """A photo of the table, taken by a person."""

    image: Photograph


class CameraIn(Strict):
    """A camera's status report, sent about once a second and whenever its state changes."""

    state: Annotated[
        str,
        Field(
            description="JSON: an object in the format of `CameraOut`, without the ages.", max_length=2**18
        ),
    ]
    frame: Annotated[UploadFile | None, Field(description="The newest picture, a JPEG of at most 1 MB.")] = (
        None
    )


class CameraState(Strict):
    """The status of a camera, as it reports it."""

    state: Literal["starting", "watching", "hands", "failed", "ended"]
    message: Annotated[
        Annotated[str, StringConstraints(max_length=LONGEST_NOTE)] | None,
        Field(description="What is wrong, and what to do."),
    ] = None
    source: Annotated[str, StringConstraints(max_length=400)] | None = None
    fps: Annotated[float, Field(ge=0, le=1000)] | None = None
    frame_age_ms: Annotated[float, Field(ge=0)] | None = None
    size: tuple[int, int] | None = None
    quads: Annotated[
        list[dict[str, Any]],
        Field(default_factory=list, max_length=400, description="`card`, `key` and `quad` (px of `size`)."),
    ]
    zones: Annotated[
        list[dict[str, Any]],
        Field(default_factory=list, max_length=64, description="`zone` and `polygon` (px of `size`)."),
    ]
    more: Annotated[
        dict[str, Any], Field(default_factory=dict, description="Further details for troubleshooting.")
    ]


class CameraOut(CameraState):
    """The status of a table's camera."""

    state: Annotated[  # type: ignore[assignment]  # responses are only read
        str,
        Field(
            description="`absent`: no camera; `silent`: no report for 5 s; otherwise the reported state:"
            " `starting`, `watching`, `hands`, `failed`, `ended`."
        ),
    ]
    age: Annotated[float | None, Field(description="Time since its last report, s.")]
    picture_age: Annotated[float | None, Field(description="Time since its newest picture, s.")]
    worker: CameraWorkerOut | None


class ReportedOut(ResponseSchema):
    """The response to a camera's report."""

    table: Annotated[
        str,
        Field(
            description="The table at which the evening continues: another one after the next game was dealt."
        ),
    ]
    layout: Annotated[int, Field(description="If it changes, the layout must be fetched again.")]


class LayoutDoc(Strict):
    """The zone layout of a table, in the format of `vision.geometry.zone_layout`."""

    layout: Annotated[
        dict[str, Any] | None, Field(description="Null: the default for the game and its number of seats.")
    ]
