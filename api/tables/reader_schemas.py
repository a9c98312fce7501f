"""Schemas of the scans that readers report at a table; see `api.schemas`."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from api.devices.device_schemas import Place
from api.schemas import ResponseSchema, Strict
from api.tables.table_schemas import EventOut, Key, Name
from companion.readers.tag_pairings import LONGEST_TAG

__all__ = ["ScannedOut", "ScansIn"]


class ScanTold(Strict):
    """A scanned tag (`uid`) or code (`text`); exactly one of the two is given."""

    uid: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TAG)] | None = None
    text: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TAG)] | None = None
    present: Annotated[bool, Field(description="False: the tag has gone from the reader.")] = True
    ago_ms: Annotated[
        float, Field(ge=0, lt=2**53, description="How long ago it was scanned; a tag may lie there for days.")
    ] = 0.0
    rssi: Annotated[
        float | None, Field(ge=-200, le=100, description="How strongly the tag answered, dBm.")
    ] = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.uid is None) == (self.text is None):
            raise ValueError("a scan has a uid or a text, one of them")
        return self


class ScansIn(Strict):
    """A reader's scans, in the order in which they were made."""

    device: Name
    place: Place
    seat: Annotated[int, Field(ge=1, le=12)] | None = None
    scans: Annotated[list[ScanTold], Field(max_length=500)]
    key: Annotated[Key | None, Field(description="Of a request sent again, the scans count once.")] = None


class ScannedOut(ResponseSchema):
    """The response to scans. The referee's events are published in the event streams."""

    seq: int
    said: Annotated[
        list[EventOut], Field(description="What the referee said at once: nothing, for he waits.")
    ]
    unknown: Annotated[list[str], Field(description="Tags and codes that stand for no card of this game.")]
