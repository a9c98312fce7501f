"""Models of devices, the receipt printer, and the health of the server."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from api.models.base import Answer, Strict
from api.models.device_config import MAX_DEVICES, DeviceConfig, DeviceReport, PortDoc, Revision, StatusDoc

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

    devices: Annotated[list[DeviceReport], Field(max_length=MAX_DEVICES)]
    ports: Annotated[list[PortDoc], Field(max_length=200)]
    scans: Annotated[
        list[ScanDoc],
        Field(
            default_factory=list,
            max_length=64,
            description="Scans without a table, for the page that pairs tags.",
        ),
    ]


class CommandDoc(Answer):
    """A command for a device, carried out once."""

    id: int
    device: str
    command: dict[str, Any]


class ReportAnswerOut(Answer):
    """The response to the device process: the current configuration, and commands, each sent only once."""

    revision: Revision
    devices: list[DeviceConfig]
    commands: list[CommandDoc]
    table: Annotated[str | None, Field(description="The newest table, for devices whose `table` is null.")]
    boot: Annotated[
        str,
        Field(
            description="If it changes, the readers must report all tags on them again: the server was restarted, or tags were paired."
        ),
    ]


class DeviceWorkerOut(Answer):
    """The process that talks to the devices."""

    seen_s: Annotated[float | None, Field(description="Time since its last report, s; null: never.")]
    running: bool


class DeviceOut(DeviceConfig):
    """A device with its configuration and status."""

    status: Annotated[StatusDoc | None, Field(description="Null: no report yet.")]
    recent: Annotated[list[str], Field(description="Only for the host; newest first.")]


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


class DevicesOut(Answer):
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


class QueuedOut(Answer):
    """A command queued for the device process."""

    id: int


# --- printer
Paper = Literal[58, 80]
Lang = Literal["en", "ja", "ko", "both"]
Baud = Literal[9600, 19200, 38400, 57600, 115200]


class PrinterIn(Strict):
    """The settings of the receipt printer."""

    port: Annotated[
        Annotated[str, StringConstraints(max_length=200, strip_whitespace=True)] | None,
        Field(
            description="`socket://HOST:9100`, the path of a serial port, or `usb:VENDOR:PRODUCT`; null: no printer."
        ),
    ]
    paper: Annotated[Paper, Field(description="mm across")] = 80
    lang: Lang = "both"
    baud: Annotated[Baud, Field(description="The baud rate of a serial port.")] = 9600


class FaultOut(Answer):
    """Why printing failed or was incomplete."""

    code: str
    says: Annotated[dict[str, str], Field(description="By language: `en`, `ja` and `ko`.")]


class JobOut(Answer):
    """The state of the last print job."""

    table: str
    state: Literal["printing", "done", "failed"]
    share: Annotated[float, Field(description="The fraction that was sent, 0-1.")]
    sure: Annotated[bool, Field(description="Whether the printer confirmed that it was printed.")]
    low: Annotated[bool, Field(description="Whether the paper is nearly used up.")]
    fault: FaultOut | None
    missing: Annotated[
        list[str], Field(description="Letters that no installed font has; printed in Latin letters.")
    ]


class PrinterOut(Answer):
    """The receipt printer and its last job; `job` is null if nothing was printed since the program started."""

    port: str | None
    paper: Paper
    lang: Lang
    baud: Baud
    job: JobOut | None


# --- health


class CameraWorkerOut(Answer):
    """The process that watches a table, if the server runs it."""

    state: Annotated[Literal["running", "waiting", "ended"], Field(description="`waiting`: for its restart.")]
    restarts: int
    code: Annotated[int | None, Field(description="Its last exit code.")]
    again_in: Annotated[float | None, Field(description="Time until its restart, s.")]
    hangs: Annotated[int, Field(description="How often it was killed because it stopped reporting.")]


class SavedOut(Answer):
    """The state of the log for one table."""

    seq: Annotated[int, Field(description="The newest stored event of the table.")]
    saved: Annotated[str, Field(description="When it was stored.")]
    age: Annotated[float, Field(description="Time since then, s.")]
    fault: Annotated[str | None, Field(description="Why nothing can be stored, checked at most every 5 s.")]


class HealthOut(Answer):
    """The health of a table: its log, camera, and worker process."""

    log: SavedOut
    camera: Annotated[str, Field(description="Its state, as in `GET /api/tables/{id}/camera`.")]
    worker: CameraWorkerOut | None


class ReadinessOut(Answer):
    """Whether a load balancer should send requests to this process."""

    status: Annotated[
        Literal["ready", "draining", "fault"],
        Field(description="`draining`: the process is ending; `fault`: its log cannot be used."),
    ]


class LogHealthOut(Answer):
    """Whether the log is writable."""

    fault: Annotated[
        str | None,
        Field(
            description="Why not: busy, damaged, failed, full, read-only or replaced. Null: it is writable."
        ),
    ]
    age: Annotated[float | None, Field(description="Time since the last write, s; null: none yet.")]


class NoticeOut(Answer):
    """A notice about the log for all users; ``message`` is in the language of the request."""

    id: Annotated[str | None, Field(description="The id for dismissing it; null while its cause persists.")]
    code: str
    params: dict[str, Any]
    time: str | None
    message: str


class CameraHealthOut(Answer):
    """The health of one table's camera."""

    table: str
    state: str
    age: Annotated[float | None, Field(description="Time since its last report, s.")]
    frame_age: Annotated[float | None, Field(description="Age of its newest frame, s.")]
    worker: CameraWorkerOut | None


class DeviceHealthOut(Answer):
    """The health of one device."""

    name: str
    state: Annotated[str, Field(description="`off`, `unknown` (no report), or what the driver reports.")]
    last_seen: Annotated[float | None, Field(description="Time since its last data, s.")]
    fault: Annotated[str | None, Field(description="A stable code for the fault.")]


class PhotographsHealthOut(Answer):
    """The photographs that wait to be read by scan workers, on all machines."""

    waiting: int
    workers: Annotated[
        int,
        Field(
            description="The number of scan workers that run. While it is 0, the photographs are only kept."
        ),
    ]


class ServerHealthOut(Answer):
    """The health of the server and its log. Unpaired phones get only `status` if reading is restricted."""

    status: Literal["ok", "fault"]
    version: str | None = None
    uptime: Annotated[float | None, Field(description="Time since the program was started, s.")] = None
    log: LogHealthOut | None = None
    notices: list[NoticeOut] | None = None
    cameras: Annotated[list[CameraHealthOut] | None, Field(description="Only for paired senders.")] = None
    devices: Annotated[list[DeviceHealthOut] | None, Field(description="Only for paired senders.")] = None
    photographs: Annotated[
        PhotographsHealthOut | None, Field(description="Null if the server reads all photographs itself.")
    ] = None
    may_dismiss: Annotated[bool | None, Field(description="Whether the sender may dismiss notices.")] = None
