"""``companion bench devices``: measures latency from button to page and from table event to display."""

from __future__ import annotations

import json
import os
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
from typing import TYPE_CHECKING, Any, Final

import click

from companion.bench import machine
from companion.cli.terminal import json_option, print_json
from companion.net.client import AwayError, Client

if TYPE_CHECKING:
    from companion.hanafuda.round import Round
    from hardware.simulators.simulated_device import SimulatedDevice

__all__ = ["bench_devices"]

_PATIENCE_S: Final = 60.0
#: Between two events, s: longer than a button box locks its other keys after a press, and than displays are left alone after a
#: change; people are slower still.
_MIN_INTERVAL_S: Final = 0.3
#: A display that shows nothing new for so long after an event has nothing new to show.
_SHOWN_S: Final = 2.0
_STOP_KEY: Final = "2"
_PLAY_ON_KEY: Final = "1"
_SAID: Final = {"press": "button pressed to page", "draw": "event to display"}


@click.command("devices")
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

    `companion serve` and its device process play rounds with a simulated button box and a display, over pseudo
    terminals. Milliseconds by the clock from the first byte of the key to the message at the page, and from sending the
    event to the first byte at the display: median, 95 % and the longest.
    """
    on = {**machine(), "cores": os.cpu_count()}
    if not as_json:
        click.echo(f"{on['python']} on {on['cpu']}, {on['cores']} cores")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        client = Client(stack.enter_context(_serving(folder))).kept()
        stack.callback(client.close)
        evening = _Evening(client, *stack.enter_context(_plugged_in(folder)))
        _set_up(client, folder)
        for _ in range(count):
            evening.decide()
        evening.leave()
    for what, times in (("press", evening.presses), ("draw", evening.drawn)):
        ms, load = _ms(times), _load()
        if as_json:
            print_json({"what": what, "n": len(times), "ms": ms, "load": load, **on})
        else:
            figures = "".join(f"{each:>9.1f}" for each in ms.values())
            click.echo(f"  {_SAID[what]:<26}{figures} ms   n = {len(times)}; load {load}")


def _ms(times: Sequence[float]) -> dict[str, float]:
    ordered = sorted(1000 * each for each in times)
    told = {"p50": median(ordered), "p95": quantiles(ordered, n=20)[-1], "max": ordered[-1]}
    return {name: round(value, 1) for name, value in told.items()}


def _load() -> float | None:
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None


class _Evening:
    """Random rounds, told as phones would, whose decisions are made by the box."""

    def __init__(self, client: Client, box: _Timed, display: _Timed) -> None:
        self._client, self._box, self._display = client, box, display
        self.presses: list[float] = []
        """How long each took, s."""
        self.drawn: list[float] = []
        self._dice = Random(7)
        self._page: _Page | None = None
        self._tables = 0
        self._decisions = self._play()

    def decide(self) -> None:
        """Play on until the next decision, and past it; the turn before it and the decision are measured."""
        next(self._decisions)

    def leave(self) -> None:
        """Follow the table no more."""
        if self._page is not None:
            self._page.close()

    def _play(self) -> Iterator[None]:
        while True:
            self._open()
            while not (night := self._client.call("GET", self._at)["state"]["night"])["over"]:
                yield from self._round(night["dealer"] or 1, len(night["rounds"]) + 1)

    def _open(self) -> None:
        """Open a table, and wait until the display shows it."""
        from companion.hanafuda.registry import default_game  # noqa: PLC0415  # the rules, which --help need not wait for

        self.leave()
        self._tables += 1
        ren = f"Ren {self._tables}"
        table = self._client.call(
            "POST", "/api/tables", {"game": default_game().slug, "players": ["Aoi", ren]}
        )["id"]
        self._at = f"/api/tables/{table}"
        self._page = _Page(self._client, self._at)
        _wait(lambda: ren in "".join(self._display.device.shows()), "display did not show the table")

    def _round(self, dealer: int, month: int) -> Iterator[None]:
        played = self._random(dealer, month)
        told: list[dict[str, Any]] = [_dealt(played)]
        for move in played.moves:
            words = list(move.words())
            if words[0] != "call":
                told.append({"kind": "moved", "data": {"player": move.player, "words": words}})
                continue
            *before, play, draw = told  # the turn that made the yaku
            self._tell(before)
            time.sleep(_MIN_INTERVAL_S)
            self._draw([play, draw])
            time.sleep(_MIN_INTERVAL_S)
            self._press(_STOP_KEY if words[1] == "stop" else _PLAY_ON_KEY)
            told = []
            time.sleep(_MIN_INTERVAL_S)
            yield
        self._tell(told)

    def _random(self, dealer: int, month: int) -> Round[Any, Any, Any]:
        from companion.hanafuda.registry import default_game  # noqa: PLC0415  # the rules, which --help need not wait for
        from companion.hanafuda.rules import resolve  # noqa: PLC0415

        of_game = default_game().round
        played = of_game.shuffled(resolve(None), self._dice, players=2, dealer=dealer, month=month)
        while moves := played.legal_moves():
            played.push(self._dice.choice(moves))
        return played

    def _tell(self, events: list[dict[str, Any]]) -> None:
        if events:
            self._client.call("POST", f"{self._at}/events", {"events": events})

    def _draw(self, events: list[dict[str, Any]]) -> None:
        began = time.monotonic()
        self._tell(events)
        with self._display.news:
            if self._display.news.wait_for(lambda: self._display.at > began, _SHOWN_S):
                self.drawn.append(self._display.at - began)

    def _press(self, key: str) -> None:
        assert self._page is not None
        page, known = self._page, self._page.count
        self._box.act("press", key)
        with page.news:
            if not page.news.wait_for(lambda: page.count > known, _PATIENCE_S):
                raise click.ClickException(f"a press did not reach the page within {_PATIENCE_S:.0f} s")
        self.presses.append(page.at - self._box.at)


def _dealt(played: Round[Any, Any, Any]) -> dict[str, Any]:
    from companion.hanafuda.simulation import record_of  # noqa: PLC0415  # as above

    record = record_of(played)
    return {"kind": "dealt", "data": {key: record[key] for key in ("deal", "dealer", "month")}}


class _Noted:
    """When something came last, s of `time.monotonic`, and how often."""

    def __init__(self) -> None:
        self.news = threading.Condition()
        self.at = 0.0
        self.count = 0

    def note(self) -> None:
        """It has come just now."""
        now = time.monotonic()
        with self.news:
            self.at, self.count = now, self.count + 1
            self.news.notify_all()


class _Page(_Noted):
    """A page that follows a table; notes each change."""

    def __init__(self, client: Client, table: str) -> None:
        super().__init__()
        self._connection = client.connect(_PATIENCE_S)
        self._connection.request("GET", f"{table}/events")
        self._answer = self._connection.getresponse()
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Follow no more."""
        self._connection.close()

    def _follow(self) -> None:
        from hardware.worker.event_stream import messages  # noqa: PLC0415  # the drivers come along

        try:
            for event, _ in messages(self._answer):
                if event == "change":
                    self.note()
        except (OSError, ValueError, AttributeError):  # closed meanwhile
            return


class _Timed(_Noted):
    """A simulated device at which it is noted when a key's line goes out, or the host's bytes come in."""

    def __init__(self, device: SimulatedDevice, *, says: bytes | None) -> None:
        """``says``: what the line that counts holds; None: what comes in counts."""
        super().__init__()
        self.device = device
        feed, tick = device.feed, device.tick

        def fed(data: bytes, now: float) -> bytes:
            if says is None:
                self.note()
            return feed(data, now)

        def ticked(now: float) -> bytes:
            out = tick(now)
            if says is not None and says in out:
                self.note()
            return out

        device.feed, device.tick = fed, ticked  # type: ignore[method-assign]
        self.act: Callable[..., None] = device.act


@contextmanager
def _plugged_in(folder: Path) -> Iterator[tuple[_Timed, _Timed]]:
    try:
        from hardware.simulators.simulated_port import SimulatedPort  # noqa: PLC0415  # as above
    except ImportError as error:  # Windows
        raise click.ClickException("devices are simulated on Linux and macOS only") from error
    from hardware.simulators.simulated_box import SimulatedBox  # noqa: PLC0415
    from hardware.simulators.simulated_displays import SimulatedSerLcd  # noqa: PLC0415

    box = _Timed(SimulatedBox(columns=0, rows=0), says=b" DOWN ")
    display = _Timed(SimulatedSerLcd(20, 4), says=None)
    with SimulatedPort(box.device, folder / "box"), SimulatedPort(display.device, folder / "lcd"):
        yield box, display


def _set_up(client: Client, folder: Path) -> None:
    """Set the devices up, and wait until both are ready."""
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
        found = client.call("GET", "/api/devices")["devices"]
        return all((each["status"] or {}).get("state") == "ready" for each in found)

    _wait(ready, "devices were not ready")


@contextmanager
def _serving(folder: Path) -> Iterator[str]:
    """Run ``companion serve`` and give its address."""
    command = [sys.executable, "-m", "companion.cli", "serve", "--host", "127.0.0.1", "--json"]
    with _free_port() as port:
        command += ["--port", str(port), "--data", str(folder / "data")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8")
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise click.ClickException("the server did not start: `companion serve` tells why")
        url = str(json.loads(line)["serving"][0])
        _wait(lambda: _answers(url), "the server did not answer")
        yield url
    finally:
        process.terminate()
        process.communicate()


@contextmanager
def _free_port() -> Iterator[int]:
    import socket  # noqa: PLC0415

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        yield int(probe.getsockname()[1])


def _answers(url: str) -> bool:
    try:
        Client(url).call("GET", "/api/me")
    except AwayError:
        return False
    return True


def _wait(true: Callable[[], bool], otherwise: str) -> None:
    until = time.monotonic() + _PATIENCE_S
    while not true():
        if time.monotonic() > until:
            raise click.ClickException(f"the {otherwise} within {_PATIENCE_S:.0f} s")
        time.sleep(0.02)
