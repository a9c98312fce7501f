"""Starts the processes, phones and cameras, kills processes, and returns the figures."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Final

import psycopg

from companion.loadtest.clients import ClientProcess
from companion.loadtest.usage import Usage
from tests.cluster.cameras import CameraCrowd, evening_of_observations
from tests.cluster.followers import Crowd, follow_all
from tests.postgres import Cluster
from tests.real_server import START_S, RealServer

_PER_PAIRING: Final = 10
"""Phones that share a pairing; the server allows 24 streams for each."""
_USES: Final = 50
_PER_CLIENT_PROCESS: Final = 2000
_DOWN_S: Final = 3.0
"""How long a killed process stays down, s."""
_SETTLE_S: Final = 10.0
_EVENINGS: Final = 4
"""How many different evenings the cameras show; drawing them takes seconds."""
_ROUND_OBSERVATIONS: Final = 30
"""Observations of a round, at least on average."""


def _pair(server: RealServer, count: int) -> list[str]:
    """Pair phones and return their cookies."""
    cookies: list[str] = []
    while len(cookies) < count:
        uses = min(_USES, count - len(cookies))
        status, invited = server.request("POST", "/api/pairings", {"role": "scorer", "uses": uses})
        assert status == 201, invited
        for _ in range(uses):
            status, cookie = server.cookie("/api/pair", {"code": invited["code"]}, {"Via": "1.1 test"})
            assert status == 200, cookie
            cookies.append(cookie)
    return cookies


class _Killer(threading.Thread):
    """Kills one process after another, and starts it again."""

    def __init__(self, servers: Sequence[RealServer], every_s: float, report: Callable[[str], None]) -> None:
        super().__init__(daemon=True)
        self._servers = servers
        self._every_s = every_s
        self._report = report
        self.ended = threading.Event()
        self.kills: list[float] = []

    def run(self) -> None:
        while not self.ended.wait(self._every_s):
            server = self._servers[len(self.kills) % len(self._servers)]
            server.kill()
            self.kills.append(time.monotonic())
            time.sleep(_DOWN_S)
            took = server.start()
            self._report(f"kill {len(self.kills)}: started again after {took:.1f} s")


def run(
    folder: Path,
    cluster: Cluster,
    *,
    processes: int,
    tables: int,
    phones: int,
    cameras: int,
    seconds: float,
    period_s: float,
    kill_every_s: float | None,
    report: Callable[[str], None],
) -> dict[str, Any]:
    """Run the load and return the figures; `AssertionError` if a phone missed an event or got one twice."""
    url = cluster.new_database()
    rounds = 1 + int(seconds / period_s / _ROUND_OBSERVATIONS)
    evenings = [evening_of_observations(seed, rounds) for seed in range(min(_EVENINGS, cameras))]
    report(f"evenings of {rounds} rounds with {[len(each) for each in evenings]} observations")
    with ExitStack() as stack:
        servers = [
            RealServer(folder / str(number), store=url, options=["--phones", str(min(2000, phones + 200))])
            for number in range(processes)
        ]
        for server in servers:
            took = server.start()
            stack.callback(server.stop)
            report(f"a process started after {took:.1f} s")
        opened = []
        for number in range(tables):
            status, answer = servers[number % processes].request(
                "POST", "/api/tables", {"game": "koikoi", "players": ["Aiko", "Ben"]}
            )
            assert status == 201, answer
            opened.append(str(answer["id"]))
        cookies = _pair(servers[0], -(-phones // _PER_PAIRING))
        report(f"{tables} tables, {len(cookies)} pairings")
        ports = [server.port for server in servers]
        followed = [opened[number % tables] for number in range(phones)]
        crowds = [
            stack.enter_context(
                ClientProcess(
                    follow_all, Crowd(ports, followed[start : start + _PER_CLIENT_PROCESS], cookies)
                )
            )
            for start in range(0, phones, _PER_CLIENT_PROCESS)
        ]
        deadline = time.monotonic() + START_S
        while (connected := sum(crowd.ask()["connected"] for crowd in crowds)) < phones:
            assert time.monotonic() < deadline, connected
            time.sleep(1)
        report(f"{connected} phones follow")
        database = stack.enter_context(closing(psycopg.connect(url, autocommit=True)))
        before = _database_load(database)
        usages = [stack.enter_context(Usage(server.pid)) for server in servers]
        cluster_usage = stack.enter_context(Usage(cluster.pid))
        sending = CameraCrowd(ports, opened[:cameras], evenings, period_s, {})
        stack.callback(sending.end)
        killer = _Killer(servers, kill_every_s, report) if kill_every_s else None
        if killer is not None:
            killer.start()
        began = time.monotonic()
        while time.monotonic() < began + seconds:
            time.sleep(min(10.0, began + seconds - time.monotonic()))
            report(f"{time.monotonic() - began:.0f} s: {sum(sending.events)} events")
        usage = [each.report() for each in usages]
        load = _difference(before, _database_load(database), time.monotonic() - began)
        if killer is not None:
            killer.ended.set()
            killer.join()
        sending.end()
        time.sleep(_SETTLE_S)
        reports = [crowd.ask() for crowd in crowds]
        ends = dict(
            database.execute("SELECT table_id, max(seq) FROM table_events GROUP BY table_id").fetchall()
        )
    newest = [each for one in reports for each in one["newest"]]
    behind = [
        (table, seen, ends[table])
        for table, seen in zip(followed, newest, strict=True)
        if seen != ends[table]
    ]
    faults = [fault for one in reports for fault in one["faults"]]
    kills = killer.kills if killer is not None else []
    result = {
        "processes": processes,
        "tables": tables,
        "phones": phones,
        "cameras": cameras,
        "seconds": seconds,
        "kills": len(kills),
        "observations": sum(sending.accepted),
        "events": sum(ends.values()) - tables,
        "cameras_without_events": sending.events.count(0),
        "faults": len(faults),
        "behind": len(behind),
        "reconnected": sum(one["reconnected"] for one in reports),
        "refused_streams": sum(one["refused"] for one in reports),
        "refused_observations": len(sending.refused),
        "event_to_phone_ms": _percentiles([1000 * each for one in reports for each in one["latencies"]]),
        "without_stream_s": _percentiles([each for one in reports for each in one["gaps"]]),
        "takeover_s": _percentiles(_takeovers(kills, sending.waits)),
        "process_usage": usage if not kills else "not measured with kills",
        "database_usage": cluster_usage.report(),
        "database": load,
    }
    report(f"{faults[:5]} {behind[:5]} {sending.refused[:3]}")
    return result


def _takeovers(kills: Sequence[float], waits: Sequence[tuple[float, float]]) -> list[float]:
    """Return how long after a kill each observation that had to be sent again was accepted, s."""
    return [
        accepted - max(kill, began)
        for kill in kills
        for began, accepted in waits
        if began - 10 < kill < accepted < kill + 60
    ]


def _database_load(database: psycopg.Connection[Any]) -> dict[str, int]:
    found = database.execute(
        "SELECT xact_commit, xact_rollback, tup_returned, tup_inserted + tup_updated + tup_deleted, blks_read"
        " FROM pg_stat_database WHERE datname = current_database()"
    ).fetchone()
    assert found is not None
    (wal,) = database.execute("SELECT wal_bytes FROM pg_stat_wal").fetchone() or (0,)
    return dict(
        zip(("commits", "rollbacks", "rows_read", "rows_written", "blocks_read"), found, strict=True)
    ) | {"wal_bytes": int(wal)}


def _difference(before: dict[str, int], after: dict[str, int], seconds: float) -> dict[str, float]:
    return {f"{name}_per_s": round((after[name] - before[name]) / seconds, 1) for name in before}


def _percentiles(values: Sequence[float]) -> dict[str, float] | None:
    if len(values) < 2:
        return None
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    return {
        "n": len(values),
        "p50": round(cuts[49], 1),
        "p95": round(cuts[94], 1),
        "p99": round(cuts[98], 1),
        "max": round(max(values), 1),
    }
