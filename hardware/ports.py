"""Finding a device's port: by what it says of itself on USB, or by a name that stays its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from serial.tools import list_ports

from companion.errors import BadRequestError, shown

__all__ = ["Finder", "Found", "Port", "Wanted", "finder", "ports", "wanted"]

_BY_ID: Final = Path("/dev/serial/by-id")
_USB: Final = re.compile(r"usb:([0-9a-f]{4}):([0-9a-f]{4})(?::(.+))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Port:
    """A port of this machine."""

    path: str
    says: str
    """What the system calls it."""
    vendor: int | None = None
    product: int | None = None
    serial: str | None = None
    by_id: str | None = None
    """Its path under /dev/serial/by-id, where the system keeps one."""

    @property
    def name(self) -> str:
        """The name to keep: it stays the device's own wherever it is plugged in; without USB the path must do."""
        if self.vendor is None or self.product is None:
            return self.path
        tail = f":{self.serial}" if self.serial else ""
        return f"usb:{self.vendor:04x}:{self.product:04x}{tail}"

    def to_dict(self) -> dict[str, Any]:
        """Return the port as JSON tells it."""
        return {
            "port": self.path,
            "name": self.name,
            "says": self.says,
            "vendor": self.vendor,
            "product": self.product,
            "serial": self.serial,
            "by_id": self.by_id,
        }


@dataclass(frozen=True, slots=True)
class Found:
    """Where a wanted device is now."""

    url: str
    mark: tuple[str, int]
    """Changes when another device, or the same one again, was plugged in."""


Finder = Callable[[], "Found | None"]
"""Says where the device is now; None: it is not plugged in. Quick and without opening anything."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A device by what it says of itself on USB."""

    vendor: int
    product: int
    serial: str | None = None

    def fits(self, port: Port) -> bool:
        """Say whether a port is the device's."""
        return (port.vendor, port.product) == (self.vendor, self.product) and (
            self.serial is None or self.serial == port.serial
        )


def ports() -> list[Port]:
    """Return this machine's ports, those on USB first."""
    links = {str(link.resolve()): str(link) for link in _BY_ID.iterdir()} if _BY_ID.is_dir() else {}
    found = [
        Port(
            each.device,
            each.description,
            each.vid,
            each.pid,
            each.serial_number,
            links.get(str(Path(each.device).resolve())),
        )
        for each in list_ports.comports()
    ]
    return sorted(found, key=lambda port: (port.vendor is None, port.path))


def wanted(name: str) -> Wanted | str:
    """Read a port's name: ``usb:VENDOR:PRODUCT[:SERIAL]`` in hex, else a path or URL; `BadRequestError` where it is neither."""
    if found := _USB.fullmatch(name):
        vendor, product, serial = found.groups()
        return Wanted(int(vendor, 16), int(product, 16), serial)
    if not name.strip() or name.lower().startswith("usb:"):
        raise BadRequestError(
            f"{shown(name)} names no port; give a path (/dev/serial/by-id/…, COM3), an address "
            "(socket://192.168.0.7:4000) or usb:VENDOR:PRODUCT:SERIAL as `companion devices` lists it"
        )
    return name


def finder(
    name: str, *, among: Callable[[], Iterable[Port]] = ports, taken: Callable[[str], bool] = lambda _: False
) -> Finder:
    """Return what looks for a device by its name. Of two of a kind without serial numbers the first that is not ``taken``."""
    which = wanted(name)
    if isinstance(which, Wanted):

        def by_usb() -> Found | None:
            here = (port for port in among() if which.fits(port) and not taken(port.path))
            port = next(here, None)
            return None if port is None else Found(port.path, _mark(port.path))

        return by_usb
    if "://" in which or re.fullmatch(r"COM\d+", which, re.IGNORECASE):
        return lambda: Found(which, (which, 0))

    def by_path() -> Found | None:
        path = Path(which)
        return Found(which, _mark(which)) if path.exists() else None

    return by_path


def _mark(path: str) -> tuple[str, int]:
    """Return what tells one plugging in from the next: the device's file is made anew each time."""
    real = Path(path).resolve()
    try:
        return str(real), real.stat().st_ino
    except OSError:
        return str(real), 0
