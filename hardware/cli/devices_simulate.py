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

from companion.cli.language import error_text
from companion.cli.terminal import json_option, print_json
from companion.hanafuda.errors import BadRequestError
from companion.net.child_process import stopping

if TYPE_CHECKING:
    from hardware.simulators.simulated_port import PortFaults, SimulatedPort

__all__ = ["simulate"]

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
    initial_faults = _read_faults(PortFaults(), faults)
    try:
        port = SimulatedPort(SIMULATORS[driver](), link or _free_link(driver), faults=initial_faults)
        port.__enter__()
    except OSError as error:
        raise click.ClickException(f"cannot create the port {link}: {error.strerror}") from error
    try:
        with stopping() as stop:
            _print_result(
                {"port": str(port.link), "driver": driver},
                f"{driver} is plugged in at {port.link}\n"
                f"companion devices add NAME --driver {driver} --port {port.link}",
                as_json=as_json,
            )
            _Simulation(port, stop, as_json=as_json).attend(script)
    finally:
        port.pull()


class _Simulation:
    """Runs typed commands on a simulated device, and prints its display and lights."""

    def __init__(self, plug: SimulatedPort, stop: threading.Event, *, as_json: bool) -> None:
        self._plug, self._stop, self._as_json = plug, stop, as_json
        self._rows: tuple[str, ...] | None = None
        self._lights: dict[Any, Any] = {}

    def attend(self, script: TextIO | None) -> None:
        """Run until the end of the script, or until stopped."""
        lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        source = sys.stdin if script is None else script
        threading.Thread(target=_read, args=(source, lines), daemon=True).start()
        while not self._stop.is_set():
            self._print_changes()
            try:
                line = lines.get(timeout=_POLL_S)
            except queue.Empty:
                continue
            if line is not None:
                try:
                    self._run_command(line.split())
                except BadRequestError as error:
                    if script is not None:
                        raise
                    click.echo(error_text(error), err=True)
            elif script is not None or source.isatty():
                # Not for a background process, which has no input from the start and must keep running.
                self._pause(_FLUSH_S)
                return

    def _pause(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while (remaining := deadline - time.monotonic()) > 0 and not self._stop.wait(min(remaining, _POLL_S)):
            self._print_changes()

    def _run_command(self, words: list[str]) -> None:
        """Run one command. Raises `BadRequestError` if it is unknown."""
        port = self._plug
        match words:
            case [] | ["#", *_]:
                return
            case ["wait", seconds] if seconds.replace(".", "", 1).isdecimal():
                self._pause(float(seconds))
            case ["pull"]:
                port.pull()
            case ["plug"]:
                port.plug()
            case ["fault", *fault_words] if fault_words:
                port.faults = _read_faults(port.faults, fault_words)
            case ["well"]:
                port.faults = type(port.faults)()
            case ["show"]:
                rows = port.device.shows()
                _print_result({"shows": rows}, _draw_frame(rows), as_json=self._as_json)
            case _:
                self._act(words)

    def _act(self, words: list[str]) -> None:
        """Run a user's action on the device."""
        match words:
            case [key, "long"] if key.isdecimal():
                self._run_actions(("down", key))
                self._pause(_LONG_PRESS_S)
                self._run_actions(("up", key))
            case [key, "double"] if key.isdecimal():
                self._run_actions(("press", key), ("press", key))
            case [key] if key.isdecimal():
                self._run_actions(("press", key))
            case ["tag", uid]:
                self._run_actions(("put", uid))
            case ["code", *text]:
                self._run_actions(("scan", *text))
            case _:
                self._run_actions(tuple(words))

    def _run_actions(self, *actions: tuple[str, ...]) -> None:
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
                _print_result({"shows": rows}, _draw_frame(rows), as_json=self._as_json)
        if lights != self._lights:
            self._lights = lights
            text = ", ".join(f"{light} {how}" for light, how in sorted(lights.items()))
            _print_result(
                {"lights": lights},
                f"lights: {text}",
                as_json=self._as_json,
            )


def _read(lines: Iterable[str], into: queue.SimpleQueue[str | None]) -> None:
    for line in lines:
        into.put(line)
    into.put(None)


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


def _draw_frame(rows: Iterable[str]) -> str:
    rows = list(rows)
    edge = f"+{'-' * max(map(len, rows), default=0)}+"
    return "\n".join([edge, *(f"|{row}|" for row in rows), edge]) if rows else "it has no display"


def _print_result(document: Mapping[str, Any], text: str, *, as_json: bool) -> None:
    if as_json:
        print_json(document)
    else:
        click.echo(text)
