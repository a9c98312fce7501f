"""Whether devices can be as somebody wants them: their drivers, ports, options, places, and what they can try.

Imports the drivers (`hardware`), and so is itself imported when a request is about devices, not when the program starts.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from functools import cache
from typing import Any, Final, TypeVar, get_args

from api.devices.device_schemas import DeviceConfig, PortDoc, TestIn
from companion.hanafuda.errors import BadRequestError, shown
from hardware.device_config import create_driver
from hardware.displays.kana import Font
from hardware.driver import TriggerScan
from hardware.driver_registry import DRIVERS, DriverEntry, find_driver
from hardware.transports.port_discovery import UsbIdentity, available_ports, parse_port_name

__all__ = ["DeviceError", "check_devices", "command_of", "drivers_told", "ports_told"]


_T = TypeVar("_T")


class DeviceError(BadRequestError):
    """Raised for a device that cannot be as it is wanted; `device` is its name."""

    code = "bad-device"

    def __init__(self, device: str, wrong: str) -> None:
        self.device = device
        super().__init__(f"{device}: {wrong}")


#: What a page offers of what the drivers take by name; a key's meaning is told in a device's `buttons`. None: a number.
_OPTIONS: Final[dict[str, tuple[str, ...] | None]] = {
    "columns": None,
    "rows": None,
    "weakest_dbm": None,
    "font": get_args(Font),
}
#: Addresses that may be told over the network. pyserial knows more; of those some run what they are told, or write files.
_SCHEMES: Final = ("socket", "rfc2217", "loop")
_SEAT_OF: Final = re.compile(r"(?:captured|hand)-(\d+)")


def check_devices(devices: Sequence[DeviceConfig], seats: dict[str, int]) -> None:
    """Raise `DeviceError` where one of them cannot be. ``seats``: how many each table has that is there."""
    names: set[str] = set()
    ports: dict[str, str] = {}
    for each in devices:
        if each.name.casefold() in names:
            raise DeviceError(each.name, "two devices have this name; give each its own")
        names.add(each.name.casefold())
        _check_place(each, seats)
        try:
            create_driver(each.driver, each.options)
            port = _port(each.port)
        except BadRequestError as error:
            raise DeviceError(each.name, str(error)) from None
        if port is not None and (other := ports.setdefault(port, each.name)) != each.name:
            raise DeviceError(each.name, f"{other} is at {each.port} already; a port has one device")


def command_of(device: DeviceConfig, asked: TestIn) -> dict[str, Any]:
    """Return what the device process is to do for a trial; `DeviceError` where the driver cannot, or something is missing."""
    if asked.kind not in _tests(find_driver(device.driver)):
        raise DeviceError(device.name, _CANNOT[asked.kind].format(driver=device.driver))
    match asked.kind:
        case "draw":
            return {"kind": "draw", "rows": list(_needed(device, asked.rows, "rows to show"))}
        case "light":
            number = _needed(device, asked.number, "the number of a light")
            return {
                "kind": "light",
                "number": number,
                "how": _needed(device, asked.how, "how: off, on or blink"),
            }
        case _:
            return {"kind": asked.kind}


def drivers_told() -> list[dict[str, Any]]:
    """Return every driver with what it takes and what it can try, as JSON tells it."""
    return [
        {**each.to_dict(), "options": _options_told(each), "tests": list(_tests(each))}
        for each in DRIVERS.values()
    ]


def ports_told() -> list[PortDoc]:
    """Return this machine's ports."""
    return [PortDoc(**port.to_dict()) for port in available_ports()]


_CANNOT: Final = {
    "draw": "{driver} has no display to write on",
    "light": "{driver} has no lights",
    "scan": "{driver} needs no trigger: it reads by itself whatever is held before it",
}


def _tests(registered: DriverEntry) -> tuple[str, ...]:
    does = registered.does
    return tuple(
        test
        for test, can in (
            ("light", "lights" in does),
            ("draw", "display" in does),
            ("scan", bool(registered.make().send(TriggerScan(), 0.0))),
            ("again", True),
        )
        if can
    )


def _needed(device: DeviceConfig, value: _T | None, what: str) -> _T:
    if value is None:
        raise DeviceError(device.name, f"{what} must be told along")
    return value


def _port(name: str) -> str | None:
    """Return by what two devices at one port are known; None for devices of a kind that may be several."""
    where = parse_port_name(name)
    if isinstance(where, UsbIdentity):
        return None if where.serial is None else name.casefold()
    scheme, there, _ = where.partition("://")
    if there and scheme.lower() not in _SCHEMES:
        raise BadRequestError(
            f"an address begins with {', '.join(f'{each}://' for each in _SCHEMES)}, and this is {shown(name)}"
        )
    return where


def _check_place(device: DeviceConfig, seats: dict[str, int]) -> None:
    if device.table is None:
        return
    if device.table not in seats:
        raise DeviceError(
            device.name, f"there is no table {shown(device.table)}; leave it out for the newest one"
        )
    there = seats[device.table]
    in_place = _SEAT_OF.fullmatch(device.place or "")
    for seat in (device.seat, int(in_place[1]) if in_place else None):
        if seat is not None and seat > there:
            raise DeviceError(device.name, f"seat {seat} is not there: the table has {there}")


@cache
def _options_told(registered: DriverEntry) -> list[dict[str, Any]]:
    takes = inspect.signature(registered.make).parameters
    return [
        {"name": name, "default": takes[name].default, "choices": choices and list(choices)}
        for name, choices in _OPTIONS.items()
        if name in takes
    ]
