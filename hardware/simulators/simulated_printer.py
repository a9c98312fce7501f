"""A receipt printer, simulated: what it was sent lies on its paper as dots, and it answers how it is.

For those without one: ``python -m hardware.simulators.simulated_printer`` listens where a printer in the network does, and each
picture that was cut off is written to a file. `companion print TABLE --printer socket://127.0.0.1:9100` prints there.
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
    from hardware.simulators.simulated_port import PortFaults  # it needs ptys, and this works without

__all__ = ["PrinterInNetwork", "SimulatedPrinter"]

_DLE: Final = 0x10
_LENGTHS: Final = {b"\x1b\x40": 2, b"\x1d\x72": 3, b"\x1d\x56": 4, b"\x1b\x64": 3, b"\x1d\x76": 8}


class SimulatedPrinter(SimulatedDevice):
    """A printer with so many rows of paper left (None: enough); `papers` are the pictures that were cut off."""

    actions: ClassVar[Mapping[str, str]] = {
        "paper ROWS": "puts in paper for so many rows of dots; 0: it is out of paper",
        "cover open": "opens its cover",
        "cover shut": "shuts it",
        "offline": "switches it offline",
        "online": "switches it online",
        "jam": "its cutter jams",
    }

    def __init__(self, *, answers: bool = True, reports_done: bool = True) -> None:
        self.answers, self.reports_done = answers, reports_done
        self.left: int | None = None
        self.cover = self.offline = self.jammed = False
        self.papers: list[Image.Image] = []
        self.strange = bytearray()
        """What it was sent and does not know: on real paper, letters and signs."""
        self._rows: list[bytes] = []
        self._held = bytearray()

    def act(self, *words: str) -> None:
        """Do something to it."""
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
        """Forget what was begun."""
        self._held.clear()
        self._rows.clear()
        return b""

    @property
    def stopped(self) -> bool:
        """Whether it prints nothing until a person helps it."""
        return self.cover or self.offline or self.jammed or self.left == 0

    def feed(self, data: bytes, now: float) -> bytes:
        """Take what is sent; questions about its state are answered at once, wherever they stand, as by the real ones."""
        self._held += data
        out = b""
        at = 0
        while (at := self._held.find(_DLE, at)) >= 0 and at + 2 < len(self._held):
            if self._held[at + 1] == 0x04 and 1 <= self._held[at + 2] <= 4:
                out += self._state(self._held[at + 2])
                del self._held[at : at + 3]
            else:
                at += 1
        return out + self._print()

    def tick(self, now: float) -> bytes:
        """Go on once a person has helped it."""
        return self._print()

    def _print(self) -> bytes:
        out = b""
        while len(self._held) >= 2 and not self.stopped:
            length = _LENGTHS.get(bytes(self._held[:2]))
            if length is None:
                self.strange += self._held[:1]
                del self._held[:1]
                continue
            if len(self._held) < length:
                break
            if self._held[1] == 0x76:
                if not self._raster():
                    break
                continue
            if self._held[1] == 0x72 and self.answers and self.reports_done:
                out += b"\x00"
            if self._held[1] == 0x56:
                self.papers.append(_picture(self._rows))
                self._rows = []
            del self._held[:length]
        return out

    def _raster(self) -> bool:
        """Print the rows of a picture that have come; its paper may run out among them. False: no whole row is there."""
        width = self._held[4] | self._held[5] << 8
        rows = self._held[6] | self._held[7] << 8
        ready = min(rows, (len(self._held) - 8) // width, rows if self.left is None else self.left)
        for row in range(ready):
            self._rows.append(bytes(self._held[8 + row * width : 8 + (row + 1) * width]))
        del self._held[8 : 8 + ready * width]
        if self.left is not None:
            self.left -= ready
        if ready == rows:
            del self._held[:8]
        else:
            self._held[6:8] = (rows - ready).to_bytes(2, "little")
        return ready > 0

    def _state(self, question: int) -> bytes:
        if not self.answers:
            return b""
        out = self.left == 0
        bits = {
            1: 0x08 * self.stopped,
            2: 0x04 * self.cover | 0x20 * out | 0x40 * self.jammed,
            3: 0x08 * self.jammed,
            4: 0x60 * out | 0x0C * (self.left is not None and self.left < 400),
        }[question]
        return bytes([0x12 | bits])


class PrinterInNetwork:
    """A simulated printer behind a TCP port of this machine: a context, one connection at a time, as real ones take."""

    def __init__(self, device: SimulatedPrinter, *, port: int = 0, faults: PortFaults | None = None) -> None:
        self.device, self.faults = device, faults
        self.lock = threading.Lock()
        """Held while the printer works: hold it to change it from another thread."""
        self._server = socket.create_server(("127.0.0.1", port))
        self._server.settimeout(0.1)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="simulated-printer")

    @property
    def address(self) -> str:
        """Where it is to be found."""
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
                said = self.device.feed(data, now) + self.device.tick(now)
            if said and not (self.faults is not None and self.faults.silent):
                try:
                    host.sendall(said)
                except OSError:
                    return


def _picture(rows: list[bytes]) -> Image.Image:
    """Return rows of dots, a set bit black, as a picture of mode "1"."""
    width = len(rows[0]) if rows else 1
    data = bytes(byte ^ 0xFF for row in rows for byte in row)
    return Image.frombytes("1", (8 * width, len(rows)), data)


@click.command()
@click.option("--port", default=9100, show_default=True, help="The TCP port to listen on.")
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("slip.png"), show_default=True, help="The file."
)
def main(port: int, out: Path) -> None:
    """Be a printer in the network until Ctrl-C."""
    printer = SimulatedPrinter()
    with PrinterInNetwork(printer, port=port) as served:
        click.echo(f"A printer is at {served.address}; what it prints is written to {out}. Ctrl-C stops.")
        seen = 0
        while True:
            time.sleep(0.1)
            if len(printer.papers) > seen:
                seen = len(printer.papers)
                printer.papers[-1].save(out)
                click.echo(f"printed: {out}, {printer.papers[-1].width} x {printer.papers[-1].height} dots")


if __name__ == "__main__":
    main()
