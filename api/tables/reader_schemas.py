"""Schemas of the scans that readers report at a table; see `api.schemas`."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from api.schemas import Name, Strict
from api.services.device_models import Place
from api.tables.table_schemas import Key, RefereeEventsOut
from companion.readers.tag_pairings import LONGEST_TAG

__all__ = ["ScannedOut", "ScansIn"]


class ReaderScanIn(Strict):
    """A scanned tag (`uid`) or code (`text`); exactly one of the two is given."""

    uid: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TAG)] | None = None
    text: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TAG)] | None = None
    present: Annotated[bool, Field(description="False: the tag was removed from the reader.")] = True
    ago_ms: Annotated[
        float, Field(ge=0, lt=2**53, description="Time since the scan; a tag may stay on a reader for days.")
    ] = 0.0
    rssi: Annotated[float | None, Field(ge=-200, le=100, description="Signal strength of the tag, dBm.")] = (
        None
    )

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.uid is None) == (self.text is None):
            raise ValueError("a scan needs either a uid or a text, not both")
        return self


class ScansIn(Strict):
    """A reader's scans, in the order in which they were made."""

    device: Name
    place: Place
    seat: Annotated[int, Field(ge=1, le=12)] | None = None
    scans: Annotated[list[ReaderScanIn], Field(max_length=500)]
    key: Annotated[
        Key | None, Field(description="Identifies the request; the scans of a repeated request are ignored.")
    ] = None


class ScannedOut(RefereeEventsOut):
    """The response to scans. `events` is empty: the referee's events follow in the event streams."""

    unknown: Annotated[list[str], Field(description="Tags and codes without a card of this game.")]
