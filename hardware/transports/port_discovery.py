"""Port discovery by USB identity, path or URL."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from serial.tools import list_ports

from companion.hanafuda.errors import BadRequestError, quote

_BY_ID: Final = Path("/dev/serial/by-id")
_USB: Final = re.compile(
    r"usb:([0-9a-f]{4}):([0-9a-f]{4})(?::(.+?))?(?:@([\w.:-]+))?", re.IGNORECASE | re.ASCII
)


@dataclass(frozen=True, slots=True)
class PortInfo:
    """A port of this machine."""

    path: str
    says: str
    """The operating system's description."""
    vendor: int | None = None
    product: int | None = None
    serial: str | None = None
    by_id: str | None = None
    """Its path under /dev/serial/by-id, if there is one. Of two identical devices without serial numbers only one has such a path."""
    socket: str | None = None
    """The USB socket it is plugged into, and the interface of the device."""
    alike: bool = False
    """Whether another port has the same USB identity, so that only the socket distinguishes them."""

    @property
    def name(self) -> str:
        """A stable name: the USB identity if there is one, else the path.

        The USB identity does not depend on the socket, except for identical devices, which are distinguished by their sockets.
        """
        if self.vendor is None or self.product is None:
            return self.path
        tail = f":{self.serial}" if self.serial else ""
        socket = f"@{self.socket}" if self.alike and self.socket else ""
        return f"usb:{self.vendor:04x}:{self.product:04x}{tail}{socket}"

    def to_dict(self) -> dict[str, Any]:
        """Return the port for JSON."""
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
class PortLocation:
    """The current location of a device."""

    url: str
    plug_id: tuple[str, int]
    """An id that changes whenever a device is plugged in at this location."""


PortFinder = Callable[[], "PortLocation | None"]
"""Returns the current location of the device, or None if it is not plugged in. Fast, and opens no port."""


@dataclass(frozen=True, slots=True)
class UsbIdentity:
    """The USB identity of a device."""

    vendor: int
    product: int
    serial: str | None = None
    socket: str | None = None

    def matches(self, port: PortInfo) -> bool:
        """Return whether a port belongs to the device."""
        return (
            (port.vendor, port.product) == (self.vendor, self.product)
            and (self.serial is None or self.serial == port.serial)
            and (self.socket is None or self.socket == port.socket)
        )


def available_ports() -> list[PortInfo]:
    """Return this machine's ports, those on USB first; raises `OSError` if one is unplugged meanwhile."""
    links = {str(link.resolve()): str(link) for link in _BY_ID.iterdir()} if _BY_ID.is_dir() else {}
    try:
        listed = list_ports.comports()
    except (
        TypeError,
        ValueError,
    ) as error:  # pyserial parses a missing value of an unplugged port as a number
        raise OSError("a port was unplugged while the ports were listed") from error
    identity_counts = Counter((each.vid, each.pid, each.serial_number) for each in listed)
    result = [
        PortInfo(
            each.device,
            each.description,
            each.vid,
            each.pid,
            each.serial_number,
            links.get(str(Path(each.device).resolve())),
            each.location,
            identity_counts[each.vid, each.pid, each.serial_number] > 1,
        )
        for each in listed
    ]
    return sorted(result, key=lambda port: (port.vendor is None, port.path))


def parse_port_name(name: str) -> UsbIdentity | str:
    """Parse a port's name: ``usb:VENDOR:PRODUCT[:SERIAL][@SOCKET]`` (vendor and product in hex), else a path or URL.

    Raises `BadRequestError` for an empty name or an invalid USB identity.
    """
    if result := _USB.fullmatch(name):
        vendor, product, serial, socket = result.groups()
        return UsbIdentity(int(vendor, 16), int(product, 16), serial, socket)
    if not name.strip() or name.lower().startswith("usb:"):
        raise BadRequestError(
            f"{quote(name)} is not a port; use a path (/dev/serial/by-id/…, COM3), an address "
            "(socket://192.168.0.7:4000) or usb:VENDOR:PRODUCT:SERIAL as `companion devices` lists it"
        )
    return name


def port_finder(
    name: str,
    *,
    list_available: Callable[[], Iterable[PortInfo]] = available_ports,
    in_use: Callable[[str], bool] = lambda _: False,
) -> PortFinder:
    """Return a function that looks for a device by its port name.

    If several ports match, ports that are ``in_use`` are skipped, and the socket where the device was last is preferred.
    """
    identity = parse_port_name(name)
    if isinstance(identity, UsbIdentity):
        last: str | None = None

        def by_usb() -> PortLocation | None:
            nonlocal last
            candidates = [
                port for port in list_available() if identity.matches(port) and not in_use(port.path)
            ]
            port = min(candidates, key=lambda port: port.socket != last, default=None)
            if port is None:
                return None
            last = port.socket
            return PortLocation(port.path, _plug_id(port.path))

        return by_usb
    if "://" in identity or re.fullmatch(r"COM\d+", identity, re.IGNORECASE):
        return lambda: PortLocation(identity, (identity, 0))

    def by_path() -> PortLocation | None:
        path = Path(identity)
        return PortLocation(identity, _plug_id(identity)) if path.exists() else None

    return by_path


def _plug_id(path: str) -> tuple[str, int]:
    """Return an id that changes each time the device is plugged in, because its device file gets a new inode."""
    real = Path(path).resolve()
    try:
        return str(real), real.stat().st_ino
    except OSError:
        return str(real), 0
