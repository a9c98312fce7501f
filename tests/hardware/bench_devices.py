"""``python -m tests.hardware.bench_devices`` measures latency from button to page and from table event to display."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Any, Final

import click

from companion.bench import machine
from companion.cli.terminal import json_option, print_json
from companion.hanafuda.registry import default_game
from companion.hanafuda.round import Round
from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import record_of
from companion.net.client import AwayError, Client
from hardware.simulators.simulated_box import SimulatedBox
from hardware.simulators.simulated_device import SimulatedDevice
from hardware.simulators.simulated_displays import SimulatedSerLcd
from hardware.simulators.simulated_port import SimulatedPort
from hardware.worker.event_stream import EventStream

__all__ = ["bench_devices"]

_TIMEOUT_S: Final = 60.0
#: Minimum time between two events, s: longer than the lockout of a button box after a press and the minimum interval of display
#: updates; people are slower.
_MIN_INTERVAL_S: Final = 0.3
#: Time after an event without a display update after which the event counts as not displayed, s.
_MAX_DRAW_S: Final = 2.0
_STOP_KEY: Final = "2"
_PLAY_ON_KEY: Final = "1"
_LABELS: Final = {"press": "button pressed to page", "draw": "event to display"}


@click.command()
@click.option(
    "--count",
    type=click.IntRange(2, 10_000),
    default=200,
    show_default=True,
    help="Number of presses and of events.",
)
@json_option
def bench_devices(*, count: int, as_json: bool) -> None:
    """Measure the latency from a button to a page, and from an event to a display, on this machine.

    `companion serve` and its device process play rounds with a simulated button box and a simulated display, connected
    by pseudo terminals. The latencies are in milliseconds, from the first byte of the key to the message at the page,
    and from sending the event to the first byte at the display: median, 95th percentile and maximum.
    """
    environment = {**machine(), "cores": os.cpu_count()}
    if not as_json:
        click.echo(f"{environment['python']} on {environment['cpu']}, {environment['cores']} cores")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        client = stack.enter_context(Client(stack.enter_context(_run_server(folder))))
        play = _MeasuredPlay(client, *stack.enter_context(_simulate_devices(folder)))
        _configure(client, folder)
        for _ in range(count):
            play.decide()
        play.leave()
    for label, times in (("press", play.presses), ("draw", play.drawn)):
        ms, load = _ms(times), _load()
        if as_json:
            print_json({"what": label, "n": len(times), "ms": ms, "load": load, **environment})
        else:
            figures = "".join(f"{value:>9.1f}" for value in ms.values())
            click.echo(f"  {_LABELS[label]:<26}{figures} ms   n = {len(times)}; load {load}")


def _ms(times: Sequence[float]) -> dict[str, float]:
    ordered = sorted(1000 * seconds for seconds in times)
    figures = {"p50": median(ordered), "p95": quantiles(ordered, n=20)[-1], "max": ordered[-1]}
    return {name: round(value, 1) for name, value in figures.items()}


def _load() -> float | None:
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None


class _MeasuredPlay:
    """Plays random rounds: moves are submitted as by a phone, decisions are made with the button box."""

    def __init__(self, client: Client, box: _TimedDevice, display: _TimedDevice) -> None:
        self._client, self._box, self._display = client, box, display
        self.presses: list[float] = []
        """Latencies of the presses, s."""
        self.drawn: list[float] = []
        self._dice = Random(7)
        self._page: _PageFollower | None = None
        self._tables = 0
        self._decisions = self._play()

    def decide(self) -> None:
        """Play up to and including the next decision; measure the turn before it, and the decision."""
        next(self._decisions)

    def leave(self) -> None:
        """Stop following the table."""
        if self._page is not None:
            self._page.close()

    def _play(self) -> Iterator[None]:
        while True:
            self._open()
            while not (evening := self._client.call("GET", self._at)["state"]["night"])["over"]:
                yield from self._round(evening["dealer"] or 1, len(evening["rounds"]) + 1)

    def _open(self) -> None:
        """Open a table, and wait until the display shows it."""
        self.leave()
        self._tables += 1
        ren = f"Ren {self._tables}"
        table = self._client.call(
            "POST", "/api/tables", {"game": default_game().slug, "players": ["Aoi", ren]}
        )["id"]
        self._at = f"/api/tables/{table}"
        self._page = _PageFollower(self._client, table)
        _wait_until(lambda: ren in "".join(self._display.device.shows()), "display did not show the table")

    def _round(self, dealer: int, month: int) -> Iterator[None]:
        played = self._random(dealer, month)
        events: list[dict[str, Any]] = [_deal_event(played)]
        for move in played.moves:
            fields = list(move.words())
            if fields[0] != "call":
                events.append({"kind": "moved", "data": {"player": move.player, "words": fields}})
                continue
            *earlier, play, draw = events  # the turn that made the yaku
            self._post(earlier)
            time.sleep(_MIN_INTERVAL_S)
            self._draw([play, draw])
            time.sleep(_MIN_INTERVAL_S)
            self._press(_STOP_KEY if fields[1] == "stop" else _PLAY_ON_KEY)
            events = []
            time.sleep(_MIN_INTERVAL_S)
            yield
        self._post(events)

    def _random(self, dealer: int, month: int) -> Round[Any, Any, Any]:
        round_class = default_game().round
        played = round_class.shuffled(resolve(None), self._dice, players=2, dealer=dealer, month=month)
        while moves := played.legal_moves():
            played.push(self._dice.choice(moves))
        return played

    def _post(self, events: list[dict[str, Any]]) -> None:
        if events:
            self._client.call("POST", f"{self._at}/events", {"events": events})

    def _draw(self, events: list[dict[str, Any]]) -> None:
        start = time.monotonic()
        self._post(events)
        with self._display.news:
            if self._display.news.wait_for(lambda: self._display.at > start, _MAX_DRAW_S):
                self.drawn.append(self._display.at - start)

    def _press(self, key: str) -> None:
        assert self._page is not None
        page, known = self._page, self._page.count
        self._box.act("press", key)
        with page.news:
            if not page.news.wait_for(lambda: page.count > known, _TIMEOUT_S):
                raise click.ClickException(f"a press did not reach the page within {_TIMEOUT_S:.0f} s")
        self.presses.append(page.at - self._box.at)


def _deal_event(played: Round[Any, Any, Any]) -> dict[str, Any]:
    record = record_of(played)
    return {"kind": "dealt", "data": {key: record[key] for key in ("deal", "dealer", "month")}}


class _Timestamp:
    """The time of the latest occurrence of something, s of `time.monotonic`, and the number of occurrences."""

    def __init__(self) -> None:
        self.news = threading.Condition()
        self.at = 0.0
        self.count = 0

    def note(self) -> None:
        """Record an occurrence now."""
        now = time.monotonic()
        with self.news:
            self.at, self.count = now, self.count + 1
            self.news.notify_all()


class _PageFollower(_Timestamp):
    """Follows a table as a page does, and records each change."""

    def __init__(self, client: Client, table: str) -> None:
        super().__init__()
        self._stream = EventStream(client, table, lambda event, _: self.note() if event == "change" else None)

    def close(self) -> None:
        """Stop following."""
        self._stream.close()


class _TimedDevice(_Timestamp):
    """A simulated device that records when it sends a key's line, or when it receives bytes from the host."""

    def __init__(self, device: SimulatedDevice, *, says: bytes | None) -> None:
        """``says``: sent data that contains this is recorded; None: received data is recorded."""
        super().__init__()
        self.device = device
        feed, tick = device.feed, device.tick

        def sent(out: bytes) -> bytes:
            if says is not None and says in out:
                self.note()
            return out

        def fed(data: bytes, now: float) -> bytes:
            if says is None:
                self.note()
            return sent(feed(data, now))

        def ticked(now: float) -> bytes:
            return sent(tick(now))

        device.feed, device.tick = fed, ticked  # type: ignore[method-assign]
        self.act: Callable[..., None] = device.act


@contextmanager
def _simulate_devices(folder: Path) -> Iterator[tuple[_TimedDevice, _TimedDevice]]:
    box = _TimedDevice(SimulatedBox(columns=0, rows=0), says=b" DOWN ")
    display = _TimedDevice(SimulatedSerLcd(20, 4), says=None)
    with SimulatedPort(box.device, folder / "box"), SimulatedPort(display.device, folder / "lcd"):
        yield box, display


def _configure(client: Client, folder: Path) -> None:
    """Configure the devices, and wait until both are ready."""
    devices = [
        {"name": "box", "driver": "button-box", "port": str(folder / "box")},
        {
            "name": "lcd",
            "driver": "serlcd",
            "port": str(folder / "lcd"),
            "options": {"columns": 20, "rows": 4},
        },
    ]
    client.call("PUT", "/api/devices", {"revision": 0, "devices": devices})

    def ready() -> bool:
        entries = client.call("GET", "/api/devices")["devices"]
        return all((device_entry["status"] or {}).get("state") == "ready" for device_entry in entries)

    _wait_until(ready, "devices were not ready")


@contextmanager
def _run_server(folder: Path) -> Iterator[str]:
    """Run ``companion serve`` and yield its URL."""
    command = [sys.executable, "-m", "companion.cli", "serve", "--host", "127.0.0.1", "--json"]
    with _free_port() as port:
        command += ["--port", str(port), "--data", str(folder / "data")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8")
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise click.ClickException("the server did not start: run `companion serve` to see why")
        url = str(json.loads(line)["serving"][0])
        _wait_until(lambda: _is_up(url), "the server did not answer")
        yield url
    finally:
        process.terminate()
        process.communicate()


@contextmanager
def _free_port() -> Iterator[int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        yield int(probe.getsockname()[1])


def _is_up(url: str) -> bool:
    try:
        with Client(url) as client:
            client.call("GET", "/api/me")
    except AwayError:
        return False
    return True


def _wait_until(condition: Callable[[], bool], problem: str) -> None:
    deadline = time.monotonic() + _TIMEOUT_S
    while not condition():
        if time.monotonic() > deadline:
            raise click.ClickException(f"the {problem} within {_TIMEOUT_S:.0f} s")
        time.sleep(0.02)


if __name__ == "__main__":
    bench_devices()
