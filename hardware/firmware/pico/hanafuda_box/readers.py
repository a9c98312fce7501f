"""Tag readers: PN532 on its high-speed UART, and RDM6300. Each tag is reported once on arrival and once on removal."""

from .frames import (
    GET_VERSION,
    LIMIT_ATTEMPTS,
    LIST_TARGETS,
    MAX_ANSWER,
    POLL,
    RF_CONFIGURATION,
    SAM_CONFIGURATION,
    WAKE_UP,
    command,
    parse_pn532,
    parse_rdm6300,
    targets,
)
from .wired import Port

#: Setup commands by the answer that they follow, because a new command aborts an unanswered one.
_NEXT_COMMANDS = {SAM_CONFIGURATION + 1: command(GET_VERSION), GET_VERSION + 1: LIMIT_ATTEMPTS}


class Reader:
    """A tag reader; ``timeout_ms``: time without detection after which a tag counts as removed."""

    def __init__(self, port: Port, baud: int, timeout_ms: int) -> None:
        port.open(baud)
        self._port = port
        self._timeout_ms = timeout_ms
        self._buffer = b""
        self._last_seen: dict[str, int] = {}
        self.well = True
        """Whether the reader answers; always True for a reader that cannot be polled."""
        self.changes: list[tuple[str, bool, int]] = []
        """Arrivals (True) and removals of tags: uid, arrival, time in ms. The caller removes the entries that it reads."""

    def resend(self, now: int) -> None:
        """Report all present tags as arrivals again."""
        for uid in self._last_seen:
            self.changes.append((uid, True, now))

    def step(self, now: int) -> None:
        """Read answers, poll the reader if necessary, and add arrivals and removals to ``changes``."""
        data = self._port.read()
        if data:
            self._buffer = (self._buffer + data)[-MAX_ANSWER:]
            while self._buffer:
                length = self._parse(now)
                if not length:
                    break
                self._buffer = self._buffer[length:]
        self._poll(now)

    def _parse(self, now: int) -> int:
        """Parse the start of the buffer; return the number of bytes to remove, 0 if more bytes are needed."""
        raise NotImplementedError

    def _poll(self, now: int) -> None:
        raise NotImplementedError

    def _tag_seen(self, uid: str, now: int) -> None:
        if uid not in self._last_seen:
            self.changes.append((uid, True, now))
        self._last_seen[uid] = now

    def _remove_missing(self, now: int) -> None:
        """Report tags as removed that were not detected for too long by ``now`` (ms), a time when the reader could detect them."""
        for uid in list(self._last_seen):
            if now - self._last_seen[uid] >= self._timeout_ms:
                del self._last_seen[uid]
                self.changes.append((uid, False, now))


class Rdm6300Reader(Reader):
    """Reader for 125 kHz tags, one at a time. It sends a present tag about 15 times per second and cannot be polled."""

    def __init__(self, port: Port) -> None:
        super().__init__(port, 9600, 600)

    def _parse(self, now: int) -> int:
        length, tag = parse_rdm6300(self._buffer)
        if tag is not None:
            self._tag_seen(tag, now)
        return length

    def _poll(self, now: int) -> None:
        if self._last_seen:
            self._remove_missing(now)


class Pn532Reader(Reader):
    """Reader for up to two NFC tags (ISO 14443 A); polled ten times per second, and woken up again if it stops answering."""

    def __init__(self, port: Port) -> None:
        super().__init__(port, 115200, 800)
        self._next = 0
        self._unanswered = 0
        self.well = False

    def _parse(self, now: int) -> int:
        length, answer = parse_pn532(self._buffer)
        if answer is not None:
            self._handle(answer[0], answer[1], now)
        return length

    def _handle(self, code: int, data: bytes, now: int) -> None:
        if code in _NEXT_COMMANDS:
            self._port.write(_NEXT_COMMANDS[code])
            return
        if code == RF_CONFIGURATION + 1:
            for (
                uid
            ) in self._last_seen:  # the reader itself was restarted: tags that are still present are not new
                self._last_seen[uid] = now
            self.well = True
        elif code == LIST_TARGETS + 1:
            for uid in targets(data):
                self._tag_seen(uid, now)
            self._remove_missing(now)
        else:
            return
        self._unanswered = 0
        self._next = now + 100

    def _poll(self, now: int) -> None:
        if now < self._next:
            return
        self._unanswered += 1
        if self._unanswered > 4:
            self.well = False
        self._buffer = b""  # a partial answer will not be completed
        self._next = now + 500
        self._port.write(POLL if self.well else WAKE_UP)
