"""What the models of all routes share."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from apiflask.fields import UploadFile
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    model_serializer,
)

from api.languages import message_json
from companion.hanafuda.messages import Message
from companion.hanafuda.scoring import scored_games
from companion.names import MAX_NAME, phone_name, tidy_name
from companion.table.events import Kind, Source

MAX_CARDS = 200
"""Cards in one request: more than four packs of 48."""
MAX_SEATS = 12
"""Seats of a table; no game has more players."""
MAX_NOTE = 2000
"""Characters of a note."""
CardId = Annotated[str, StringConstraints(max_length=80)]


def tidied(value: object) -> object:
    """Return a name as `companion.names` writes it; a validator."""
    return tidy_name(value) if isinstance(value, str) else value


Name = Annotated[str, BeforeValidator(tidied), StringConstraints(min_length=1, max_length=MAX_NAME)]
PhoneName = Annotated[Name, AfterValidator(phone_name)]
ScanId = Annotated[str, StringConstraints(max_length=80)]
Quad = Annotated[list[tuple[float, float]], Field(min_length=4, max_length=4)]
Pack = Literal["hanafuda", "mekurifuda", "kabufuda", "western"]
Photograph = Annotated[
    UploadFile,
    Field(description="JPEG, PNG, WebP or HEIC; at most 64 MB; JPEGs up to 210 megapixels, others up to 50."),
]
Game = Annotated[str, Field(json_schema_extra={"enum": list(scored_games())})]
RulesIn = Annotated[
    str | dict[str, Any],
    Field(
        description="The name of a preset or of saved rules, a share code, or an object of options that change"
        " the preset named under `preset`."
    ),
]


Skip = Annotated[str, StringConstraints(pattern=r"^\d{1,9}$"), Field(description="How many to skip.")]


class Strict(BaseModel):
    """Base of requests: unknown members and type conversions are refused."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Answer(BaseModel):
    """Base of answers; they can be made of objects with attributes of the same names, such as dataclasses."""

    model_config = ConfigDict(extra="forbid", from_attributes=True)


class MessageOut(Answer):
    """A message: its code in the catalogs, its parameters, and its text in the language of the request.

    A message that a client without the catalogs has reported has no code, but texts by language.
    """

    code: str | None = None
    params: dict[str, Any] | None = None
    message: str = ""
    en: str | None = None
    ja: str | None = None

    @classmethod
    def of(cls, message: Message) -> Self:
        """Return a message with its text in the language of the request."""
        return cls(**message_json(message))

    @model_serializer(mode="wrap")
    def _without_unset(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in serialize(self).items() if name in self.model_fields_set}


class PhotographIn(Strict):
    """A photograph, taken by a person."""

    image: Photograph


class PictureIn(Strict):
    """Options for returning a picture."""

    width: Annotated[
        Literal["320", "1600"] | None,
        Field(description="The maximum width of an upright JPEG; by default the stored file is returned."),
    ] = None


class RulesNamed(Answer):
    """The rules used for scoring."""

    name: str
    hash: str


Seat = Annotated[int, Field(ge=1, le=MAX_SEATS)]
TableId = Annotated[str, StringConstraints(min_length=1, max_length=40)]
PlayerName = Annotated[str, BeforeValidator(tidied), StringConstraints(max_length=MAX_NAME)]
Seq = Annotated[int, Field(ge=0, lt=2**53)]
Expect = Annotated[
    Seq | None,
    Field(description="The newest event that the sender knows; null if it does not matter."),
]
Key = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class EventOut(Answer):
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


class CameraWorkerOut(Answer):
    """The process that watches a table, if the server runs it."""

    state: Annotated[Literal["running", "waiting", "ended"], Field(description="`waiting`: for its restart.")]
    restarts: int
    code: Annotated[int | None, Field(description="Its last exit code.")]
    again_in: Annotated[float | None, Field(description="Time until its restart, s.")]
    hangs: Annotated[int, Field(description="How often it was killed because it stopped reporting.")]
