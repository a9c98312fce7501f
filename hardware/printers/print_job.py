"""Prints a picture on a receipt printer: opens it, checks its state, sends the picture in bands, with timeouts."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from PIL import Image

from companion.hanafuda.errors import BadRequestError, quote
from companion.hanafuda.messages import Message
from hardware.device_faults import Fault, PortError
from hardware.driver import PortSettings
from hardware.printers.escpos import (
    ANSWER_WHEN_DONE,
    BEGIN,
    CUT,
    QUESTIONS,
    AnswerParser,
    PrinterAnswer,
    bands,
    is_paper_low,
    printer_fault,
)
from hardware.printers.usb_printer import NATIVE, open_usb
from hardware.transports.port_discovery import parse_port_name, port_finder
from hardware.transports.serial_port import PortConnection, open_port

__all__ = ["BAUDS", "PrintResult", "check_address", "print_picture"]

BAUDS: Final = (9600, 19200, 38400, 57600, 115200)
_ADDRESS: Final = re.compile(r"socket://[^/?#\s]+:\d{1,5}|usb:.+|COM\d+|/[^\s?]+", re.IGNORECASE)

#: Timeout of an answer, s.
_ANSWERS_S: Final = 1.5
#: Interval of state checks while printing, s.
_ASK_S: Final = 0.5
#: Timeout of one band, s: it takes about a second, longer while the print head cools down.
_BAND_S: Final = 20.0
_WRITE_S: Final = 15.0
#: Size of one write, bytes: half a second at 9600 baud.
_PIECE: Final = 512


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
    found = port_finder(check_address(port))()
    if found is not None:
        return open_port(found.url, settings)
    if NATIVE.fullmatch(port):
        return open_usb(port)
    raise PortError(Fault.of("not-plugged", port))


class _Job:
    """The job of printing one picture."""

    def __init__(self, connection: PortConnection, port: str, clock: Callable[[], float]) -> None:
        self._connection, self._port, self._clock = connection, port, clock
        self._parser = AnswerParser()
        self._received: list[PrinterAnswer] = []
        self._is_responsive = False
        self._low = False

    def run(self, picture: Image.Image, progress: Callable[[float], None]) -> PrintResult:
        self._connection.read(0)  # discard earlier answers
        self._is_responsive = self._query_state(1) is not None
        if self._is_responsive:
            self._check()
        self._connection.write(BEGIN)
        paced, rows = True, list(bands(picture))
        for number, band in enumerate(rows, start=1):
            self._send(band)
            if paced:
                paced = self._wait_until_printed(first=number == 1)
            progress(number / len(rows))
        self._send(CUT)
        return PrintResult(sure=paced and self._wait_until_printed(first=False), low=self._low)

    def _send(self, data: bytes) -> None:
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
        self._connection.write(ANSWER_WHEN_DONE)
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
        for question in (2, 3, 4):
            bits = self._query_state(question)
            if bits is None:
                self._is_responsive = False  # a late answer must not be taken for the next question's
                return
            if found := printer_fault(question, bits):
                code, detail = found
                raise PortError(Fault.of(code, self._port, detail=detail))
            self._low = self._low or (question == 4 and is_paper_low(bits))
        bits = self._query_state(1)
        if bits is not None and bits & 0x08:
            raise PortError(Fault.of("offline", self._port))

    def _query_state(self, question: int) -> int | None:
        """Return the answer to one state question, or None after a timeout."""
        self._received = [each for each in self._received if each.kind == "done"]
        self._connection.write(QUESTIONS[question])
        return self._wait_for("state", _ANSWERS_S)

    def _wait_for(self, kind: str, wait: float) -> int | None:
        end = self._clock() + wait
        while True:
            for at, answer in enumerate(self._received):
                if answer.kind == kind:
                    del self._received[at]
                    return answer.bits
            remaining = end - self._clock()
            if remaining <= 0:
                return None
            self._receive(remaining)

    def _receive(self, wait: float) -> None:
        self._received += self._parser.feed(self._connection.read(wait))
