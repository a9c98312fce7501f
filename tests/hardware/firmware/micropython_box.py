"""The real firmware as a device that can be plugged in: a `micropython` process, its keys, lights, reader and display."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import subprocess
import sys
import threading
import tty
from pathlib import Path

import hardware
from hardware.simulators.simulated_device import SimulatedDevice
from hardware.simulators.simulated_port import PortFaults

MICROPYTHON = shutil.which("micropython", path=str(Path(sys.executable).parent)) or shutil.which(
    "micropython"
)
FIRMWARE = Path(hardware.__file__).parent / "firmware" / "pico"
_UNIX = Path(__file__).parent / "unix"


class MicroPythonBox(SimulatedDevice):
    """The firmware with four keys and four lights; a reader and a 16 x 2 display by the names of their ptys.

    It begins when it is plugged in, or at `begin`; `kill` is the loss of power in the middle of whatever it does.
    """

    def __init__(
        self,
        *,
        reader: tuple[str, Path] | None = None,
        display: Path | None = None,
        deaf: PortFaults | None = None,
        name: str = "e66038b7",
        dice: random.Random | None = None,
    ) -> None:
        self._environment = {
            "MICROPYPATH": str(FIRMWARE),
            "BOX_NAME": name,
            **({"BOX_READER": reader[0], "BOX_READER_PORT": str(reader[1])} if reader else {}),
            **({"BOX_DISPLAY": "16x2", "BOX_DISPLAY_PORT": str(display)} if display else {}),
        }
        self.incoming = deaf or PortFaults()
        """What is wrong on the way to it; what is wrong on the way from it is the plug's."""
        self._dice = dice or random.Random(2)
        self._process: subprocess.Popen[bytes] | None = None
        self._line = self._hand = -1
        self._heard = bytearray()
        self._lock = threading.RLock()
        self._lights: dict[int, bool] = {}
        self.flips: list[tuple[int, bool]] = []
        """Every change of a light since the start; 0 is the board's own."""
        self._done = 0
        self.faults = 0
        """How often the firmware fell over a fault of its own."""
        self.starts = 0
        self.keys_down: tuple[int, ...] = ()
        """The keys that are down when it begins."""

    def begin(self) -> None:
        """Give it power."""
        assert MICROPYTHON is not None
        with self._lock:
            self.kill()
            self._line, line = os.openpty()
            self._hand, hand = os.openpty()
            for end in (line, hand):
                tty.setraw(end)
            os.set_blocking(self._line, False)
            os.set_blocking(self._hand, False)
            self._heard.clear()
            self._lights.clear()
            self._process = subprocess.Popen(
                [MICROPYTHON, str(_UNIX / "start.py")],
                stdin=line,
                stdout=line,
                env=self._environment
                | {"BOX_HAND": os.ttyname(hand), "BOX_KEYS_DOWN": "".join(map(str, self.keys_down))},
            )
            self._slaves = (line, hand)
            self.starts += 1

    def kill(self) -> None:
        """Take its power away; harmless where it has none."""
        with self._lock:
            if self._process is None:
                return
            self._look()
            self._process.kill()
            self._process.wait()
            self._process = None
            for end in (self._line, self._hand, *self._slaves):
                os.close(end)
            self._line = self._hand = -1

    def __enter__(self) -> MicroPythonBox:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def move(self, key: int, *moves: tuple[int, int]) -> None:
        """Move a key's contact: to each level (1: closed), so many ms from now."""
        line = " ".join([str(key), *(f"{level}@{ms}" for level, ms in moves)])
        with self._lock:
            os.write(self._hand, line.encode("ascii") + b"\n")

    def press(self, key: int, ms: int = 60, bounces: bool = False) -> None:
        """Press a key for so long; contacts that bounce do so for some 5 ms at either end."""
        if not bounces:
            self.move(key, (1, 0), (0, ms))
            return
        down = sorted(self._dice.sample(range(1, 6), 4))
        up = sorted(self._dice.sample(range(1, 6), 4))
        moves = [(1, 0), *((at % 2, ms) for at, ms in enumerate(down)), (0, ms)]
        self.move(key, *moves, *((1 - at % 2, ms + after) for at, after in enumerate(up)), (0, ms + 6))

    @property
    def lights(self) -> dict[int, bool]:
        """Which lights are on, as far as it reported them since it began; 0 is the board's own."""
        self._look()
        return self._lights

    @property
    def done(self) -> int:
        """How many movements of the hand are over."""
        self._look()
        return self._done

    def _look(self) -> None:
        with self._lock:
            while self._hand >= 0 and (data := _read(self._hand)):
                self._heard += data
            *lines, rest = bytes(self._heard).split(b"\n")
            self._heard[:] = rest
        for line in lines:
            match line.decode("ascii").split():
                case ["light", number, on]:
                    self._light(int(number), on == "1")
                case ["own", on]:
                    self._light(0, on == "1")
                case ["done", _]:
                    self._done += 1
                case ["fault"]:
                    self.faults += 1

    def _light(self, number: int, on: bool) -> None:
        self._lights[number] = on
        self.flips.append((number, on))

    # What a plug does with it

    def plugged(self, now: float) -> bytes:
        self.begin()
        return b""

    def feed(self, data: bytes, now: float) -> bytes:
        with self._lock:
            if self._line >= 0:
                for piece in self.incoming.spoil(data, self._dice):
                    with contextlib.suppress(BlockingIOError):
                        os.write(self._line, piece)
        return b""

    def tick(self, now: float) -> bytes:
        with self._lock:
            if self._line < 0:
                return b""
            self._look()
            return _read(self._line)


def _read(end: int) -> bytes:
    with contextlib.suppress(OSError):
        return os.read(end, 4096)
    return b""
