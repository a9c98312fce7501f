"""The button box's lines, and both sides of them over a wire that loses, spoils and repeats."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hardware
from hardware.buttons.box_protocol import BoxMessage, BoxParser, cells_of
from hardware.buttons.button_box import ButtonBox
from hardware.driver import DeviceEvent, SetLight, ShowRows
from hardware.firmware.pico.hanafuda_box.lines import MAX_LINE, line_of
from hardware.firmware.pico.hanafuda_box.lines import cells_of as cells_in
from hardware.simulators.simulated_box import SimulatedBox

PROTOCOL = Path(hardware.__file__).with_name("buttons") / "PROTOCOL.md"
HELLO = ("hanafuda", 1, "e66038b7", "A001", 4, 4, "16x2")


def test_the_specifications_example_is_a_line() -> None:
    (example,) = re.findall(r"`(3 DOWN [^`]+)`", PROTOCOL.read_text("utf-8"))
    assert BoxParser().feed(example.encode() + b"\n") == [BoxMessage(3, "DOWN", ("2", "18250"))]
    assert line_of(3, "DOWN", 2, 18250) == example.encode() + b"\n"


@pytest.mark.parametrize(
    "line",
    [
        "3 DOWN 2 18250*45C026D9",
        "3 DOWN 2 18251*45C026D8",
        "3 DOWN 2 18250*45c026d8",
        "3 DOWN 2 18250",
        "3 DOWN 2 18250*0D",
        "DOWN 2 18250*8B67B3EA",
        "",
        "*00000000",
        "0 HELLO  x*303A4713",
    ],
)
def test_a_line_with_a_wrong_checksum_is_ignored(line: str) -> None:
    assert BoxParser().feed(line.encode() + b"\r\n") == []


@given(
    st.integers(0, 999),
    st.from_regex(r"[A-Z]{1,8}", fullmatch=True),
    st.lists(st.from_regex(r"[!-)+-~]{1,20}", fullmatch=True), max_size=4),
    st.binary(max_size=40),
    st.lists(st.integers(0, 150), max_size=6),
)
def test_every_line_is_read_back_however_it_is_cut_behind_any_garbage(
    number: int, word: str, args: list[str], garbage: bytes, cuts: list[int]
) -> None:
    line = line_of(number, word, *args)
    parser = BoxParser()
    parser.feed(garbage + b"\n")
    at = sorted({cut % len(line) for cut in cuts} | {0, len(line)})
    reported = [each for start, end in pairwise(at) for each in parser.feed(line[start:end])]
    assert reported == [BoxMessage(number, word, tuple(args))]


@given(st.binary(max_size=20))
def test_cells_are_one_argument_that_fits_a_line(cells: bytes) -> None:
    arg = cells_of(cells)
    assert cells_in(arg.encode()) == cells
    assert not set(arg) & set(" *\r\n")
    assert len(line_of(999, "ROW", 3, 19, arg)) <= MAX_LINE


@given(st.binary(max_size=400), st.booleans())
def test_garbage_never_raises_and_is_never_an_event(data: bytes, greeted: bool) -> None:
    box = ButtonBox()
    box.restart(0)
    if greeted:
        box.feed(line_of(0, "HELLO", *HELLO, 5), 0.1)
    events = box.feed(data, 1) + box.idle(2) + box.tick(3)
    assert all(event.kind == "fault" for event in events)
    assert len(box._parser._buffer) <= MAX_LINE


@given(
    st.lists(st.from_regex(r"[!-)+-~]{1,8}", fullmatch=True), max_size=4),
    st.data(),
)
def test_a_line_that_lost_bytes_is_ignored(args: list[str], data: st.DataObject) -> None:
    """Two equal bytes that are lost leave an XOR as it was: 100 would become 1, and an event would come twice."""
    line = line_of(100, "DOWN", *args)
    lost = data.draw(st.sets(st.integers(0, len(line) - 11), min_size=1, max_size=8))
    assert BoxParser().feed(bytes(byte for at, byte in enumerate(line) if at not in lost)) == []


def reported(events: list[DeviceEvent]) -> list[str]:
    return [event.data.get("button") or event.data.get("uid") or event.kind for event in events]


def test_a_repeated_line_is_confirmed_twice_and_reported_once() -> None:
    box = ButtonBox()
    assert box.restart(0) == b"\n0 HELLO*35C5EC31\n"
    assert reported(box.feed(line_of(0, "HELLO", *HELLO, 5), 0.1)) == ["ready"]
    box.tick(0.2)
    box.take_output()
    again = line_of(1, "DOWN", 1, 300)
    assert reported(box.feed(again + again, 0.5)) == ["koi-koi"]
    assert box.take_output() == b"0 ACK 1*6604BF89\n" * 2


def test_after_reopening_the_port_events_repeat_only_if_the_box_restarted() -> None:
    box = ButtonBox()
    box.restart(0)
    box.feed(line_of(0, "HELLO", *HELLO, 5), 0.1)
    tag = line_of(1, "TAG", 1, "62e3086ced", "IN", 300)
    assert reported(box.feed(tag, 0.5)) == ["62E3086CED"]
    box.restart(5)
    assert box.feed(tag, 5.1) == []  # before the banner it is nobody's
    assert b"HELLO" in box.take_output()
    assert reported(box.feed(line_of(0, "HELLO", *HELLO, 5000) + tag, 5.2)) == ["ready"]
    restarted = line_of(0, "HELLO", "hanafuda", 1, "e66038b7", "B002", 4, 4, "0x0", 9)
    other = line_of(1, "TAG", 2, "62e3086ced", "IN", 300)
    assert reported(box.feed(restarted + other, 6)) == ["ready", "62E3086CED"]


def test_a_restarted_box_reports_only_removed_tags() -> None:
    box = ButtonBox()
    box.restart(0)
    box.feed(line_of(0, "HELLO", *HELLO, 5), 0.1)
    assert reported(
        box.feed(line_of(1, "TAG", 1, "AA", "IN", 300) + line_of(2, "TAG", 2, "BB", "IN", 310), 0.5)
    ) == ["AA", "BB"]
    restarted = line_of(0, "HELLO", "hanafuda", 1, "e66038b7", "B002", 4, 4, "0x0", 9)
    assert reported(box.feed(restarted + line_of(1, "TAG", 1, "AA", "IN", 20), 6)) == ["ready"]
    assert box.tick(7) == []
    (removed,) = box.tick(9.5)
    assert removed.data == {"uid": "BB", "present": False, "place": "2"}
    assert box.tick(99) == []


def test_a_restarted_host_receives_the_present_tags_once() -> None:
    box = SimulatedBox()
    first, second = ButtonBox(), ButtonBox()
    box.plugged(0)
    box.act("put", "04A1B2C3")
    assert [uid for uid in run(first, box, 0, 5) if uid != "ready"] == ["04A1B2C3"]
    first.restart(5)
    assert run(first, box, 5, 10) == ["ready"]
    assert run(second, box, 10, 15) == ["ready", "04A1B2C3"]
    box.act("take", "04A1B2C3")
    assert run(second, box, 15, 20) == ["ready", "04A1B2C3"]


def test_a_restart_with_a_lost_banner_loses_and_repeats_nothing() -> None:
    """Regression: line 1 after a restart was taken for a line already reported, with an old time."""
    host, box = ButtonBox(), SimulatedBox()
    box.plugged(0)
    run(host, box, 0, 2)
    box.act("press", "1")
    assert run(host, box, 2, 4, asks=False) == ["koi-koi"]
    box.act("reset")
    assert b"HELLO" in box.tick(4)  # on its way it is lost
    box.act("press", "1")
    assert run(host, box, 4, 6, asks=False) == ["ready", "koi-koi"]


def run(host: ButtonBox, box: SimulatedBox, start: int, end: int, asks: bool = True) -> list[str]:
    """Join them over a perfect wire for so long, s; at its beginning the host ``asks`` for the banner."""
    out = host.restart(start) if asks else b""
    events = []
    for at in range(10 * start, 10 * end):
        events += host.feed(box.feed(out, at / 10) + box.tick(at / 10), at / 10) + host.tick(at / 10)
        out = host.take_output()
    return reported(events)


def test_the_host_confirms_the_banner_and_events_and_clears_the_display_first() -> None:
    box = ButtonBox()
    box.restart(0)
    box.feed(line_of(0, "HELLO", *HELLO, 5), 0.1)
    box.feed(line_of(1, "DOWN", 1, 300), 0.2)
    assert box.take_output() == line_of(0, "ACK", "A001") + line_of(0, "ACK", 1)
    assert box.send(SetLight(1, "on"), 0.3) == line_of(1, "CLEAR")


def test_a_long_press_needs_the_box_s_own_message() -> None:
    box = ButtonBox()
    box.restart(0)
    box.feed(line_of(0, "HELLO", *HELLO, 0), 0)
    assert box.feed(line_of(1, "DOWN", 4, 1000), 1) == box.tick(3) == []
    assert reported(box.feed(line_of(2, "UP", 4, 1100), 3.1)) == ["undo"]
    assert box.feed(line_of(3, "DOWN", 4, 5000), 5) == []
    assert reported(box.feed(line_of(4, "HELD", 4, 5800), 5.9)) == ["next"]
    assert box.feed(line_of(5, "UP", 4, 6000) + line_of(6, "HELD", 4, 6100), 6) == []


def test_the_simulated_box_supports_long_presses() -> None:
    host, box = ButtonBox(), SimulatedBox()
    box.plugged(0)
    assert run(host, box, 0, 2)[-1] == "ready"
    box.act("down", "4")
    assert run(host, box, 2, 4) == ["ready", "next"]
    box.act("up", "4")
    assert run(host, box, 4, 6) == ["ready"]


def test_events_queued_in_the_box_have_their_age() -> None:
    """Keys pressed while no program listened: that was not now."""
    box = ButtonBox()
    box.restart(100)
    box.feed(line_of(0, "HELLO", *HELLO, 60_000), 100.1)
    (old,) = box.feed(line_of(1, "DOWN", 1, 20_000) + line_of(2, "UP", 1, 20_100), 100.2)
    (new,) = box.feed(line_of(3, "DOWN", 2, 60_200), 100.4)
    assert (round(old.ago, 3), round(new.ago, 3)) == (40.1, 0.1)


@pytest.mark.parametrize(
    "banner", [("hanafuda", 2, "x", "A001", 4, 4, "16x2", 5), ("espresso", 1), (), (*HELLO[:6], "wide", 5)]
)
def test_a_different_box_is_reported(banner: tuple[object, ...]) -> None:
    box = ButtonBox()
    box.restart(0)
    (event,) = box.feed(line_of(0, "HELLO", *banner), 0.1)
    assert (event.kind, event.data["code"]) == ("fault", "wrong-device")


def test_a_row_is_sent_again_until_it_is_done() -> None:
    box = ButtonBox()
    box.restart(0)
    box.feed(line_of(0, "HELLO", *HELLO, 5), 0.1)
    sent = [box.send(ShowRows(("ｱﾝﾅ 12",)), 0.1).decode("ascii")]
    for tenths in range(1, 20):
        box.tick(tenths / 10)
        sent.append(box.take_output().decode("ascii"))
        if tenths == 8:
            box.feed(line_of(0, "DONE", 1), 0.85)
    lines = [line for line in sent if line and "ACK" not in line]
    assert lines[0] == lines[1] == lines[2]
    assert lines[0].startswith("1 CLEAR*")
    assert lines[-1].startswith("2 ROW 0 0 %B1%DD%C5%2012*")
