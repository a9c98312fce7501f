"""USB printers of device class 7, accessed with pyusb and libusb. Importing this module fails without pyusb, an extra."""

from __future__ import annotations

import errno
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

import usb.core
import usb.util

from hardware.device_faults import Fault, FaultCode, PortError
from hardware.transports.serial_port import PortConnection

#: The USB class of printers.
_PRINTER: Final = 7
#: Timeout of a write, ms, and most bytes of a read, more than any answer.
_WRITE_MS: Final = 15_000
_READ_BYTES: Final = 64
#: Pause after an empty answer, s.
_EMPTY_S: Final = 0.02
_CODES: Final[dict[int | None, FaultCode]] = {
    errno.EACCES: "forbidden",
    errno.EPERM: "forbidden",
    errno.EBUSY: "port-in-use",
}


class _UsbConnection:
    """A claimed printer interface."""

    def __init__(self, device: Any, interface: Any, where: str) -> None:
        self._device, self._interface, self._where = device, interface, where
        ends = {usb.util.endpoint_direction(end.bEndpointAddress): end for end in interface}
        self._out, self._in = ends[usb.util.ENDPOINT_OUT], ends.get(usb.util.ENDPOINT_IN)

    def read(self, wait: float) -> bytes:
        """Return received bytes; empty for a printer without an input endpoint."""
        if self._in is None:
            return b""
        with _usb_faults(self._where):
            try:
                received = bytes(self._in.read(_READ_BYTES, max(1, round(wait * 1000))))
            except usb.core.USBTimeoutError:
                return b""
        if not received:  # some printers return an empty answer at once
            time.sleep(min(wait, _EMPTY_S))
        return received

    def write(self, data: bytes) -> None:
        """Write all, or raise `PortError`."""
        with _usb_faults(self._where):
            self._out.write(data, _WRITE_MS)

    def wake(self) -> None:
        """Do nothing: reads are short."""

    def close(self) -> None:
        """Release the printer."""
        with suppress(usb.core.USBError):
            usb.util.release_interface(self._device, self._interface.bInterfaceNumber)
            usb.util.dispose_resources(self._device)


def open_usb(port: str, vendor: int, product: int, serial: str | None) -> PortConnection:
    """Open a printer by its USB identity, any serial number if None; raises `PortError` for ``port`` with the reason."""
    with _usb_faults(port):
        device = usb.core.find(
            idVendor=vendor,
            idProduct=product,
            custom_match=lambda found: serial in {None, found.serial_number},
        )
        if device is None:
            raise PortError(Fault.of("not-plugged", port))
        interfaces = [interface for configuration in device for interface in configuration]
        interface = next((each for each in interfaces if each.bInterfaceClass == _PRINTER), None)
        if interface is None:
            detail = f"class {device.bDeviceClass}"
            raise PortError(Fault.of("wrong-device", port, driver="printer", detail=detail))
        number = interface.bInterfaceNumber
        with suppress(NotImplementedError):  # of Linux only
            if device.is_kernel_driver_active(number):
                device.detach_kernel_driver(number)
        usb.util.claim_interface(device, number)
    return _UsbConnection(device, interface, port)


@contextmanager
def _usb_faults(where: str) -> Iterator[None]:
    """Raise `PortError` for errors of pyusb."""
    try:
        yield
    except usb.core.NoBackendError as error:
        raise PortError(Fault.of("no-usb", where, detail="libusb is missing")) from error
    except usb.core.USBTimeoutError as error:
        raise PortError(Fault.of("stalled", where)) from error
    except usb.core.USBError as error:
        code = _CODES.get(error.errno, "connection-lost")
        raise PortError(Fault.of(code, where, detail=str(error))) from error
