"""Schemas of the routes of devices; see `api.schemas` and `api.services.device_models`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from api.schemas import ResponseSchema, Strict
from api.services.device_models import (
    MOST_DEVICES,
    DeviceConfig,
    DeviceReport,
    PortDoc,
    Revision,
    StatusDoc,
)

__all__ = [
    "DevicesOut",
    "QueuedOut",
    "ReportAnswerOut",
    "ReportIn",
    "TestIn",
]


ScannedText = Annotated[
    str,
    StringConstraints(max_length=20_000),
    Field(description="As the reader reported it; invalid tags are ignored."),
]


class ScanDoc(Strict):
    """A scanned tag (`uid`) or code (`text`); exactly one of the two is given."""

    device: Annotated[str, StringConstraints(min_length=1, max_length=40)]
    uid: ScannedText | None = None
    text: ScannedText | None = None
    ago_ms: Annotated[int, Field(ge=0, lt=2**31)] = 0


class ReportIn(Strict):
    """The report of the device process, sent once a second and after every change."""

    devices: Annotated[list[DeviceReport], Field(max_length=MOST_DEVICES)]
    ports: Annotated[list[PortDoc], Field(max_length=200)]
    scans: Annotated[
        list[ScanDoc],
        Field(
            default_factory=list,
            max_length=64,
            description="Scans without a table, for the page that pairs tags.",
        ),
    ]


class CommandDoc(ResponseSchema):
    """A command for a device, carried out once."""

    id: int
    device: str
    command: dict[str, Any]


class ReportAnswerOut(ResponseSchema):
    """The response to the device process: the current configuration, and commands, each sent only once."""

    revision: Revision
    devices: list[DeviceConfig]
    commands: list[CommandDoc]
    table: Annotated[
        str | None, Field(description="The newest table, which devices with the `table` null use.")
    ]
    boot: Annotated[
        str,
        Field(
            description="If it changes, the readers must report all tags on them again: the server was restarted, or tags were paired."
        ),
    ]


class DeviceWorkerOut(ResponseSchema):
    """The process that talks to the devices."""

    seen_s: Annotated[float | None, Field(description="Time since its last report, s; null: never.")]
    running: bool


class DeviceOut(DeviceConfig):
    """A device with its configuration and status."""

    status: Annotated[StatusDoc | None, Field(description="Null: no report yet.")]
    recent: Annotated[list[str], Field(description="Only for the host; newest first.")]


class OptionOut(ResponseSchema):
    """An option of a driver: a number, or one of several words."""

    name: str
    default: int | str | None
    choices: Annotated[list[str] | None, Field(description="Null: a number.")]


class DriverOut(ResponseSchema):
    """A supported type of device."""

    driver: str
    does: list[Literal["tags", "codes", "buttons", "lights", "display"]]
    says: dict[str, str]
    options: list[OptionOut]
    tests: Annotated[
        list[Literal["draw", "light", "scan", "again"]], Field(description="The supported tests.")
    ]


class DevicesOut(ResponseSchema):
    """All devices, and the ports and drivers for new ones."""

    revision: Revision
    worker: DeviceWorkerOut
    devices: list[DeviceOut]
    ports: list[PortDoc]
    drivers: list[DriverOut]
    problem: Annotated[str | None, Field(description="What was wrong with the stored file.")]


class TestIn(Strict):
    """A test of a device: `draw` needs `rows`, `light` needs `number` and `how`."""

    __test__ = False  # keeps pytest from collecting this class

    kind: Literal["draw", "light", "scan", "again"]
    rows: Annotated[list[Annotated[str, StringConstraints(max_length=40)]], Field(max_length=4)] | None = None
    number: Annotated[int, Field(ge=1, le=16)] | None = None
    how: Literal["off", "on", "blink"] | None = None


class QueuedOut(ResponseSchema):
    """A command queued for the device process."""

    id: int
