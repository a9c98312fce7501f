"""The readers' parsers: the published frames, and whatever else may come down a wire."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.driver import DeviceDriver, DeviceEvent, TriggerScan
from hardware.firmware.pico.hanafuda_box.frames import command
from hardware.framed_driver import Parser
from hardware.readers.acg import Acg, AcgParser
from hardware.readers.gm65 import Gm65, Gm65Answer, Gm65Parser, read_zone, write_zone
from hardware.readers.line_scanner import CodeParser, LineScanner
from hardware.readers.pn532 import Pn532, Pn532Parser
from hardware.readers.r200 import R200, R200Frame, R200Parser, frame_of
from hardware.readers.rdm6300 import Rdm6300, Rdm6300Parser

Case = tuple[Callable[[], Parser[Any]], bytes, list[Any]]
EPC = "30751FEB705C5904E3D50D70"

# A published stream of each device, and the frames in it.
STREAMS: dict[str, Case] = {
    # The RDM6300 data sheet's example: card 62E3086CED, check 08.
    "rdm6300": (Rdm6300Parser, b"\x0262E3086CED08\x03", ["62E3086CED"]),
    # NXP UM0701-02 and AN10609: ACK, GetFirmwareVersion, SAMConfiguration, the error frame, NACK; then, with checks
    # added up by hand, one MIFARE target and an extended frame. ACK, NACK, errors and extended frames are no answers.
    "pn532": (
        Pn532Parser,
        bytes.fromhex(
            "0000FF00FF00 0000FF06FAD50332010607E800 0000FF02FED5151600 0000FF01FF7F8100 0000FFFF0000"
            "0000FF0CF4D54B0101000408049AB1C2D3EE00 0000FFFFFF0003FDD5030127 00"
        ),
        [
            (0x03, bytes.fromhex("32010607")),
            (0x15, b""),
            (0x4B, bytes.fromhex("0101000408049AB1C2D3")),
        ],
    ),
    # devices.md: a line a tag, then a two-digit count.
    "acg": (
        AcgParser,
        b"VE004010012345678\r\nVe00401001234567a\r\n02\r\n",
        ["E004010012345678", "E00401001234567A", 2],
    ),
    # The R200/M100 protocol text: module information, one tag, no tag; devices.md: set region, 09 7E.
    "r200": (
        R200Parser,
        bytes.fromhex(
            "BB01030010004D31303020323664426D2056312E30927E"
            "BB02220011C9340030751FEB705C5904E3D50D703A76EF7E BB01FF000115167E BB00070001 01 097E"
        ),
        [
            R200Frame(1, 0x03, b"\x00M100 26dBm V1.0"),
            R200Frame(2, 0x22, bytes.fromhex(f"C93400{EPC}3A76")),
            R200Frame(1, 0xFF, b"\x15"),
            R200Frame(0, 0x07, b"\x01"),
        ],
    ),
    # The GM65 manual: the answer to a setting with its CRC 3331 and with AB CD, between two codes.
    "gm65": (
        Gm65Parser,
        b"pine-crane\r" + bytes.fromhex("02000001003331 02000001D6ABCD") + "松に鶴\r".encode(),
        ["pine-crane", Gm65Answer(b"\x00"), Gm65Answer(b"\xd6"), "松に鶴"],
    ),
    "lines": (
        CodeParser,
        b"4901234567894\r\nHC:K7Q2\r" + "鶴\n".encode("cp932"),
        ["4901234567894", "HC:K7Q2", "鶴"],
    ),
}
EVERY = pytest.mark.parametrize(("make", "stream", "frames"), STREAMS.values(), ids=list(STREAMS))
DRIVERS: list[Callable[[], DeviceDriver]] = [Rdm6300, Pn532, Acg, R200, Gm65, LineScanner]


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    """Cut bytes at places, each modulo their length."""
    at = sorted({cut % (len(data) + 1) for cut in cuts} | {0, len(data)})
    return [data[start:end] for start, end in pairwise(at)]


@EVERY
def test_published_frames(make: Callable[[], Parser[Any]], stream: bytes, frames: list[Any]) -> None:
    assert make().feed(stream) == frames


@pytest.mark.parametrize(
    ("made", "published"),
    [
        (command(0x02), "0000FF02FED4022A00"),  # devices.md
        (command(0x14, 0x01), "0000FF03FDD414011700"),
        (command(0x4A, 1, 0), "0000FF04FCD44A0100E100"),
        (read_zone(0x2A, 2), "7E000701002A02D80F"),  # devices.md, all three of the GM65
        (write_zone(0x2A, b"\x39\x01"), "7E000802002A3901A7EA"),
        (frame_of(0, 0x07, b"\x01"), "BB000700010 1097E"),
        (frame_of(0, 0x22), "BB00220000227E"),
        (frame_of(0, 0x28), "BB00280000287E"),
    ],
)
def test_published_commands(made: bytes, published: str) -> None:
    assert made == bytes.fromhex(published.replace(" ", ""))


@EVERY
@given(cuts=st.lists(st.integers(0, 500), max_size=12))
def test_any_chunking_yields_the_same_events(
    make: Callable[[], Parser[Any]], stream: bytes, frames: list[Any], cuts: list[int]
) -> None:
    parser = make()
    assert [frame for piece in pieces(stream, cuts) for frame in parser.feed(piece)] == frames


@EVERY
@given(garbage=st.binary(max_size=700), cuts=st.lists(st.integers(0, 999), max_size=6))
def test_after_any_garbage_and_a_pause_every_frame_is_read(
    make: Callable[[], Parser[Any]], stream: bytes, frames: list[Any], garbage: bytes, cuts: list[int]
) -> None:
    parser = make()
    for piece in pieces(garbage, cuts):
        parser.feed(piece)
    parser.idle()
    assert parser.feed(stream) == frames


@pytest.mark.parametrize(
    ("make", "stream", "frames"),
    [STREAMS[name] for name in ("rdm6300", "pn532", "r200")],
    ids=["rdm6300", "pn532", "r200"],
)
@given(garbage=st.binary(max_size=60))
def test_a_false_start_costs_no_frame_behind_it(
    make: Callable[[], Parser[Any]], stream: bytes, frames: list[Any], garbage: bytes
) -> None:
    parser = make()
    reported = parser.feed(garbage + stream) + parser.idle()
    assert reported[-1] == frames[-1]


@EVERY
@given(flood=st.binary(min_size=1, max_size=64))
def test_memory_is_bounded(
    make: Callable[[], Parser[Any]], stream: bytes, frames: list[Any], flood: bytes
) -> None:
    parser = make()
    parser.feed(stream[: len(stream) // 2] + flood * (20_000 // len(flood)))
    assert len(parser._buffer) <= 4300  # the longest code


@pytest.mark.parametrize("make", DRIVERS)
@given(data=st.binary(max_size=300), cuts=st.lists(st.integers(0, 300), max_size=8))
def test_no_driver_ever_raises(make: Callable[[], DeviceDriver], data: bytes, cuts: list[int]) -> None:
    driver, now = make(), 0.0
    driver.restart(now)
    for piece in pieces(data, cuts):
        now += 0.3
        for event in driver.feed(piece, now) + driver.idle(now) + driver.tick(now):
            assert isinstance(event, DeviceEvent)
        driver.take_output()


# What the drivers make of it.


def reported(events: list[DeviceEvent]) -> list[tuple[Any, ...]]:
    return [
        (event.data["uid"], event.data["present"]) if event.kind == "tag" else (event.kind,)
        for event in events
    ]


def test_a_repeated_tag_is_reported_once_and_its_removal_once() -> None:
    reader = Rdm6300()
    frame = STREAMS["rdm6300"][1]
    events: list[DeviceEvent] = []
    for hundredths in range(0, 300, 7):
        now = hundredths / 100
        events += reader.feed(frame, now) if now < 1 else []
        events += reader.tick(now)
    assert reported(events) == [("62E3086CED", True), ("62E3086CED", False)]


def test_a_reconnected_reader_repeats_nothing() -> None:
    """The tag lay there all the time that the plug was out: it neither went nor came."""
    reader = Rdm6300()
    frame = STREAMS["rdm6300"][1]
    reader.restart(0)
    assert reported(reader.feed(frame, 0.1)) == [("62E3086CED", True)]
    reader.restart(60)
    assert reader.feed(frame, 60.1) + reader.tick(60.2) == []


def inventory(*tags: str) -> bytes:
    return "".join(f"V{tag}\r\n" for tag in tags).encode() + b"%02d\r\n" % len(tags)


def test_a_tag_is_removed_after_two_inventories_without_it() -> None:
    one, two = "E004010000000001", "E004010000000002"
    reader = Acg()
    reader.restart(0)
    assert reported(reader.feed(inventory(one, two), 0.2)) == [(one, True), (two, True), ("ready",)]
    assert reported(reader.feed(inventory(one), 0.6) + reader.tick(0.6)) == []  # an inventory misses one
    assert reported(reader.feed(inventory(one, two), 1.0) + reader.tick(1.0)) == []
    assert reported(reader.feed(inventory(one), 1.4) + reader.tick(1.4)) == []
    assert reported(reader.feed(inventory(one), 1.8) + reader.tick(1.8)) == [(two, False)]
    reader.restart(60)  # the plug was out: both are still there, and nothing is reported
    assert reported(reader.feed(inventory(one), 60.1) + reader.feed(inventory(one), 60.2)) == [("ready",)]


def test_a_tag_with_a_lost_line_is_not_removed() -> None:
    one, two = "E004010000000001", "E004010000000002"
    reader = Acg()
    reader.restart(0)
    reader.feed(inventory(one, two), 0.2)
    spoilt = inventory(one, two).replace(two.encode(), b"E00?")
    for tenths in range(6, 20, 4):
        assert reported(reader.feed(spoilt, tenths / 10)) == []


def test_a_small_piles_quick_inventories_do_not_make_a_tag_go_that_is_missed_for_a_moment() -> None:
    one = "E004010000000001"
    reader = Acg()
    reader.restart(0)
    reader.feed(inventory(one), 0.1)
    for hundredths in range(15, 65, 5):
        assert reader.feed(inventory(), hundredths / 100) == []
    assert reported(reader.feed(inventory(), 0.75)) == [(one, False)]


def test_two_targets_in_one_poll() -> None:
    reader = Pn532()
    reader.restart(0)
    answer = bytes.fromhex(
        "D54B02 01 0004 08 04 9AB1C2D3 02 0344 20 07 04112233445566 0575778002".replace(" ", "")
    )
    frame = (
        b"\x00\x00\xff" + bytes([len(answer), -len(answer) & 0xFF]) + answer + bytes([-sum(answer) & 0xFF, 0])
    )
    assert reported(reader.feed(frame, 0.1)) == [("9AB1C2D3", True), ("04112233445566", True)]


def test_the_uhf_reader_leaves_a_neighbors_pile_alone() -> None:
    near, far = (bytes([rssi]) + bytes.fromhex(f"3400{EPC}3A76") for rssi in (0xC9, 0xB5))  # -55 and -75 dBm
    reader = R200(weakest_dbm=-65)
    reader.restart(0)
    assert reader.feed(frame_of(2, 0x22, far), 0.1) == []
    (event,) = reader.feed(frame_of(2, 0x22, near), 0.2)
    assert event.data == {"uid": EPC, "present": True, "rssi": -55}


def test_a_new_gm65_is_set_to_sensing_mode_once() -> None:
    scanner = Gm65()
    assert scanner.restart(0) == bytes.fromhex("7E000701000001") + scanner_check("0701000001")
    manual, sensing = bytes.fromhex("02000001D4ABCD"), bytes.fromhex("02000001D7ABCD")
    assert [event.kind for event in scanner.feed(manual, 0.1)] == ["ready"]
    assert scanner.take_output() == bytes.fromhex("7E0008010000D7") + scanner_check("08010000D7")
    assert scanner.feed(sensing, 0.2) == []
    assert scanner.take_output() == b""
    assert scanner.send(TriggerScan(), 1)[:7] == bytes.fromhex("7E000801000201")


def scanner_check(body: str) -> bytes:
    """CRC-16/XMODEM, bit by bit."""
    crc = 0
    for byte in bytes.fromhex(body):
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc.to_bytes(2, "big")


@pytest.mark.parametrize("make", [LineScanner, Gm65])
def test_a_code_before_the_lens_is_one_scan_until_it_was_away(make: Callable[[], DeviceDriver]) -> None:
    scanner = make()
    scanner.restart(0)
    counts = [len(scanner.feed(b"HC:K7Q2\r", now)) for now in (0.1, 0.5, 1.2, 2.5)]
    assert counts == [1, 0, 0, 1]


@pytest.mark.parametrize("make", [Rdm6300, Pn532, Acg, R200, Gm65])
def test_a_different_device_under_the_name_is_reported(make: Callable[[], DeviceDriver]) -> None:
    """Data of another device at a different baud rate."""
    driver = make()
    driver.restart(0)
    events = [event for _ in range(40) for event in driver.feed(b"\xf0\x1e\x78\xe6\x0a", 0.1)]
    assert {(event.kind, event.data["code"]) for event in events} == {("fault", "wrong-device")}


@pytest.mark.parametrize("uid", ["0880DD00", "9A00B1C2", "000000AA"])
def test_a_tag_with_a_lost_digit_is_not_another_tag(uid: str) -> None:
    """A soak on a line that loses bytes heard of a tag that there was not: the sum is right without any 00."""
    data = bytes.fromhex("D54B010100040804") + bytes.fromhex(uid)
    frame = b"\x00\x00\xff" + bytes([len(data), -len(data) & 0xFF]) + data + bytes([-sum(data) & 0xFF, 0])
    at = frame.rindex(0, 0, len(frame) - 2)
    reader = Pn532()
    reader.restart(0)
    assert reported(reader.feed(frame[:at] + frame[at + 1 :], 0.1) + reader.idle(0.2)) == []
    assert reported(reader.feed(frame, 0.3)) == [(uid, True)]
