"""``companion bench live``: how soon a page knows what happened on a table, and what server and camera worker cost."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.client import HTTPConnection
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

import click

from companion.bench import machine
from companion.cli.terminal import json_option, print_json

__all__ = ["bench_live"]

#: Frames a second of the camera.
_FPS: Final = 10.0
#: Sizes in which an unchanged table is watched, px.
_SIZES: Final = ((1280, 720), (1920, 1080))
#: The watcher looks at an unchanged table two times more; then it rests.
_CALM_S: Final = 6.0
#: How often memory and processor time are noted, s.
_EVERY_S: Final = 1.0
#: How long a process may take to start, and the film to tell its next turn, s.
_PATIENCE_S: Final = 120.0
_SAID: Final = {
    "stillness": "waiting for stillness",
    "looking": "looking: cards, names, places",
    "posting": "the picture's way to the server",
    "telling": "referee, table, log",
    "stream": "the event's way to a page",
    "total": "settled table to page",
}


@click.command("live")
@click.option(
    "--turns",
    type=click.IntRange(1, 10_000),
    default=20,
    show_default=True,
    help="Settled tables that are to be told of.",
)
@click.option(
    "--minutes",
    type=click.FloatRange(min=0),
    default=0.0,
    show_default=True,
    help="Play on for so long, to see whether memory grows.",
)
@click.option(
    "--still",
    type=click.FloatRange(min=0),
    default=60.0,
    show_default=True,
    metavar="S",
    help="Seconds for which an unchanged table is watched, in each of two sizes.",
)
@json_option
def bench_live(*, turns: int, minutes: float, still: float, as_json: bool) -> None:
    """Measure the way from a settled table to a page: a camera's frames, worker, server and stream, all on this machine.

    The frames are drawn before: rounds with hands, sent as motion JPEG, 10 a second. Milliseconds by the clock,
    the median and 95 %; the processor's time in percent of one core; memory (RSS) of server and worker in MB.
    """
    from vision.lab.benchmarks.looping_camera import Camera, film  # noqa: PLC0415  # OpenCV, which --help need not wait for
    from vision.lab.benchmarks.looping_camera import still as unchanged  # noqa: PLC0415

    if not as_json:
        click.echo(f"drawing rounds of {turns} turns and more ...", err=True)
    camera = Camera(film(turns, _FPS), _FPS)
    on = {**machine(), "cores": os.cpu_count()}
    if not as_json:
        click.echo(f"{on['python']} on {on['cpu']}, {on['cores']} cores")
    with tempfile.TemporaryDirectory() as folder, _Server(Path(folder)) as server:
        page = _Page(server.port, server.table)
        with _Process(
            "worker", _watch, camera.url, f"http://127.0.0.1:{server.port}/t/{server.table}"
        ) as worker:
            _play(page, turns, minutes, (server, worker))
            played = _played(camera.shown, page, server, worker)
            memory = _memory(server, worker)
            quiet = []
            for size in _SIZES if still else ():
                camera.show(unchanged(size))
                quiet.append({"size": list(size), **_quiet(still, server, worker)})
        page.close()
    camera.close()
    for told in (played, *quiet, memory):
        if as_json:
            print_json({**told, **on})
        else:
            click.echo(_line(told))


def _line(told: Mapping[str, Any]) -> str:
    if told["what"] == "latency" and "ms" not in told:
        return "no change could be traced back to its table"
    if told["what"] == "latency":
        rows = [f"{told['n']} settled tables told of, {told['again']} at a second look; load {told['load']}"]
        rows += [
            f"  {_SAID[stage]:<34}{ms['p50']:>9.1f}{ms['p95']:>9.1f} ms" for stage, ms in told["ms"].items()
        ]
        return "\n".join(rows)
    if told["what"] == "unchanged":
        wide, high = told["size"]
        shares = ", ".join(f"{name} {share} %" for name, share in told["core_percent"].items())
        return f"an unchanged table of {wide} x {high}, {told['seconds']} s: {shares} of a core; load {told['load']}"
    rows = [f"memory over {told['minutes']} minutes; load {told['load']}"]
    for name, each in told["mb"].items():
        grows = "" if each["growth"] is None else f", {each['growth']:+.1f} MB an hour"
        rows.append(f"  {name:<10}{each['start']:>7} -> {each['end']} MB, at most {each['most']}{grows}")
    rows.append(f"  together at most {told['together']} MB")
    return "\n".join(rows)


def _load() -> float | None:
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None


# --- what is measured


def _play(page: _Page, turns: int, minutes: float, processes: tuple[_Process, ...]) -> None:
    """Wait until so many changes came and the time is over."""
    until, last = time.monotonic() + 60 * minutes, time.monotonic()
    while len(page.received) < turns or time.monotonic() < until:
        count = len(page.received)
        time.sleep(0.2)
        for process in processes:
            process.check()
        if len(page.received) > count:
            last = time.monotonic()
        elif time.monotonic() - last > _PATIENCE_S:
            raise click.ClickException(
                f"nothing was told of the table for {_PATIENCE_S:.0f} s: is this machine very busy (load {_load()})?"
            )


def _played(
    shown: list[tuple[float, int | None]], page: _Page, server: _Process, worker: _Process
) -> dict[str, Any]:
    from vision.lab.benchmarks.latency import latency, traced  # noqa: PLC0415  # as above

    told = traced(
        dict(page.received),
        dict(server.noted("published")),
        [at for (at,) in server.noted("arrived")],
        worker.noted("look"),
        list(shown),
    )
    return {"what": "latency", **latency(told), "fps": _FPS, "load": _load()}


def _quiet(seconds: float, server: _Process, worker: _Process) -> dict[str, Any]:
    """Watch what does not change."""
    time.sleep(_CALM_S)
    began = {each.name: each.usage()[-1] for each in (server, worker)}
    time.sleep(seconds)
    shares = {}
    for each in (server, worker):
        (then, before, _), (now, after, _) = began[each.name], each.usage()[-1]
        shares[each.name] = round(100 * (after - before) / max(now - then, 1e-6), 1)
    return {"what": "unchanged", "seconds": seconds, "core_percent": shares, "load": _load()}


def _memory(server: _Process, worker: _Process) -> dict[str, Any]:
    from vision.lab.benchmarks.latency import growth  # noqa: PLC0415  # as above

    mb, together, minutes = {}, 0, 0.0
    for process in (server, worker):
        used = process.usage()
        sizes = [size for _, _, size in used]
        minutes = (used[-1][0] - used[0][0]) / 60
        mb[process.name] = {
            "start": round(sizes[0]),
            "end": round(sizes[-1]),
            "most": round(max(sizes)),
            "growth": growth([(at, size) for at, _, size in used]),
        }
        together += round(max(sizes))  # as the parts are told, or they do not add up to it
    return {
        "what": "memory",
        "mb": mb,
        "together": together,
        "minutes": round(minutes, 1),
        "load": _load(),
    }


class _Page:
    """A page that follows a table, and the next one when its game is over."""

    def __init__(self, port: int, table: str) -> None:
        self.received: dict[str, float] = {}
        """When each change was there, s of `time.monotonic`, by the table and its number there."""
        self._port, self._closed = port, False
        self._thread = threading.Thread(target=self._follow, args=(table,), name="page", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Follow no more."""
        self._closed = True

    def _follow(self, table: str | None) -> None:
        while table is not None and not self._closed:
            connection = HTTPConnection("127.0.0.1", self._port, timeout=60)
            try:
                connection.request("GET", f"/api/tables/{table}/events")
                table = self._read(connection.getresponse(), table)
            except OSError:
                time.sleep(0.1)
            finally:
                connection.close()

    def _read(self, lines: Any, table: str) -> str | None:
        """Note the changes of a stream, and return the table that it leads to."""
        told: dict[str, str] = {}
        for line in lines:
            field, _, value = line.decode().rstrip("\n").partition(": ")
            if field:
                told[field] = value
                continue
            now, event = time.monotonic(), told.get("event")
            if event == "change":
                self.received[f"{table} {told['id']}"] = now
            elif event == "next":
                return str(json.loads(told["data"])["table"])
            told = {}
        return None


# --- the processes


class _Process:
    """A process of its own that sends notes: a kind, then times or sizes."""

    def __init__(self, name: str, target: Callable[..., None], *given: str) -> None:
        self.name = name
        self._notes: list[tuple[Any, ...]] = []
        context = get_context("spawn")
        self._ours, theirs = context.Pipe()
        self._process = context.Process(target=target, args=(theirs, *given), name=name, daemon=True)
        self._process.start()
        theirs.close()
        self._thread = threading.Thread(target=self._listen, name=f"notes of {name}", daemon=True)
        self._thread.start()

    def __enter__(self) -> _Process:
        return self

    def __exit__(self, *exc_info: object) -> None:
        with suppress(OSError):  # it may have ended already
            self._ours.send("end")
        self._process.join(5)
        if self._process.is_alive():
            self._process.terminate()
            self._process.join()

    def noted(self, kind: str) -> list[Any]:
        """Return the notes of a kind, in order, without it."""
        return [note[1:] for note in list(self._notes) if note[0] == kind]

    def usage(self) -> list[tuple[float, float, float]]:
        """Return its notes of time, the processor's time (s) and memory (MB), once there are any."""
        return self.wait("usage")

    def wait(self, kind: str) -> list[Any]:
        """Return the notes of a kind, once there are any."""
        until = time.monotonic() + _PATIENCE_S
        while not (found := self.noted(kind)):
            self.check()
            if time.monotonic() > until:
                raise click.ClickException(f"the {self.name} did not start within {_PATIENCE_S:.0f} s")
            time.sleep(0.02)
        return found

    def check(self) -> None:
        """Raise where it has ended."""
        if not self._process.is_alive():
            raise click.ClickException(f"the {self.name} ended by itself, code {self._process.exitcode}")

    def _listen(self) -> None:
        with suppress(EOFError, OSError):
            while True:
                self._notes.append(self._ours.recv())


class _Server(_Process):
    """The server with a table, as ``companion serve`` has it beside a camera worker."""

    def __init__(self, folder: Path) -> None:
        super().__init__("server", _serve, str(folder))

    def __enter__(self) -> _Server:
        self.port, self.table = self.wait("serving")[0]
        return self


def _serve(notes: Connection, folder: str) -> None:
    """Serve a table in this process; note when looks arrive and when changes are published."""
    from api.app import create_app  # noqa: PLC0415
    from api.context import context  # noqa: PLC0415
    from api.serving.setup import make_server  # noqa: PLC0415
    from companion.hanafuda.rules import resolve  # noqa: PLC0415

    note = _Noting(notes)
    app = create_app(Path(folder))
    with app.app_context():
        held = context()
    table = held.tables.open(
        name=None,
        rules=resolve(None),
        players=("A", "B"),
        deck=None,
        actor="bench",
        source="program",
    ).table
    inner = app.wsgi_app

    def outer(environ: dict[str, Any], start: Any) -> Any:
        if environ["REQUEST_METHOD"] == "POST" and environ["PATH_INFO"].endswith("/looks"):
            note("arrived", time.monotonic())
        return inner(environ, start)

    def published() -> None:
        at = table
        while True:
            follower = held.hub.follow(at)
            try:
                while not (told := follower.take(3600)) or not told.startswith(b"event: next"):
                    if told and told.startswith(b"event: change"):
                        number = told.split(b"\n", 2)[1].removeprefix(b"id: ").decode()
                        note("published", f"{at} {number}", time.monotonic())
            except (EOFError, OverflowError):
                return
            at = str(json.loads(told.split(b"data: ", 1)[1])["table"])

    app.wsgi_app = outer  # type: ignore[assignment, method-assign]  # Flask's own way to put something in between
    threading.Thread(target=published, name="published", daemon=True).start()
    server = make_server(app, "127.0.0.1", 0, most_streams=100)
    note("serving", server.effective_port, table)
    threading.Thread(target=server.run, name="server", daemon=True).start()
    _end_with_parent(notes)


def _watch(notes: Connection, camera: str, table: str) -> None:
    """Watch the table in this process, as ``companion watch --table`` does; note when it looks."""
    from companion.hanafuda.registry import default_game  # noqa: PLC0415
    from vision.cli.source_argument import open_source  # noqa: PLC0415
    from vision.lab.benchmarks.latency import TimedObserver  # noqa: PLC0415
    from vision.photograph.scanner import Scanner  # noqa: PLC0415
    from vision.tracking.camera_loop import CameraLoop  # noqa: PLC0415
    from vision.tracking.table_observer import TableObserver  # noqa: PLC0415
    from vision.worker.client import TableClient  # noqa: PLC0415
    from vision.worker.loop import CameraWorker  # noqa: PLC0415
    from vision.worker.uplink import Uplink  # noqa: PLC0415

    note, stop = _Noting(notes), threading.Event()
    observer = TableObserver(Scanner(fast=True), default_game().slug, 2)
    source = open_source(camera, _FPS)
    worker = CameraWorker(
        source,
        CameraLoop(source, TimedObserver(observer, note)),
        observer,
        Uplink(TableClient(table)),
        name="bench",
    )
    threading.Thread(target=worker.run, args=(stop,), name="worker", daemon=True).start()
    _end_with_parent(notes)


class _Noting:
    """Sends notes to the parent, and how much this process uses every second."""

    def __init__(self, notes: Connection) -> None:
        self._notes, self._lock = notes, threading.Lock()
        threading.Thread(target=self._usage, name="usage", daemon=True).start()

    def __call__(self, *note: Any) -> None:
        """Send a note."""
        with suppress(OSError), self._lock:  # the parent may have gone; this process ends with it
            self._notes.send(note)

    def _usage(self) -> None:
        while True:
            time.sleep(_EVERY_S)
            self("usage", time.monotonic(), time.process_time(), _memory_now())


def _end_with_parent(notes: Connection) -> None:
    """Wait until the parent says so, or has gone."""
    with suppress(EOFError, OSError):
        notes.recv()
    os._exit(0)  # its threads wait for cameras and clients


def _memory_now(statm: Path = Path("/proc/self/statm")) -> float:
    """Return the memory this process holds (RSS), MB; the most it has held where the system tells no more."""
    if statm.exists():
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    import resource  # noqa: PLC0415  # Windows has none

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
