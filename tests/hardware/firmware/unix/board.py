"""A board without pins: the host is stdin and stdout, the reader, the display and the hand at the keys are ptys.

The hand writes lines ``KEY LEVEL@MS LEVEL@MS ...``: from now on, so many ms later, the contact is closed (1) or open (0).
It is answered ``done KEY`` when the last of these has been so; ``0`` is no key but a fault in the program. The lights tell it ``light NUMBER 0|1``, the board's own
``own 0|1``, and a fault of the firmware ``fault``.
"""

import os
import select
import sys
import time

from hanafuda_box.wired import Port, Wiring

#: While the program was paused for longer than this, ms, no contact moved: a test machine is slower than any Pico.
_MAX_PAUSE_MS = 4


class Pty(Port):
    def __init__(self, name: str) -> None:
        self._name = name
        self._port = None

    def open(self, baud: int) -> None:
        self._port = open(self._name, "r+b", 0)
        self._incoming, self._outgoing = select.poll(), select.poll()
        self._incoming.register(self._port, select.POLLIN)
        self._outgoing.register(self._port, select.POLLOUT)

    def read(self) -> bytes:
        data = b""
        while len(data) < 256 and any(event & select.POLLIN for _, event in self._incoming.poll(0)):
            data += self._port.read(1)
        return data

    def write(self, data: bytes) -> int:
        return self._port.write(data) or 0 if self._outgoing.poll(0) else 0


class Wired(Wiring):
    def __init__(self, settings: object) -> None:
        self.keys, self.lights = len(settings.KEYS), len(settings.LIGHTS)
        self.reader, self.display = Pty(os.getenv("BOX_READER_PORT")), Pty(os.getenv("BOX_DISPLAY_PORT"))
        self.name = os.getenv("BOX_NAME")
        self.boot = int.from_bytes(os.urandom(2), "big")
        self._hand = Pty(os.getenv("BOX_HAND"))
        self._hand.open(0)
        self._orders = b""
        self._levels = [str(key) in os.getenv("BOX_KEYS_DOWN") for key in settings.KEYS]
        self._moves = [[] for _ in range(self.keys)]
        self._in, self._out = sys.stdin.buffer, sys.stdout.buffer
        self._incoming, self._outgoing = select.poll(), select.poll()
        self._incoming.register(sys.stdin, select.POLLIN)
        self._outgoing.register(sys.stdout, select.POLLOUT)
        self._start = self._rested = time.ticks_ms()
        self._moved = 0  # the hand's time, ms

    def service(self) -> bool:
        return False

    def arm(self) -> None:
        return

    def now(self) -> int:
        return time.ticks_diff(time.ticks_ms(), self._start)

    def key(self, number: int) -> bool:
        moves = self._moves[number]
        while moves and moves[0][0] <= self._moved:
            self._levels[number] = moves.pop(0)[1]
            if not moves:
                self._hand.write(b"done %d\n" % (number + 1))
        return self._levels[number]

    def light(self, number: int, on: bool) -> None:
        self._hand.write(b"light %d %d\n" % (number + 1, on))

    def own_light(self, on: bool) -> None:
        self._hand.write(b"own %d\n" % on)

    def read(self) -> bytes:
        for _, event in self._incoming.ipoll(0):
            if event & select.POLLIN:
                return self._in.read(1)
            sys.exit(0)  # the test has gone
        return b""

    def write(self, data: bytes) -> int:
        for _ in self._outgoing.ipoll(0):
            return self._out.write(data) or 0
        return 0

    def rest(self) -> None:
        time.sleep_ms(1)
        now = time.ticks_ms()
        self._moved += min(time.ticks_diff(now, self._rested), _MAX_PAUSE_MS)
        self._rested = now
        self._orders += self._hand.read()
        while b"\n" in self._orders:
            line, self._orders = self._orders.split(b"\n", 1)
            key, *moves = line.split()
            if key == b"0":
                raise ValueError("as requested")
            for move in moves:
                level, after = move.split(b"@")
                self._moves[int(key) - 1].append((self._moved + int(after), level == b"1"))

    def restart(self) -> None:
        self._hand.write(b"fault\n")
        sys.exit(1)
