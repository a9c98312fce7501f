"""Simulated receipt printer, which draws what it prints as pictures and answers status requests.

``python -m hardware.simulators.simulated_printer`` listens like a network printer, and writes each receipt that is cut off to a
file. ``companion print TABLE --printer socket://127.0.0.1:9100`` prints on it.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

import click
from PIL import Image

from hardware.simulators.simulated_device import SimulatedDevice

if TYPE_CHECKING:
    # Not imported at run time: the module requires ptys, which this one does not.
    from hardware.simulators.simulated_port import PortFaults

_DLE: Final = 0x10
_COMMAND_LENGTHS: Final = {b"\x1b\x40": 2, b"\x1d\x72": 3, b"\x1d\x56": 4, b"\x1b\x64": 3, b"\x1d\x76": 8}


class SimulatedPrinter(SimulatedDevice):
    """A printer.

    ``answers``: whether it answers status requests. ``reports_done``: whether it confirms that everything sent so far is printed.
    `left`: number of rows of dots left on the roll, None for no limit. `papers`: the pictures that were cut off.
    """

    actions: ClassVar[Mapping[str, str]] = {
        "paper ROWS": "sets the number of rows of dots left on the roll; 0: out of paper",
        "cover open": "opens its cover",
        "cover shut": "shuts it",
        "offline": "switches it offline",
        "online": "switches it online",
        "jam": "its cutter jams",
    }

    def __init__(self, *, answers: bool = True, reports_done: bool = True) -> None:
        super().__init__()
        self.answers, self.reports_done = answers, reports_done
        self.left: int | None = None
        self.cover = self.offline = self.jammed = False
        self.papers: list[Image.Image] = []
        self.strange = bytearray()
        """Received bytes that are not a known command; a real printer would print them as text."""
        self._rows: list[bytes] = []

    def act(self, *words: str) -> None:
        """Carry out an action on the printer."""
        match words:
            case ["paper", rows] if rows.isdecimal():
                self.left = int(rows)
            case ["cover", "open" | "shut" as how]:
                self.cover = how == "open"
            case ["offline" | "online" as how]:
                self.offline = how == "offline"
            case ["jam"]:
                self.jammed = True
            case _:
                super().act(*words)

    def plugged(self, now: float) -> bytes:
        """Discard buffered commands and the current picture."""
        self._rows.clear()
        return super().plugged(now)

    @property
    def stopped(self) -> bool:
        """Whether the printer needs attention and does not print."""
        return self.cover or self.offline or self.jammed or self.left == 0

    def feed(self, data: bytes, now: float) -> bytes:
        """Process bytes; status requests are answered immediately, even within other data, as by real printers."""
        self._buffer += data
        out = b""
        index = 0
        while (index := self._buffer.find(_DLE, index)) >= 0 and index + 2 < len(self._buffer):
            if self._buffer[index + 1] == 0x04 and 1 <= self._buffer[index + 2] <= 4:
                out += self._status_byte(self._buffer[index + 2])
                del self._buffer[index : index + 3]
            else:
                index += 1
        return out + self._run_commands()

    def tick(self, now: float) -> bytes:
        """Continue to print after an action has cleared a fault."""
        return self._run_commands()

    def _run_commands(self) -> bytes:
        out = b""
        while len(self._buffer) >= 2 and not self.stopped:
            length = _COMMAND_LENGTHS.get(bytes(self._buffer[:2]))
            if length is None:
                self.strange += self._buffer[:1]
                del self._buffer[:1]
                continue
            if len(self._buffer) < length:
                break
            if self._buffer[1] == 0x76:
                if not self._print_raster():
                    break
                continue
            if self._buffer[1] == 0x72 and self.answers and self.reports_done:
                out += b"\x00"
            if self._buffer[1] == 0x56:
                self.papers.append(_picture(self._rows))
                self._rows = []
            del self._buffer[:length]
        return out

    def _print_raster(self) -> bool:
        """Print the received rows of a picture, as far as the paper lasts; return False if no complete row can be printed."""
        width = self._buffer[4] | self._buffer[5] << 8
        rows = self._buffer[6] | self._buffer[7] << 8
        available = min(rows, (len(self._buffer) - 8) // width, rows if self.left is None else self.left)
        for row in range(available):
            self._rows.append(bytes(self._buffer[8 + row * width : 8 + (row + 1) * width]))
        del self._buffer[8 : 8 + available * width]
        if self.left is not None:
            self.left -= available
        if available == rows:
            del self._buffer[:8]
        else:
            self._buffer[6:8] = (rows - available).to_bytes(2, "little")
        return available > 0

    def _status_byte(self, request: int) -> bytes:
        if not self.answers:
            return b""
        out_of_paper = self.left == 0
        bits = {
            1: 0x08 * self.stopped,
            2: 0x04 * self.cover | 0x20 * out_of_paper | 0x40 * self.jammed,
            3: 0x08 * self.jammed,
            4: 0x60 * out_of_paper | 0x0C * (self.left is not None and self.left < 400),
        }[request]
        return bytes([0x12 | bits])


class PrinterInNetwork:
    """A simulated printer at a local TCP port; a context manager. Like real printers, it accepts one connection at a time."""

    def __init__(self, device: SimulatedPrinter, *, port: int = 0, faults: PortFaults | None = None) -> None:
        self.device, self.faults = device, faults
        self.lock = threading.Lock()
        """Locked while the printer runs; acquire it to access the printer from another thread."""
        self._server = socket.create_server(("127.0.0.1", port))
        self._server.settimeout(0.1)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="simulated-printer")

    @property
    def address(self) -> str:
        """The address for ``--printer``."""
        return f"socket://127.0.0.1:{self._server.getsockname()[1]}"

    def __enter__(self) -> PrinterInNetwork:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self._server.close()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                host, _ = self._server.accept()
            except TimeoutError:
                continue
            with host:
                host.settimeout(0.02)
                self._serve(host)

    def _serve(self, host: socket.socket) -> None:
        with self.lock:
            self.device.plugged(time.monotonic())
        while not self._stop.is_set():
            if self.faults is not None and self.faults.deaf:
                self._stop.wait(0.02)
                continue
            try:
                data = host.recv(65536)
                if not data:
                    return
            except TimeoutError:
                data = b""
            except OSError:
                return
            with self.lock:
                now = time.monotonic()
                answer = self.device.feed(data, now) + self.device.tick(now)
            if answer and not (self.faults is not None and self.faults.silent):
                try:
                    host.sendall(answer)
                except OSError:
                    return


def _picture(rows: list[bytes]) -> Image.Image:
    """Return rows of dots (a set bit is black) as a picture of mode "1"."""
    width = len(rows[0]) if rows else 1
    data = bytes(byte ^ 0xFF for row in rows for byte in row)
    return Image.frombytes("1", (8 * width, len(rows)), data)


@click.command()
@click.option("--port", default=9100, show_default=True, help="The TCP port to listen on.")
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("slip.png"), show_default=True, help="The file."
)
def main(port: int, out: Path) -> None:
    """Run a simulated network printer until Ctrl-C."""
    printer = SimulatedPrinter()
    with PrinterInNetwork(printer, port=port) as network_printer:
        click.echo(
            f"The printer's address is {network_printer.address}; receipts are written to {out}. Ctrl-C stops."
        )
        saved = 0
        while True:
            time.sleep(0.1)
            if len(printer.papers) > saved:
                saved = len(printer.papers)
                printer.papers[-1].save(out)
                click.echo(f"printed: {out}, {printer.papers[-1].width} x {printer.papers[-1].height} dots")


if __name__ == "__main__":
    main()
