"""Schemas of the tags of decks; see `api.schemas`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from api.schemas import CardId, Pack, ResponseSchema, Strict
from companion.readers.tag_pairings import LONGEST_TAG, MAX_TAGS

__all__ = ["LabelsIn", "LastScanIn", "LastScanOut", "PairTagIn", "TagsIn", "TagsOut"]

Tag = Annotated[
    str,
    StringConstraints(min_length=1, max_length=LONGEST_TAG),
    Field(description="A tag's number in hex, or the text of a code.", examples=["E0040150A1B2C3D4"]),
]


class TagsIn(Strict):
    """The new tag pairings of a deck, replacing all previous ones."""

    tags: Annotated[dict[Tag, CardId], Field(max_length=MAX_TAGS)]
    deck: Annotated[
        str | None, Field(max_length=80, description="If given, it must be the deck in the address.")
    ] = None


class PairTagIn(Strict):
    """A tag and its card; null removes the pairing."""

    uid: Tag
    card: CardId | None
    move: Annotated[bool, Field(description="Whether an existing pairing with another card is replaced.")] = (
        False
    )


class TagsOut(ResponseSchema):
    """The tag pairings of a deck."""

    deck: str
    pack: Pack
    tags: dict[str, str]
    problem: Annotated[str | None, Field(description="What was wrong with the stored file.")]


class LabelsIn(Strict):
    """The format of a sticker sheet."""

    kind: Literal["qr", "datamatrix"] = "qr"
    paper: Literal["A4", "letter"] = "A4"
    size: Annotated[float, Field(ge=8, le=60, strict=False, allow_inf_nan=False, description="mm.")] = 15.0


class LastScanIn(Strict):
    """Which scans to return, and the deck whose pairings identify the cards."""

    pairing: Annotated[
        Literal["0", "1"],
        Field(description="1: a tag is being paired with a card, so tables ignore scans for the next 3 s."),
    ] = "0"

    after: Annotated[
        int, Field(ge=0, lt=2**53, strict=False, description="The number of the last known scan.")
    ] = 0
    deck: Annotated[str | None, Field(max_length=80)] = None


class LastScanDoc(ResponseSchema):
    """A scanned tag or code with its card."""

    number: int
    device: str | None
    uid: str | None
    card: str | None
    sticker: Annotated[
        bool, Field(description="Whether its text contains the card id, so that it needs no pairing.")
    ]
    ago_s: float | None


class LastScanOut(LastScanDoc):
    """The last scan (`number` 0: none yet), and all scans after number `after`, oldest first."""

    scans: list[LastScanDoc]
