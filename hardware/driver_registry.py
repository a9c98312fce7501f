"""All drivers by name, with their capabilities, titles and simulators."""

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
from hardware.simulators.simulated_box import SimulatedBox
from hardware.simulators.simulated_device import SimulatedDevice
from hardware.simulators.simulated_displays import (
    SimulatedCrystalfontz,
    SimulatedMatrixOrbital,
    SimulatedSerLcd,
)
from hardware.simulators.simulated_scanners import SimulatedGm65, SimulatedLineScanner
from hardware.simulators.simulated_tag_readers import (
    SimulatedAcg,
    SimulatedPn532,
    SimulatedR200,
    SimulatedRdm6300,
)

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
    simulator: Callable[[], SimulatedDevice]

    @property
    def title(self) -> Message:
        """The device's name and what it does."""
        return Message(f"driver-{self.name}")

    def to_dict(self) -> dict[str, Any]:
        """Return the driver for JSON, its title in each language."""
        return {"driver": self.name, "does": list(self.does), "says": render_all(self.title)}


_ENTRIES: Final = (
    DriverEntry(
        "rdm6300",
        Rdm6300,
        ("tags",),
        SimulatedRdm6300,
    ),
    DriverEntry(
        "pn532",
        Pn532,
        ("tags",),
        SimulatedPn532,
    ),
    DriverEntry(
        "acg",
        Acg,
        ("tags",),
        SimulatedAcg,
    ),
    DriverEntry(
        "r200",
        R200,
        ("tags",),
        SimulatedR200,
    ),
    DriverEntry(
        "gm65",
        Gm65,
        ("codes",),
        SimulatedGm65,
    ),
    DriverEntry(
        "line-scanner",
        LineScanner,
        ("codes",),
        SimulatedLineScanner,
    ),
    DriverEntry(
        "button-box",
        ButtonBox,
        ("buttons", "lights", "display", "tags"),
        SimulatedBox,
    ),
    DriverEntry(
        "serlcd",
        SerLcd,
        ("display",),
        SimulatedSerLcd,
    ),
    DriverEntry(
        "matrix-orbital",
        MatrixOrbital,
        ("display",),
        SimulatedMatrixOrbital,
    ),
    DriverEntry(
        "crystalfontz",
        Crystalfontz,
        ("display", "buttons", "lights"),
        SimulatedCrystalfontz,
    ),
)

DRIVERS: Final[Mapping[str, DriverEntry]] = {each.name: each for each in _ENTRIES}
"""Every driver, by name."""


def find_driver(name: str) -> DriverEntry:
    """Return a driver by name; raises `UnknownDriverError`, which suggests similar names."""
    if name not in DRIVERS:
        raise UnknownDriverError(name, DRIVERS)
    return DRIVERS[name]
