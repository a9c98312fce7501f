"""The settings of a device in ``devices.json``, and the driver created from them."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, get_args

from companion.hanafuda.errors import BadRequestError, did_you_mean, nearest, quote
from hardware.displays.kana import Font
from hardware.driver import Button, DeviceDriver, PressKind
from hardware.driver_registry import find_driver
from hardware.press_timing import KeyMeanings

__all__ = ["BadOptionError", "DeviceSettings", "create_driver"]


class BadOptionError(BadRequestError):
    """Raised for an unknown driver option or an invalid value."""

    code = "bad-device-option"


@dataclass(frozen=True, slots=True)
class DeviceSettings:
    """The settings of one device."""

    name: str
    driver: str
    port: str
    """The port's name, see `hardware.transports.port_discovery.parse_port_name`."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the driver."""
    table: str | None = None
    """The table's id; None: the newest table."""
    seat: int | None = None
    place: str | None = None
    """Zone of a reader: ``field``, ``stock``, ``discard``, ``captured-N``, ``hand-N``, or ``any`` for a handheld reader."""
    buttons: Mapping[str, str] = field(default_factory=dict)
    """Overrides of button meanings: from the driver's button to another one."""
    on: bool = True

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> DeviceSettings:
        """Read the settings from JSON; unknown fields of later versions are ignored."""
        return cls(**{name: document[name] for name in cls.__dataclass_fields__ if name in document})

    @property
    def connection_key(self) -> tuple[str, str, str]:
        """The settings that need a new connection when they change."""
        return self.driver, self.port, json.dumps(self.options, sort_keys=True)


def create_driver(name: str, options: Mapping[str, Any]) -> DeviceDriver:
    """Return a new driver; raises `BadOptionError`, or `hardware.driver_registry.UnknownDriverError`.

    ``options`` are JSON values: ``columns``, ``rows``, ``font``, ``weakest_dbm``, and ``meanings`` as in ``{"1": "koi-koi", "4 long":
    "next"}``. Each driver supports some of them.
    """
    driver_class = find_driver(name).make
    supported = [option for option in inspect.signature(driver_class).parameters if option in _PARSERS]
    parsed = {}
    for option, value in options.items():
        if option not in supported:
            hint = did_you_mean(nearest(option, supported)) or f"; it has {', '.join(supported) or 'none'}"
            raise BadOptionError(f"{name} has no option {quote(option)}{hint}")
        parsed[option] = _PARSERS[option](option, value)
    return driver_class(**parsed)


def _integer(minimum: int, maximum: int) -> Callable[[str, Any], int]:
    def parsed(option: str, value: Any) -> int:
        if type(value) is not int or not minimum <= value <= maximum:
            raise BadOptionError(
                f"{option} must be a whole number from {minimum} to {maximum}, not {quote(value)}"
            )
        return value

    return parsed


def _font(option: str, value: Any) -> Any:
    if value not in get_args(Font):
        raise BadOptionError(f"{option} must be {' or '.join(get_args(Font))}, not {quote(value)}")
    return value


def _meanings(option: str, value: Any) -> KeyMeanings:
    form = f'{option} sets the action of each key, as in {{"1": "koi-koi", "4 long": "next"}}'
    if not isinstance(value, Mapping):
        raise BadOptionError(f"{form}, not {quote(value)}")
    parsed: dict[tuple[int, PressKind], Button] = {}
    for key, button in value.items():
        number, _, how = str(key).partition(" ")
        how = how or "press"
        if not (number.isascii() and number.isdecimal() and how in get_args(PressKind)):
            raise BadOptionError(f"{form}; {quote(key)} is not a key")
        if button not in get_args(Button):
            raise BadOptionError(f"{form}; {quote(button)} is not one of {', '.join(get_args(Button))}")
        parsed[int(number), how] = button  # type: ignore[index]  # it is one of How
    return parsed


_PARSERS: Final[Mapping[str, Callable[[str, Any], Any]]] = {
    "columns": _integer(8, 40),
    "rows": _integer(1, 4),
    "font": _font,
    "weakest_dbm": _integer(-127, 0),
    "meanings": _meanings,
}
