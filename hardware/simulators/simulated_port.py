"""A simulated device on a pty: plugged in, pulled out, plugged in elsewhere, and as faulty as told. Not on Windows, which has none."""

from __future__ import annotations

import contextlib
import os
import random
import select
import threading
import time
import tty
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hardware.simulators.simulated_device import SimulatedDevice

__all__ = ["PortFaults", "SimulatedPort"]

_TICK_S: Final = 0.02
#: What waits for a host that does not read, bytes; a real port's buffer overflows as well.
_WAITING: Final = 4096


@dataclass
class PortFaults:
    """What is wrong with a device; all may be switched while it runs. Shares are 0-1."""

    silent: bool = False
    """It says nothing, and its port stays."""
    deaf: bool = False
    """It takes nothing in."""
    drop: float = 0.0
    """The share of its bytes that are lost."""
    corrupt: float = 0.0
    """The share of its bytes in which one bit is wrong."""
    split: bool = False
    """Every byte comes by itself."""
    repeat: float = 0.0
    """The share of what it says that it says twice."""

    def spoil(self, data: bytes, dice: random.Random) -> list[bytes]:
        """Return the pieces in which what it says arrives."""
        if self.silent or not data:
            return []
        if self.repeat and dice.random() < self.repeat:
            data += data
        kept = bytearray(byte for byte in data if not (self.drop and dice.random() < self.drop))
        for at in range(len(kept)):
            if self.corrupt and dice.random() < self.corrupt:
                kept[at] ^= 1 << dice.randrange(8)
        return [bytes([byte]) for byte in kept] if self.split else [bytes(kept)]


class SimulatedPort:
    """A device that can be plugged in: a pty, behind a link that has the device's name as a by-id path does.

    Use it as a context, or call `pull` at the end: it has a thread and three descriptors while it is plugged in.
    """

    def __init__(
        self,
        device: SimulatedDevice,
        link: Path,
        *,
        faults: PortFaults | None = None,
        dice: random.Random | None = None,
    ) -> None:
        self.device, self.link = device, link
        self.faults = faults or PortFaults()
        self._dice = dice or random.Random(1)
        self._thread: threading.Thread | None = None
        self._ends: tuple[int, int] | None = None
        self._stop = threading.Event()
        self._left: int | None = None
        self.lock = threading.RLock()
        """Held while the device speaks: hold it to change the device from another thread."""

    def __enter__(self) -> SimulatedPort:
        if self._thread is None:
            self.plug()
        return self

    def __exit__(self, *_: object) -> None:
        self.pull()

    @property
    def port(self) -> str:
        """The port's own name now, as ttyUSB0 would be."""
        return str(self.link.readlink())

    def plug(self, device: SimulatedDevice | None = None) -> None:
        """Plug it in, or another device in its place."""
        self.pull()
        self.device = device or self.device
        master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(master, False)
        self._ends, self._left = (master, slave), None
        self._stop.clear()
        self._thread = threading.Thread(target=self._run, args=(master,), name="simulated-device")
        self._thread.start()
        new = self.link.with_name(f".{self.link.name}.new")
        new.symlink_to(os.ttyname(slave))
        new.replace(self.link)

    def pull(self) -> None:
        """Pull it out; harmless where it is not plugged in."""
        self.link.unlink(missing_ok=True)
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self._hang_up()

    def pull_after(self, count: int) -> None:
        """Pull it out once it has said so many more bytes: in the middle of a frame."""
        with self.lock:
            self._left = count

    def _run(self, master: int) -> None:
        waiting = bytearray()
        with self.lock:
            self._say(waiting, self.device.plugged(time.monotonic()))
        while not self._stop.is_set():
            readable, _, _ = select.select([master], [], [], _TICK_S)
            now = time.monotonic()
            with self.lock:
                if readable:
                    data = _read(master)
                    if not self.faults.deaf:
                        self._say(waiting, self.device.feed(data, now))
                self._say(waiting, self.device.tick(now))
                self._send(master, waiting)
                if self._left == 0:
                    break
        if not self._stop.is_set():
            self.link.unlink(missing_ok=True)
            self._hang_up()

    def _say(self, waiting: bytearray, data: bytes) -> None:
        for piece in self.faults.spoil(data, self._dice):
            waiting += piece
        del waiting[:-_WAITING]

    def _send(self, master: int, waiting: bytearray) -> None:
        while waiting and self._left != 0:
            count = 1 if self.faults.split else len(waiting)
            if self._left is not None:
                count = min(count, self._left)
            try:
                sent = os.write(master, waiting[:count])
            except OSError:  # nobody reads, and the buffer is full
                return
            del waiting[:sent]
            if self._left is not None:
                self._left -= sent

    def _hang_up(self) -> None:
        ends, self._ends = self._ends, None
        for end in ends or ():
            os.close(end)


def _read(master: int) -> bytes:
    with contextlib.suppress(OSError):
        return os.read(master, 4096)
    return b""
