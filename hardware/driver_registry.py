"""All drivers by name, with their capabilities, titles and options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from companion.hanafuda.errors import BadRequestError, did_you_mean, nearest, quote
from companion.hanafuda.messages import Message
from companion.messages import render_all
from hardware.buttons.button_box import ButtonBox
from hardware.displays.crystalfontz import Crystalfontz
from hardware.displays.kana import Font
from hardware.displays.matrix_orbital import MatrixOrbital
from hardware.displays.serlcd import SerLcd
from hardware.driver import Button, DeviceDriver, PressKind
from hardware.press_timing import KeyMeanings
from hardware.readers.acg import Acg
from hardware.readers.gm65 import Gm65
from hardware.readers.line_scanner import LineScanner
from hardware.readers.pn532 import Pn532
from hardware.readers.r200 import R200
from hardware.readers.rdm6300 import Rdm6300

Capability = Literal["tags", "codes", "buttons", "lights", "display"]


@dataclass(frozen=True, slots=True)
class DriverEntry:
    """A driver; ``hardware/README.md`` describes its wiring and checklist under the same name."""

    name: str
    make: Callable[..., DeviceDriver]
    """The driver's class; its keyword arguments (such as a display's size) are the driver's options."""
    does: tuple[Capability, ...]

    @property
    def title(self) -> Message:
        """The device's name and what it does."""
        return Message(f"driver-{self.name}")

    def to_dict(self) -> dict[str, Any]:
        """Return the driver for JSON, its title in each language."""
        return {"driver": self.name, "does": list(self.does), "says": render_all(self.title)}


DRIVERS: Final[Mapping[str, DriverEntry]] = {
    entry.name: entry
    for entry in (
        DriverEntry("rdm6300", Rdm6300, ("tags",)),
        DriverEntry("pn532", Pn532, ("tags",)),
        DriverEntry("acg", Acg, ("tags",)),
        DriverEntry("r200", R200, ("tags",)),
        DriverEntry("gm65", Gm65, ("codes",)),
        DriverEntry("line-scanner", LineScanner, ("codes",)),
        DriverEntry("button-box", ButtonBox, ("buttons", "lights", "display", "tags")),
        DriverEntry("serlcd", SerLcd, ("display",)),
        DriverEntry("matrix-orbital", MatrixOrbital, ("display",)),
        DriverEntry("crystalfontz", Crystalfontz, ("display", "buttons", "lights")),
    )
}
"""Every driver, by name."""


def find_driver(name: str) -> DriverEntry:
    """Return a driver by name; raises `BadRequestError`, which suggests similar names."""
    if name not in DRIVERS:
        hint = did_you_mean(nearest(name, DRIVERS)) or f"; there are {', '.join(DRIVERS)}"
        raise BadRequestError(f"there is no driver {quote(name)}{hint}")
    return DRIVERS[name]


def create_driver(name: str, options: Mapping[str, Any]) -> DeviceDriver:
    """Return a new driver; raises `BadRequestError` for an unknown driver or option, or an invalid value.

    ``options`` are JSON values: ``columns``, ``rows``, ``font``, ``weakest_dbm``, and ``meanings`` as in ``{"1": "koi-koi", "4 long":
    "next"}``. Each driver supports some of them.
    """
    driver_class = find_driver(name).make
    supported = [option for option in inspect.signature(driver_class).parameters if option in _PARSERS]
    parsed = {}
    for option, value in options.items():
        if option not in supported:
            hint = did_you_mean(nearest(option, supported)) or f"; it has {', '.join(supported) or 'none'}"
            raise BadRequestError(f"{name} has no option {quote(option)}{hint}")
        parsed[option] = _PARSERS[option](option, value)
    return driver_class(**parsed)


def _integer(minimum: int, maximum: int) -> Callable[[str, Any], int]:
    def parsed(option: str, value: Any) -> int:
        if type(value) is not int or not minimum <= value <= maximum:
            raise BadRequestError(
                f"{option} must be a whole number from {minimum} to {maximum}, not {quote(value)}"
            )
        return value

    return parsed


def _font(option: str, value: Any) -> Any:
    if value not in get_args(Font):
        raise BadRequestError(f"{option} must be {' or '.join(get_args(Font))}, not {quote(value)}")
    return value


def _meanings(option: str, value: Any) -> KeyMeanings:
    form = f'{option} sets the action of each key, as in {{"1": "koi-koi", "4 long": "next"}}'
    if not isinstance(value, Mapping):
        raise BadRequestError(f"{form}, not {quote(value)}")
    parsed: dict[tuple[int, PressKind], Button] = {}
    for key, button in value.items():
        number, _, how = str(key).partition(" ")
        how = how or "press"
        if not (number.isascii() and number.isdecimal() and how in get_args(PressKind)):
            raise BadRequestError(f"{form}; {quote(key)} is not a key")
        if button not in get_args(Button):
            raise BadRequestError(f"{form}; {quote(button)} is not one of {', '.join(get_args(Button))}")
        parsed[int(number), how] = button  # type: ignore[index]  # it is a PressKind
    return parsed


_PARSERS: Final[Mapping[str, Callable[[str, Any], Any]]] = {
    "columns": _integer(8, 40),
    "rows": _integer(1, 4),
    "font": _font,
    "weakest_dbm": _integer(-127, 0),
    "meanings": _meanings,
}
