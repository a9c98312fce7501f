"""Things one plugs in: which there are, how they are, and trying them; the device process reports here and fetches its work.

Looking is free (what the readers read is for the host alone); setting them up takes the host.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from apiflask import APIBlueprint
from flask import Response, jsonify

from api.access.identity import who
from api.context import context
from api.devices.device_schemas import (
    DeviceConfig,
    DevicesIn,
    DevicesOut,
    QueuedOut,
    ReportAnswerOut,
    ReportIn,
    TestIn,
)
from api.devices.device_store import SILENT_S, DevicesChangedError, NoSuchDeviceError
from api.problems import JSON_REFUSED, problem
from companion.store import NoSuchTableError

__all__ = ["blueprint"]

blueprint = APIBlueprint("devices", __name__, tag="Devices")


@blueprint.get("/api/devices")
@blueprint.output(DevicesOut)
def devices() -> Response:
    """List the devices and how they are, the ports where more may be plugged in, and the drivers for them."""
    return _devices()


@blueprint.put("/api/devices")
@blueprint.input(DevicesIn)
@blueprint.output(DevicesOut)
@blueprint.doc(
    responses={
        **JSON_REFUSED,
        403: "Not the host",
        409: "They were changed meanwhile: `revision` is the one now",
        507: "They could not be written",
    }
)
def put_devices(json_data: DevicesIn) -> Response:
    """Put other devices in the place of those there are; the device process takes them over with its next report."""
    from api.devices.device_checks import check_devices  # noqa: PLC0415  # the drivers: not needed to start the program

    check_devices(json_data.devices, _seats(json_data.devices))
    context().devices.put(json_data.devices, expect=json_data.revision)
    return _devices()


@blueprint.post("/api/devices/report")
@blueprint.input(ReportIn)
@blueprint.output(ReportAnswerOut)
@blueprint.doc(
    responses={
        **JSON_REFUSED,
        401: "A token that stands for nobody",
        403: "No device",
    }
)
def report(json_data: ReportIn) -> Response:
    """Tell how the devices are, and fetch what is to be done: the device process does so once a second."""
    held = context().devices
    for scan in sorted(json_data.scans, key=lambda each: -each.ago_ms):
        if text := scan.uid or scan.text:
            context().scanned.saw(scan.device, text, scan.ago_ms / 1000)
    commands = held.report(json_data.devices, json_data.ports)
    return jsonify(
        revision=held.revision,
        devices=[each.model_dump() for each in held.all],
        commands=commands,
        table=context().store.tables.opened_last(),
        boot=f"{held.boot}-{context().scanned.claims}",
    )


@blueprint.post("/api/devices/<name>/test")
@blueprint.input(TestIn)
@blueprint.output(QueuedOut, status_code=202)
@blueprint.doc(
    responses={
        **JSON_REFUSED,
        403: "Not the host",
        404: "No such device",
        409: "It is not ready, is switched off, or nobody talks to the devices",
    }
)
def test(name: str, json_data: TestIn) -> Response:
    """Try a device: write on its display, switch a light, let it scan, or open its port again."""
    from api.devices.device_checks import command_of  # noqa: PLC0415  # as above

    held = context().devices
    device = held.get(name)
    command = command_of(device, json_data)
    if not device.on:
        return problem(HTTPStatus.CONFLICT, "device-off", f"{name} is switched off: switch it on first.")
    if not held.running:
        return problem(
            HTTPStatus.CONFLICT,
            "devices-not-running",
            f"Nobody talks to the devices: no report has come for {SILENT_S:.0f} s. `companion serve` starts that process"
            " by itself; `companion devices run` starts one on another machine.",
        )
    told = held.told(name)
    if command["kind"] != "again" and (told is None or told.status.state != "ready"):
        fault = told and told.status.fault
        why = fault.says.get("en", fault.code) if fault else "it is not plugged in, or not found yet"
        members: dict[str, Any] = {"fault": fault.model_dump()} if fault else {}
        return problem(HTTPStatus.CONFLICT, "device-not-ready", f"{name} is not ready: {why}.", **members)
    response = jsonify(id=held.queue(name, command))
    response.status_code = HTTPStatus.ACCEPTED
    return response


@blueprint.errorhandler(DevicesChangedError)
def _changed(error: DevicesChangedError) -> Response:
    return problem(HTTPStatus.CONFLICT, error.code, str(error), revision=error.revision)


@blueprint.errorhandler(NoSuchDeviceError)
def _not_here(error: NoSuchDeviceError) -> Response:
    return problem(HTTPStatus.NOT_FOUND, error.code, str(error))


def _devices() -> Response:
    from api.devices.device_checks import drivers_told, ports_told  # noqa: PLC0415  # as above

    held, host = context().devices, who().role in {"host", "device"}
    ports = held.ports
    response = jsonify(
        revision=held.revision,
        worker={"seen_s": held.seen_s, "running": held.running},
        devices=[_told(each, private=host) for each in held.all],
        ports=[each.model_dump() for each in (ports_told() if ports is None else ports)],
        drivers=drivers_told(),
        problem=held.problem,
    )
    response.headers["Cache-Control"] = "no-store"
    return response


def _told(device: DeviceConfig, *, private: bool) -> dict[str, Any]:
    """Return a device as JSON tells it; what it read, a hand's cards perhaps, only where that is ``private``."""
    told = context().devices.told(device.name)
    status = told and told.status.model_dump()
    if status and not private:
        status["last_frame"] = ""
    return {**device.model_dump(), "status": status, "recent": list(told.recent) if told and private else []}


def _seats(devices: list[DeviceConfig]) -> dict[str, int]:
    """Return how many seats the tables have that are named, of those that are there."""
    seats = {}
    for table in {each.table for each in devices if each.table is not None}:
        try:
            with context().tables.at(table) as found:
                seats[table] = found.game.players
        except NoSuchTableError:
            continue
    return seats
