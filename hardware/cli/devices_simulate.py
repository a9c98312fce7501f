"""``companion devices simulate``: simulates a device at a virtual port, for use without hardware."""

from __future__ import annotations

import queue
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

import click

from companion.cli.terminal import json_option, print_json
from companion.hanafuda.errors import BadRequestError
from companion.net.child_process import stopping

if TYPE_CHECKING:
    from hardware.simulators.simulated_port import PortFaults, SimulatedPort

__all__ = ["simulate"]

#: Longer than a long press takes to be one, and how often it is looked whether display and lights have changed, s.
_LONG_S: Final = 1.0
_LOOK_S: Final = 0.05
#: What is said last still goes out before a script's end pulls the plug, s.
_LAST_S: Final = 0.3


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
    Type what to do with it:
      1               presses key 1     (1 long, 1 double)
      tag E0040150..  lays a tag on it  (take E0040150.. takes it away)
      code TEXT       holds a code before it
      fault drop=0.1  switches a fault on, well switches all off
      pull, plug      the plug
      wait 2          seconds
      show            what its display shows
    """
    from hardware.driver_registry import find_driver  # noqa: PLC0415  # the drivers: only here

    found = find_driver(driver)
    try:
        from hardware.simulators.simulated_port import PortFaults, SimulatedPort  # noqa: PLC0415
    except ImportError as error:  # Windows
        raise click.ClickException(
            "devices are simulated on Linux and macOS only: this system has no pseudo terminals"
        ) from error
    wrong = _read_faults(PortFaults(), faults)
    try:
        plug = SimulatedPort(found.simulator(), link or _free_link(driver), faults=wrong)
        plug.__enter__()
    except OSError as error:
        raise click.ClickException(f"no port can appear at {link}: {error.strerror}") from error
    try:
        with stopping() as stop:
            _tell(
                {"port": str(plug.link), "driver": driver},
                f"{driver} is plugged in at {plug.link}\n"
                f"companion devices add NAME --driver {driver} --port {plug.link}",
                as_json=as_json,
            )
            _Simulation(plug, stop, as_json=as_json).attend(script)
    finally:
        plug.pull()


class _Simulation:
    """Runs typed commands on a simulated device, and prints its display and lights."""

    def __init__(self, plug: SimulatedPort, stop: threading.Event, *, as_json: bool) -> None:
        self._plug, self._stop, self._as_json = plug, stop, as_json
        self._rows: tuple[str, ...] | None = None
        self._lights: dict[Any, Any] = {}

    def attend(self, script: TextIO | None) -> None:
        """Run until the end of the script, or until stopped."""
        lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        typed = sys.stdin if script is None else script
        threading.Thread(target=_read, args=(typed, lines), daemon=True).start()
        while not self._stop.is_set():
            self._print_changes()
            try:
                line = lines.get(timeout=_LOOK_S)
            except queue.Empty:
                continue
            if line is not None:
                try:
                    self._do(line.split())
                except BadRequestError as error:
                    if script is not None:
                        raise
                    click.echo(str(error), err=True)
            elif script is not None or typed.isatty():  # in the background there is no input from the start
                self._pause(_LAST_S)
                return

    def _pause(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and not self._stop.wait(min(left, _LOOK_S)):
            self._print_changes()

    def _do(self, words: list[str]) -> None:
        """Run one command; raises `BadRequestError` if it is unknown."""
        plug = self._plug
        match words:
            case [] | ["#", *_]:
                return
            case ["wait", seconds] if seconds.replace(".", "", 1).isdecimal():
                self._pause(float(seconds))
            case ["pull"]:
                plug.pull()
            case ["plug"]:
                plug.plug()
            case ["fault", *told] if told:
                plug.faults = _read_faults(plug.faults, told)
            case ["well"]:
                plug.faults = type(plug.faults)()
            case ["show"]:
                rows = plug.device.shows()
                _tell({"shows": rows}, _framed(rows), as_json=self._as_json)
            case _:
                self._act(words)

    def _act(self, words: list[str]) -> None:
        """Run a user's action on the device."""
        match words:
            case [key, "long"] if key.isdecimal():
                self._hold(("down", key))
                self._pause(_LONG_S)
                self._hold(("up", key))
            case [key, "double"] if key.isdecimal():
                self._hold(("press", key), ("press", key))
            case [key] if key.isdecimal():
                self._hold(("press", key))
            case ["tag", uid]:
                self._hold(("put", uid))
            case ["code", *text]:
                self._hold(("scan", *text))
            case _:
                self._hold(tuple(words))

    def _hold(self, *actions: tuple[str, ...]) -> None:
        with self._plug.lock:
            for action in actions:
                self._plug.device.act(*action)

    def _print_changes(self) -> None:
        with self._plug.lock:
            rows = self._plug.device.shows()
            lights = dict(getattr(self._plug.device, "lights", {}))
        if rows != self._rows:
            self._rows = rows
            if rows:
                _tell({"shows": rows}, _framed(rows), as_json=self._as_json)
        if lights != self._lights:
            self._lights = lights
            told = ", ".join(f"{light} {how}" for light, how in sorted(lights.items()))
            _tell({"lights": lights}, f"lights: {told}", as_json=self._as_json)


def _read(lines: Iterable[str], into: queue.SimpleQueue[str | None]) -> None:
    for line in lines:
        into.put(line)
    into.put(None)


def _read_faults(faults: PortFaults, told: Iterable[str]) -> PortFaults:
    """Return the faults with the named ones switched on."""
    known = {field.name: type(getattr(faults, field.name)) for field in fields(faults)}
    changes: dict[str, Any] = {}
    for each in told:
        name, equals, share = each.partition("=")
        if known.get(name) is bool and not equals:
            changes[name] = True
        elif known.get(name) is float and _is_fraction(share):
            changes[name] = float(share)
        else:
            forms = ", ".join(name if kind is bool else f"{name}=0.01" for name, kind in known.items())
            raise BadRequestError(f"{each!r} is no fault; there are {forms}")
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
    return next(
        link for link in links if not link.exists()
    )  # one that hangs is of a simulator that was killed


def _framed(rows: Iterable[str]) -> str:
    rows = list(rows)
    edge = f"+{'-' * max(map(len, rows), default=0)}+"
    return "\n".join([edge, *(f"|{row}|" for row in rows), edge]) if rows else "it has no display"


def _tell(document: Mapping[str, Any], text: str, *, as_json: bool) -> None:
    if as_json:
        print_json(document)
    else:
        click.echo(text)
