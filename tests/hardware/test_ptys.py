"""Devices over ptys, with real bytes: plugged in, pulled in the middle of a frame, plugged in elsewhere, held by others."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import serial

from hardware.ports import finder
from hardware.readers.rdm6300 import Rdm6300
from hardware.simulators.plug import Faults, Plug
from hardware.simulators.tags import SimulatedRdm6300
from hardware.transport import Heard, Transport
from tests.hardware.waiting import until

if not hasattr(os, "openpty"):
    pytest.skip("this system has no ptys", allow_module_level=True)

ONE, TWO = "62E3086CED", "0102030405"


@pytest.fixture
def nothing_left() -> Iterator[None]:
    """No thread and no descriptor is left behind."""
    before = len(list(Path("/proc/self/fd").iterdir())), threading.active_count()
    yield
    assert (len(list(Path("/proc/self/fd").iterdir())), threading.active_count()) == before


@pytest.mark.usefixtures("nothing_left")
def test_a_tag_comes_and_goes_through_every_kind_of_plugging(tmp_path: Path) -> None:
    link = tmp_path / "usb-reader-if00-port0"
    heard: list[Heard] = []
    reader = Transport("reader", Rdm6300(), finder(str(link)), heard.append)
    told = lambda: [(each.event.data["uid"], each.event.data["present"]) for each in heard]  # noqa: E731
    plug = Plug(SimulatedRdm6300(ONE), link)
    reader.start()
    try:
        until(lambda: reader.status.state == "absent")
        plug.plug()
        until(lambda: told() == [(ONE, True)])
        plug.pull_after(5)
        until(lambda: reader.status.state == "absent")
        with Plug(SimulatedRdm6300(), tmp_path / "another-takes-its-number"):
            plug.plug()  # elsewhere
            until(lambda: reader.status.opened == 2)
            assert told() == [(ONE, True)]
            with plug.lock:
                plug.device.act("put", TWO)
            until(lambda: told() == [(ONE, True), (TWO, True), (ONE, False)])
    finally:
        reader.close()
        plug.pull()


@pytest.mark.usefixtures("nothing_left")
def test_another_program_holds_the_port(tmp_path: Path) -> None:
    link = tmp_path / "reader"
    heard: list[Heard] = []
    reader = Transport("reader", Rdm6300(), finder(str(link)), heard.append)
    with Plug(SimulatedRdm6300(ONE), link, faults=Faults(split=True)):
        other = serial.Serial(str(link), exclusive=True)
        reader.start()
        try:
            until(lambda: reader.status.fault)
            assert reader.status.fault
            assert (reader.status.fault.code, reader.status.state) == ("held", "back-off")
            other.close()
            until(lambda: heard)
            assert reader.status.fault is None
        finally:
            other.close()
            reader.close()
