"""Tag readers: PN532 on its high-speed UART, and RDM6300. Each tag is reported once on arrival and once on removal."""

from .wired import Port

#: Maximum length of a reader's answer, bytes.
_MAX_ANSWER = 160


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
            self._buffer = (self._buffer + data)[-_MAX_ANSWER:]
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
        """Parse a frame: ``02``, ten hex digits, two hex digits with the XOR of the five bytes, ``03``."""
        buffer = self._buffer
        start = buffer.find(b"\x02")
        if start:
            return start if start > 0 else len(buffer)
        if len(buffer) < 14:
            return 0
        try:
            decoded = bytes.fromhex(buffer[1:13].decode())
        except ValueError:  # UnicodeError is one
            return 1
        xor = 0
        for byte in decoded:
            xor ^= byte
        if xor or len(decoded) != 6 or buffer[13] != 0x03:
            return 1
        self._tag_seen(decoded[:5].hex().upper(), now)
        return 14

    def _poll(self, now: int) -> None:
        if self._last_seen:
            self._remove_missing(now)


GET_VERSION, _SAM_CONFIGURATION, _RF_CONFIGURATION, LIST_TARGETS = 0x02, 0x14, 0x32, 0x4A
_ATS_FLAG = 0x20


def command(*body: int) -> bytes:
    """Return the frame of a PN532 command: ``00 00 FF LEN LCS D4 command ... DCS 00``."""
    data = bytes((0xD4,) + body)
    return b"\x00\x00\xff" + bytes((len(data), -len(data) & 0xFF)) + data + bytes((-sum(data) & 0xFF, 0))


#: Wake-up preamble with the first setup command.
WAKE_UP = b"\x55\x55" + bytes(14) + command(_SAM_CONFIGURATION, 0x01)
#: RFConfiguration with a limit of three attempts to find a tag; without the limit a poll without a tag is never answered.
LIMIT_ATTEMPTS = command(_RF_CONFIGURATION, 0x05, 0xFF, 0x01, 0x02)
#: InListPassiveTarget: up to two targets of type A at 106 kbit/s.
POLL = command(LIST_TARGETS, 2, 0)
#: Setup commands by the answer that they follow, because a new command aborts an unanswered one.
_NEXT_COMMANDS = {_SAM_CONFIGURATION + 1: command(GET_VERSION), GET_VERSION + 1: LIMIT_ATTEMPTS}


class Pn532Reader(Reader):
    """Reader for up to two NFC tags (ISO 14443 A); polled ten times per second, and woken up again if it stops answering."""

    def __init__(self, port: Port) -> None:
        super().__init__(port, 115200, 800)
        self._next = 0
        self._unanswered = 0
        self.well = False

    def _parse(self, now: int) -> int:
        buffer = self._buffer
        start = buffer.find(b"\x00\xff")
        if start:
            return start if start > 0 else len(buffer) - (buffer[-1] == 0)
        if len(buffer) < 4:
            return 0
        length = buffer[2]
        if length in (0x00, 0xFF):  # an ACK, a NACK, or an extended frame, which no expected answer is
            return 4
        end = 4 + length
        if (length + buffer[3]) & 0xFF or end >= _MAX_ANSWER:
            return 1
        if len(buffer) < end + 2:
            return 0
        # Check the trailing 00 too: after a lost byte, the checksum alone could match with a wrong tag number.
        return 1 if buffer[end + 1] else self._parse_body(buffer[4:end], buffer[end], now)

    def _parse_body(self, body: bytes, check: int, now: int) -> int:
        if (sum(body) + check) & 0xFF:
            return 1
        if len(body) > 1 and body[0] == 0xD5:
            self._handle(body[1], body[2:], now)
        return len(body) + 6

    def _handle(self, code: int, data: bytes, now: int) -> None:
        if code in _NEXT_COMMANDS:
            self._port.write(_NEXT_COMMANDS[code])
            return
        if code == _RF_CONFIGURATION + 1:
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


def targets(data: bytes) -> list[str]:
    """Return the tag numbers in an answer to InListPassiveTarget; truncated ones are left out."""
    uids: list[str] = []
    start = 1
    for _ in range(min(data[0], 2) if data else 0):
        length = data[start + 4] if len(data) > start + 4 else 0
        end = start + 5 + length
        if not length or len(data) < end:
            break
        uids.append(data[start + 5 : end].hex().upper())
        if data[start + 3] & _ATS_FLAG and len(data) > end:
            end += data[end]
        start = end
    return uids
