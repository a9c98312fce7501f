"""The button box: keys, lights, a tag reader and a display, controlled by the protocol of hardware/buttons/PROTOCOL.md."""

from .display import SerLcdDisplay
from .events import Events
from .keys import Key
from .lights import Lights
from .lines import LineReader, cells_of, line_of
from .readers import Pn532Reader, Rdm6300Reader, Reader
from .wired import Wiring

#: Interval of ALIVE lines, ms.
_ALIVE_MS = 1000
#: Interval at which the banner is repeated until the host confirms it, ms.
_BANNER_MS = 100
#: Time without reading after which the host counts as disconnected, ms.
_TIMEOUT_MS = 3000
#: Maximum output that is buffered for a host that does not read, bytes.
_MAX_OUTPUT = 512
#: Maximum number of bytes that are written to the host in one step.
_WRITE_SIZE = 64
#: Maximum number of bytes that are read from the host in one step, so that the keys are polled in between.
_READ_SIZE = 64
_READERS = {"pn532": Pn532Reader, "rdm6300": Rdm6300Reader}


class Box:
    """The whole box. Call `step` every millisecond; it never blocks.

    ``reader``: ``pn532``, ``rdm6300`` or None. ``display``: columns and rows of the SerLCD, or None. Raises `ValueError` for an
    unknown reader.
    """

    def __init__(self, wiring: Wiring, reader: str | None, display: tuple[int, int] | None) -> None:
        self._wiring = wiring
        self._boot = f"{wiring.boot:04X}"
        if reader is not None and reader not in _READERS:
            names = " or ".join([repr(name) for name in _READERS])
            raise ValueError(f"settings.py: READER is {names} or None, not {reader!r}")
        self._keys = [Key(wiring.key(number)) for number in range(wiring.keys)]
        self.lights = Lights(wiring)
        self._reader: Reader | None = _READERS[reader](wiring.reader) if reader else None
        self._display = SerLcdDisplay(wiring.display, display[0], display[1]) if display else None
        self._events = Events()
        self._lines = LineReader()
        self._out = b""
        self._last_answer: tuple[bytes, bytes] | None = None
        self._own_on = False
        self._report_tags = False
        self._alive_at = self._read_at = wiring.now()
        self._send_banner(self._alive_at)

    def step(self) -> None:
        """Poll keys, host and reader, and send what is due."""
        now = self._wiring.now()
        self._poll_keys(now)
        self._read_host(now)
        if self._reader is not None:
            self._read_tags(self._reader, now)
        if self._display is not None:
            self._display.step(now)
        self.lights.step(now)
        self._update_own_light(now)
        if now - self._alive_at >= (_ALIVE_MS if self._events.open else _BANNER_MS):
            self._alive_at = now
            if self._events.open:
                self._send(line_of(0, "ALIVE", now))
            else:
                self._send_banner(now)
        line = self._events.due(now)
        if line:
            self._send(line)
        if self._out:
            self._out = self._out[self._wiring.write(self._out[:_WRITE_SIZE]) :]
        else:
            self._read_at = now

    def _poll_keys(self, now: int) -> None:
        for number in range(len(self._keys)):
            key = self._keys[number]
            if key.update(self._wiring.key(number), now):
                self._events.send("DOWN" if key.down else "UP", number + 1, key.since)
            elif key.long_press(now):
                self._events.send("HELD", number + 1, now)

    def _read_tags(self, reader: Reader, now: int) -> None:
        reader.step(now)
        if self._report_tags and self._events.none():
            self._report_tags = False
            reader.resend(now)
        while reader.changes:
            uid, present, time = reader.changes.pop(0)
            self._events.send("TAG", 1, uid, "IN" if present else "OUT", time)

    def _update_own_light(self, now: int) -> None:
        """Show the state on the board's own light: on if a host has confirmed the banner and reads, blinking slowly if none
        does, flickering if the tag reader does not answer.
        """
        on = (self._events.open and now - self._read_at < _TIMEOUT_MS) or now // 500 % 2 == 0
        if self._reader is not None and not self._reader.well:
            on = now // 100 % 2 == 0
        if on != self._own_on:
            self._own_on = on
            self._wiring.own_light(on)

    def _send(self, line: bytes) -> None:
        if len(self._out) + len(line) > _MAX_OUTPUT:
            self._out = b"\n"  # the host does not read: drop everything, end a partial line; events are repeated anyway
        self._out += line

    def _send_banner(self, now: int) -> None:
        """Send the banner; the tags on the reader are reported again after it."""
        self._report_tags = True
        size = f"{self._display.columns}x{self._display.rows}" if self._display is not None else "0x0"
        wiring = self._wiring
        fields = ("hanafuda", 1, wiring.name, self._boot, wiring.keys, wiring.lights, size, now)
        self._send(line_of(0, "HELLO", *fields))

    def _read_host(self, now: int) -> None:
        for _ in range(_READ_SIZE):
            data = self._wiring.read()
            if not data:
                return
            for byte in data:
                parts = self._lines.feed(byte)
                if parts is not None:
                    self._handle(parts[0], parts[1], parts[2:], now)

    def _handle(self, number: bytes, word: bytes, args: list[bytes], now: int) -> None:
        if word == b"HELLO":  # possibly another host, which numbers its commands from the start
            self._last_answer = None
            self.lights.off()
            self._send_banner(now)
            self._events.again()
        elif word == b"ACK":
            if args and args[0] == self._boot.encode():
                self._events.open = True
            elif args:
                self._events.confirmed(args[0])
        elif self._last_answer is not None and self._last_answer[0] == number:
            self._send(self._last_answer[1])
        else:
            answer = self._run_command(word, args)
            if answer is not None:
                fields = ("NO", number.decode(), answer) if answer else ("DONE", number.decode())
                self._last_answer = number, line_of(0, *fields)
                self._send(self._last_answer[1])

    def _run_command(self, word: bytes, args: list[bytes]) -> str | None:
        """Run a command of the host: return an empty string on success, the reason of a refusal, or None to try again later."""
        display = self._display
        if word == b"LIGHT" and len(args) == 2 and args[0].isdigit():
            return "" if self.lights.set(int(args[0]) - 1, args[1]) else "light"
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
