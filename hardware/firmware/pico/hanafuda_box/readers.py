"""Tag readers: PN532 on its high-speed UART, and RDM6300. A tag is told once when it comes and once when it has gone."""

from .wired import Port

#: The longest that a reader's answer may be, bytes.
_LONGEST = 160


class Reader:
    """A reader of tags."""

    def __init__(self, port: Port, baud: int, gone_ms: int) -> None:
        port.open(baud)
        self._port = port
        self._gone_ms = gone_ms
        self._held = b""
        self._seen: dict[str, int] = {}
        self.well = True
        """Whether it answers, as far as one knows."""
        self.told: list[tuple[str, bool, int]] = []
        """Tags that have come (True) or gone, and when, ms; to be taken out by whoever reads it."""

    def tell_again(self, now: int) -> None:
        """Tell of every tag that lies there as if it had just come."""
        for uid in self._seen:
            self.told.append((uid, True, now))

    def step(self, now: int) -> None:
        """Read, ask where one must ask, and note which tags came and went."""
        data = self._port.read()
        if data:
            self._held = (self._held + data)[-_LONGEST:]
            while self._held:
                length = self._take(now)
                if not length:
                    break
                self._held = self._held[length:]
        self._ask(now)

    def _take(self, now: int) -> int:
        """Look at the front of what is held; return how many bytes to take off, 0 if more are needed."""
        raise NotImplementedError

    def _ask(self, now: int) -> None:
        raise NotImplementedError

    def _see(self, uid: str, now: int) -> None:
        if uid not in self._seen:
            self.told.append((uid, True, now))
        self._seen[uid] = now

    def _forget(self, by: int) -> None:
        """Tell those gone that were not seen for too long by a time at which the reader could have told them."""
        for uid in list(self._seen):
            if by - self._seen[uid] >= self._gone_ms:
                del self._seen[uid]
                self.told.append((uid, False, by))


class Rdm6300(Reader):
    """125 kHz tags, one at a time, told some 15 times a second while they lie there; it cannot be asked."""

    def __init__(self, port: Port) -> None:
        super().__init__(port, 9600, 600)

    def _take(self, now: int) -> int:
        """``02``, ten hex digits, two that are the XOR of the five bytes, ``03``."""
        held = self._held
        start = held.find(b"\x02")
        if start:
            return start if start > 0 else len(held)
        if len(held) < 14:
            return 0
        try:
            told = bytes.fromhex(held[1:13].decode())
        except ValueError:  # UnicodeError is one
            return 1
        xor = 0
        for byte in told:
            xor ^= byte
        if xor or len(told) != 6 or held[13] != 0x03:
            return 1
        self._see(told[:5].hex().upper(), now)
        return 14

    def _ask(self, now: int) -> None:
        if self._seen:
            self._forget(now)


_VERSION, _SAM, _RF, _LIST = 0x02, 0x14, 0x32, 0x4A
_HAS_ATS = 0x20


def command(*body: int) -> bytes:
    """Return a PN532 command's frame: ``00 00 FF LEN LCS D4 command ... DCS 00``."""
    data = bytes((0xD4,) + body)
    return b"\x00\x00\xff" + bytes((len(data), -len(data) & 0xFF)) + data + bytes((-sum(data) & 0xFF, 0))


#: Wake and be set up, ...
_BEGIN = b"\x55\x55" + bytes(14) + command(_SAM, 0x01)
#: ... and each when the one before is answered (another command breaks that off): say who you are; try three times only to
#: find a tag, or a poll without one is not answered.
_THEN = {_SAM + 1: command(_VERSION), _VERSION + 1: command(_RF, 0x05, 0xFF, 0x01, 0x02)}
_POLL = command(_LIST, 2, 0)


class Pn532(Reader):
    """NFC tags (ISO 14443 A), up to two; asked ten times a second, and woken again when it does not answer."""

    def __init__(self, port: Port) -> None:
        super().__init__(port, 115200, 800)
        self._next = 0
        self._unanswered = 0
        self.well = False

    def _take(self, now: int) -> int:
        held = self._held
        start = held.find(b"\x00\xff")
        if start:
            return start if start > 0 else len(held) - (held[-1] == 0)
        if len(held) < 4:
            return 0
        length = held[2]
        if length in (0x00, 0xFF):  # an ACK, a NACK, or an extended frame, which no answer here is
            return 4
        end = 4 + length
        if (length + held[3]) & 0xFF or end >= _LONGEST:
            return 1
        if len(held) < end + 2:
            return 0
        # The 00 after it belongs to it: where a byte was lost before, the check alone may fit another tag's number.
        return 1 if held[end + 1] else self._whole(held[4:end], held[end], now)

    def _whole(self, body: bytes, check: int, now: int) -> int:
        if (sum(body) + check) & 0xFF:
            return 1
        if len(body) > 1 and body[0] == 0xD5:
            self._hear(body[1], body[2:], now)
        return len(body) + 6

    def _hear(self, code: int, data: bytes, now: int) -> None:
        if code in _THEN:
            self._port.write(_THEN[code])
            return
        if code == _RF + 1:
            for uid in self._seen:  # it was away itself: what still lies there is not news
                self._seen[uid] = now
            self.well = True
        elif code == _LIST + 1:
            for uid in targets(data):
                self._see(uid, now)
            self._forget(now)
        else:
            return
        self._unanswered = 0
        self._next = now + 100

    def _ask(self, now: int) -> None:
        if now < self._next:
            return
        self._unanswered += 1
        if self._unanswered > 4:
            self.well = False
        self._held = b""  # whatever of an answer has come, it will not end
        self._next = now + 500
        self._port.write(_POLL if self.well else _BEGIN)


def targets(data: bytes) -> list[str]:
    """Return the numbers in an answer to InListPassiveTarget; what is cut off is left out."""
    found: list[str] = []
    at = 1
    for _ in range(min(data[0], 2) if data else 0):
        length = data[at + 4] if len(data) > at + 4 else 0
        end = at + 5 + length
        if not length or len(data) < end:
            break
        found.append(data[at + 5 : end].hex().upper())
        if data[at + 3] & _HAS_ATS and len(data) > end:
            end += data[end]
        at = end
    return found
