"""``companion bench live``: latency from a table to a page, and resource use of server and camera worker."""

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

#: Frame rate of the camera, frames/s.
_FPS: Final = 10.0
#: Picture sizes (width, height) in which an unchanged table is watched, px.
_SIZES: Final = ((1280, 720), (1920, 1080))
#: The watcher observes an unchanged table twice more and then idles; measuring starts after this time, s.
_CALM_S: Final = 6.0
#: Interval between samples of memory and CPU time, s.
_SAMPLE_S: Final = 1.0
#: Maximum time until a process starts, and between two changes, s.
_TIMEOUT_S: Final = 120.0
_STAGE_TITLES: Final = {
    "stability": "wait until the table is stable",
    "observation": "detection and recognition",
    "upload": "upload to the server",
    "update": "referee, table, log",
    "stream": "event to the page",
    "total": "stable table to page",
}


@click.command("live")
@click.option(
    "--turns",
    type=click.IntRange(1, 10_000),
    default=20,
    show_default=True,
    help="Number of stable tables to measure.",
)
@click.option(
    "--minutes",
    type=click.FloatRange(min=0),
    default=0.0,
    show_default=True,
    help="Continue for this long, to measure the growth of memory.",
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
    """Measure the latency from a stable table to a page: camera, worker, server, and event stream on this
    machine.

    The camera plays drawn rounds with hands as motion JPEG, 10 frames per second. Reported are the median and
    the 95th percentile of the wall time (ms), CPU use in percent of one core, and memory (RSS) of server and
    worker (MB).
    """
    from hanafuda_training.benchmarks.looping_camera import LoopingCamera, film  # noqa: PLC0415  # OpenCV, which --help need not wait for
    from hanafuda_training.benchmarks.looping_camera import still as unchanged  # noqa: PLC0415

    if not as_json:
        click.echo(f"drawing rounds with at least {turns} turns ...", err=True)
    camera = LoopingCamera(film(turns, _FPS), _FPS)
    environment = {**machine(), "cores": os.cpu_count()}
    if not as_json:
        click.echo(f"{environment['python']} on {environment['cpu']}, {environment['cores']} cores")
    with tempfile.TemporaryDirectory() as folder, _ServerProcess(Path(folder)) as server:
        page = _Page(server.port, server.table)
        with _Process(
            "worker", _watch, camera.url, f"http://127.0.0.1:{server.port}/t/{server.table}"
        ) as worker:
            _wait_for_changes(page, turns, minutes, (server, worker))
            latency = _latency(camera.displayed, page, server, worker)
            memory = _memory(server, worker)
            idle = []
            for size in _SIZES if still else ():
                camera.show(unchanged(size))
                idle.append({"size": list(size), **_idle_cpu(still, server, worker)})
        page.close()
    camera.close()
    for result in (latency, *idle, memory):
        if as_json:
            print_json({**result, **environment})
        else:
            click.echo(_line(result))


def _line(result: Mapping[str, Any]) -> str:
    if result["what"] == "latency" and "ms" not in result:
        return "no change could be traced back to its table"
    if result["what"] == "latency":
        rows = [
            f"{result['n']} stable tables reported, {result['again']} of them at the second observation; load {result['load']}"
        ]
        rows += [
            f"  {_STAGE_TITLES[stage]:<34}{ms['p50']:>9.1f}{ms['p95']:>9.1f} ms"
            for stage, ms in result["ms"].items()
        ]
        return "\n".join(rows)
    if result["what"] == "unchanged":
        width, height = result["size"]
        usage = ", ".join(f"{name} {percent} %" for name, percent in result["core_percent"].items())
        return f"an unchanged table of {width} x {height}, {result['seconds']} s: {usage} of one core; load {result['load']}"
    rows = [f"memory over {result['minutes']} minutes; load {result['load']}"]
    for name, figures in result["mb"].items():
        growth = "" if figures["growth"] is None else f", {figures['growth']:+.1f} MB/h"
        rows.append(
            f"  {name:<10}{figures['start']:>7} -> {figures['end']} MB, at most {figures['most']}{growth}"
        )
    rows.append(f"  together at most {result['together']} MB")
    return "\n".join(rows)


def _load() -> float | None:
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None


# --- measurements


def _wait_for_changes(page: _Page, turns: int, minutes: float, processes: tuple[_Process, ...]) -> None:
    """Wait until at least ``turns`` changes were received and ``minutes`` have passed.

    Raises ``click.ClickException`` if a process ends or no change comes for `_TIMEOUT_S`.
    """
    end, last_change = time.monotonic() + 60 * minutes, time.monotonic()
    while len(page.received) < turns or time.monotonic() < end:
        count = len(page.received)
        time.sleep(0.2)
        for process in processes:
            process.check()
        if len(page.received) > count:
            last_change = time.monotonic()
        elif time.monotonic() - last_change > _TIMEOUT_S:
            raise click.ClickException(
                f"no change of the table was reported for {_TIMEOUT_S:.0f} s; the load of this machine is {_load()}"
            )


def _latency(
    displayed: list[tuple[float, int | None]], page: _Page, server: _Process, worker: _Process
) -> dict[str, Any]:
    from hanafuda_training.benchmarks.latency import latency, traced  # noqa: PLC0415  # as above

    changes = traced(
        dict(page.received),
        dict(server.noted("published")),
        [when for (when,) in server.noted("arrived")],
        worker.noted("observation"),
        list(displayed),
    )
    return {"what": "latency", **latency(changes), "fps": _FPS, "load": _load()}


def _idle_cpu(seconds: float, server: _Process, worker: _Process) -> dict[str, Any]:
    """Measure the CPU use of both processes over ``seconds`` while the table does not change."""
    time.sleep(_CALM_S)
    start = {process.name: process.usage()[-1] for process in (server, worker)}
    time.sleep(seconds)
    percent = {}
    for process in (server, worker):
        (then, before, _), (now, after, _) = start[process.name], process.usage()[-1]
        percent[process.name] = round(100 * (after - before) / max(now - then, 1e-6), 1)
    return {"what": "unchanged", "seconds": seconds, "core_percent": percent, "load": _load()}


def _memory(server: _Process, worker: _Process) -> dict[str, Any]:
    from hanafuda_training.benchmarks.latency import growth  # noqa: PLC0415  # as above

    mb, together, minutes = {}, 0, 0.0
    for process in (server, worker):
        samples = process.usage()
        sizes = [size for _, _, size in samples]
        minutes = (samples[-1][0] - samples[0][0]) / 60
        mb[process.name] = {
            "start": round(sizes[0]),
            "end": round(sizes[-1]),
            "most": round(max(sizes)),
            "growth": growth([(when, size) for when, _, size in samples]),
        }
        together += round(max(sizes))  # the sum of the rounded parts, so that the report adds up
    return {
        "what": "memory",
        "mb": mb,
        "together": together,
        "minutes": round(minutes, 1),
        "load": _load(),
    }


class _Page:
    """A client that follows the events of a table, and of the next table when its game is over."""

    def __init__(self, port: int, table: str) -> None:
        self.received: dict[str, float] = {}
        """Time at which each change was received, s of `time.monotonic`, by "table number"."""
        self._port, self._closed = port, False
        self._thread = threading.Thread(target=self._follow, args=(table,), name="page", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop following."""
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
        """Record the changes of an event stream; return the next table, None if the stream ends without one."""
        fields: dict[str, str] = {}
        for line in lines:
            field, _, value = line.decode().rstrip("\n").partition(": ")
            if field:
                fields[field] = value
                continue
            now, event = time.monotonic(), fields.get("event")
            if event == "change":
                self.received[f"{table} {fields['id']}"] = now
            elif event == "next":
                return str(json.loads(fields["data"])["table"])
            fields = {}
        return None


# --- the processes


class _Process:
    """A child process that sends notes: tuples of a name and values."""

    def __init__(self, name: str, target: Callable[..., None], *arguments: str) -> None:
        self.name = name
        self._notes: list[tuple[Any, ...]] = []
        context = get_context("spawn")
        self._ours, theirs = context.Pipe()
        self._process = context.Process(target=target, args=(theirs, *arguments), name=name, daemon=True)
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
        """Return the values of all notes with a name, in order."""
        return [note[1:] for note in list(self._notes) if note[0] == kind]

    def usage(self) -> list[tuple[float, float, float]]:
        """Return the usage notes (time, s; CPU time, s; memory, MB), waiting for the first."""
        return self.wait("usage")

    def wait(self, kind: str) -> list[Any]:
        """Return the values of all notes with a name, waiting for the first.

        Raises ``click.ClickException`` if the process ends or sends none within `_TIMEOUT_S`.
        """
        deadline = time.monotonic() + _TIMEOUT_S
        while not (notes := self.noted(kind)):
            self.check()
            if time.monotonic() > deadline:
                raise click.ClickException(f"the {self.name} did not start within {_TIMEOUT_S:.0f} s")
            time.sleep(0.02)
        return notes

    def check(self) -> None:
        """Raise ``click.ClickException`` if the process has ended."""
        if not self._process.is_alive():
            raise click.ClickException(f"the {self.name} process ended with code {self._process.exitcode}")

    def _listen(self) -> None:
        with suppress(EOFError, OSError):
            while True:
                self._notes.append(self._ours.recv())


class _ServerProcess(_Process):
    """The server with one table, set up as by ``companion serve`` with a camera worker."""

    def __init__(self, folder: Path) -> None:
        super().__init__("server", _serve, str(folder))

    def __enter__(self) -> _ServerProcess:
        self.port, self.table = self.wait("serving")[0]
        return self


def _serve(notes: Connection, folder: str) -> None:
    """Serve a table in this process; note the arrival of observations and the publication of changes."""
    from api.app import create_app  # noqa: PLC0415
    from api.context import Context  # noqa: PLC0415
    from api.serving.server import Server  # noqa: PLC0415
    from companion.hanafuda.rules import resolve  # noqa: PLC0415

    note = _Notes(notes)
    server_context = Context(Path(folder))
    app = create_app(server_context)
    table = server_context.tables.open(
        name=None,
        rules=resolve(None),
        players=("A", "B"),
        deck=None,
        actor="bench",
        source="program",
    ).table
    inner = app.wsgi_app

    def timed_app(environ: dict[str, Any], start: Any) -> Any:
        if environ["REQUEST_METHOD"] == "POST" and environ["PATH_INFO"].endswith("/observations"):
            note("arrived", time.monotonic())
        return inner(environ, start)

    def note_changes() -> None:
        current = table
        while True:
            following = None
            for event in server_context.hub.follow(current):
                if event.startswith(b"event: change"):
                    number = event.split(b"\n", 2)[1].removeprefix(b"id: ").decode()
                    note("published", f"{current} {number}", time.monotonic())
                elif event.startswith(b"event: next"):
                    following = str(json.loads(event.split(b"data: ", 1)[1])["table"])
                    break
            if following is None:
                return
            current = following

    app.wsgi_app = timed_app  # type: ignore[assignment, method-assign]  # Flask's documented way to add middleware
    threading.Thread(target=note_changes, name="published", daemon=True).start()
    server = Server(app, "127.0.0.1", 0, most_streams=100)
    note("serving", server.port, table)
    threading.Thread(target=server.run, name="server", daemon=True).start()
    _wait_for_parent(notes)


def _watch(notes: Connection, camera: str, table: str) -> None:
    """Watch the table in this process as ``companion watch --table`` does; note start and end of
    observations.
    """
    from companion.hanafuda.registry import default_game  # noqa: PLC0415
    from hanafuda_training.benchmarks.latency import TimedObserver  # noqa: PLC0415
    from vision.cli.source_argument import open_source  # noqa: PLC0415
    from vision.photograph.scanner import Scanner  # noqa: PLC0415
    from vision.tracking.camera_loop import CameraLoop  # noqa: PLC0415
    from vision.tracking.table_view import TableView  # noqa: PLC0415
    from vision.worker.client import TableClient  # noqa: PLC0415
    from vision.worker.loop import CameraWorker  # noqa: PLC0415
    from vision.worker.uplink import Uplink  # noqa: PLC0415

    note, stop = _Notes(notes), threading.Event()
    scanner = Scanner(fast=True)
    observer = TimedObserver(scanner, default_game().slug, note)
    source = open_source(camera, _FPS)
    worker = CameraWorker(
        source,
        CameraLoop(source, observer, TableView(scanner)),
        observer,
        Uplink(TableClient(table)),
        name="bench",
    )
    threading.Thread(target=worker.run, args=(stop,), name="worker", daemon=True).start()
    _wait_for_parent(notes)


class _Notes:
    """Sends notes to the parent process, and the resource usage of this process every second."""

    def __init__(self, notes: Connection) -> None:
        self._notes, self._lock = notes, threading.Lock()
        threading.Thread(target=self._usage, name="usage", daemon=True).start()

    def __call__(self, *note: Any) -> None:
        """Send a note."""
        with suppress(OSError), self._lock:  # the parent may have gone; this process ends with it
            self._notes.send(note)

    def _usage(self) -> None:
        while True:
            time.sleep(_SAMPLE_S)
            self("usage", time.monotonic(), time.process_time(), _memory_now())


def _wait_for_parent(notes: Connection) -> None:
    """Block until the parent sends something or exits, then end this process."""
    with suppress(EOFError, OSError):
        notes.recv()
    os._exit(0)  # its threads wait for cameras and clients


def _memory_now(statm: Path = Path("/proc/self/statm")) -> float:
    """Return the memory (RSS) of this process, MB; its peak if the system does not report the present value."""
    if statm.exists():
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    import resource  # noqa: PLC0415  # Windows has none

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
