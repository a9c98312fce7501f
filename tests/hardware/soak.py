"""Days at the table for every driver: ``python -m tests.hardware.soak [--hours 24] [--cycles 200] [--seed 1] [DRIVER...]``.

Two parts. In virtual time, a driver after the other: things are done to its double, and at random, from a seed, it is pulled, left
out, plugged in again, used by another program, falls silent, loses and spoils bytes as far as its protocol can make up for
them. Over ptys, all at once with real threads, bytes and waits: plugged, pulled in the middle of frames, plugged in elsewhere.

Whatever is done to a double while its device is ready must be reported once: it is counted. So are the times from being plugged
in until it is ready, and the threads and descriptors that are left behind. A line of JSON a part; exit code 1 where one is bad.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import serial

from hardware.driver import DeviceEvent, ShowRows
from hardware.driver_registry import DRIVERS
from hardware.simulators.registry import SIMULATORS
from hardware.simulators.simulated_device import SimulatedDevice
from hardware.simulators.simulated_port import PortFaults, SimulatedPort
from hardware.transports.port_discovery import PortInfo, port_finder
from hardware.transports.transport import ReceivedEvent, Transport
from tests.hardware.virtual_port import VirtualClock, VirtualPort
from tests.hardware.wait_until import until

HOUR = 3600.0
#: What each may lose and still tell all: a reader tells of its tags again and again, a box until it is confirmed.
LOSSY = {
    "button-box": PortFaults(drop=0.01, corrupt=0.005, repeat=0.1),
    "rdm6300": PortFaults(drop=0.003, corrupt=0.0005, repeat=0.1),
    # It answers each question once: where everything is sent twice, a lost 00 can hide behind what is repeated.
    "pn532": PortFaults(drop=0.001, corrupt=0.0002),
    "acg": PortFaults(drop=0.003, repeat=0.1),
    "r200": PortFaults(drop=0.001, repeat=0.1),
    "gm65": PortFaults(split=True),
    "line-scanner": PortFaults(split=True),
    "crystalfontz": PortFaults(split=True),
}
TAGS = {
    "rdm6300": lambda dice: f"{dice.randrange(16**10):010X}",
    "pn532": lambda dice: f"08{dice.randrange(16**6):06X}",
    "acg": lambda dice: f"E004{dice.randrange(16**12):012X}",
    "r200": lambda dice: f"3000{dice.randrange(16**20):020X}",
}
KEYS = {
    "button-box": {"1": "koi-koi", "2": "stop", "3": "pass"},
    "crystalfontz": {"1": "koi-koi", "5": "stop", "2": "pass", "4": "next"},
}
#: After a press, a scan or a tag: longer than any lock-out, s.
PAUSE_S = 1.5
#: A tag that has gone is missed after so long, s.
GONE_S = 4.0


class Person:
    """Who does things to one double, and what must be reported."""

    def __init__(self, name: str, device: SimulatedDevice, dice: random.Random) -> None:
        self.name, self.device, self.dice = name, device, dice
        self.done: list[tuple[str, Any]] = []
        self.drawn: tuple[str, ...] | None = None
        self._count = 0

    def act(self, send: Callable[[ShowRows], object]) -> None:
        """Do the next thing."""
        self._count += 1
        if self.name in TAGS:
            self._tag()
        elif self.name in KEYS:
            key = self.dice.choice(list(KEYS[self.name]))
            self.device.act("press", key)
            self.done.append(("button", KEYS[self.name][key]))
        elif "codes" in DRIVERS[self.name].does:
            text = f"code {self._count} {self.dice.randrange(10**6)}"
            self.device.act("scan", text)
            self.done.append(("code", text))
        if "display" in DRIVERS[self.name].does:
            self.drawn = (f"row {self._count}", f"{self.dice.randrange(10**9)}")
            send(ShowRows(self.drawn))

    def _tag(self) -> None:
        tags: list[str] = self.device.tags  # type: ignore[attr-defined]
        if tags:
            tag = tags[0]
            self.device.act("take", tag)
            self.done.append(("gone", tag))
        else:
            tag = TAGS[self.name](self.dice)
            self.device.act("put", tag)
            self.done.append(("tag", tag))

    def displayed(self) -> bool:
        """Whether the display shows what was drawn last."""
        return self.drawn is None or tuple(row.rstrip() for row in self.device.shows()[:2]) == self.drawn


def reported(event: DeviceEvent) -> tuple[str, Any]:
    """What an event says, as a person's deeds are noted."""
    if event.kind == "tag":
        return ("tag" if event.data["present"] else "gone", event.data["uid"])
    return event.kind, event.data["button"] if event.kind == "button" else event.data["text"]


@dataclass
class Tally:
    """What came of a soak."""

    name: str
    hours: float = 0.0
    done: int = 0
    heard: int = 0
    wrong: list[str] = field(default_factory=list)
    pulled: int = 0
    busy: int = 0
    silent: int = 0
    returns: list[float] = field(default_factory=list)
    """From being plugged in until ready, s."""
    left: tuple[int, int] = (0, 0)
    """Threads and descriptors left behind."""

    def compare(self, done: list[tuple[str, Any]], heard: list[ReceivedEvent]) -> None:
        """Count what was done and heard; each must have been reported once, in order."""
        output = [reported(each.event) for each in heard]
        self.done += len(done)
        self.heard += len(output)
        if output != done:
            at = next(
                (at for at, pair in enumerate(zip(output, done, strict=False)) if pair[0] != pair[1]),
                min(len(output), len(done)),
            )
            self.wrong.append(f"event {at}: done {done[at : at + 3]}, reported {output[at : at + 3]}")

    @property
    def frame_count(self) -> bool:
        """Whether all is well; that it takes long to come back is reported, and judged by the reader."""
        return not self.wrong and self.left == (0, 0)

    def to_dict(self) -> dict[str, Any]:
        """As a line of JSON."""
        times = sorted(self.returns)
        return {
            "soak": self.name, "good": self.frame_count, "hours": round(self.hours, 1), "done": self.done, "heard": self.heard,
            "wrong": self.wrong, "pulled": self.pulled, "busy": self.busy, "silent": self.silent, "returns": len(times),
            "return_s": {"median": round(times[len(times) // 2], 2), "p95": round(times[int(0.95 * (len(times) - 1))], 2),
                         "max": round(times[-1], 2)} if times else None,
            "left": {"threads": self.left[0], "descriptors": self.left[1]},
        }  # fmt: skip


def virtual(name: str, hours: float, seed: int, *, lossy: bool = False) -> Tally:
    """So many hours of virtual time with one driver."""
    dice, clock = random.Random(f"{name} {seed}"), VirtualClock()
    device = SIMULATORS[name]()
    port = VirtualPort(device, clock, PortFaults(**vars(LOSSY[name])) if lossy and name in LOSSY else None)
    heard: list[ReceivedEvent] = []
    transport = Transport(
        name, DRIVERS[name].make(), port.find, heard.append, clock=clock, open_connection=port.open, rng=dice
    )
    person, tally = Person(name, device, dice), Tally(f"{name}{' lossy' if lossy else ''}", hours)
    began = clock.now()

    def run(seconds: float) -> None:
        end = clock.now() + seconds
        while clock.now() < end:
            transport.step()

    def come(true: Callable[[], object], patience: float, what: str) -> float:
        start = clock.now()
        while not true():
            if clock.now() > start + patience:
                raise AssertionError(
                    f"{name}: {what} did not come in {patience} s: {transport.status}, done {person.done[-3:]}"
                )
            transport.step()
        return clock.now() - start

    def ready() -> bool:
        return transport.status.state == "ready" and port.plugged

    def plug() -> None:
        port.plug()
        # It comes at any time between two looks for it, which are half a second apart.
        tally.returns.append(dice.uniform(0, 0.5) + come(ready, 120, "ready"))

    try:
        plug()
        while clock.now() < began + hours * HOUR:
            for _ in range(dice.randrange(4)):
                come(ready, 120, "ready again")
                person.act(transport.send)
                come(lambda: len(heard) >= len(person.done), 120, "what was done")
                come(person.displayed, 120, "what was drawn")
                run(PAUSE_S)
            run(dice.uniform(0, 120))
            match dice.choices(("nothing", "pull", "busy", "silent", "reset", "change"), (3, 4, 1, 1, 1, 1))[
                0
            ]:
                case "pull":
                    tally.pulled += 1
                    run(dice.uniform(0, 0.2))  # in the middle of whatever it says
                    port.pull()
                    come(lambda: transport.status.state == "absent", 5, "absent")
                    clock.time += dice.uniform(0, 900)
                    plug()
                case "busy":
                    tally.busy += 1
                    port.pull()
                    come(lambda: transport.status.state == "absent", 5, "absent")
                    port.refuses = "port-in-use"
                    port.plug()
                    run(dice.uniform(1, 60))
                    assert transport.status.fault is not None
                    assert transport.status.fault.code == "port-in-use"
                    port.refuses = None
                    come(ready, 120 if lossy else 15, "taken when free")
                case "silent" if DRIVERS[name].make().settings.response_timeout_s is not None:
                    tally.silent += 1
                    before, port.faults.silent = port.faults.silent, True
                    run(dice.uniform(0.1, 60))
                    port.faults.silent = before
                    come(ready, 60, "ready after silence")
                case "reset" if name == "button-box":
                    device.act("reset")
                    run(5)
                case "change" if name in TAGS:  # what lies there changes while the reader is away
                    tally.pulled += 1
                    port.pull()
                    come(lambda: transport.status.state == "absent", 5, "absent")
                    person.act(transport.send)
                    plug()
                    come(lambda: len(heard) >= len(person.done), 120, "what was done meanwhile")
        run(GONE_S)
    except AssertionError as error:
        tally.wrong.append(str(error))
    tally.compare(person.done, heard)
    transport.close()
    tally.left = (0, port.open_lines)
    return tally


@contextmanager
def counted(tally: Tally) -> Iterator[None]:
    """Count the threads and descriptors that are left behind."""
    before = threading.active_count(), descriptors()
    yield
    end = time.monotonic() + 5
    while (threading.active_count(), descriptors()) != before and time.monotonic() < end:
        time.sleep(0.01)
    tally.left = threading.active_count() - before[0], descriptors() - before[1]


def descriptors() -> int:
    """How many descriptors this process holds."""
    return len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").exists() else 0


class Live:
    """A driver with its double behind a pty, found by what a USB device says of itself and by its socket."""

    def __init__(
        self,
        name: str,
        socket: str,
        folder: Path,
        dice: random.Random,
        list_available: Callable[[], list[PortInfo]],
    ) -> None:
        self.name, self.socket = name, socket
        self.heard: list[ReceivedEvent] = []
        self.person = Person(name, SIMULATORS[name](), dice)
        self.plug = SimulatedPort(self.person.device, folder / socket)
        self.transport = Transport(
            socket,
            DRIVERS[name].make(),
            port_finder(f"usb:1a86:7523@{socket}", list_available=list_available),
            self.heard.append,
        )

    def port(self) -> list[PortInfo]:
        """Its port, under the number that the system gave it now."""
        try:
            return [PortInfo(self.plug.port, "USB Serial", 0x1A86, 0x7523, socket=self.socket, alike=True)]
        except OSError:
            return []

    def ready(self, opened: int) -> bool:
        """Whether it works, opened so often."""
        return self.transport.status.state == "ready" and self.transport.status.opened >= opened

    def act(self) -> None:
        """Have something done to it, and wait until it is reported."""
        with self.plug.lock:
            self.person.act(self.transport.send)
        until(lambda: len(self.heard) >= len(self.person.done))
        until(self.person.displayed)


def over_ptys(cycles: int, seed: int, names: list[str], tally: Tally) -> None:
    """All drivers at once, and two of a kind, all of which say the same of themselves: only their sockets tell them apart."""
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder, counted(tally):
        lives: list[Live] = []
        all_ports = lambda: [port for each in lives for port in each.port()]  # noqa: E731
        for at, name in enumerate([*names, names[0]]):
            lives.append(Live(name, f"1-{at + 1}", Path(folder), dice, all_ports))
        try:
            for each in lives:
                each.plug.plug()
                each.transport.start()
            for each in lives:
                until(lambda each=each: each.ready(1))
            for _ in range(cycles):
                one = dice.choice(lives)
                one.act()
                cycle(one, dice, tally)
            time.sleep(PAUSE_S)
        finally:
            for each in lives:
                each.transport.close()
                each.plug.pull()
        for each in lives:
            tally.compare(each.person.done, each.heard)


def cycle(one: Live, dice: random.Random, tally: Tally) -> None:
    """Pull one, in the middle of what it says or between, and plug it in again: it gets another number."""
    time.sleep(PAUSE_S if one.name in KEYS or "codes" in DRIVERS[one.name].does else 0)
    opened = one.transport.status.opened
    tally.pulled += 1
    if dice.random() < 0.5:  # once it has sent so much more, if it sends anything
        one.plug.pull_after(dice.randrange(1, 12))
        time.sleep(dice.uniform(0, 0.3))
    one.plug.pull()
    if dice.random() < 0.5:
        until(lambda: one.transport.status.state == "absent")
    other = None
    one.plug.plug()
    began = time.monotonic()
    if dice.random() < 0.15:
        try:
            other = serial.Serial(one.plug.port, exclusive=True)
        except serial.SerialException:  # we were quicker: then it is the other program that is refused
            tally.busy += 1
    if other is not None:
        tally.busy += 1
        until(
            lambda: (
                one.transport.status.fault is not None and one.transport.status.fault.code == "port-in-use"
            )
        )
        other.close()
        until(lambda: one.ready(opened + 1))
    else:
        until(lambda: one.ready(opened + 1))
        tally.returns.append(time.monotonic() - began)


@click.command()
@click.option("--hours", default=24.0, show_default=True, help="Virtual hours a driver.")
@click.option("--cycles", default=200, show_default=True, help="How often something is pulled over ptys.")
@click.option("--seed", default=1, show_default=True)
@click.argument("names", nargs=-1)
def main(hours: float, cycles: int, seed: int, names: tuple[str, ...]) -> None:
    """Soak the drivers NAMES, all if none is named."""
    chosen, bad = list(names or DRIVERS), False
    tallies: list[Tally] = []
    if cycles:
        tallies.append(Tally("ptys"))
        began = time.monotonic()
        over_ptys(cycles, seed, chosen, tallies[0])
        tallies[0].hours = (time.monotonic() - began) / HOUR
        print(json.dumps(tallies[0].to_dict(), ensure_ascii=False), flush=True)
    for name in chosen if hours else []:
        for lossy in (False, True) if name in LOSSY else (False,):
            tallies.append(virtual(name, hours, seed, lossy=lossy))
            print(json.dumps(tallies[-1].to_dict(), ensure_ascii=False), flush=True)
    bad = not all(each.frame_count for each in tallies)
    sys.exit(bad)


if __name__ == "__main__":
    main()
