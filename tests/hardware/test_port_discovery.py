"""Finding a device's port by its USB identity, at any socket."""

from __future__ import annotations

import socket
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from companion.hanafuda.errors import BadRequestError
from hardware.device_faults import PortError
from hardware.driver import PortSettings
from hardware.transports.port_discovery import (
    PortInfo,
    UsbIdentity,
    available_ports,
    parse_port_name,
    port_finder,
)
from hardware.transports.serial_port import open_port
from tests.message_text import raises_text

BOX = PortInfo("/dev/ttyACM0", "Board in FS mode", 0x2E8A, 0x0005, "e66038b7")
OTHER = PortInfo("/dev/ttyACM1", "Board in FS mode", 0x2E8A, 0x0005, "e6600000")
READER = PortInfo("/dev/ttyUSB0", "USB Serial", 0x1A86, 0x7523)
TWIN = PortInfo("/dev/ttyUSB1", "USB Serial", 0x1A86, 0x7523)
SETTINGS = PortSettings(9600)


def test_a_port_is_found_by_name_under_another_path() -> None:
    here = [OTHER, BOX]
    find = port_finder(BOX.name, list_available=lambda: here)
    assert BOX.name == "usb:2e8a:0005:e66038b7"
    first = find()
    here[:] = [OTHER]
    assert find() is None
    here[:] = [PortInfo("/dev/ttyACM7", "Board in FS mode", 0x2E8A, 0x0005, "e66038b7"), OTHER]
    second = find()
    assert first
    assert second
    assert (first.url, second.url) == ("/dev/ttyACM0", "/dev/ttyACM7")
    assert first.plug_id != second.plug_id


def test_two_of_a_kind_without_serial_numbers_are_one_each() -> None:
    in_use: set[str] = set()
    find = port_finder(READER.name, list_available=lambda: [READER, TWIN], in_use=in_use.__contains__)
    one = find()
    assert one
    in_use.add(one.url)
    two = find()
    assert two
    assert {one.url, two.url} == {"/dev/ttyUSB0", "/dev/ttyUSB1"}
    in_use.add(two.url)
    assert find() is None


def twins(*sockets: str) -> list[PortInfo]:
    """Adapters that say the same of themselves, in these sockets; the system numbers them as they come."""
    return [
        PortInfo(f"/dev/ttyUSB{n}", "USB Serial", 0x1A86, 0x7523, socket=socket, alike=True)
        for n, socket in enumerate(sockets)
    ]


def test_two_of_a_kind_keep_to_their_sockets_in_whatever_order_they_come_back() -> None:
    here = twins("1-1.1", "1-1.2")
    assert [port.name for port in here] == ["usb:1a86:7523@1-1.1", "usb:1a86:7523@1-1.2"]
    finders = {port.socket: port_finder(port.name, list_available=lambda: here) for port in here}
    for sockets in (("1-1.2", "1-1.1"), ("1-1.1",), ("1-1.2",), (), ("1-1.3", "1-1.2")):
        here[:] = twins(*sockets)
        for place, find in finders.items():
            found = find()
            assert (found and found.url) == next((port.path for port in here if port.socket == place), None)


def test_one_that_was_named_before_a_second_came_stays_in_its_socket() -> None:
    here = [READER]
    find = port_finder(READER.name, list_available=lambda: here)
    here[:] = twins("1-1.4")
    assert find()
    here[:] = twins("1-1.1", "1-1.4")
    second = find()
    assert second
    assert second.url == "/dev/ttyUSB1"


def test_identical_ports_are_named_by_their_usb_socket(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also the four ports of one adapter, which share its serial number, and cheap ones that are all number 0001."""

    def listed(vid: int, serial: str | None, location: str) -> SimpleNamespace:
        return SimpleNamespace(
            device=f"/dev/tty{location}",
            description="port",
            vid=vid,
            pid=1,
            serial_number=serial,
            location=location,
        )

    monkeypatch.setattr(
        "hardware.transports.port_discovery.list_ports.comports",
        lambda: [
            listed(1, "A", "1-1:1.0"),
            listed(1, "A", "1-1:1.1"),
            listed(2, None, "1-2"),
            listed(1, "B", "1-3"),
        ],
    )
    assert [port.name for port in available_ports()] == [
        "usb:0001:0001:A@1-1:1.0", "usb:0001:0001:A@1-1:1.1", "usb:0002:0001", "usb:0001:0001:B",
    ]  # fmt: skip


def test_a_port_removed_during_listing_raises_an_os_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """pyserial takes what it could not read of a device just pulled for a number: TypeError ended the device's thread."""
    removed: Any = None
    monkeypatch.setattr("hardware.transports.port_discovery.list_ports.comports", lambda: [int(removed, 16)])
    with pytest.raises(OSError, match="was unplugged"):
        available_ports()


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("usb:1a86:7523", UsbIdentity(0x1A86, 0x7523)),
        ("usb:2E8A:0005:e66038b7", UsbIdentity(0x2E8A, 5, "e66038b7")),
        ("usb:1a86:7523@1-1.4", UsbIdentity(0x1A86, 0x7523, None, "1-1.4")),
        ("usb:0403:6011:FT:1@1-1:1.2", UsbIdentity(0x0403, 0x6011, "FT:1", "1-1:1.2")),
    ],
)
def test_a_ports_name_is_read(name: str, meant: UsbIdentity) -> None:
    assert parse_port_name(name) == meant


def test_a_path_is_there_or_not_and_changes_when_it_points_elsewhere(tmp_path: Path) -> None:
    link = tmp_path / "by-id"
    find = port_finder(str(link))
    assert find() is None
    for name in ("one", "two"):
        (tmp_path / name).touch()
    link.symlink_to(tmp_path / "one")
    first = find()
    link.unlink()
    link.symlink_to(tmp_path / "two")
    second = find()
    assert first
    assert second
    assert first.url == second.url == str(link)
    assert first.plug_id != second.plug_id


@pytest.mark.parametrize("name", ["socket://192.168.0.7:4000", "rfc2217://bridge:2217", "COM3", "loop://"])
def test_an_address_is_always_there(name: str) -> None:
    found = port_finder(name)()
    assert found
    assert found.url == name


@pytest.mark.parametrize("name", ["", "  ", "usb:", "usb:12:34", "usb:zzzz:0005"])
def test_the_error_for_an_invalid_port_lists_valid_forms(name: str) -> None:
    with raises_text(BadRequestError, match="is not a port; use a path"):
        parse_port_name(name)


# --- opening


def test_bytes_go_through_a_loop() -> None:
    line = open_port("loop://", SETTINGS)
    line.write(b"hello")
    assert line.read(1) == b"hello"
    assert line.read(0) == b""
    line.close()
    line.close()


def test_a_closed_network_bridge_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        line = open_port(f"socket://127.0.0.1:{server.getsockname()[1]}", SETTINGS)
        bridge, _ = server.accept()
        bridge.sendall(b"\x02")
        assert line.read(5) == b"\x02"
        bridge.close()
        with pytest.raises(PortError) as caught:
            line.read(5)
        assert caught.value.fault.code == "connection-lost"
        line.close()


def test_a_read_can_be_woken_from_another_thread(tmp_path: Path) -> None:
    line = open_port("loop://", SETTINGS)
    waking = threading.Timer(0.05, line.wake)
    waking.start()
    assert line.read(30) == b""
    waking.join()
    line.close()


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("/nowhere/ttyUSB0", "not-plugged"),
        ("socket://127.0.0.1:{closed}", "unreachable"),
        ("socket://nonsense", "no-such"),
        ("gopher://x", "no-such"),
        ("/dev/null", "no-such"),
        ("/", "no-such"),
    ],
)
def test_why_a_port_cannot_be_opened(url: str, code: str) -> None:
    url = url.format(closed=closed_port())
    with pytest.raises(PortError) as caught:
        open_port(url, SETTINGS)
    assert caught.value.fault.code == code
    for text in caught.value.fault.to_dict()["says"].values():
        assert url in text
        assert "\n" not in text
