"""A promise: every driver is whole - sentences, wiring, checklist, double, and it works over a pty with its double."""

from __future__ import annotations

import ast
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

import hardware
from companion.hanafuda.errors import BadRequestError
from companion.messages import render_all
from hardware.device_faults import Fault, FaultCode
from hardware.driver import Command, DeviceDriver, PortSettings, SetLight, ShowRows
from hardware.driver_registry import DRIVERS, find_driver
from hardware.simulators.registry import SIMULATORS
from hardware.simulators.simulated_port import PortFaults, SimulatedPort
from hardware.transports.port_discovery import port_finder
from hardware.transports.transport import ReceivedEvent, Transport
from tests.hardware.wait_until import until
from tests.message_text import raises_text

README = (Path(hardware.__file__).parent / "README.md").read_text("utf-8")
EVERY = pytest.mark.parametrize("name", list(DRIVERS))

# What a person does to each double, and what must be reported.
DOES: dict[str, tuple[list[str], str, dict[str, object]]] = {
    "rdm6300": (["put", "62E3086CED"], "tag", {"uid": "62E3086CED", "present": True}),
    "pn532": (["put", "9AB1C2D3"], "tag", {"uid": "9AB1C2D3", "present": True}),
    "acg": (["put", "E004010012345678"], "tag", {"uid": "E004010012345678", "present": True}),
    "r200": (["put", "30751FEB705C5904E3D50D70"], "tag", {"uid": "30751FEB705C5904E3D50D70", "present": True, "rssi": -55}),
    "gm65": (["scan", "HC:K7Q2"], "code", {"text": "HC:K7Q2"}),
    "line-scanner": (["scan", "松に鶴"], "code", {"text": "松に鶴"}),
    "button-box": (["press", "1"], "button", {"button": "koi-koi", "how": "press"}),
    "crystalfontz": (["press", "5"], "button", {"button": "stop", "how": "press"}),
}  # fmt: skip


def section(name: str) -> str:
    found = re.search(rf"^### {re.escape(name)}\n(.*?)(?=^### |\Z)", README, re.MULTILINE | re.DOTALL)
    assert found, f"hardware/README.md has no section {name}"
    return found[1]


@EVERY
def test_it_is_documented_with_wiring_and_checklist(name: str) -> None:
    text = section(name)
    assert text.count("```") == 2
    for point in ("discovered", "probed", "reconnects", "unplug test", "languages", "simulator"):
        assert point in text


def test_nothing_else_is_documented_as_a_driver() -> None:
    assert re.findall(r"^### (.+)$", README, re.MULTILINE) == list(DRIVERS)


def languages(output: dict[str, str]) -> None:
    assert set(output) == {"en", "ja", "ko"}
    assert re.search("[ぁ-んァ-ヶ一-龠]", output["ja"])
    assert re.search("[가-힣]", output["ko"])


@EVERY
def test_every_driver_has_a_title_in_three_languages(name: str) -> None:
    languages(render_all(DRIVERS[name].title))


@pytest.mark.parametrize("code", get_args(FaultCode))
def test_every_fault_has_a_text_in_three_languages_that_names_the_port(code: FaultCode) -> None:
    values = {"detail": "DETAIL", "baud": "9600", "driver": "acg"}
    texts = render_all(Fault.of(code, "/dev/x", **values).message)
    languages(texts)
    for value in ("/dev/x", "DETAIL", "9600", "acg"):
        assert len({value in text for text in texts.values()}) == 1


@EVERY
def test_its_class_is_a_driver_with_settings(name: str) -> None:
    made = DRIVERS[name].make()
    assert isinstance(made, DeviceDriver)
    assert isinstance(made.settings, PortSettings)


def test_every_driver_there_is_is_registered() -> None:
    classes, known = list(DeviceDriver.__subclasses__()), set()
    while classes:
        each = classes.pop()
        classes += each.__subclasses__()
        if each.__module__.startswith("hardware.") and not inspect.isabstract(each):
            known.add(each)
    assert known == {each.make for each in DRIVERS.values()}


def test_drivers_know_no_port_no_thread_and_no_clock() -> None:
    """Sans-I/O, by what they import."""
    for folder in ("readers", "buttons", "displays"):
        for path in (Path(hardware.__file__).parent / folder).glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
                names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
                roots = {name.split(".")[0] for name in names}
                assert not roots & {"serial", "threading", "time", "socket", "os", "select"}, path


def test_every_driver_has_a_simulator() -> None:
    assert list(SIMULATORS) == list(DRIVERS)


def test_the_list_of_drivers_imports_no_simulator() -> None:
    """The device process runs without them."""
    script = "import hardware.driver_registry, sys; sys.exit(any('simulat' in name for name in sys.modules))"
    subprocess.run([sys.executable, "-c", script], check=True, cwd=Path(hardware.__file__).parents[1])


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with raises_text(BadRequestError, match="did you mean rdm6300"):
        find_driver("rdm630")
    with raises_text(BadRequestError, match="there are rdm6300, pn532"):
        find_driver("toaster")


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no ptys")
@EVERY
def test_it_works_over_a_pty_with_its_simulator_and_reconnects(name: str, tmp_path: Path) -> None:
    registered = DRIVERS[name]
    heard: list[ReceivedEvent] = []
    device = SIMULATORS[name]()
    transport = Transport(name, registered.make(), port_finder(str(tmp_path / name)), heard.append)

    def ready(times: int) -> Callable[[], bool]:
        return lambda: transport.status.state == "ready" and transport.status.opened >= times

    with SimulatedPort(device, tmp_path / name, faults=PortFaults(split=True)) as plug:
        transport.start()
        try:
            until(ready(1))
            commands: list[Command] = [ShowRows(("Anna | 12", "Bob: 7")), SetLight(1, "on")]
            assert all(transport.send(command) for command in commands)
            if name in DOES:
                words, kind, data = DOES[name]
                if name == "gm65":
                    until(lambda: device.settings[0] & 3 == 3)  # type: ignore[attr-defined]
                with plug.lock:
                    device.act(*words)
                until(lambda: heard)
                assert (heard[0].event.kind, heard[0].event.data) == (kind, data)
            if "display" in registered.does:
                until(lambda: [row.rstrip() for row in device.shows()[:2]] == ["Anna | 12", "Bob: 7"])
            plug.plug()
            until(ready(2))
            if "display" in registered.does:
                until(lambda: device.shows()[0].rstrip() == "Anna | 12")
        finally:
            transport.close()
