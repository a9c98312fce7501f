"""``python -m tests.load`` measures how fast many phones receive each event, also while other clients misbehave."""

from __future__ import annotations

import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Final

import click

from companion.bench import machine
from companion.cli.terminal import json_option, print_json
from companion.hanafuda.registry import default_game
from companion.hanafuda.simulation import random_round, record_of
from tests.load.attacks import attack
from tests.load.clients import ClientProcess, Target
from tests.load.phones import follow
from tests.load.usage import Usage

__all__ = ["load"]

_ATTACKS: Final = ("half-open", "never-read", "vanish", "pictures")
_START_S: Final = 180.0
_PER_PAIRING: Final = 10
"""Phones that share a pairing; the server allows 24 streams per pairing."""
_USES: Final = 50
"""Maximum number of phones per invitation."""
_SETTLE_S: Final = 3.0
"""How long the attacks run before the first event, and how long phones may receive after the last one, s."""
_SPARE_STREAMS: Final = 100
"""Streams in addition to those of the phones, which attackers may take."""
_HOST: Final = {"Content-Type": "application/json"}


@click.command()
@click.option(
    "--phones",
    type=click.IntRange(1, 2000),
    default=500,
    show_default=True,
    help="The number of paired phones that follow the table.",
)
@click.option(
    "--rate",
    type=click.FloatRange(min=0, min_open=True, max=100),
    default=2.0,
    show_default=True,
    help="Events per second.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=1, max=3600),
    default=60.0,
    show_default=True,
    help="The duration of the measurement.",
)
@click.option(
    "--attack",
    "attacks",
    multiple=True,
    type=click.Choice((*_ATTACKS, "all")),
    help="An attack by other clients (repeatable): keep 1,000 connections half-open, never read 100 of the responses,"
    " open 100 streams per second and vanish, or upload malicious pictures without pause.",
)
@click.option("--tls", is_flag=True, help="Use HTTPS.")
@json_option
def load(
    *, phones: int, rate: float, seconds: float, attacks: tuple[str, ...], tls: bool, as_json: bool
) -> None:
    """Measure how fast paired phones receive each event, and the server's CPU and memory use, under load and attack.

    Starts `companion serve` on an empty data folder, pairs phones, and reports the moves of random rounds at a table that all of
    them follow. Times are milliseconds from sending an event to its arrival at a phone, over all phones and events. The clients
    run on the same machine, in separate processes, from addresses 127.0.N.N (not on macOS).
    """
    chosen = _ATTACKS if "all" in attacks else tuple(dict.fromkeys(attacks))
    with tempfile.TemporaryDirectory(prefix="companion-bench-") as folder, ExitStack() as stack:
        server = stack.enter_context(_serving(Path(folder), phones + _SPARE_STREAMS, tls=tls))
        result = _measure(server, phones, rate, seconds, chosen)
    result = {"what": "load", "tls": tls, **result, **machine(), "cores": os.cpu_count(), "load": _load()}
    if as_json:
        print_json(result)
    else:
        click.echo(_summary(result))


class _TestServer:
    def __init__(self, process: subprocess.Popen[str], port: int, secure: tuple[int, str] | None) -> None:
        self.process = process
        self.port = port
        self._secure = secure

    def call(
        self, method: str, path: str, document: object = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, Any, str]:
        """Send a request from this machine, which counts as a host; return the response's status, document and cookie."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=_START_S)
        try:
            body = None if document is None else json.dumps(document)
            connection.request(method, path, body, {**_HOST, **(headers or {})})
            answer = connection.getresponse()
            cookie = (answer.getheader("Set-Cookie") or "").partition(";")[0]
            return answer.status, json.loads(answer.read()), cookie
        finally:
            connection.close()

    def target(self, table: str, *, plain: bool = False) -> Target:
        """Return the address that clients connect to."""
        if plain or self._secure is None:
            return Target(self.port, table)
        return Target(self._secure[0], table, self._secure[1])

    def open_table(self) -> str:
        """Open a table and return its id."""
        status, answer, _ = self.call(
            "POST", "/api/tables", {"game": default_game().slug, "players": ["Aiko", "Ben"]}
        )
        if status != 201:
            raise click.ClickException(f"no table could be opened: {answer}")
        return str(answer["id"])

    def pair(self, count: int) -> list[str]:
        """Pair ``count`` phones and return their cookies."""
        cookies: list[str] = []
        while len(cookies) < count:
            uses = min(_USES, count - len(cookies))
            status, answer, _ = self.call("POST", "/api/pairings", {"role": "scorer", "uses": uses})
            if status != 201:
                raise click.ClickException(f"no phone could be invited: {answer}")
            code = {"code": answer["code"]}
            for _ in range(uses):
                status, answer, cookie = self.call("POST", "/api/pair", code, {"Via": "1.1 bench"})
                if status != 200:
                    raise click.ClickException(f"a phone could not be paired: {answer}")
                cookies.append(cookie)
        return cookies


@contextmanager
def _serving(folder: Path, streams: int, *, tls: bool) -> Iterator[_TestServer]:
    """Run `companion serve` on a data folder."""
    command, port, secure = [sys.executable, "-m", "companion.cli"], _free_port(), None
    options = ["--port", str(port), "--phones", str(streams), "--no-devices", "--json"]
    if tls:
        subprocess.run([*command, "https", "--data", str(folder), "--json"], check=True, capture_output=True)
        secure = (_free_port(), str(folder / "tls" / "ca.pem"))
        options += ["--https-port", str(secure[0])]
    with subprocess.Popen(
        [*command, "serve", "--host", "127.0.0.1", "--data", str(folder), *options],
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        try:
            assert process.stdout is not None
            if not process.stdout.readline():
                raise click.ClickException("the server did not start")
            yield _TestServer(process, port, secure)
        finally:
            process.terminate()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _measure(
    server: _TestServer, phones: int, rate: float, seconds: float, attacks: Sequence[str]
) -> dict[str, Any]:

    table = server.open_table()
    cookies = server.pair(-(-phones // _PER_PAIRING))
    with ExitStack() as stack:
        followers = stack.enter_context(ClientProcess(follow, server.target(table), phones, cookies))
        if followers.receive() != "connected":
            raise click.ClickException("the phones could not follow the table")
        attackers = None
        if attacks:
            target = server.target(table, plain=True)
            attackers = stack.enter_context(ClientProcess(attack, target, attacks))
            attackers.receive()
        time.sleep(_SETTLE_S)
        with Usage(server.process.pid) as usage:
            sent, refused = _report_events(server, table, rate, seconds)
            used = usage.report()
        time.sleep(_SETTLE_S)
        arrived = followers.ask()
        attacked = attackers.ask() if attackers is not None else {}
    return {
        "phones": phones,
        "rate": rate,
        "seconds": seconds,
        "attacks": attacked,
        **_latency(sent, arrived["arrivals"], phones),
        "events_refused": refused,
        "streams_lost": arrived["lost"],
        "streams_refused": arrived["refused"],
        **used,
    }


def _report_events(
    server: _TestServer, table: str, rate: float, seconds: float
) -> tuple[dict[int, tuple[float, float]], int]:
    """Report events at a constant rate; return by event number when each was sent and acknowledged, and the number of refused ones."""
    sent: dict[int, tuple[float, float]] = {}
    refused = 0
    play = _Play()
    began = time.monotonic()
    count = max(1, round(rate * seconds))
    threads: list[threading.Thread] = []
    lock = threading.Lock()  # events of a table must be sent in order

    def report() -> None:
        nonlocal refused
        at = time.monotonic()
        with lock, suppress(OSError):
            event = play.next()
            status, answer, _ = server.call("POST", f"/api/tables/{table}/events", {"events": [event]})
            if status == 200:
                sent[int(answer["seq"])] = (at, time.monotonic())
                play.stored(event, int(answer["seq"]))
                return
        refused += 1

    for number in range(count):
        time.sleep(max(0.0, began + number / rate - time.monotonic()))
        threads.append(threading.Thread(target=report))
        threads[-1].start()
    for thread in threads:
        thread.join()
    return sent, refused


class _Play:
    """A random round's deal and moves; then its last move is undone and repeated, so the number of legal events is unlimited."""

    def __init__(self) -> None:

        played = random_round(default_game().slug, 1)
        record = record_of(played)
        deal = {"kind": "dealt", "data": {key: record[key] for key in ("deal", "dealer", "month")}}
        moves = [
            {"kind": "moved", "data": {"player": move.player, "words": list(move.words())}}
            for move in played.moves[:-1]  # the round stays open
        ]
        self._coming: list[dict[str, Any]] = [deal, *moves]
        self._last_move = moves[-1]
        self._newest: tuple[str, int] = ("", 0)

    def next(self) -> dict[str, Any]:
        """Return the next event."""
        if self._coming:
            return self._coming[0]
        kind, seq = self._newest
        return self._last_move if kind == "undone" else {"kind": "undone", "data": {"of": seq}}

    def stored(self, event: Mapping[str, Any], seq: int) -> None:
        """Advance after the server has stored an event with the number ``seq``."""
        if self._coming:
            del self._coming[0]
        self._newest = (str(event["kind"]), seq)


def _latency(
    sent: Mapping[int, tuple[float, float]], arrivals: Sequence[tuple[int, int, float]], phones: int
) -> dict[str, Any]:
    """Return percentiles of the times from sending to arrival, ms, and the numbers of actual and missing arrivals."""
    first: dict[tuple[int, int], float] = {}
    for phone, seq, at in arrivals:
        if seq in sent:
            first.setdefault((phone, seq), at)
    times = sorted(1000 * (at - sent[seq][0]) for (_, seq), at in first.items())
    acknowledged = sorted(1000 * (after - before) for before, after in sent.values())
    return {
        "events": len(sent),
        "arrivals": len(times),
        "missing": phones * len(sent) - len(times),
        "ms": _percentiles(times),
        "acknowledged_ms": _percentiles(acknowledged),
    }


def _percentiles(times: Sequence[float]) -> dict[str, float] | None:
    if len(times) < 2:
        return None
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    return {
        "p50": round(cuts[49], 1),
        "p95": round(cuts[94], 1),
        "p99": round(cuts[98], 1),
        "max": round(times[-1], 1),
    }


def _load() -> float | None:
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None


def _summary(result: Mapping[str, Any]) -> str:
    over = "HTTPS" if result["tls"] else "HTTP"
    rows = [
        f"{result['phones']} phones over {over}, {result['rate']:g} events per second for {result['seconds']:g} s;"
        f" {result['cpu']}, {result['cores']} cores, load {result['load']}",
        f"  {result['events']} events, {result['arrivals']} arrivals, {result['missing']} missing,"
        f" {result['events_refused']} refused; streams lost {result['streams_lost']}, refused {result['streams_refused']}",
    ]
    for name, title in (("ms", "event to phone"), ("acknowledged_ms", "event to response")):
        if (ms := result[name]) is not None:
            rows.append(f"  {title:<22}" + "".join(f"{key} {value:>8} ms   " for key, value in ms.items()))
    if result["core_percent"] is not None:
        rows.append("  percent of one core      " + _pairs(result["core_percent"]))
        rows.append("  maximum memory, MB     " + _pairs(result["rss_mb"]))
    rows += [f"  attack {name:<15} {_pairs(counts)}" for name, counts in result["attacks"].items()]
    return "\n".join(rows)


def _pairs(answer: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in answer.items())


if __name__ == "__main__":
    load()
