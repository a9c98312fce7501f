"""Schemas of devices and of the tags of decks; see `api.schemas`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from api.schemas import CardId, ResponseSchema, Strict
from companion.readers.tag_pairings import LONGEST_TAG, MAX_TAGS

__all__ = [
    "DeviceConfig",
    "DevicesIn",
    "DevicesOut",
    "LabelsIn",
    "LastScanIn",
    "LastScanOut",
    "PairTagIn",
    "QueuedOut",
    "ReportAnswerOut",
    "ReportIn",
    "TagsIn",
    "TagsOut",
    "TestIn",
]

MOST_DEVICES = 64
MOST_SEATS = 12

Text = Annotated[str, StringConstraints(max_length=2000)]
Button = Literal["koi-koi", "stop", "pass", "undo", "next"]
DeviceName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=40, pattern=r"^[\w-]+$"),
    Field(description="Letters, digits, - and _.", examples=["tray-1"]),
]
Place = Annotated[
    str,
    StringConstraints(pattern=r"^(field|stock|discard|any|(captured|hand)-([1-9]|1[0-2]))$"),
    Field(
        description="Where what it reads lies: `field`, `stock`, `discard`, `captured-N`, `hand-N`; `any`: it is held in the"
        " hand, and the order of its scans tells.",
        examples=["captured-1"],
    ),
]
Option = Annotated[
    int | Annotated[str, StringConstraints(max_length=80)] | dict[Text, Text],
    Field(description="A number, a word, or what each key means."),
]
Seat = Annotated[int, Field(ge=1, le=MOST_SEATS)]
Frame = Annotated[str, StringConstraints(max_length=20_000)]
Revision = Annotated[int, Field(ge=0, lt=2**53, description="A number that every change of the list raises.")]
Tag = Annotated[
    str,
    StringConstraints(min_length=1, max_length=LONGEST_TAG),
    Field(description="A tag's number in hex, or the text of a code.", examples=["E0040150A1B2C3D4"]),
]
ScannedText = Annotated[
    str,
    StringConstraints(max_length=20_000),
    Field(description="As the reader told it; what can be no tag is passed over, not refused."),
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
        Field(default_factory=dict, max_length=10, description="What its driver takes, see `drivers`."),
    ]
    table: Annotated[
        Annotated[str, StringConstraints(min_length=1, max_length=80)] | None,
        Field(description="Null: the newest table, until another is opened; also when its game is over."),
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
            description="What a button means instead of what its driver says.",
        ),
    ]
    on: bool = True


class DevicesIn(Strict):
    """The new list of all devices."""

    revision: Revision
    devices: Annotated[list[DeviceConfig], Field(max_length=MOST_DEVICES)]


class FaultDoc(Strict):
    """What is wrong with a device."""

    code: Annotated[str, StringConstraints(max_length=40)]
    says: Annotated[
        dict[
            Annotated[str, StringConstraints(max_length=8)],
            Annotated[str, StringConstraints(max_length=8000)],
        ],
        Field(max_length=8, description="The sentence by language: en, ja, ko."),
    ]


class StatusDoc(Strict):
    """The status of a device; ages in s."""

    device: Annotated[str, StringConstraints(max_length=40)]
    state: Literal["absent", "opening", "probing", "ready", "stale", "back-off"]
    for_s: Annotated[Seconds, Field(description="How long it has been so.")]
    port: Annotated[Text | None, Field(description="Where it is now; null: nowhere.")]
    says: Annotated[str, StringConstraints(max_length=2000), Field(description="What it says of itself.")]
    fault: FaultDoc | None
    last_seen_s: Annotated[Seconds | None, Field(description="When it was heard last.")]
    last_frame: Annotated[Frame, Field(description="In hex.")]
    opened: Annotated[int, Field(ge=0, lt=2**53, description="How often its port was opened.")]


class PortDoc(Strict):
    """A port of the machine that the devices are connected to."""

    port: Text
    name: Annotated[Text, Field(description="What to write as a device's `port`: it stays its own.")]
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
        list[Frame],
        Field(default_factory=list, max_length=8, description="The last frames in hex, newest first."),
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
            description="Scans that no table took, for the page that pairs tags.",
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
        str | None, Field(description="The newest table, where devices belong whose `table` is null.")
    ]
    boot: Annotated[
        str,
        Field(
            description="Another one where what lies on readers is to be told again: the server has started anew, or tags were paired."
        ),
    ]


class DeviceWorkerOut(ResponseSchema):
    """The process that talks to the devices."""

    seen_s: Annotated[float | None, Field(description="When it reported last, s ago; null: never.")]
    running: bool


class DeviceOut(ResponseSchema):
    """A device with its configuration and status."""

    name: str
    driver: str
    port: str
    options: dict[str, Option]
    table: str | None
    seat: int | None
    place: str | None
    buttons: dict[str, Button]
    on: bool
    status: Annotated[StatusDoc | None, Field(description="Null: nobody has told yet.")]
    recent: Annotated[list[str], Field(description="For the host alone; newest first.")]


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
        list[Literal["draw", "light", "scan", "again"]], Field(description="What it can be asked to try.")
    ]


class DevicesOut(ResponseSchema):
    """All devices, and the ports and drivers for new ones."""

    revision: Revision
    worker: DeviceWorkerOut
    devices: list[DeviceOut]
    ports: list[PortDoc]
    drivers: list[DriverOut]
    problem: Annotated[str | None, Field(description="What was wrong with the file that keeps them.")]


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


# --- the tags of decks


class TagsIn(Strict):
    """The new tag pairings of a deck, replacing all previous ones."""

    tags: Annotated[dict[Tag, CardId], Field(max_length=MAX_TAGS)]
    deck: Annotated[str | None, Field(max_length=80, description="If given, the deck of the address.")] = None


class PairTagIn(Strict):
    """A tag and its card; null removes the pairing."""

    uid: Tag
    card: CardId | None
    move: Annotated[bool, Field(description="Whether it may be taken off another card.")] = False


class TagsOut(ResponseSchema):
    """The tag pairings of a deck."""

    deck: str
    pack: Literal["hanafuda", "mekurifuda", "kabufuda", "western"]
    tags: dict[str, str]
    problem: Annotated[str | None, Field(description="What was wrong with the file that keeps them.")]


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
        int, Field(ge=0, lt=2**53, strict=False, description="The number of the last scan that is known.")
    ] = 0
    deck: Annotated[str | None, Field(max_length=80)] = None


class LastScanDoc(ResponseSchema):
    """A scanned tag or code with its card."""

    number: int
    device: str | None
    uid: str | None
    card: str | None
    sticker: Annotated[
        bool, Field(description="Whether its text says the card, so that it needs no pairing.")
    ]
    ago_s: float | None


class LastScanOut(LastScanDoc):
    """The last scan (`number` 0: none yet), and all scans after number `after`, oldest first."""

    scans: list[LastScanDoc]
