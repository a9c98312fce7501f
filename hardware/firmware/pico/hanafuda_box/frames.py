"""The frames of the tag readers: those of an RDM6300, and commands and answers of a PN532. The host's drivers use them too.

Each ``parse_…`` function parses the start of a buffer that is not empty. It returns the number of bytes to remove, 0 if more are
needed, and what is in them, None if they are invalid or of no interest. Source of the PN532's: NXP UM0701-02 (PN532 User Manual), 6.2
"Host controller communication protocol" and 7 "PN532 commands".
"""

#: Maximum length of an answer to these commands, bytes.
MAX_ANSWER = 160

GET_VERSION, SAM_CONFIGURATION, RF_CONFIGURATION, LIST_TARGETS = 0x02, 0x14, 0x32, 0x4A
_ATS_FLAG = 0x20


def parse_rdm6300(buffer: bytes | bytearray) -> tuple[int, str | None]:
    """Parse the frame of a tag, ``02``, ten hex digits, two hex digits with the XOR of the five bytes, ``03``; return its digits."""
    start = buffer.find(b"\x02")
    if start:
        return (start if start > 0 else len(buffer)), None
    if len(buffer) < 14:
        return 0, None
    try:
        decoded = bytes.fromhex(buffer[1:13].decode())
    except ValueError:  # UnicodeError is one
        return 1, None
    xor = 0
    for byte in decoded:
        xor ^= byte
    if xor or len(decoded) != 6 or buffer[13] != 0x03:
        return 1, None
    return 14, decoded[:5].hex().upper()


def parse_pn532(buffer: bytes | bytearray) -> tuple[int, tuple[int, bytes] | None]:
    """Parse an answer, ``00 00 FF LEN LCS D5 command+1 ... DCS 00``; return its command plus one, and its data."""
    start = buffer.find(b"\x00\xff")
    if start:
        return (start if start > 0 else len(buffer) - (buffer[-1] == 0)), None
    if len(buffer) < 4:
        return 0, None
    length = buffer[2]
    if length in (0x00, 0xFF):  # an ACK, a NACK, or an extended frame, which no expected answer is
        return 4, None
    end = 4 + length
    if (length + buffer[3]) & 0xFF or end >= MAX_ANSWER:
        return 1, None
    return _complete_answer(buffer, end) if len(buffer) >= end + 2 else (0, None)


def _complete_answer(buffer: bytes | bytearray, end: int) -> tuple[int, tuple[int, bytes] | None]:
    # Check the trailing 00 too: if a data byte 00 was lost, the checksum matches although it is read as data.
    if (sum(buffer[4 : end + 1]) & 0xFF) or buffer[end + 1]:
        return 1, None
    return end + 2, ((buffer[5], bytes(buffer[6:end])) if end >= 6 and buffer[4] == 0xD5 else None)


def command(*body: int) -> bytes:
    """Return the frame of a PN532 command: ``00 00 FF LEN LCS D4 command ... DCS 00``."""
    data = bytes((0xD4,) + body)
    return b"\x00\x00\xff" + bytes((len(data), -len(data) & 0xFF)) + data + bytes((-sum(data) & 0xFF, 0))


#: Wake-up preamble with the first setup command.
WAKE_UP = b"\x55\x55" + bytes(14) + command(SAM_CONFIGURATION, 0x01)
#: RFConfiguration with a limit of three attempts to find a tag; without the limit a poll without a tag is never answered.
LIMIT_ATTEMPTS = command(RF_CONFIGURATION, 0x05, 0xFF, 0x01, 0x02)
#: InListPassiveTarget: up to two targets of type A at 106 kbit/s.
POLL = command(LIST_TARGETS, 2, 0)


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
