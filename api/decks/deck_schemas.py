"""Schemas of decks and enrollments; see `api.schemas`."""

from __future__ import annotations

from typing import Annotated, List, Literal  # noqa: UP035  # APIFlask tells lists of files by this very type

from apiflask.fields import UploadFile
from pydantic import Field, StringConstraints

from api.schemas import CardId, Pack, ResponseSchema, Strict

__all__ = [
    "DeckFileIn",
    "DeckOut",
    "DecksOut",
    "EnrollIn",
    "EnrollmentOut",
    "FixesIn",
    "KeepIn",
]

MOST_FIXES = 120

Name = Annotated[
    str,
    StringConstraints(max_length=200),
    Field(description="1 to 40 letters, digits, - and _; spaces become -.", examples=["grandmothers"]),
]


class EnrollIn(Strict):
    """A deck to enroll: photographs of all cards laid out, or one picture per card."""

    name: Name
    pack: Pack
    photos: Annotated[
        List[UploadFile] | None,  # noqa: UP006
        Field(description="1 to 4 photographs of the whole deck laid out in rows, as for a scan."),
    ] = None
    cards: Annotated[
        List[UploadFile] | None,  # noqa: UP006
        Field(
            description="Alternatively one picture per card, at most 120; the file name is the card's id (`pine-crane.png`)"
            " or its month and index (`01-0.png`)."
        ),
    ] = None


class Fix(Strict):
    """A corrected card name; null: a card of the box that has no id."""

    number: Annotated[int, Field(ge=1, lt=2**31)]
    card: CardId | None


class FixesIn(Strict):
    """Corrections, applied in this order."""

    fixes: Annotated[list[Fix], Field(max_length=MOST_FIXES, default_factory=list)]
    name: Name | None = None


class KeepIn(Strict):
    """An enrollment to finish, after its names were checked."""

    enrollment: Annotated[str, StringConstraints(max_length=80)]
    replace: Annotated[bool, Field(description="Whether to replace an enrolled deck of that name.")] = False


class DeckFileIn(Strict):
    """A deck file to import."""

    file: UploadFile
    name: Annotated[
        Name | None, Field(description="The name of the deck; by default the name in the file.")
    ] = None
    replace: Annotated[Literal["0", "1"], Field(description="1: replace an enrolled deck of that name.")] = (
        "0"
    )


class DeckOut(ResponseSchema):
    """A known deck; if it has a `problem`, only the name is reliable."""

    name: str
    own: Annotated[bool, Field(description="Enrolled or imported here; false: shipped with the program.")]
    pack: Pack | None
    cards: int | None
    made: Annotated[str | None, Field(description="When it was enrolled, ISO 8601.")]
    source: str | None
    license: str | None
    problem: Annotated[str | None, Field(description="Why it cannot be used.")]
    file: Annotated[str, Field(description="The URL of its file.")]


class DecksOut(ResponseSchema):
    """The known decks; shipped decks are first."""

    decks: list[DeckOut]


class PlaceOut(ResponseSchema):
    """A card of a deck being enrolled, with its proposed name."""

    number: int
    where: str
    card: Annotated[str | None, Field(description="Null: a card of the box that has no id.")]
    sure: float
    doubtful: Annotated[bool, Field(description="Whether a person should check the name.")]
    others: Annotated[list[str], Field(description="Alternative names, most likely first.")]
    picture: str


class EnrollmentOut(ResponseSchema):
    """A deck being enrolled."""

    id: str
    name: str
    replaces: Annotated[bool, Field(description="Whether an enrolled deck of that name exists.")]
    pack: Pack
    layout: Annotated[str, Field(description="The detected layout of the cards.")]
    notes: Annotated[list[str], Field(description="Notes for the user.")]
    missing: Annotated[list[str], Field(description="Cards of the pack that are missing from the proposal.")]
    places: list[PlaceOut]
