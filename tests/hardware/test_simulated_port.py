"""Devices over ptys, with real bytes: plugged in, pulled in the middle of a frame, plugged in elsewhere, used by others."""

from __future__ import annotations

import contextlib
import os
import time
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest
import serial

from hardware.buttons.button_box import ButtonBox
from hardware.displays.serlcd import SerLcd
from hardware.driver import ShowRows
from hardware.readers.rdm6300 import Rdm6300
from hardware.simulators.simulated_box import SimulatedBox
from hardware.simulators.simulated_port import PortFaults, SimulatedPort
from hardware.simulators.simulated_readers import SimulatedRdm6300
from hardware.transports.port_discovery import port_finder
from hardware.transports.transport import DeviceStatus, ReceivedEvent, Transport
from tests.hardware.wait_until import open_resources, until

if not hasattr(os, "openpty"):
    pytest.skip("this system has no ptys", allow_module_level=True)

ONE, TWO = "62E3086CED", "0102030405"


@pytest.fixture
def nothing_left() -> Iterator[None]:
    """No thread and no descriptor is left behind."""
    before = open_resources()
    yield
    assert open_resources() - before == set()


@pytest.mark.usefixtures("nothing_left")
def test_a_tag_comes_and_goes_through_every_kind_of_plugging(tmp_path: Path) -> None:
    link = tmp_path / "usb-reader-if00-port0"
    heard: list[ReceivedEvent] = []
    reader = Transport("reader", Rdm6300(), port_finder(str(link)), heard.append)
    reported = lambda: [(each.event.data["uid"], each.event.data["present"]) for each in heard]  # noqa: E731
    plug = SimulatedPort(SimulatedRdm6300(ONE), link)
    reader.start()
    try:
        until(lambda: reader.status.state == "absent")
        plug.plug()
        until(lambda: reported() == [(ONE, True)])
        plug.pull_after(5)
        until(lambda: reader.status.state == "absent")
        with SimulatedPort(SimulatedRdm6300(), tmp_path / "another-takes-its-number"):
            plug.plug()  # elsewhere
            until(lambda: reader.status.opened == 2)
            assert reported() == [(ONE, True)]
            with plug.lock:
                plug.device.act("put", TWO)
            until(lambda: reported() == [(ONE, True), (TWO, True), (ONE, False)])
    finally:
        reader.close()
        plug.pull()


@pytest.mark.usefixtures("nothing_left")
def test_another_program_holds_the_port(tmp_path: Path) -> None:
    link = tmp_path / "reader"
    heard: list[ReceivedEvent] = []
    reader = Transport("reader", Rdm6300(), port_finder(str(link)), heard.append)
    with SimulatedPort(SimulatedRdm6300(ONE), link, faults=PortFaults(split=True)):
        other = serial.Serial(str(link), exclusive=True)
        reader.start()
        try:
            until(lambda: reader.status.fault)
            assert reader.status.fault
            assert (reader.status.fault.code, reader.status.state) == ("port-in-use", "back-off")
            other.close()
            until(lambda: heard)
            assert reader.status.fault is None
        finally:
            other.close()
            reader.close()


@pytest.mark.usefixtures("nothing_left")
def test_two_identical_devices_keep_their_identity_after_reconnection(tmp_path: Path) -> None:
    heard: dict[str, list[ReceivedEvent]] = {"one": [], "two": []}
    plugs = {
        name: SimulatedPort(SimulatedRdm6300(uid), tmp_path / name)
        for name, uid in (("one", ONE), ("two", TWO))
    }
    readers = [
        Transport(name, Rdm6300(), port_finder(str(tmp_path / name)), heard[name].append)
        for name in ("one", "two")
    ]
    try:
        for name in ("one", "two"):
            plugs[name].plug()
        for reader in readers:
            reader.start()
        until(lambda: heard["one"] and heard["two"])
        for name in ("one", "two"):
            plugs[name].pull()
        for name in ("two", "one"):  # in the other order: their ports' numbers are exchanged
            plugs[name].plug()
        until(lambda: all(reader.status.opened == 2 and reader.status.state == "ready" for reader in readers))
        for name, uid in (("one", "000000000A"), ("two", "000000000B")):
            with plugs[name].lock:
                plugs[name].device.act("put", uid)
        until(lambda: all(len(each) > 1 for each in heard.values()))
        reported = {name: [each.event.data["uid"] for each in events[:2]] for name, events in heard.items()}
        assert reported == {"one": [ONE, "000000000A"], "two": [TWO, "000000000B"]}
    finally:
        for reader in readers:
            reader.close()
        for plug in plugs.values():
            plug.pull()


@pytest.mark.usefixtures("nothing_left")
def test_a_different_device_is_reported_and_the_right_one_reconnected(tmp_path: Path) -> None:
    box = SimulatedBox()
    changes: list[DeviceStatus] = []
    transport = Transport(
        "box", ButtonBox(), port_finder(str(tmp_path / "box")), lambda _: None, on_status=changes.append
    )
    with SimulatedPort(SimulatedRdm6300(ONE), tmp_path / "box") as plug:
        transport.start()
        try:
            until(lambda: any(each.fault and each.fault.code == "wrong-device" for each in changes))
            assert transport.status.state != "ready"
            plug.plug(box)
            until(lambda: transport.status.state == "ready")
            assert transport.status.fault is None
        finally:
            transport.close()


@pytest.mark.usefixtures("nothing_left")
def test_a_device_that_stops_reading_blocks_nothing(tmp_path: Path) -> None:
    """A display that does not read: its port's buffer fills, writing gives up, and the thread still ends."""
    transport = Transport("display", SerLcd(20, 4), port_finder(str(tmp_path / "display")), lambda _: None)
    ends = os.openpty()
    tty.setraw(ends[1])
    (tmp_path / "display").symlink_to(os.ttyname(ends[1]))
    try:
        transport.start()
        until(lambda: transport.status.state == "ready")
        os.set_blocking(ends[1], False)

        def stalled() -> object:
            with contextlib.suppress(BlockingIOError):
                os.write(ends[1], bytes(4096))
            transport.send(ShowRows((f"{time.monotonic():.3f}",)))
            return transport.status.fault

        until(stalled)
        assert transport.status.fault
        assert transport.status.fault.code == "stalled"
    finally:
        transport.close()
        for end in ends:
            os.close(end)
