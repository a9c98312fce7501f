"""Virtual port of a simulated device: a pty that can be plugged in and out, with simulated faults. Not available on Windows."""

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

_TICK_S: Final = 0.02
#: Maximum output that is kept for a host that does not read, bytes; the buffer of a real port overflows too.
_MAX_OUTPUT: Final = 4096


@dataclass
class PortFaults:
    """Simulated faults of a device, which may be changed while it runs. Fractions are 0-1."""

    silent: bool = False
    """The device sends nothing, but its port stays open."""
    deaf: bool = False
    """The device ignores what the host sends."""
    drop: float = 0.0
    """Fraction of sent bytes that are lost."""
    corrupt: float = 0.0
    """Fraction of sent bytes with one flipped bit."""
    split: bool = False
    """Every byte is sent separately."""
    repeat: float = 0.0
    """Fraction of outputs that are sent twice."""

    def spoil(self, data: bytes, rng: random.Random) -> list[bytes]:
        """Apply the faults to sent bytes; return the pieces in which they arrive."""
        if self.silent or not data:
            return []
        if self.repeat and rng.random() < self.repeat:
            data += data
        kept = bytearray(byte for byte in data if not (self.drop and rng.random() < self.drop))
        for index in range(len(kept)):
            if self.corrupt and rng.random() < self.corrupt:
                kept[index] ^= 1 << rng.randrange(8)
        return [bytes([byte]) for byte in kept] if self.split else [bytes(kept)]


class SimulatedPort:
    """A device that can be plugged in and out: a pty behind a symbolic link with a stable name, like a by-id path.

    Use it as a context manager, or call `pull` at the end: while plugged in, it has a thread and open descriptors.
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
        self._descriptors: tuple[int, int] | None = None
        self._stop = threading.Event()
        self._bytes_left: int | None = None
        self.lock = threading.RLock()
        """Locked while the device runs; acquire it to access the device from another thread."""

    def __enter__(self) -> SimulatedPort:
        if self._thread is None:
            self.plug()
        return self

    def __exit__(self, *_: object) -> None:
        self.pull()

    @property
    def port(self) -> str:
        """The current name of the pty, which corresponds to a name like ttyUSB0."""
        return str(self.link.readlink())

    def plug(self, device: SimulatedDevice | None = None) -> None:
        """Plug in the device, or ``device`` in its place."""
        self.pull()
        self.device = device or self.device
        master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(master, False)
        self._descriptors, self._bytes_left = (master, slave), None
        self._stop.clear()
        self._thread = threading.Thread(target=self._run, args=(master,), name="simulated-device")
        self._thread.start()
        new = self.link.with_name(f".{self.link.name}.new")
        new.symlink_to(os.ttyname(slave))
        new.replace(self.link)

    def pull(self) -> None:
        """Unplug the device; does nothing if it is not plugged in."""
        self.link.unlink(missing_ok=True)
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self._close_descriptors()

    def pull_after(self, count: int) -> None:
        """Unplug the device after it has sent ``count`` more bytes, for example in the middle of a frame."""
        with self.lock:
            self._bytes_left = count

    def _run(self, master: int) -> None:
        output = bytearray()
        with self.lock:
            self._queue(output, self.device.plugged(time.monotonic()))
        while not self._stop.is_set():
            readable, _, _ = select.select([master], [], [], _TICK_S)
            now = time.monotonic()
            with self.lock:
                if readable:
                    data = _read(master)
                    if not self.faults.deaf:
                        self._queue(output, self.device.feed(data, now))
                self._queue(output, self.device.tick(now))
                self._send(master, output)
                if self._bytes_left == 0:
                    break
        if not self._stop.is_set():
            self.link.unlink(missing_ok=True)
            self._close_descriptors()

    def _queue(self, output: bytearray, data: bytes) -> None:
        for piece in self.faults.spoil(data, self._dice):
            output += piece
        del output[:-_MAX_OUTPUT]

    def _send(self, master: int, output: bytearray) -> None:
        while output and self._bytes_left != 0:
            count = 1 if self.faults.split else len(output)
            if self._bytes_left is not None:
                count = min(count, self._bytes_left)
            try:
                sent = os.write(master, output[:count])
            except OSError:  # the host does not read, and the buffer is full
                return
            del output[:sent]
            if self._bytes_left is not None:
                self._bytes_left -= sent

    def _close_descriptors(self) -> None:
        descriptors, self._descriptors = self._descriptors, None
        for descriptor in descriptors or ():
            os.close(descriptor)


def _read(master: int) -> bytes:
    with contextlib.suppress(OSError):
        return os.read(master, 4096)
    return b""
