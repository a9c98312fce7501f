"""``companion devices``: lists, adds, removes and tests devices, and runs the process that connects them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

import click

from companion.cli.terminal import json_option, print_json
from companion.hanafuda.errors import did_you_mean, nearest
from companion.net.child_process import PARENT, stopping
from companion.net.client import AwayError, Client, RefusedError
from companion.net.remote import server_options, told_plainly
from hardware.cli.devices_pair import pair
from hardware.cli.devices_simulate import simulate

__all__ = ["devices"]

#: How long a scan that is asked for is waited for, and a probe, s.
_SCAN_S: Final = 8.0
_PROBE_S: Final = 8.0
_LOOK_S: Final = 0.2


@click.group(invoke_without_command=True)
@server_options
@json_option
@click.pass_context
def devices(ctx: click.Context, *, client: Client, as_json: bool) -> None:
    """List the configured readers, buttons and displays, and the available ports.

    What each driver is for, and its wiring: hardware/README.md.
    """
    if ctx.invoked_subcommand is None:
        _list(client, as_json=as_json)


devices.add_command(simulate)
devices.add_command(pair)


@devices.command("list")
@server_options
@json_option
def list_devices(*, client: Client, as_json: bool) -> None:
    """List devices, ports and drivers."""
    _list(client, as_json=as_json)


@devices.command("run")
@server_options
def run(*, client: Client) -> None:
    """Connect the configured devices until Ctrl-C. `companion serve` does this automatically on its own machine.

    On another machine give --server and a device's token (pair it on the host's page), and start the server with
    --no-devices: one process talks to the devices of a server.
    """
    from hardware.worker.device_worker import DeviceWorker  # noqa: PLC0415  # the drivers: only here

    with stopping() as stop:
        if PARENT not in os.environ:
            click.echo(f"Talking to the devices of {client.url}. Ctrl-C ends.", err=True)
            _warn_of_duplicate(client)
        DeviceWorker(client.kept()).run(stop)


@devices.command("add")
@click.argument("name")
@click.option("--driver", required=True, help="The driver; `companion devices list` lists all.")
@click.option(
    "--port",
    required=True,
    metavar="P",
    help="usb:VENDOR:PRODUCT:SERIAL, a path, or an address (socket://...).",
)
@click.option("--table", metavar="ID", help="The table's id; default: the newest table.")
@click.option("--seat", type=int, metavar="N", help="The seat it belongs to.")
@click.option(
    "--place",
    metavar="PLACE",
    help="A reader's zone: field, stock, discard, captured-1, hand-1 ...; any: a handheld scanner.",
)
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="A driver option, such as columns=20, rows=4 or font=ascii.",
)
@click.option(
    "--button",
    "buttons",
    multiple=True,
    metavar="KEY=BUTTON",
    help="Remaps a key, for example raw-5=next or stop=pass.",
)
@server_options
@json_option
def add(
    *,
    name: str,
    driver: str,
    port: str,
    table: str | None,
    seat: int | None,
    place: str | None,
    options: tuple[str, ...],
    buttons: tuple[str, ...],
    client: Client,
    as_json: bool,
) -> None:
    """Add the device NAME (letters, digits, - and _)."""
    device = {
        "name": name,
        "driver": driver,
        "port": port,
        "table": table,
        "seat": seat,
        "place": place,
        "options": {key: int(value) if value.lstrip("-").isdecimal() else value for key, value in _pairs(options)},
        "buttons": dict(_pairs(buttons)),
    }  # fmt: skip
    with told_plainly():
        told = client.call("GET", "/api/devices")
        if any(each["name"] == name for each in told["devices"]):
            raise click.ClickException(
                f"there is a device {name} already: remove it first, or take another name"
            )
        _put(client, told, [*_configured(told), device])
    _say(f"{name} is set up; `companion devices` shows how it is", {"added": name}, as_json=as_json)


@devices.command("remove")
@click.argument("name")
@server_options
@json_option
def remove(*, name: str, client: Client, as_json: bool) -> None:
    """Remove the device NAME."""
    with told_plainly():
        told = client.call("GET", "/api/devices")
        _found(told, name)
        _put(client, told, [each for each in _configured(told) if each["name"] != name])
    _say(f"{name} is forgotten", {"removed": name}, as_json=as_json)


@devices.command("test")
@click.argument("name")
@click.option("--draw", multiple=True, metavar="ROW", help="Show this row; repeat for more rows.")
@click.option(
    "--light", type=click.IntRange(1, 16), metavar="N", help="Switch this light on for three seconds."
)
@click.option("--scan", is_flag=True, help="Trigger a scan and print the result.")
@click.option("--again", is_flag=True, help="Reopen its port.")
@server_options
@json_option
def test(
    *,
    name: str,
    draw: tuple[str, ...],
    light: int | None,
    scan: bool,
    again: bool,
    client: Client,
    as_json: bool,
) -> None:
    """Test the device NAME: everything it supports, or what the options select."""
    asked: dict[str, dict[str, Any]] = {}
    if draw:
        asked["draw"] = {"rows": list(draw)}
    if light is not None:
        asked["light"] = {"number": light, "how": "on"}
    asked |= {kind: {} for kind, wanted in (("scan", scan), ("again", again)) if wanted}
    with told_plainly():
        told = client.call("GET", "/api/devices")
        driver = _found(told, name)["driver"]
        if not asked:
            can = next(each["tests"] for each in told["drivers"] if each["driver"] == driver)
            usual: dict[str, dict[str, Any]] = {
                "draw": {"rows": ["hanafuda-", "companion"]},
                "light": {"number": 1, "how": "on"},
                "scan": {},
            }
            asked = {kind: usual[kind] for kind in can if kind in usual} or {"again": {}}
        known = client.call("GET", "/api/tags/last")["number"] if "scan" in asked else 0
        for kind, more in asked.items():
            client.call("POST", f"/api/devices/{name}/test", {"kind": kind, **more})
            _say(f"{name} was asked: {_ASKED[kind]}", {"device": name, "asked": kind}, as_json=as_json)
        if "scan" in asked:
            _print_scan(client, name, known, as_json=as_json)


_ASKED: Final = {
    "draw": "look at its display",
    "light": "look at its light",
    "scan": "hold something before it",
    "again": "its port is opened again",
}


@devices.command("probe")
@click.argument("driver")
@click.argument("port")
@json_option
@click.pass_context
def probe(ctx: click.Context, *, driver: str, port: str, as_json: bool) -> None:
    """Check whether a device answers at PORT with DRIVER, without adding it. No other program may be using the port.

    The exit code is 1 where it does not answer.
    """
    from hardware.device_config import create_driver  # noqa: PLC0415  # as above
    from hardware.transports.port_discovery import port_finder  # noqa: PLC0415
    from hardware.transports.transport import Transport  # noqa: PLC0415

    transport = Transport(driver, create_driver(driver, {}), port_finder(port), lambda _: None)
    transport.start()
    until = time.monotonic() + _PROBE_S
    try:
        while (status := transport.status).state != "ready" and not status.fault and time.monotonic() < until:
            time.sleep(0.05)
            if transport.status.state == "absent" and time.monotonic() > until - _PROBE_S + 1:
                break
    finally:
        transport.close()
    if as_json:
        print_json(status.to_dict(time.monotonic()))
    elif status.state == "ready":
        click.echo(f"{driver} at {status.where}: {status.says or 'its port is open; it never says anything'}")
    else:
        told = str(status.fault) if status.fault else f"nothing is plugged in at {port}"
        click.echo(f"no {driver} at {port}: {told}")
    ctx.exit(0 if status.state == "ready" else 1)


def _warn_of_duplicate(client: Client) -> None:
    with suppress(AwayError, RefusedError):  # it is asked again and again
        if client.call("GET", "/api/devices")["worker"]["running"]:
            click.echo(
                "companion devices: another process reported on them just now, perhaps the server's own"
                " (`companion serve --no-devices` starts none): end one of the two",
                err=True,
            )


def _list(client: Client, *, as_json: bool) -> None:
    with told_plainly():
        told = client.call("GET", "/api/devices")
    if as_json:
        print_json(told)
        return
    if told["problem"]:
        click.echo(told["problem"], err=True)
    if told["devices"] and not told["worker"]["running"]:
        click.echo(
            "Nobody talks to the devices: `companion devices run`, or `companion serve` anew.", err=True
        )
    for each in told["devices"]:
        click.echo("\n".join(_device_lines(each)))
    if not told["devices"]:
        click.echo(
            "No device is set up: companion devices add NAME --driver D --port P, or the page /devices."
        )
    click.echo("\nPorts")
    for port in told["ports"]:
        click.echo(f"  {port['name']:<34} {port['port']:<14} {port['says']}")
    if not told["ports"]:
        click.echo("  none: nothing is plugged in that the system calls a serial port")
    click.echo("\nDrivers")
    for each in told["drivers"]:
        click.echo(f"  {each['driver']:<16} {each['says']['en']}")


def _device_lines(device: Mapping[str, Any]) -> Iterator[str]:
    status = device["status"] or {}
    state = ("switched off" if not device["on"] else status.get("state")) or "not tried yet"
    seen = status.get("last_seen_s")
    belongs = [
        f"table {device['table']}" if device["table"] else "",
        f"seat {device['seat']}" if device["seat"] else "",
        device["place"] or "",
    ]
    where = ", ".join(filter(None, belongs))
    yield (
        f"{device['name']:<14} {device['driver']:<15} {click.style(f'{state:<12}', bold=True)}"
        f" {status.get('port') or device['port']}"
        + (f"  ({where})" if where else "")
        + (f"  heard {seen:.0f} s ago" if seen is not None else "")
    )
    if status.get("says"):
        yield f"{'':<14} says: {status['says']}"
    if status.get("fault"):
        yield f"{'':<14} {status['fault']['says']['en']}"
    if device["recent"]:
        yield f"{'':<14} last: {device['recent'][0]}"


def _pairs(told: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for each in told:
        name, equals, value = each.partition("=")
        if not (name and equals and value):
            raise click.UsageError(f"{each!r} is no NAME=VALUE")
        yield name, value


def _configured(told: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the devices' settings without their status."""
    return [{key: each[key] for key in each if key not in {"status", "recent"}} for each in told["devices"]]


def _found(told: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    names = [each["name"] for each in told["devices"]]
    if name not in names:
        hint = did_you_mean(nearest(name, names)) or f"; there are {', '.join(names) or 'none'}"
        raise click.BadArgumentUsage(f"there is no device {name!r}{hint}")
    found: Mapping[str, Any] = told["devices"][names.index(name)]
    return found


def _put(client: Client, told: Mapping[str, Any], wanted: list[dict[str, Any]]) -> None:
    client.call("PUT", "/api/devices", {"revision": told["revision"], "devices": wanted})


def _print_scan(client: Client, name: str, known: int, *, as_json: bool) -> None:
    until = time.monotonic() + _SCAN_S
    while time.monotonic() < until:
        for scan in client.call("GET", f"/api/tags/last?after={known}")["scans"]:
            if scan["device"] == name:
                stands = f", {scan['card']}" if scan["card"] else ""
                _say(f"{name} read {scan['uid']}{stands}", scan, as_json=as_json)
                return
        time.sleep(_LOOK_S)
    raise click.ClickException(f"{name} read nothing within {_SCAN_S:.0f} s")


def _say(text: str, document: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(document)
    else:
        click.echo(text)
