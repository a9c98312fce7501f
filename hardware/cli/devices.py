"""``companion devices``: lists, adds, removes and tests devices, and runs the process that connects them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

import click

from companion.cli.language import say
from companion.cli.remote import plain_errors, server_options
from companion.cli.terminal import json_option, print_json, print_result
from companion.hanafuda.errors import did_you_mean, nearest
from companion.hanafuda.messages import Message
from companion.net.child_process import PARENT, stopping
from companion.net.client import AwayError, Client, RefusedError
from hardware.cli.devices_pair import pair
from hardware.cli.devices_simulate import simulate

#: Timeouts for a requested scan, for a probe, and for the device's port to appear, s.
_SCAN_S: Final = 8.0
_PROBE_S: Final = 8.0
_PORT_S: Final = 1.0
#: Interval at which the server is polled for the scan, s.
_POLL_S: Final = 0.2
_TESTS: Final = {
    "draw": "look at its display",
    "light": "look at its light",
    "scan": "hold a code or tag in front of it",
    "again": "its port is opened again",
}


@click.group(invoke_without_command=True)
@server_options
@json_option
@click.pass_context
def devices(ctx: click.Context, *, client: Client, as_json: bool) -> None:
    """List the configured readers, buttons and displays, and the available ports.

    The drivers and their wiring are described in hardware/README.md.
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

    On another machine, pass --server and a device token (pair it on the host's page), and start the server with
    --no-devices: only one process may control the devices of a server.
    """
    from hardware.worker.device_worker import DeviceWorker  # noqa: PLC0415  # late: only this command needs the drivers

    with stopping() as stop:
        if PARENT not in os.environ:
            click.echo(f"Connected the devices of {client.url}. Ctrl-C stops.", err=True)
            _warn_of_duplicate(client)
        DeviceWorker(client).run(stop)


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
        "options": {key: int(value) if value.removeprefix("-").isdecimal() else value for key, value in _parse_pairs(options)},
        "buttons": dict(_parse_pairs(buttons)),
    }  # fmt: skip
    with plain_errors():
        configuration = client.call("GET", "/api/devices")
        if any(other["name"] == name for other in configuration["devices"]):
            raise click.ClickException(
                f"a device {name} exists already: remove it first, or choose another name"
            )
        _save(client, configuration, [*_configured(configuration), device])
    print_result({"added": name}, f"{name} was added; `companion devices` shows its status", as_json=as_json)


@devices.command("remove")
@click.argument("name")
@server_options
@json_option
def remove(*, name: str, client: Client, as_json: bool) -> None:
    """Remove the device NAME."""
    with plain_errors():
        configuration = client.call("GET", "/api/devices")
        _find_device(configuration, name)
        _save(client, configuration, [other for other in _configured(configuration) if other["name"] != name])
    print_result({"removed": name}, f"{name} was removed", as_json=as_json)


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
    tests: dict[str, dict[str, Any]] = {}
    if draw:
        tests["draw"] = {"rows": list(draw)}
    if light is not None:
        tests["light"] = {"number": light, "how": "on"}
    tests |= {kind: {} for kind, wanted in (("scan", scan), ("again", again)) if wanted}
    with plain_errors():
        configuration = client.call("GET", "/api/devices")
        driver = _find_device(configuration, name)["driver"]
        if not tests:
            supported = next(
                entry["tests"] for entry in configuration["drivers"] if entry["driver"] == driver
            )
            defaults: dict[str, dict[str, Any]] = {
                "draw": {"rows": ["hanafuda-", "companion"]},
                "light": {"number": 1, "how": "on"},
                "scan": {},
            }
            tests = {kind: defaults[kind] for kind in supported if kind in defaults} or {"again": {}}
        last_number = client.call("GET", "/api/tags/last")["number"] if "scan" in tests else 0
        for kind, options in tests.items():
            client.call("POST", f"/api/devices/{name}/test", {"kind": kind, **options})
            print_result({"device": name, "asked": kind}, f"{name}: {_TESTS[kind]}", as_json=as_json)
        if "scan" in tests:
            _print_scan(client, name, last_number, as_json=as_json)


@devices.command("probe")
@click.argument("driver")
@click.argument("port")
@json_option
@click.pass_context
def probe(ctx: click.Context, *, driver: str, port: str, as_json: bool) -> None:
    """Check whether a device answers at PORT with DRIVER, without adding it. No other program may be using the port.

    The exit code is 1 if it does not answer.
    """
    from hardware.driver_registry import create_driver  # noqa: PLC0415  # as above
    from hardware.transports.port_discovery import port_finder  # noqa: PLC0415
    from hardware.transports.transport import Transport  # noqa: PLC0415

    transport = Transport(driver, create_driver(driver, {}), port_finder(port), lambda _: None)
    transport.start()
    began = time.monotonic()
    try:
        while (status := transport.status).state != "ready" and not status.fault:
            if time.monotonic() - began > (_PORT_S if status.state == "absent" else _PROBE_S):
                break
            time.sleep(0.05)
    finally:
        transport.close()
    if status.state == "ready":
        text = f"{driver} at {status.where}: {status.says or 'its port is open; it sends no data'}"
    else:
        reason = say(status.fault.message) if status.fault else "nothing is plugged in there"
        text = f"no {driver} at {port}: {reason}"
    print_result(status.to_dict(time.monotonic()), text, as_json=as_json)
    ctx.exit(0 if status.state == "ready" else 1)


def _warn_of_duplicate(client: Client) -> None:
    with suppress(AwayError, RefusedError):  # the worker retries and reports the problem
        if client.call("GET", "/api/devices")["worker"]["running"]:
            click.echo(
                "companion devices: another process controls the devices, perhaps the server's own"
                " (`companion serve --no-devices` starts none): stop one of the two",
                err=True,
            )


def _list(client: Client, *, as_json: bool) -> None:
    with plain_errors():
        configuration = client.call("GET", "/api/devices")
    if as_json:
        print_json(configuration)
        return
    if configuration["problem"]:
        click.echo(configuration["problem"], err=True)
    if configuration["devices"] and not configuration["worker"]["running"]:
        click.echo(
            "No process controls the devices: run `companion devices run`, or restart `companion serve`.",
            err=True,
        )
    for entry in configuration["devices"]:
        click.echo("\n".join(_device_lines(entry)))
    if not configuration["devices"]:
        click.echo(
            "No device is set up: companion devices add NAME --driver D --port P, or the page /devices."
        )
    click.echo("\nPorts")
    for port in configuration["ports"]:
        click.echo(f"  {port['name']:<34} {port['port']:<14} {port['says']}")
    if not configuration["ports"]:
        click.echo("  none: no serial port is connected")
    click.echo("\nDrivers")
    for entry in configuration["drivers"]:
        click.echo(f"  {entry['driver']:<16} {say(Message.from_dict(entry['says']))}")


def _device_lines(device: Mapping[str, Any]) -> Iterator[str]:
    status = device["status"] or {}
    state = f"{status.get('state', 'not tried yet') if device['on'] else 'off':<13}"
    line = f"{device['name']:<14} {device['driver']:<15} {click.style(state, bold=True)} {status.get('port') or device['port']}"
    where = (
        f"table {device['table']}" if device["table"] else "",
        f"seat {device['seat']}" if device["seat"] else "",
        device["place"] or "",
    )
    if any(where):
        line += f"  ({', '.join(filter(None, where))})"
    if (silence := status.get("last_seen_s")) is not None:
        line += f"  last data {silence:.0f} s ago"
    yield line
    indent = f"{'':<14} "
    if status.get("says"):
        yield f"{indent}identifies as {status['says']}"
    if status.get("fault"):
        yield indent + say(Message.from_dict(status["fault"]["says"]))
    if device["recent"]:
        yield f"{indent}last frame {device['recent'][0]}"


def _parse_pairs(arguments: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if not (name and equals and value):
            raise click.UsageError(f"{argument!r} is not NAME=VALUE")
        yield name, value


def _configured(configuration: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the devices' settings without their status."""
    return [
        {key: entry[key] for key in entry if key not in {"status", "recent"}}
        for entry in configuration["devices"]
    ]


def _find_device(configuration: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    names = [entry["name"] for entry in configuration["devices"]]
    if name not in names:
        hint = did_you_mean(nearest(name, names)) or f"; there are {', '.join(names) or 'none'}"
        raise click.BadArgumentUsage(f"there is no device {name!r}{hint}")
    device: Mapping[str, Any] = configuration["devices"][names.index(name)]
    return device


def _save(client: Client, configuration: Mapping[str, Any], devices: list[dict[str, Any]]) -> None:
    client.call("PUT", "/api/devices", {"revision": configuration["revision"], "devices": devices})


def _print_scan(client: Client, name: str, last_number: int, *, as_json: bool) -> None:
    deadline = time.monotonic() + _SCAN_S
    while time.monotonic() < deadline:
        for scan in client.call("GET", f"/api/tags/last?after={last_number}")["scans"]:
            if scan["device"] == name:
                tag = ", ".join(filter(None, (scan["uid"], scan["card"])))
                print_result(scan, f"{name} read {tag}", as_json=as_json)
                return
        time.sleep(_POLL_S)
    raise click.ClickException(f"{name} read nothing within {_SCAN_S:.0f} s")
