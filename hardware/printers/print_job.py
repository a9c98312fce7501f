"""Prints a picture on an ESC/POS receipt printer: checks its state, sends the picture in bands, with timeouts.

python-escpos writes the commands. The connections are those of the devices: unlike the library's they have timeouts, and say why
a printer cannot be opened. Questions (Epson, "ESC/POS Command Reference"): ``10 04 n`` (DLE EOT) is answered at once, even by a
printer that is offline; n = 1 state, 2 reason for being offline, 3 error, 4 paper. ``1D 72 01`` (GS r) is answered once
everything before it is printed.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from PIL import Image

from companion.hanafuda.errors import BadRequestError, quote
from companion.hanafuda.messages import Message
from hardware.device_faults import Fault, FaultCode, PortError
from hardware.driver import PortSettings
from hardware.transports.port_discovery import UsbIdentity, parse_port_name, port_finder
from hardware.transports.serial_port import PortConnection, open_port

BAUDS: Final = (9600, 19200, 38400, 57600, 115200)
_ADDRESS: Final = re.compile(r"socket://[^/?#\s]+:\d{1,5}|usb:.+|COM\d+|/[^\s?]+", re.IGNORECASE)

_STATE: Final = b"\x10\x04"
_WHEN_PRINTED: Final = b"\x1d\x72\x01"
#: In a picture, where 0 is black: a byte that is printed as DLE, before EOT, ENQ or DC4. Printers execute these even within pictures.
_REAL_TIME_COMMAND: Final = re.compile(rb"\xef(?=[\xfb\xfa\xeb])")
#: The same byte with one more dot.
_EXTRA_DOT: Final = b"\xe7"
#: A printer of python-escpos's list that is as wide as the widest receipt; without a width the library prints a warning on stdout.
_PROFILE: Final = "TM-T20II"
#: Rows per raster command, so that it fits the smallest printer's buffer (4 KB).
_BAND_ROWS: Final = 48

#: Timeout of an answer, s.
_ANSWERS_S: Final = 1.5
#: Interval of state checks while printing, s.
_ASK_S: Final = 0.5
#: Timeout of one band, s: it takes about a second, longer while the print head cools down.
_BAND_S: Final = 20.0
_WRITE_S: Final = 15.0
#: Size of one write, bytes: half a second at 9600 baud.
_PIECE: Final = 512

_AnswerKind = Literal["state", "done"]


@dataclass(frozen=True, slots=True)
class PrintResult:
    """The result of printing."""

    sure: bool
    """Whether the printer confirmed the printing; many cheap ones cannot."""
    low: bool
    """Whether the roll is nearly used up."""


def check_address(port: str) -> str:
    """Return a valid printer address unchanged; raises `BadRequestError` for an invalid one.

    Valid are ``socket://HOST:9100``, a serial port's path or COM port, and ``usb:VENDOR:PRODUCT``.
    """
    if not _ADDRESS.fullmatch(port):
        raise BadRequestError(Message("printer-bad-address", {"address": quote(port)}))
    parse_port_name(port)
    return port


def print_picture(
    picture: Image.Image,
    port: str,
    *,
    baud: int = 9600,
    clock: Callable[[], float] = time.monotonic,
    progress: Callable[[float], None] = lambda _: None,
) -> PrintResult:
    """Print a picture of mode "1" and cut; ``progress`` is called with the fraction (0-1) that was sent.

    Raises `PortError`, whose fault says what to do, and `BadRequestError` for an invalid address. Returns when the printer has
    finished, which may take over a minute at 9600 baud; gives up after 20 s without progress.
    """
    connection = _open_printer(port, baud)
    try:
        return _Job(connection, port, clock).run(picture, progress)
    finally:
        connection.close()


def _open_printer(port: str, baud: int) -> PortConnection:
    settings = PortSettings(baud, write_timeout_s=_WRITE_S)
    try:
        found = port_finder(check_address(port))()
    except OSError as error:  # a port was unplugged while the ports were listed
        raise PortError(Fault.of("not-plugged", port)) from error
    if found is not None:
        return open_port(found.url, settings)
    identity = parse_port_name(port)
    if isinstance(identity, UsbIdentity) and identity.socket is None:
        try:
            from hardware.printers.usb_printer import open_usb  # noqa: PLC0415 - pyusb is an extra
        except ImportError as error:
            raise PortError(Fault.of("no-usb", port, detail=str(error))) from error
        return open_usb(port, identity.vendor, identity.product, identity.serial)
    raise PortError(Fault.of("not-plugged", port))


def _bands(picture: Image.Image) -> Iterator[Image.Image]:
    """Yield the bands of a picture of mode "1", from the top, with a dot more where its bytes would be a printer's command."""
    for top in range(0, picture.height, _BAND_ROWS):
        band = picture.crop((0, top, picture.width, min(top + _BAND_ROWS, picture.height)))
        yield Image.frombytes("1", band.size, _REAL_TIME_COMMAND.sub(_EXTRA_DOT, band.tobytes()))


def _state_fault(question: int, bits: int) -> tuple[FaultCode, str] | None:
    """Return the fault in an answer to DLE EOT ``question``, with the affected parts; None if there is no fault."""
    match question:
        case 1 if bits & 0x08:
            return "offline", ""
        case 2 if bits & 0x04:
            return "cover-open", ""
        case 2 if bits & 0x20:
            return "paper-out", ""
        case 3 if bits & 0x68:
            parts = {0x08: "cutter", 0x20: "mechanism", 0x40: "too hot"}
            return "broken", ", ".join(part for bit, part in parts.items() if bits & bit)
        case 4 if bits & 0x60:
            return "paper-out", ""
    return None


def _answer_kind(byte: int) -> _AnswerKind | None:
    """Return which question a byte from the printer answers, by its fixed bits."""
    if byte & 0x93 == 0x12:
        return "state"
    return "done" if byte & 0x90 == 0 else None


class _Job:
    """The job of printing one picture."""

    def __init__(self, connection: PortConnection, port: str, clock: Callable[[], float]) -> None:
        from escpos.printer import Dummy  # noqa: PLC0415  # takes 0.4 s

        self._connection, self._port, self._clock = connection, port, clock
        self._commands = Dummy(profile=_PROFILE)
        self._received: dict[_AnswerKind, list[int]] = {"state": [], "done": []}
        self._is_responsive = False
        self._low = False

    def run(self, picture: Image.Image, progress: Callable[[float], None]) -> PrintResult:
        self._connection.read(0)  # discard earlier answers
        self._is_responsive = self._query_state(1) is not None
        if self._is_responsive:
            self._check()
        self._commands.hw("INIT")
        paced, bands = True, list(_bands(picture))
        for number, band in enumerate(bands, start=1):
            self._commands.image(band)
            self._send()
            if paced:
                paced = self._wait_until_printed(first=number == 1)
            progress(number / len(bands))
        self._commands.cut(feed=False)
        self._send()
        return PrintResult(sure=paced and self._wait_until_printed(first=False), low=self._low)

    def _send(self) -> None:
        """Send the commands."""
        data = self._commands.output
        self._commands.clear()
        for at in range(0, len(data), _PIECE):
            try:
                self._connection.write(data[at : at + _PIECE])
            except PortError as error:
                if error.fault.code == "stalled":
                    raise PortError(Fault.of("stuck", self._port)) from error
                raise

    def _wait_until_printed(self, *, first: bool) -> bool:
        """Wait until the printer confirms everything sent so far; False if it does not support this.

        This limits the speed to that of the printer, even without hardware handshake. ``first``: after the first band, which shows
        whether the printer answers at all.
        """
        self._connection.write(_WHEN_PRINTED)
        end = self._clock() + (_BAND_S if self._is_responsive or not first else _ANSWERS_S)
        while (now := self._clock()) < end:
            if self._wait_for("done", min(_ASK_S, end - now)) is not None:
                return True
            if self._is_responsive:
                self._check()
                if first and self._clock() > end - _BAND_S + 2 * _ANSWERS_S:
                    return False  # it prints without a fault but does not support the question
        if first:
            return False
        raise PortError(Fault.of("stuck", self._port))

    def _check(self) -> None:
        """Check the printer's state; raises `PortError` if it needs attention."""
        for question in (2, 3, 4, 1):
            bits = self._query_state(question)
            if bits is None:
                self._is_responsive = False  # a late answer must not be taken for the next question's
                return
            if found := _state_fault(question, bits):
                code, detail = found
                raise PortError(Fault.of(code, self._port, detail=detail))
            self._low = self._low or (question == 4 and bool(bits & 0x0C))

    def _query_state(self, question: int) -> int | None:
        """Return the answer to one state question, or None after a timeout."""
        self._received["state"].clear()
        self._connection.write(_STATE + bytes([question]))
        return self._wait_for("state", _ANSWERS_S)

    def _wait_for(self, kind: _AnswerKind, wait: float) -> int | None:
        end = self._clock() + wait
        while not self._received[kind]:
            remaining = end - self._clock()
            if remaining <= 0:
                return None
            for byte in self._connection.read(remaining):
                if answers := _answer_kind(byte):
                    self._received[answers].append(byte)
        return self._received[kind].pop(0)
