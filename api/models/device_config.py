"""The configuration and status of a device, as they are stored and reported."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, StringConstraints

from api.models.base import Answer, Seat, Strict, tidied

MAX_DEVICES = 64

Text = Annotated[str, StringConstraints(max_length=2000)]
Button = Literal["koi-koi", "stop", "pass", "undo", "next"]
DeviceName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=40, pattern=r"^[\w-]+$"),
    BeforeValidator(tidied),  # after the pattern, which would be missing in the schema otherwise
    Field(description="Letters, digits, - and _.", examples=["tray-1"]),
]
Place = Annotated[
    str,
    StringConstraints(pattern=r"^(field|stock|discard|any|(captured|hand)-([1-9]|1[0-2]))$"),
    Field(
        description="The zone of the cards that it reads: `field`, `stock`, `discard`, `captured-N`, `hand-N`; `any`: a handheld"
        " reader, where the order of the scans determines the moves.",
        examples=["captured-1"],
    ),
]
Option = Annotated[
    int | Annotated[str, StringConstraints(max_length=80)] | dict[Text, Text],
    Field(description="A number, a word, or the meaning of each key."),
]
Frame = Annotated[str, StringConstraints(max_length=20_000)]
Revision = Annotated[
    int, Field(ge=0, lt=2**53, description="A number that increases with each change of the list.")
]
Seconds = Annotated[float, Field(ge=0, lt=2**53, allow_inf_nan=False)]


class DeviceConfig(Strict):
    """The configuration of a device."""

    name: DeviceName
    driver: Annotated[str, StringConstraints(max_length=40)]
    port: Annotated[
        str,
        StringConstraints(min_length=1, max_length=300),
        Field(description="`usb:VENDOR:PRODUCT[:SERIAL]`, a path or an address, as `ports` lists them."),
    ]
    options: Annotated[
        dict[Annotated[str, StringConstraints(max_length=40)], Option],
        Field(default_factory=dict, max_length=10, description="The options of its driver, see `drivers`."),
    ]
    table: Annotated[
        Annotated[str, StringConstraints(min_length=1, max_length=80)] | None,
        Field(description="Null: always the newest table, even if its game is over."),
    ] = None
    seat: Seat | None = None
    place: Place | None = None
    buttons: Annotated[
        dict[
            Annotated[str, StringConstraints(pattern=r"^(raw-[0-9]{1,3}|koi-koi|stop|pass|undo|next)$")],
            Button,
        ],
        Field(
            default_factory=dict,
            max_length=40,
            description="Meanings of buttons that differ from the driver's defaults.",
        ),
    ]
    on: bool = True


class DevicesIn(Strict):
    """The new list of all devices."""

    revision: Revision
    devices: Annotated[list[DeviceConfig], Field(max_length=MAX_DEVICES)]


class FaultDoc(Strict):
    """What is wrong with a device."""

    code: Annotated[str, StringConstraints(max_length=40)]
    says: Annotated[
        dict[
            Annotated[str, StringConstraints(max_length=8)],
            Annotated[str, StringConstraints(max_length=8000)],
        ],
        Field(max_length=8, description="The text by language: en, ja, ko."),
    ]


class StatusDoc(Strict):
    """The status of a device; ages in s."""

    device: Annotated[str, StringConstraints(max_length=40)]
    state: Literal["absent", "opening", "probing", "ready", "stale", "back-off"]
    for_s: Annotated[Seconds, Field(description="Time in this state.")]
    port: Annotated[Text | None, Field(description="The current port; null: not connected.")]
    says: Annotated[str, StringConstraints(max_length=2000), Field(description="Its self-description.")]
    fault: FaultDoc | None
    last_seen_s: Annotated[Seconds | None, Field(description="Time since its last data.")]
    last_frame: Annotated[Frame, Field(description="In hex.")]
    opened: Annotated[int, Field(ge=0, lt=2**53, description="The number of times that its port was opened.")]


class PortDoc(Strict):
    """A port of the machine that the devices are connected to."""

    port: Text
    name: Annotated[Text, Field(description="The stable name to use as a device's `port`.")]
    says: Text
    vendor: Annotated[int, Field(ge=0, lt=2**16)] | None
    product: Annotated[int, Field(ge=0, lt=2**16)] | None
    serial: Text | None
    by_id: Text | None


class DeviceReport(Strict):
    """The status of one device, as the device process reports it."""

    name: Annotated[str, StringConstraints(max_length=40)]
    status: StatusDoc
    recent: Annotated[
        list[Frame], Field(default_factory=list, max_length=8, description="Hex, newest first.")
    ]


class OptionOut(Answer):
    """An option of a driver: a number, or one of several words."""

    name: str
    default: int | str | None
    choices: Annotated[list[str] | None, Field(description="Null: a number.")]


class DriverOut(Answer):
    """A supported type of device."""

    driver: str
    does: list[Literal["tags", "codes", "buttons", "lights", "display"]]
    says: dict[str, str]
    options: list[OptionOut]
    tests: Annotated[
        list[Literal["draw", "light", "scan", "again"]], Field(description="The supported tests.")
    ]


class TestIn(Strict):
    """A test of a device: `draw` needs `rows`, `light` needs `number` and `how`."""

    __test__ = False  # keeps pytest from collecting this class

    kind: Literal["draw", "light", "scan", "again"]
    rows: Annotated[list[Annotated[str, StringConstraints(max_length=40)]], Field(max_length=4)] | None = None
    number: Annotated[int, Field(ge=1, le=16)] | None = None
    how: Literal["off", "on", "blink"] | None = None
