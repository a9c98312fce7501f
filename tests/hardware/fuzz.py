"""Fuzzes a driver, its parser and its display with atheris, which is not a dependency (``pip install atheris``).

``python -m tests.hardware.fuzz NAME -max_total_time=600``: libFuzzer's options follow the driver's name. The input is a
list of steps: bytes as they are, or as the contents of a frame whose lengths and checks are right (no fuzzer guesses a CRC);
spoilt, cut in two, after a pause, or with a command between. Findings are: anything raised, memory that grows, a good frame
that is not read after a pause, an event without a text, and a display whose double shows something else than was drawn.
"""

from __future__ import annotations

import json
import sys
from binascii import crc32, crc_hqx
from collections.abc import Callable
from functools import reduce
from operator import xor

import atheris

with atheris.instrument_imports(include=["hardware"]):
    from hardware.device_faults import Fault
    from hardware.displays.crystalfontz import packet
    from hardware.displays.screen_updates import ScreenBuffer
    from hardware.driver import Command, DeviceEvent, SetLight, ShowRows, TriggerScan
    from hardware.driver_registry import DRIVERS
    from hardware.firmware.pico.hanafuda_box.lines import line_of
    from hardware.readers.r200 import frame_of
    from hardware.simulators.registry import SIMULATORS

#: A good frame of each device that speaks in frames.
GOOD = {
    "rdm6300": b"\x0262E3086CED08\x03",
    "pn532": bytes.fromhex("0000FF06FAD50332010607E800"),
    "acg": b"VE004010012345678\r\n",
    "r200": bytes.fromhex("BB01FF000115167E"),
    "gm65": bytes.fromhex("02000001003331"),
    "line-scanner": b"4901234567894\r\n",
    "button-box": line_of(0, "ALIVE", 5),
    "crystalfontz": packet(0x40),
}
LONGEST = 4400


def _tag(data: bytes) -> bytes:
    reported = data[:5].ljust(5, b"\0")
    return b"\x02" + (reported + bytes([reduce(xor, reported)])).hex().upper().encode() + b"\x03"


def _chip(data: bytes) -> bytes:
    body = b"\xd5" + data[:200]
    return b"\x00\x00\xff" + bytes([len(body), -len(body) & 0xFF]) + body + bytes([-sum(body) & 0xFF, 0])


def _zone(data: bytes) -> bytes:
    body = b"\x00" + bytes([len(data)]) + data
    return b"\x02\x00" + body + crc_hqx(body, 0).to_bytes(2, "big")


_WORDS = (b"", b"HELLO", b"HELLO hanafuda 1 e66038b7 A1B2 4 4 20x4 5", b"HELLO hanafuda 1 x", b"ALIVE", b"DOWN 1", b"UP", b"TAG 1",
          b"TAG 1 AB IN", b"DONE", b"NO", b"ACK")  # fmt: skip


def _line(data: bytes) -> bytes:
    number, word, args = (data[0], data[1], data[2:]) if len(data) > 1 else (0, 0, data)
    body = b"%d %s %s" % (number, _WORDS[word % len(_WORDS)], args)
    body = body.rstrip(b" ")
    return body + b"*%08X\n" % crc32(body)


#: Frames that are right around any contents.
AROUND: dict[str, Callable[[bytes], bytes]] = {
    "rdm6300": _tag,
    "pn532": _chip,
    "acg": lambda data: b"V" + data[:8].ljust(8, b"\0").hex().encode() + b"\r\n%02d\r\n" % (len(data) % 100),
    "r200": lambda data: frame_of(data[0] % 3, data[1], data[2:]) if len(data) > 1 else b"",
    "gm65": _zone,
    "line-scanner": lambda data: data + b"\r\n",
    "button-box": _line,
    "crystalfontz": lambda data: packet(data[0], data[1:]) if data else b"",
}


def reported(events: list[DeviceEvent]) -> None:
    """Check that events are valid JSON and faults have a text."""
    for event in events:
        json.dumps(event.data, ensure_ascii=False).encode("utf-8")
        if event.kind == "fault":
            Fault.of(event.data["code"], "here", driver="x", detail=event.data["detail"])


def command(data: bytes) -> Command:
    """A command made of bytes."""
    if data[:1] < b"\x20":
        return SetLight(len(data), "blink") if data else TriggerScan()
    return ShowRows(tuple(data.decode("utf-8", errors="replace").splitlines()))


def target(name: str) -> Callable[[bytes], None]:
    """Return what atheris calls with each input."""

    def once(rest: bytes) -> None:
        driver, double, now = DRIVERS[name].make(), SIMULATORS[name](), 0.0
        double.plugged(now)

        def write(data: bytes) -> None:
            double.feed(data, now)
            double.feed(driver.take_output(), now)

        write(driver.restart(now))
        while len(rest) > 1:
            how, size, piece = rest[0], rest[1] % 80, rest[2 : 2 + rest[1] % 80]
            rest = rest[2 + size :]
            now += (how >> 5) / 16
            if how & 24 == 24:
                write(driver.send(command(piece), now))
                continue
            if how & 1 and name in AROUND:
                piece = AROUND[name](piece)
            if how & 2 and piece:
                at = size % len(piece)
                piece = piece[:at] + bytes([piece[at] ^ (1 << (how >> 5))]) + piece[at + 1 :]
            cut = size // 2 if how & 4 else len(piece)
            reported(driver.feed(piece[:cut], now) + driver.feed(piece[cut:], now))
            if how & 8:
                reported(driver.idle(now))
            reported(driver.tick(now))
            write(b"")
        if name in GOOD:
            assert len(driver._parser._buffer) <= LONGEST  # type: ignore[attr-defined]
            driver.idle(now + 1)
            before = driver.frame_count
            driver.feed(GOOD[name], now + 2)
            assert driver.frame_count == before + 1
        screen = getattr(driver, "screen", None)
        if "display" in DRIVERS[name].does and name != "button-box" and isinstance(screen, ScreenBuffer):
            driver.tick(now + 3)
            write(b"")
            assert double.shows() == tuple(_cells(row) for row in screen._target)

    return once


def _cells(row: str) -> str:
    """A row as a display of its font shows it."""
    displayed = [char if " " <= char <= "~" or "｡" <= char <= "ﾟ" else "?" for char in row]
    return "".join(displayed)


if __name__ == "__main__":
    which = sys.argv.pop(1)
    atheris.Setup(sys.argv, target(which))
    atheris.Fuzz()
