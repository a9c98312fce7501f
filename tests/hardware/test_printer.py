"""Printing: the sent image is printed, and printer faults are reported within a timeout."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageChops

from companion.hanafuda.errors import BadRequestError
from companion.messages import render
from hardware.device_faults import PortError
from hardware.printers import print_job
from hardware.printers.print_job import PrintResult, check_address, print_picture
from hardware.simulators.simulated_port import PortFaults, SimulatedPort
from hardware.simulators.simulated_printer import PrinterInNetwork, SimulatedPrinter
from tests.hardware.test_simulated_port import nothing_left
from tests.hardware.wait_until import until

__all__ = ["nothing_left"]


@pytest.fixture(autouse=True)
def timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    """A double on a busy machine may take its time."""
    monkeypatch.setattr(print_job, "_ANSWERS_S", 15.0)


def dots(width: int = 384, height: int = 200, seed: int = 1) -> Image.Image:
    """A picture in which every second byte or so is a command to a printer that reads pictures for commands."""
    dice = random.Random(seed)
    data = bytes(
        dice.choice((0x10, 0x04, 0x14, 0x05, 0x01, 0xFF, 0x00, 0x5A)) for _ in range(width // 8 * height)
    )
    return Image.frombytes("1", (width, height), bytes(byte ^ 0xFF for byte in data))


def sparse(width: int = 384, height: int = 200) -> Image.Image:
    """A picture that has no such bytes."""
    picture = Image.new("1", (width, height), 255)
    picture.paste(0, (40, 10, width - 40, height - 30))
    return picture


@contextlib.contextmanager
def plugged(
    way: str, device: SimulatedPrinter, folder: Path, faults: PortFaults | None = None
) -> Iterator[tuple[str, Any]]:
    """A printer behind a serial port, or in the network."""
    if way == "network":
        with PrinterInNetwork(device, faults=faults) as served:
            yield served.address, served.lock
        return
    if not hasattr(os, "openpty"):
        pytest.skip("this system has no ptys")
    with SimulatedPort(device, folder / "printer", faults=faults) as plug:
        yield str(folder / "printer"), plug.lock


both_ways = pytest.mark.parametrize("way", ["serial", "network"])


@pytest.mark.usefixtures("nothing_left")
@both_ways
@pytest.mark.parametrize("size", [(384, 1), (384, 48), (576, 49), (576, 1500)])
def test_the_sent_image_is_printed(way: str, size: tuple[int, int], tmp_path: Path) -> None:
    device, picture, shares = SimulatedPrinter(), sparse(*size), []
    with plugged(way, device, tmp_path) as (port, lock):
        assert print_picture(picture, port, baud=115200, progress=shares.append) == PrintResult(
            sure=True, low=False
        )
        with lock:
            assert [paper.tobytes() for paper in device.papers] == [picture.tobytes()]
            assert not device.strange
    assert shares == sorted(shares)
    assert shares[-1] == 1


@both_ways
def test_dots_that_read_as_commands_disturb_nothing(way: str, tmp_path: Path) -> None:
    device, picture = SimulatedPrinter(), dots()
    with plugged(way, device, tmp_path) as (port, lock):
        print_picture(picture, port)
        with lock:
            (paper,) = device.papers
    assert paper.size == picture.size
    added = ImageChops.logical_and(picture, ImageChops.invert(paper))
    assert ImageChops.logical_and(paper, ImageChops.invert(picture)).getbbox() is None  # nothing is lost
    assert 0 < sum(byte.bit_count() for byte in added.tobytes()) < 384 * 200 / 40


@given(st.binary(min_size=48, max_size=480))
def test_no_picture_holds_a_command(data: bytes) -> None:
    rows = len(data) // 6
    picture = Image.frombytes("1", (48, rows), data[: rows * 6])
    for band in print_job._bands(picture):
        dots = bytes(byte ^ 0xFF for byte in band.tobytes())
        assert not any(pair in dots for pair in (b"\x10\x04", b"\x10\x05", b"\x10\x14"))


@pytest.mark.usefixtures("nothing_left")
@both_ways
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["paper", "0"], "paper-out"),
        (["cover", "open"], "cover-open"),
        (["offline"], "offline"),
        (["jam"], "broken"),
    ],
)
def test_missing_requirements_are_reported_before_sending(
    way: str, words: list[str], code: str, tmp_path: Path
) -> None:
    device = SimulatedPrinter()
    device.act(*words)
    with plugged(way, device, tmp_path) as (port, lock):
        with pytest.raises(PortError) as caught:
            print_picture(sparse(), port)
        assert caught.value.fault.code == code
        assert port in render(caught.value.fault.message, "ja")
        with lock:
            assert not device._buffer
            assert not device.papers


@both_ways
def test_paper_running_out_during_printing_is_reported(way: str, tmp_path: Path) -> None:
    device = SimulatedPrinter()
    device.act("paper", "100")
    with plugged(way, device, tmp_path) as (port, _), pytest.raises(PortError) as caught:
        print_picture(sparse(height=600), port)
    assert caught.value.fault.code == "paper-out"


def test_a_nearly_empty_roll_is_reported(tmp_path: Path) -> None:
    device = SimulatedPrinter()
    device.act("paper", "300")
    with plugged("network", device, tmp_path) as (port, _):
        assert print_picture(sparse(), port) == PrintResult(sure=True, low=True)


@both_ways
@pytest.mark.parametrize(("answers", "reports_done"), [(False, False), (True, False)])
def test_a_printer_with_little_status_prints(
    way: str, answers: bool, reports_done: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(print_job, "_ANSWERS_S", 0.4 if answers else 0.1)
    device, picture = SimulatedPrinter(answers=answers, reports_done=reports_done), sparse()
    with plugged(way, device, tmp_path) as (port, lock):
        assert print_picture(picture, port) == PrintResult(sure=False, low=False)
        until(lambda: device.papers)  # what was on its way when we left
        with lock:
            assert [paper.tobytes() for paper in device.papers] == [picture.tobytes()]


@pytest.mark.usefixtures("nothing_left")
def test_a_printer_that_accepts_no_data_times_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(print_job, "_ANSWERS_S", 0.1)
    monkeypatch.setattr(print_job, "_WRITE_S", 0.3)
    with plugged("serial", SimulatedPrinter(), tmp_path, PortFaults(deaf=True, silent=True)) as (port, _):
        # A pty holds some kilobytes, and the double throws away what it takes while it is deaf: it must not even take it.
        monkeypatch.setattr("hardware.simulators.simulated_port._read", lambda master: b"")
        with pytest.raises(PortError) as caught:
            print_picture(dots(576, 3000), port)
        assert caught.value.fault.code == "stuck"


def test_one_that_falls_silent_in_the_middle_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(print_job, "_BAND_S", 0.5)
    monkeypatch.setattr(print_job, "_ANSWERS_S", 0.4)
    faults = PortFaults()
    with plugged("network", SimulatedPrinter(), tmp_path, faults) as (port, _):

        def fall_silent(share: float) -> None:
            faults.silent = share > 0.5

        with pytest.raises(PortError) as caught:
            print_picture(sparse(height=600), port, progress=fall_silent)
        assert caught.value.fault.code == "stuck"


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no ptys")
@pytest.mark.usefixtures("nothing_left")
def test_disconnection_during_printing_is_reported_and_the_next_receipt_is_complete(tmp_path: Path) -> None:
    device, picture = SimulatedPrinter(), sparse(height=600)
    with SimulatedPort(device, tmp_path / "printer") as plug:

        def pull(share: float) -> None:
            if share > 0.5:
                plug.pull()

        with pytest.raises(PortError) as caught:
            print_picture(picture, str(tmp_path / "printer"), progress=pull)
        assert caught.value.fault.code == "connection-lost"
        plug.plug()
        assert print_picture(picture, str(tmp_path / "printer")).sure
        with plug.lock:
            assert [paper.tobytes() for paper in device.papers] == [picture.tobytes()]


def test_a_printer_that_is_not_there(tmp_path: Path) -> None:
    for port, code in ((str(tmp_path / "none"), "not-plugged"), ("socket://127.0.0.1:1", "unreachable")):
        with pytest.raises(PortError) as caught:
            print_picture(sparse(), port)
        assert caught.value.fault.code == code


def test_a_printer_that_is_unplugged_while_the_ports_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    def unplugged() -> NoReturn:
        raise OSError("no such device")

    monkeypatch.setattr(print_job, "port_finder", lambda port: unplugged)
    with pytest.raises(PortError) as caught:
        print_picture(sparse(), "/dev/ttyUSB0")
    assert caught.value.fault.code == "not-plugged"


@pytest.mark.parametrize(
    "port", ["socket://192.168.0.9:9100", "/dev/usb-serial", "COM3", "usb:04b8:0e15", "usb:04b8:0e15:J7F2"]
)
def test_an_address(port: str) -> None:
    assert check_address(port) == port


@pytest.mark.parametrize(
    "port",
    [
        "",
        "printer",
        "socket://host",
        "spy:///dev/ttyUSB0?file=/etc/passwd",
        "usb:4b8:e15",
        "loop://",
        "/dev/x?y",
    ],
)
def test_invalid_addresses_are_rejected(port: str) -> None:
    with pytest.raises(BadRequestError):
        check_address(port)


@pytest.mark.parametrize(
    ("byte", "kind"),
    [(0x12, "state"), (0x7E, "state"), (0x00, "done"), (0x0C, "done"), (0x80, None), (0x11, None)],
)
def test_an_answer_is_recognized_by_its_fixed_bits(byte: int, kind: str | None) -> None:
    """Epson's command reference: DLE EOT is answered 0xx1xx10 in binary, GS r 0xx0xxxx."""
    assert print_job._answer_kind(byte) == kind


# --- on USB, by a double of pyusb


class FakeUsb:
    """pyusb's modules around one printer."""

    class Error(OSError):
        pass

    class TimedOutError(Error):
        pass

    class NoBackendError(ValueError):
        pass

    def __init__(self, device: SimulatedPrinter | None, *, kind: int = 7) -> None:
        self.device, self.text, self.claimed, self.refuses = device, bytearray(), False, 0
        ends = [
            types.SimpleNamespace(bEndpointAddress=1, write=self.write),
            types.SimpleNamespace(bEndpointAddress=0x82, read=self.read),
        ]

        class Interface(list):  # type: ignore[type-arg]
            bInterfaceClass, bInterfaceNumber = kind, 0  # noqa: N815

        self.found = types.SimpleNamespace(
            serial_number="J7",
            bDeviceClass=0,
            is_kernel_driver_active=lambda _: True,
            detach_kernel_driver=lambda _: None,
        )
        self.settings = [[Interface(ends)]]

    def modules(self) -> dict[str, types.ModuleType]:
        usb, core, util = (types.ModuleType(name) for name in ("usb", "usb.core", "usb.util"))
        found, settings = self.found, self.settings

        class Device:
            __iter__ = lambda self: iter(settings)  # noqa: E731
            __getattr__ = lambda self, name: getattr(found, name)  # noqa: E731

        def find(custom_match: Any, **_: int) -> Any:
            return Device() if self.device is not None and custom_match(self.found) else None

        def claim(*_: object) -> None:
            if self.refuses:
                raise self.Error(self.refuses, "no")
            self.claimed = True

        def release(*_: object) -> None:
            self.claimed = False

        core.__dict__.update(
            find=find,
            USBError=self.Error,
            USBTimeoutError=self.TimedOutError,
            NoBackendError=self.NoBackendError,
        )
        util.__dict__.update(
            ENDPOINT_OUT=0,
            ENDPOINT_IN=0x80,
            endpoint_direction=lambda address: address & 0x80,
            claim_interface=claim,
            release_interface=release,
            dispose_resources=lambda _: None,
        )
        usb.__dict__.update(core=core, util=util)
        return {"usb": usb, "usb.core": core, "usb.util": util}

    def write(self, data: bytes, wait: int) -> int:
        assert self.device
        self.text += self.device.feed(bytes(data), 0)
        return len(data)

    def read(self, size: int, wait: int) -> bytes:
        if not self.text:
            raise self.TimedOutError(110, "timed out")
        text = bytes(self.text[:size])
        del self.text[:size]
        return text


def with_usb(monkeypatch: pytest.MonkeyPatch, fake: FakeUsb) -> None:
    monkeypatch.delitem(sys.modules, "hardware.printers.usb_printer", raising=False)
    for name, module in fake.modules().items():
        monkeypatch.setitem(sys.modules, name, module)


@pytest.mark.parametrize("port", ["usb:04b8:0e15", "usb:04b8:0e15:J7"])
def test_a_printer_on_usb(port: str, monkeypatch: pytest.MonkeyPatch) -> None:
    device, picture = SimulatedPrinter(), sparse()
    fake = FakeUsb(device)
    with_usb(monkeypatch, fake)
    assert print_picture(picture, port) == PrintResult(sure=True, low=False)
    assert [paper.tobytes() for paper in device.papers] == [picture.tobytes()]
    assert not fake.claimed


@pytest.mark.parametrize(
    ("there", "kind", "refuses", "port", "code"),
    [
        (False, 7, 0, "usb:04b8:0e15", "not-plugged"),
        (True, 7, 0, "usb:04b8:0e15:OTHER", "not-plugged"),
        (True, 3, 0, "usb:04b8:0e15", "wrong-device"),
        (True, 7, 13, "usb:04b8:0e15", "forbidden"),
        (True, 7, 16, "usb:04b8:0e15", "port-in-use"),
    ],
)
def test_why_a_printer_on_usb_cannot_be_had(
    there: bool, kind: int, refuses: int, port: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeUsb(SimulatedPrinter() if there else None, kind=kind)
    fake.refuses = refuses
    with_usb(monkeypatch, fake)
    with pytest.raises(PortError) as caught:
        print_picture(sparse(), port)
    assert caught.value.fault.code == code


def test_usb_without_its_library_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "hardware.printers.usb_printer", raising=False)
    for name in ("usb", "usb.core", "usb.util"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(PortError, match=r"hanafuda-companion\[printer\]"):
        print_picture(sparse(), "usb:04b8:0e15")


def test_the_simulated_printer_needs_no_pty() -> None:
    """Windows has no ptys, but a network printer can be simulated there."""
    script = "import sys; sys.modules |= dict.fromkeys(['tty', 'pty', 'termios'])\nimport hardware.simulators.simulated_printer"
    subprocess.run([sys.executable, "-c", script], check=True, cwd=Path(print_job.__file__).parents[2])
