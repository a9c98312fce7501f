"""Models of what cameras, card readers and buttons report at a table."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from apiflask.fields import UploadFile
from pydantic import AfterValidator, Field, StringConstraints, model_validator

from api.models.base import MAX_NOTE, Answer, EventOut, Key, MessageOut, Name, Seat, Strict
from api.models.device_config import Place
from api.models.devices import CameraWorkerOut
from companion.readers.tag_pairings import LONGEST_TAG
from companion.redaction import redacted
from companion.table.presses import Button, PressKind


class ObservationIn(Strict):
    """A camera worker's observation of a stable table."""

    observation: Annotated[str, Field(description="JSON of an `Observation`.", max_length=2**20)]
    frame: Annotated[UploadFile | None, Field(description="The picture, JPEG of at most 4 MB.")] = None


class RefereeEventsOut(Answer):
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


class CameraIn(Strict):
    """A camera's status report, sent about once a second and whenever its state changes."""

    state: Annotated[
        str,
        Field(
            description="JSON: an object in the format of `CameraOut`, without the ages.", max_length=2**18
        ),
    ]
    frame: Annotated[UploadFile | None, Field(description="The newest picture, JPEG of at most 1 MB.")] = None


class CameraState(Strict):
    """The status of a camera, as it reports it."""

    state: Literal["starting", "watching", "hands", "failed", "ended"]
    message: Annotated[
        Annotated[str, StringConstraints(max_length=MAX_NOTE), AfterValidator(redacted)] | None,
        Field(description="What is wrong, and what to do."),
    ] = None
    source: Annotated[str, StringConstraints(max_length=400), AfterValidator(redacted)] | None = None
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
    more: Annotated[dict[str, Any], Field(default_factory=dict, description="Details for troubleshooting.")]


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


class ReportedOut(Answer):
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

    layout: Annotated[dict[str, Any] | None, Field(description="Null: the default for game and seats.")]


class PressIn(Strict):
    """A button press at a seat, or (`seat` null) in the middle of the table."""

    button: Button
    how: PressKind = "press"
    seat: Seat | None = None
    key: Key | None = None
    ago_ms: Annotated[float, Field(ge=0, description="Time since the press, at most 5 s.")] = 0.0
    device: Annotated[Name | None, Field(description="The button's device, for the history.")] = None
    source: Literal["button", "keyboard"] = "button"


class PressedOut(RefereeEventsOut):
    """The message and the events of a button press."""

    did: MessageOut


class ReaderScanIn(Strict):
    """A scanned tag (`uid`) or code (`text`); exactly one of the two is given."""

    uid: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TAG)] | None = None
    text: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TAG)] | None = None
    present: Annotated[bool, Field(description="False: the tag was removed from the reader.")] = True
    ago_ms: Annotated[
        float, Field(ge=0, lt=2**53, description="Time since the scan; a tag may stay on a reader for days.")
    ] = 0.0
    rssi: Annotated[float | None, Field(ge=-200, le=100, description="The tag's signal strength, dBm.")] = (
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
    seat: Seat | None = None
    scans: Annotated[list[ReaderScanIn], Field(max_length=500)]
    key: Annotated[Key | None, Field(description="Identifies the request; repeated, it is ignored.")] = None


class ScannedOut(RefereeEventsOut):
    """The response to scans. `events` is empty: the referee's events follow in the event streams."""

    unknown: Annotated[list[str], Field(description="Tags and codes without a card of this game.")]
