"""The button box: keys, lights, a reader and a display, by the lines of hardware/buttons/PROTOCOL.md."""

import gc

from .display import SerLcd
from .events import Events
from .keys import Key
from .lights import Lights
from .lines import LineReader, cells_of, line_of
from .readers import Pn532, Rdm6300, Reader
from .wired import Wiring

_ALIVE_MS = 1000
#: A banner that nobody has confirmed is said again after so long.
_BANNER_MS = 100
#: A host that has read nothing for so long is away.
_AWAY_MS = 3000
#: What waits for a host that does not read, bytes.
_WAITING = 512
_PIECE = 64
#: How much of what the host wrote is read in one step, bytes: the keys are looked at in between.
_READ = 64
_READERS = {"pn532": Pn532, "rdm6300": Rdm6300}


class Box:
    """All of it. `step` never waits; it wants to be called every millisecond."""

    def __init__(self, wiring: Wiring, reader: str | None, display: tuple[int, int] | None) -> None:
        self._wiring = wiring
        self._boot = f"{wiring.boot:04X}"
        if reader is not None and reader not in _READERS:
            names = " or ".join([repr(name) for name in _READERS])
            raise ValueError(f"settings.py: READER is {names} or None, not {reader!r}")
        self._keys = [Key(wiring.key(number)) for number in range(wiring.keys)]
        self._lights = Lights(wiring)
        self._reader: Reader | None = _READERS[reader](wiring.reader) if reader else None
        self._display = SerLcd(wiring.display, display[0], display[1]) if display else None
        self._events = Events()
        self._lines = LineReader()
        self._out = b""
        self._answered: tuple[bytes, bytes] | None = None
        self._own = False
        self._tell_tags = False
        self._alive_at = self._read_at = wiring.now()
        self._hello(self._alive_at)

    def step(self) -> None:
        """Do what is to be done by now."""
        now = self._wiring.now()
        self._look_at_keys(now)
        self._hear(now)
        if self._reader is not None:
            self._read_tags(self._reader, now)
        if self._display is not None:
            self._display.step(now)
        self._lights.step(now)
        self._show_own(now)
        if now - self._alive_at >= (_ALIVE_MS if self._events.open else _BANNER_MS):
            self._alive_at = now
            if self._events.open:
                self._say(line_of(0, "ALIVE", now))
            else:
                self._hello(now)
            gc.collect()  # often, so that it is short: contacts are looked at on both sides of it
        line = self._events.due(now)
        if line:
            self._say(line)
        if self._out:
            self._out = self._out[self._wiring.write(self._out[:_PIECE]) :]
        else:
            self._read_at = now

    def _look_at_keys(self, now: int) -> None:
        for number in range(len(self._keys)):
            key = self._keys[number]
            if key.look(self._wiring.key(number), now):
                self._events.tell("DOWN" if key.down else "UP", number + 1, key.since)
            elif key.held(now):
                self._events.tell("HELD", number + 1, now)

    def _read_tags(self, reader: Reader, now: int) -> None:
        reader.step(now)
        if self._tell_tags and self._events.none():
            self._tell_tags = False
            reader.tell_again(now)
        while reader.told:
            uid, there, at = reader.told.pop(0)
            self._events.tell("TAG", 1, uid, "IN" if there else "OUT", at)

    def _show_own(self, now: int) -> None:
        """On: a host has confirmed the banner, and reads. Slowly blinking: none does. Flickering: the reader does not answer."""
        on = (self._events.open and now - self._read_at < _AWAY_MS) or now // 500 % 2 == 0
        if self._reader is not None and not self._reader.well:
            on = now // 100 % 2 == 0
        if on != self._own:
            self._own = on
            self._wiring.own_light(on)

    def _say(self, line: bytes) -> None:
        if len(self._out) + len(line) > _WAITING:
            self._out = b"\n"  # nobody reads; what must arrive is said again, and half a line is nobody's
        self._out += line

    def _hello(self, now: int) -> None:
        """Say the banner; what lies on the reader is told anew after it."""
        self._tell_tags = True
        size = f"{self._display.columns}x{self._display.rows}" if self._display is not None else "0x0"
        wiring = self._wiring
        told = ("hanafuda", 1, wiring.name, self._boot, wiring.keys, wiring.lights, size, now, "HELD")
        self._say(line_of(0, "HELLO", *told))

    def _hear(self, now: int) -> None:
        for _ in range(_READ):
            data = self._wiring.read()
            if not data:
                return
            for byte in data:
                parts = self._lines.feed(byte)
                if parts is not None:
                    self._take(parts[0], parts[1], parts[2:], now)

    def _take(self, number: bytes, word: bytes, args: list[bytes], now: int) -> None:
        if word == b"HELLO":  # perhaps another host, whose numbers begin anew
            self._answered = None
            self._lights.off()
            self._hello(now)
            self._events.again()
        elif word == b"ACK":
            if args and args[0] == self._boot.encode():
                self._events.open = True
            elif args:
                self._events.confirmed(args[0])
        elif self._answered is not None and self._answered[0] == number:
            self._say(self._answered[1])
        else:
            answer = self._do(word, args)
            if answer is not None:
                said = ("NO", number.decode(), answer) if answer else ("DONE", number.decode())
                self._answered = number, line_of(0, *said)
                self._say(self._answered[1])

    def _do(self, word: bytes, args: list[bytes]) -> str | None:
        """Do what the host says: return nothing if it is done, why if it cannot be, None if it cannot be yet."""
        display = self._display
        if word == b"LIGHT" and len(args) == 2 and args[0].isdigit():
            return "" if self._lights.set(int(args[0]) - 1, args[1]) else "light"
        if display is None or word not in (b"CLEAR", b"ROW"):
            return "unknown"
        if word == b"CLEAR":
            return "" if display.clear() else None
        if len(args) != 3 or not args[0].isdigit() or not args[1].isdigit():
            return "row"
        row, column = int(args[0]), int(args[1])
        if row >= display.rows or column >= display.columns:
            return "place"
        return "" if display.put(row, column, cells_of(args[2])) else None
