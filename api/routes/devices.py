"""Devices: their configuration, status, and tests; and the printer of score receipts.

The device process reports here and fetches its commands. Only hosts and devices can see what the readers read.
"""

from __future__ import annotations

import io
from http import HTTPStatus
from typing import Annotated, Any, Literal

from flask import Response, request
from PIL import Image
from pydantic import Field, StringConstraints

from api.access.who import who
from api.context import context
from api.languages import request_language
from api.models.base import Answer, Strict
from api.models.device_config import (
    MAX_DEVICES,
    DeviceConfig,
    DeviceReport,
    DevicesIn,
    DriverOut,
    PortDoc,
    Revision,
    StatusDoc,
    TestIn,
)
from api.page_shell import phones_address
from api.problems import refused
from api.routing import MediaType, Routes
from api.services.devices import SILENT_S
from companion.hanafuda.errors import ConflictError
from companion.hanafuda.messages import Message
from companion.paper.receipt import receipt_of_table
from companion.store import NoSuchTableError
from hardware.printers.lettering import Lettering
from hardware.printers.printer_settings import PrinterSettings, read_printer_settings, write_printer_settings
from hardware.printers.receipt_picture import draw_receipt

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


class DevicesOut(Answer):
    """All devices, and the ports and drivers for new ones."""

    revision: Revision
    worker: DeviceWorkerOut
    devices: list[DeviceOut]
    ports: list[PortDoc]
    drivers: list[DriverOut]
    problem: Annotated[str | None, Field(description="What was wrong with the stored file.")]


class QueuedOut(Answer):
    """A command queued for the device process."""

    id: int


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


blueprint = Routes("devices", __name__, tag="Devices")
printing_blueprint = Routes("printing", __name__, tag="Printing")


@blueprint.get("/api/devices")
def devices() -> DevicesOut:
    """List the devices with their status, the available ports, and the drivers."""
    return _all_devices()


@blueprint.put(
    "/api/devices",
    refusals={409: "The devices were changed in the meantime; `revision` is the current one", **refused(507)},
)
def put_devices(json_data: DevicesIn) -> DevicesOut:
    """Replace the list of devices. The device process gets the new list in the response to its next report."""
    from api.services.device_checks import check_devices  # noqa: PLC0415  # loads the drivers, not needed at startup

    check_devices(json_data.devices, _seats(json_data.devices))
    context().devices.put(json_data.devices, expect=json_data.revision)
    return _all_devices()


@blueprint.post("/api/devices/report")
def report(json_data: ReportIn) -> ReportAnswerOut:
    """Report the status of all devices and fetch pending commands. The device process calls this once a second."""
    store = context().devices
    for scan in sorted(json_data.scans, key=lambda each: -each.ago_ms):
        if text := scan.uid or scan.text:
            context().scanned.saw(scan.device, text, scan.ago_ms / 1000)
    commands = store.report(json_data.devices, json_data.ports)
    newest = context().store.tables.opened_last()
    return ReportAnswerOut.model_validate(
        {
            "revision": store.revision,
            "devices": store.all,
            "commands": commands,
            "table": newest,
            "boot": _boot(newest),
        }
    )


def _boot(newest: str | None) -> str:
    """Return a text that changes when the readers must report the tags on them again.

    That is after a restart, after tags were paired, and when another process has taken over the referee of a table.
    ``newest`` is the table of devices without a table of their own.
    """
    ctx = context()
    boot = f"{ctx.devices.boot}-{ctx.scanned.pairing_sessions}"
    if ctx.store.signals.alone:
        return boot
    tables = sorted({table for each in ctx.devices.all if each.on and (table := each.table or newest)})
    watching = [ctx.peers.watching(ctx.tables.newest(table)) for table in tables]
    return "-".join([boot, *filter(None, watching)])


@blueprint.post(
    "/api/devices/<name>/test",
    status=HTTPStatus.ACCEPTED,
    refusals={409: "The device is not ready or switched off, or the device worker is not running"},
)
def test(name: str, json_data: TestIn) -> QueuedOut:
    """Test a device: write on its display, switch a light, trigger a scan, or reopen its port."""
    from api.services.device_checks import command_of  # noqa: PLC0415  # as above

    store = context().devices
    device = store.get(name)
    command = command_of(device, json_data)
    if not device.on:
        raise ConflictError("device-off", Message("problem-device-off", {"device": name}))
    if not store.running:
        message = Message("problem-devices-not-running", {"seconds": round(SILENT_S)})
        raise ConflictError("devices-not-running", message)
    report = store.report_of(name)
    if command["kind"] != "again" and (report is None or report.status.state != "ready"):
        fault = report and report.status.fault
        why = fault.says.get(request_language(), fault.code) if fault else Message("device-not-found-yet")
        message = Message("problem-device-not-ready", {"device": name, "why": why})
        members: dict[str, Any] = {"fault": fault.model_dump()} if fault else {}
        raise ConflictError("device-not-ready", message, **members)
    return QueuedOut(id=store.queue(name, command))


def _all_devices() -> DevicesOut:
    from api.services.device_checks import drivers, port_docs  # noqa: PLC0415  # as above

    store, private = context().devices, who().role in {"host", "device"}
    return DevicesOut(
        revision=store.revision,
        worker=DeviceWorkerOut(seen_s=store.seen_s, running=store.running),
        devices=[_device(each, private=private) for each in store.all],
        ports=port_docs() if store.ports is None else list(store.ports),
        drivers=drivers(),
        problem=store.problem,
    )


def _device(device: DeviceConfig, *, private: bool) -> DeviceOut:
    """Return a device with its status; what it read (possibly the cards of a hand) only if ``private``."""
    report = context().devices.report_of(device.name)
    status = None if report is None else report.status
    if status and not private:
        status = status.model_copy(update={"last_frame": ""})
    recent = list(report.recent) if report and private else []
    return DeviceOut(**dict(device), status=status, recent=recent)


def _seats(devices: list[DeviceConfig]) -> dict[str, int]:
    """Return the number of seats of each existing table that ``devices`` refer to, by table id."""
    seats = {}
    for table in {each.table for each in devices if each.table is not None}:
        try:
            with context().tables.at(table) as state:
                seats[table] = state.game.players
        except NoSuchTableError:
            continue
    return seats


@printing_blueprint.get("/api/printer")
def printer() -> PrinterOut:
    """Return the printer settings and the last print job."""
    return _printer(read_printer_settings(context().store.documents))


@printing_blueprint.put("/api/printer", refusals=refused(507))
def put_printer(json_data: PrinterIn) -> PrinterOut:
    """Set the printer's port, paper width, and the language of receipts."""
    settings = PrinterSettings(json_data.port or None, json_data.paper, json_data.lang, json_data.baud)
    write_printer_settings(context().store.documents, settings)
    return _printer(settings)


@printing_blueprint.get("/api/tables/<table_id>/slip.png")
def slip_picture(table_id: str) -> Annotated[Response, MediaType("image/png", "The receipt, one px per dot")]:
    """Return a preview of a table's receipt. `lang` (en, ja, ko, both) and `paper` (58, 80) override the printer settings."""
    settings = read_printer_settings(context().store.documents).to_dict()
    settings |= {key: value for key in ("lang", "paper") if (value := request.args.get(key))}
    if str(settings["paper"]).isdecimal():
        settings["paper"] = int(settings["paper"])
    picture, _ = _draw(table_id, PrinterSettings(**settings))
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return Response(buffer.getvalue(), mimetype="image/png")


@printing_blueprint.post(
    "/api/tables/<table_id>/slip",
    status=HTTPStatus.ACCEPTED,
    refusals={
        409: "A receipt is being printed, or there is no printer",
        422: "No round has ended yet",
        **refused(400, 413, 415),
    },
)
def print_slip(table_id: str) -> PrinterOut:
    """Start printing a table's receipt. The response comes immediately; the printer's `job` shows the progress."""
    settings = read_printer_settings(context().store.documents)
    picture, missing = _draw(table_id, settings)
    if settings.port is None:
        raise ConflictError("no-printer", Message("problem-no-printer"))
    context().printing.start(table_id, picture, missing, settings)
    return _printer(settings)


def _draw(table_id: str, settings: PrinterSettings) -> tuple[Image.Image, list[str]]:
    """Return the picture of a table's receipt, and the characters that no font has."""
    with context().tables.at(table_id) as table:
        receipt = receipt_of_table(table)
    lettering = Lettering()
    picture = draw_receipt(
        receipt, width=settings.width, lang=settings.lang, lettering=lettering, origin=phones_address()
    )
    return picture, sorted(lettering.missing)


def _printer(settings: PrinterSettings) -> PrinterOut:
    return PrinterOut.model_validate({**settings.to_dict(), "job": context().printing.job})
