"""``companion devices simulate``: simulates a device at a virtual port, for use without hardware."""

from __future__ import annotations

import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

import click

from companion.cli.language import error_text
from companion.cli.terminal import json_option, print_result
from companion.hanafuda.errors import BadRequestError

if TYPE_CHECKING:
    from hardware.simulators.simulated_port import PortFaults, SimulatedPort

#: Duration of a simulated long press, s: longer than the minimum.
_LONG_PRESS_S: Final = 1.0
#: Interval at which display and lights are checked for changes, s.
_POLL_S: Final = 0.05
#: Delay before the device is unplugged at the end of a script, so that pending output is still sent, s.
_FLUSH_S: Final = 0.3


@click.command("simulate")
@click.argument("driver")
@click.option(
    "--port", "link", type=click.Path(path_type=Path), metavar="PATH", help="Path of the virtual port."
)
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="F",
    help="Faults: silent, deaf, split, or a fraction of its bytes or lines, such as drop=0.01, corrupt=0.01,"
    " repeat=0.1.",
)
@click.option(
    "--script",
    type=click.File("r"),
    metavar="FILE",
    help="Run the commands in this file, then exit.",
)
@json_option
def simulate(
    *, driver: str, link: Path | None, faults: tuple[str, ...], script: TextIO | None, as_json: bool
) -> None:
    """Simulate a device for DRIVER at a virtual port until Ctrl-C, and print its display.

    \b
    Commands on stdin:
      1               press key 1        (also: 1 long, 1 double)
      tag E0040150..  put a tag on it    (take E0040150.. removes it)
      code TEXT       scan a code
      fault drop=0.1  switch a fault on  (well: switch all off)
      pull, plug      unplug it, plug it in
      wait 2          wait 2 seconds
      show            print its display
    """
    from hardware.driver_registry import find_driver  # noqa: PLC0415  # late: only this command needs the drivers

    find_driver(driver)
    try:
        from hardware.simulators.registry import SIMULATORS  # noqa: PLC0415
        from hardware.simulators.simulated_port import PortFaults, SimulatedPort  # noqa: PLC0415
    except ImportError as error:  # Windows
        raise click.ClickException(
            "devices are simulated on Linux and macOS only: this system has no pseudo terminals"
        ) from error
    port = SimulatedPort(
        SIMULATORS[driver](), link or _free_link(driver), faults=_read_faults(PortFaults(), faults)
    )
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        try:
            port.plug()
        except OSError as error:
            raise click.ClickException(f"cannot create the port {link}: {error.strerror}") from error
        print_result(
            {"port": str(port.link), "driver": driver},
            f"{driver} is plugged in at {port.link}\n"
            f"companion devices add NAME --driver {driver} --port {port.link}",
            as_json=as_json,
        )
        threading.Thread(
            target=_print_changes, args=(port,), kwargs={"as_json": as_json}, daemon=True
        ).start()
        _run_commands(port, script, as_json=as_json)
    except KeyboardInterrupt:
        pass
    finally:
        port.pull()


def _run_commands(port: SimulatedPort, script: TextIO | None, *, as_json: bool) -> None:
    """Run the commands of a script until its end, or those on stdin until stopped."""
    for line in script or sys.stdin:
        try:
            _run_command(port, line.split(), as_json=as_json)
        except BadRequestError as error:
            if script is not None:
                raise
            click.echo(error_text(error), err=True)
    if script is None and not sys.stdin.isatty():
        # A background process has no input from the start and must keep running.
        threading.Event().wait()
    time.sleep(_FLUSH_S)


def _run_command(port: SimulatedPort, words: list[str], *, as_json: bool) -> None:
    """Run one command. Raises `BadRequestError` if it is unknown."""
    match words:
        case [] | ["#", *_]:
            return
        case ["wait", seconds] if seconds.replace(".", "", 1).isdecimal():
            time.sleep(float(seconds))
        case ["pull"]:
            port.pull()
        case ["plug"]:
            port.plug()
        case ["fault", *names] if names:
            port.faults = _read_faults(port.faults, names)
        case ["well"]:
            port.faults = type(port.faults)()
        case ["show"]:
            _print_rows(port.device.shows(), as_json=as_json)
        case [key] | [key, "long" | "double"] if key.isdecimal():
            _press(port, key, *words[1:])
        case ["tag", uid]:
            _act(port, "put", uid)
        case ["code", *text]:
            _act(port, "scan", *text)
        case _:
            _act(port, *words)


def _press(port: SimulatedPort, key: str, how: str = "press") -> None:
    if how == "long":
        _act(port, "down", key)
        time.sleep(_LONG_PRESS_S)
        _act(port, "up", key)
    else:
        for _ in range(1 + (how == "double")):
            _act(port, "press", key)


def _act(port: SimulatedPort, *action: str) -> None:
    with port.lock:
        port.device.act(*action)


def _print_changes(port: SimulatedPort, *, as_json: bool) -> None:
    """Print the device's display and lights whenever they change, forever."""
    rows: tuple[str, ...] = ()
    lights: dict[Any, Any] = {}
    while True:
        with port.lock:
            new_rows, new_lights = port.device.shows(), dict(getattr(port.device, "lights", {}))
        if new_rows != rows:
            rows = new_rows
            _print_rows(rows, as_json=as_json)
        if new_lights != lights:
            lights = new_lights
            text = ", ".join(f"{light} {how}" for light, how in sorted(lights.items()))
            print_result({"lights": lights}, f"lights: {text}", as_json=as_json)
        time.sleep(_POLL_S)


def _read_faults(faults: PortFaults, names: Iterable[str]) -> PortFaults:
    """Return the faults with the named ones switched on. Raises `BadRequestError` for an unknown fault or value."""
    known = {field.name: type(getattr(faults, field.name)) for field in fields(faults)}
    changes: dict[str, Any] = {}
    for argument in names:
        name, equals, fraction = argument.partition("=")
        if known.get(name) is bool and not equals:
            changes[name] = True
        elif known.get(name) is float and _is_fraction(fraction):
            changes[name] = float(fraction)
        else:
            forms = ", ".join(name if kind is bool else f"{name}=0.01" for name, kind in known.items())
            raise BadRequestError(f"{argument!r} is not a fault; there are {forms}")
    return replace(faults, **changes)


def _is_fraction(text: str) -> bool:
    try:
        return 0 <= float(text) <= 1
    except ValueError:
        return False


def _free_link(driver: str) -> Path:
    """Return a free path for the port, the same each time, so that a configured device keeps its port."""
    folder = Path(tempfile.gettempdir())
    links = (folder / f"hanafuda-{driver}{count or ''}" for count in range(100))
    # A dangling link, which does not exist, was left by a simulator that was killed.
    return next(link for link in links if not link.exists())


def _print_rows(rows: tuple[str, ...], *, as_json: bool) -> None:
    edge = f"+{'-' * max(map(len, rows), default=0)}+"
    frame = "\n".join([edge, *(f"|{row}|" for row in rows), edge]) if rows else "it has no display"
    print_result({"shows": rows}, frame, as_json=as_json)
