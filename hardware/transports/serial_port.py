"""Serial ports opened exclusively with pyserial; every failure raises `PortError`.

Ports are named as `serial.serial_for_url` names them: a path or COM port, ``socket://host:port``,
``rfc2217://host:port``, ``loop://``, ``spy://PORT?file=log.txt``.
"""

from __future__ import annotations

import contextlib
import errno
import threading
from typing import Final, Protocol

import serial

from hardware.device_faults import Fault, FaultCode, PortError
from hardware.driver import PortSettings

try:
    from termios import error as _TermiosError  # noqa: N812 - termios's own name for it
except ImportError:  # Windows
    _TermiosError = OSError  # type: ignore[misc,assignment]

# After a hang-up pyserial raises SerialException (an OSError), a bare OSError or termios.error, depending on the operation.
_DISCONNECT_ERRORS: Final = (OSError, _TermiosError)
_MAX_READ: Final = 4096

_CODES: Final[dict[int, FaultCode]] = {
    errno.EAGAIN: "port-in-use",
    errno.EBUSY: "port-in-use",
    errno.EACCES: "forbidden",
    errno.EPERM: "forbidden",
    errno.ENOENT: "not-plugged",
    errno.ENODEV: "not-plugged",
    errno.ENXIO: "not-plugged",
}


class PortConnection(Protocol):
    """An open port."""

    def read(self, wait: float) -> bytes:
        """Return received bytes, waiting up to ``wait`` s for the first one; raises `PortError` if the connection is lost."""

    def write(self, data: bytes) -> None:
        """Write all bytes within ``write_timeout_s`` of the settings; raises `PortError`."""

    def wake(self) -> None:
        """Interrupt a waiting read from another thread, if the port supports it."""

    def close(self) -> None:
        """Close the port; never raises."""


class _SerialConnection:
    def __init__(self, port: serial.Serial, url: str) -> None:
        self._port, self._url = port, url
        self._closing = threading.Lock()

    def read(self, wait: float) -> bytes:
        try:
            if self._port.timeout != wait:  # setting it reconfigures the whole port
                self._port.timeout = wait
            first = self._port.read(1)
            more = min(self._port.in_waiting, _MAX_READ) if first else 0
            return first + self._port.read(more) if more else first
        except _DISCONNECT_ERRORS as error:
            raise PortError(Fault.of("connection-lost", self._url, detail=_detail(error))) from error

    def write(self, data: bytes) -> None:
        try:
            self._port.write(data)
        except serial.SerialTimeoutException as error:
            raise PortError(Fault.of("stalled", self._url)) from error
        except _DISCONNECT_ERRORS as error:
            raise PortError(Fault.of("connection-lost", self._url, detail=_detail(error))) from error

    def wake(self) -> None:
        cancel = getattr(self._port, "cancel_read", None)
        if cancel is not None:
            # The lock excludes `close`, after which the descriptors may belong to other files.
            with self._closing, contextlib.suppress(*_DISCONNECT_ERRORS):
                cancel()

    def close(self) -> None:
        with self._closing, contextlib.suppress(*_DISCONNECT_ERRORS):
            self._port.close()


def open_port(url: str, settings: PortSettings) -> PortConnection:
    """Open a port exclusively; raises `PortError` with the reason."""
    try:
        port = serial.serial_for_url(url, do_not_open=True, baudrate=settings.baud, rtscts=settings.rtscts)
        port.write_timeout = settings.write_timeout_s
        port.exclusive = True
        port.open()
    except (*_DISCONNECT_ERRORS, ValueError) as error:
        raise PortError(_open_fault(url, error)) from error
    return _SerialConnection(port, url)


def _open_fault(url: str, error: BaseException) -> Fault:
    cause = error.__context__ or error  # pyserial sets the errno only on some systems
    number = getattr(error, "errno", None) or getattr(cause, "errno", None)
    code = _CODES.get(number or 0)
    if code is not None:
        return Fault.of(code, url)
    if "://" in url and isinstance(cause, OSError) and not isinstance(cause, serial.SerialException):
        return Fault.of("unreachable", url, detail=_detail(cause))
    return Fault.of("no-such", url, detail=_detail(error))


def _detail(error: BaseException) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
