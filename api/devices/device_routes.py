"""Devices: their configuration, status, and tests. The device process reports here and fetches its commands.

`api.access.policy` says who may use which route; only hosts and devices can see what the readers read.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from apiflask import APIBlueprint
from flask import Response, jsonify

from api.access.identity import who
from api.context import context
from api.devices.device_schemas import (
    DevicesOut,
    QueuedOut,
    ReportAnswerOut,
    ReportIn,
    TestIn,
)
from api.languages import request_language
from api.problems import JSON_REFUSED, problem, register_problems
from api.services.device_models import DeviceConfig, DevicesIn
from api.services.device_store import SILENT_S, DevicesChangedError, NoSuchDeviceError
from companion.hanafuda.messages import Message
from companion.store import NoSuchTableError

__all__ = ["blueprint"]

blueprint = APIBlueprint("devices", __name__, tag="Devices")
register_problems(blueprint, HTTPStatus.CONFLICT, DevicesChangedError, members=["revision"])
register_problems(blueprint, HTTPStatus.NOT_FOUND, NoSuchDeviceError)


@blueprint.get("/api/devices")
@blueprint.output(DevicesOut)
def devices() -> Response:
    """List the devices with their status, the available ports, and the drivers."""
    return _devices_response()


@blueprint.put("/api/devices")
@blueprint.input(DevicesIn)
@blueprint.output(DevicesOut)
@blueprint.doc(
    responses={
        **JSON_REFUSED,
        403: "Not the host",
        409: "The devices were changed in the meantime; `revision` is the current one",
        507: "The devices could not be stored",
    }
)
def put_devices(json_data: DevicesIn) -> Response:
    """Replace the list of devices. The device process gets the new list in the response to its next report."""
    from api.devices.device_checks import check_devices  # noqa: PLC0415  # loads the drivers, not needed at startup

    check_devices(json_data.devices, _seats(json_data.devices))
    context().devices.put(json_data.devices, expect=json_data.revision)
    return _devices_response()


@blueprint.post("/api/devices/report")
@blueprint.input(ReportIn)
@blueprint.output(ReportAnswerOut)
@blueprint.doc(
    responses={
        **JSON_REFUSED,
        401: "An unknown token",
        403: "No device",
    }
)
def report(json_data: ReportIn) -> Response:
    """Report the status of all devices and fetch pending commands. The device process calls this once a second."""
    store = context().devices
    for scan in sorted(json_data.scans, key=lambda each: -each.ago_ms):
        if text := scan.uid or scan.text:
            context().scanned.saw(scan.device, text, scan.ago_ms / 1000)
    commands = store.report(json_data.devices, json_data.ports)
    newest = context().store.tables.opened_last()
    return jsonify(
        revision=store.revision,
        devices=[each.model_dump() for each in store.all],
        commands=commands,
        table=newest,
        boot=_boot(newest),
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


@blueprint.post("/api/devices/<name>/test")
@blueprint.input(TestIn)
@blueprint.output(QueuedOut, status_code=202)
@blueprint.doc(
    responses={
        **JSON_REFUSED,
        403: "Not the host",
        404: "No such device",
        409: "The device is not ready or switched off, or the device worker is not running",
    }
)
def test(name: str, json_data: TestIn) -> Response:
    """Test a device: write on its display, switch a light, trigger a scan, or reopen its port."""
    from api.devices.device_checks import command_of  # noqa: PLC0415  # as above

    store = context().devices
    device = store.get(name)
    command = command_of(device, json_data)
    if not device.on:
        return problem(HTTPStatus.CONFLICT, "device-off", Message("problem-device-off", {"device": name}))
    if not store.running:
        return problem(
            HTTPStatus.CONFLICT,
            "devices-not-running",
            Message("problem-devices-not-running", {"seconds": round(SILENT_S)}),
        )
    report = store.report_of(name)
    if command["kind"] != "again" and (report is None or report.status.state != "ready"):
        fault = report and report.status.fault
        why = fault.says.get(request_language(), fault.code) if fault else Message("device-not-found-yet")
        message = Message("problem-device-not-ready", {"device": name, "why": why})
        members: dict[str, Any] = {"fault": fault.model_dump()} if fault else {}
        return problem(HTTPStatus.CONFLICT, "device-not-ready", message, **members)
    response = jsonify(id=store.queue(name, command))
    response.status_code = HTTPStatus.ACCEPTED
    return response


def _devices_response() -> Response:
    from api.devices.device_checks import drivers_json, port_docs  # noqa: PLC0415  # as above

    store, private = context().devices, who().role in {"host", "device"}
    ports = store.ports
    response = jsonify(
        revision=store.revision,
        worker={"seen_s": store.seen_s, "running": store.running},
        devices=[_device_json(each, private=private) for each in store.all],
        ports=[each.model_dump() for each in (port_docs() if ports is None else ports)],
        drivers=drivers_json(),
        problem=store.problem,
    )
    response.headers["Cache-Control"] = "no-store"
    return response


def _device_json(device: DeviceConfig, *, private: bool) -> dict[str, Any]:
    """Return a device as JSON; what it read (possibly the cards of a hand) only if ``private``."""
    report = context().devices.report_of(device.name)
    status = report and report.status.model_dump()
    if status and not private:
        status["last_frame"] = ""
    return {
        **device.model_dump(),
        "status": status,
        "recent": list(report.recent) if report and private else [],
    }


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
