"""Checks of device configurations (driver, port, options, place), and the tests that a device supports.

Imports the drivers (`hardware`), so it is imported only for requests about devices, not when the program starts.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from functools import cache
from typing import Any, Final, TypeVar, get_args

from api.models.device_config import DeviceConfig, DriverOut, OptionOut, PortDoc, TestIn
from companion.hanafuda.errors import BadRequestError, quote
from companion.hanafuda.messages import Message
from hardware.displays.kana import Font
from hardware.driver import TriggerScan
from hardware.driver_registry import DRIVERS, DriverEntry, create_driver, find_driver
from hardware.transports.port_discovery import UsbIdentity, available_ports, parse_port_name

_T = TypeVar("_T")


class DeviceError(BadRequestError):
    """Raised for an invalid device configuration or test; `device` is the device's name."""

    code = "bad-device"

    def __init__(self, device: str, wrong: Message) -> None:
        self.device = device
        super().__init__(Message("labeled", {"label": device, "text": wrong}))


#: Driver options that the page offers, with their choices; None: a number. Key assignments are in a device's `buttons` instead.
_OPTIONS: Final[dict[str, tuple[str, ...] | None]] = {
    "columns": None,
    "rows": None,
    "weakest_dbm": None,
    "font": get_args(Font),
}
#: URL schemes of ports that clients may set. Some of the others that pyserial supports run commands or write files.
_SCHEMES: Final = ("socket", "rfc2217", "loop")
_SEAT_PLACE: Final = re.compile(r"(?:captured|hand)-(\d+)")


def check_devices(devices: Sequence[DeviceConfig], seats: dict[str, int]) -> None:
    """Raise `DeviceError` if a configuration is invalid. ``seats``: the number of seats of each existing table, by id."""
    names: set[str] = set()
    ports: dict[str, str] = {}
    for each in devices:
        if each.name.casefold() in names:
            raise DeviceError(each.name, Message("device-name-twice"))
        names.add(each.name.casefold())
        _check_place(each, seats)
        try:
            create_driver(each.driver, each.options)
            port = _port(each.port)
        except BadRequestError as error:
            raise DeviceError(each.name, error.message) from None
        if port is not None and (other := ports.setdefault(port, each.name)) != each.name:
            raise DeviceError(each.name, Message("device-port-taken", {"device": other, "port": each.port}))


def command_of(device: DeviceConfig, test: TestIn) -> dict[str, Any]:
    """Return the device process's command for a test. Raises `DeviceError` if it is unsupported or a parameter is missing."""
    if test.kind not in _tests(find_driver(device.driver)):
        raise DeviceError(device.name, Message(f"device-test-{test.kind}", {"driver": device.driver}))
    match test.kind:
        case "draw":
            return {"kind": "draw", "rows": list(_required(device, test.rows, "rows to show"))}
        case "light":
            number = _required(device, test.number, "the number of a light")
            return {
                "kind": "light",
                "number": number,
                "how": _required(device, test.how, "how: off, on or blink"),
            }
        case _:
            return {"kind": test.kind}


def drivers() -> list[DriverOut]:
    """Return all drivers with their options and supported tests."""
    return [
        DriverOut.model_validate({**each.to_dict(), "options": _options(each), "tests": _tests(each)})
        for each in DRIVERS.values()
    ]


def port_docs() -> list[PortDoc]:
    """Return this machine's ports."""
    return [PortDoc(**port.to_dict()) for port in available_ports()]


def _tests(registered: DriverEntry) -> tuple[str, ...]:
    does = registered.does
    return tuple(
        test
        for test, supported in (
            ("light", "lights" in does),
            ("draw", "display" in does),
            ("scan", bool(registered.make().send(TriggerScan(), 0.0))),
            ("again", True),
        )
        if supported
    )


def _required(device: DeviceConfig, value: _T | None, what: str) -> _T:
    if value is None:
        raise DeviceError(device.name, Message("problem-bad-request", {"detail": f"{what} must be given"}))
    return value


def _port(name: str) -> str | None:
    """Return a key that is equal for two names of the same port.

    None for a USB identity without a serial number, which several devices may share. Raises `BadRequestError` for a URL
    scheme that is not allowed.
    """
    where = parse_port_name(name)
    if isinstance(where, UsbIdentity):
        return None if where.serial is None else name.casefold()
    scheme, is_url, _ = where.partition("://")
    if is_url and scheme.lower() not in _SCHEMES:
        raise BadRequestError(
            Message(
                "device-port-scheme",
                {"schemes": ", ".join(f"{each}://" for each in _SCHEMES), "port": quote(name)},
            )
        )
    return where


def _check_place(device: DeviceConfig, seats: dict[str, int]) -> None:
    if device.table is None:
        return
    if device.table not in seats:
        raise DeviceError(device.name, Message("device-no-such-table", {"table": quote(device.table)}))
    count = seats[device.table]
    seat_in_place = _SEAT_PLACE.fullmatch(device.place or "")
    for seat in (device.seat, int(seat_in_place[1]) if seat_in_place else None):
        if seat is not None and seat > count:
            raise DeviceError(device.name, Message("press-no-such-seat", {"seat": seat, "players": count}))


@cache
def _options(registered: DriverEntry) -> list[OptionOut]:
    parameters = inspect.signature(registered.make).parameters
    return [
        OptionOut(
            name=name, default=parameters[name].default, choices=None if choices is None else list(choices)
        )
        for name, choices in _OPTIONS.items()
        if name in parameters
    ]
