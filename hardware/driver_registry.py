"""All drivers by name, with their capabilities and titles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from companion.hanafuda.errors import BadRequestError, did_you_mean, nearest, quote
from companion.hanafuda.messages import Message
from companion.messages import render_all
from hardware.buttons.button_box import ButtonBox
from hardware.displays.crystalfontz import Crystalfontz
from hardware.displays.matrix_orbital import MatrixOrbital
from hardware.displays.serlcd import SerLcd
from hardware.driver import DeviceDriver
from hardware.readers.acg import Acg
from hardware.readers.gm65 import Gm65
from hardware.readers.line_scanner import LineScanner
from hardware.readers.pn532 import Pn532
from hardware.readers.r200 import R200
from hardware.readers.rdm6300 import Rdm6300

__all__ = ["DRIVERS", "Capability", "DriverEntry", "UnknownDriverError", "find_driver"]

Capability = Literal["tags", "codes", "buttons", "lights", "display"]


class UnknownDriverError(BadRequestError):
    """Raised for an unknown driver name."""

    code = "unknown-driver"

    def __init__(self, name: object, names: Iterable[str]) -> None:
        names = list(names)
        hint = did_you_mean(nearest(name, names)) or f"; there are {', '.join(names)}"
        super().__init__(f"there is no driver {quote(name)}{hint}")


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
    """Return a driver by name; raises `UnknownDriverError`, which suggests similar names."""
    if name not in DRIVERS:
        raise UnknownDriverError(name, DRIVERS)
    return DRIVERS[name]
