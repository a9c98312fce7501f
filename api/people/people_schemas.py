"""Schemas of the people; see `api.schemas`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from api.schemas import Name, Photograph, ResponseSchema, Strict
from companion.people.people_events import COLORS

__all__ = [
    "ChangedOut",
    "CircleIn",
    "CircleRemovedIn",
    "ClaimIn",
    "EventIn",
    "MergeIn",
    "PeopleIn",
    "PeopleOut",
    "PictureOfIn",
    "PlayerIn",
    "PlayerPictureIn",
    "PlayerRefIn",
]

PlayerId = Annotated[str, StringConstraints(min_length=1, max_length=40)]


class PeopleIn(Strict):
    """Which claims to list."""

    night: Annotated[
        str | None, Field(max_length=40, description="All claims of this night instead of the open ones.")
    ] = None


class PlayerRefIn(Strict):
    """A player."""

    player: PlayerId


class PlayerIn(Strict):
    """A player's entry."""

    player: Annotated[PlayerId | None, Field(description="The player's id; null for a new player.")] = None
    name: Name
    color: Annotated[int, Field(ge=1, le=COLORS)] | None = None
    emoji: Annotated[str, StringConstraints(max_length=8)] | None = None
    keep_picture: Annotated[bool, Field(description="Whether the player's picture stays.")] = True


class PictureOfIn(PlayerRefIn):
    """Which picture to return."""

    v: Annotated[str | None, Field(max_length=40, description="The version; only for caches.")] = None


class PlayerPictureIn(Strict):
    """A picture of a player."""

    image: Photograph


class MergeIn(PlayerRefIn):
    """Two spellings of one player."""

    into: Annotated[PlayerId, Field(description="The player who stays.")]


class EventIn(Strict):
    """An event about people."""

    event: Annotated[str, StringConstraints(max_length=20)]


class ClaimIn(PlayerRefIn):
    """The rounds of a guest in a night are those of a player."""

    name: Annotated[Name, Field(description="The guest's name at the table.")]


class CircleIn(Strict):
    """A circle's entry."""

    circle: Annotated[PlayerId | None, Field(description="The circle's id; null for a new one.")] = None
    name: Name
    players: Annotated[list[PlayerId], Field(max_length=200, description="The ids of the members.")]
    game: Annotated[str | None, Field(max_length=40)] = None
    rules: Annotated[str | None, Field(max_length=200, description="A name or a share code.")] = None


class CircleRemovedIn(Strict):
    """A circle to be removed."""

    circle: PlayerId


class MergedPlayerOut(ResponseSchema):
    """Another spelling of a player."""

    event: Annotated[str, Field(description="The event to undo, which separates the two again.")]
    player: str


class PlayerOut(ResponseSchema):
    """A player."""

    id: str
    name: str
    color: Annotated[int | None, Field(description=f"1 to {COLORS}; null if none was chosen.")]
    emoji: str | None
    picture: Annotated[str | None, Field(description="The address of the picture.")]
    hidden: Annotated[
        str | None,
        Field(description="The event to undo so that the player is offered again; null if offered."),
    ]
    nights: int
    rounds: int
    last: Annotated[str | None, Field(description="When the player last played.")]
    merged: list[MergedPlayerOut]


class ClaimOut(ResponseSchema):
    """A guest's rounds in a night that somebody claims for a player."""

    event: str
    actor: str
    night: str
    name: str
    player: str
    confirmed: bool


class CircleOut(ResponseSchema):
    """A group of players."""

    id: str
    name: str
    players: list[str]
    game: str | None
    rules: str | None


class PeopleOut(ResponseSchema):
    """The players, the most recent first; claims and circles."""

    players: list[PlayerOut]
    claims: list[ClaimOut]
    circles: list[CircleOut]
    emoji: Annotated[list[str], Field(description="The emoji to choose from.")]
    colors: Annotated[Literal[8], Field(description="The number of colors.")]


class ChangedOut(ResponseSchema):
    """What was stored."""

    event: Annotated[str, Field(description="The id of the event, for undoing it.")]
    id: Annotated[str | None, Field(description="The id of the player or circle.")]
