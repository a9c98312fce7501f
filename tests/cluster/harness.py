"""Starts the processes, phones, hosts and cameras, kills or restarts processes, and returns the figures."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psycopg

from tests.cluster.balancer import Balancer
from tests.cluster.cameras import CameraCrowd, evening_of_observations
from tests.cluster.followers import Crowd, follow_all
from tests.cluster.hosts import HostCrowd
from tests.cluster.outages import Kills, Restarts
from tests.load.clients import ClientProcess
from tests.load.usage import Usage
from tests.postgres import Cluster
from tests.real_server import START_S, RealServer

_PER_PAIRING: Final = 10
"""Phones that share a pairing; the server allows 24 streams for each."""
_USES: Final = 50
_PER_CLIENT_PROCESS: Final = 2000
_SETTLE_S: Final = 10.0
"""How long phones may take to get the last events, s."""
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
    host_period_s: float,
    kill_every_s: float | None = None,
    restart_every_s: float | None = None,
    report: Callable[[str], None],
) -> dict[str, Any]:
    """Run the load and return the figures. ``kill_every_s`` and ``restart_every_s``: when the next process is killed, or ended and
    started again; not both.
    """
    url = cluster.new_database()
    rounds = 1 + int(seconds / period_s / _ROUND_OBSERVATIONS)
    evening = evening_of_observations(rounds)
    report(f"evenings of {rounds} rounds with {len(evening)} observations")
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
                    follow_all, Crowd(start, ports, followed[start : start + _PER_CLIENT_PROCESS], cookies)
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
        balancer = stack.enter_context(Balancer(ports, phones))
        sending = CameraCrowd(balancer, opened[:cameras], evening, period_s)
        stack.callback(sending.end)
        hosts = HostCrowd(balancer, opened, host_period_s)
        stack.callback(hosts.end)
        outages = None
        if every_s := kill_every_s or restart_every_s:
            outages = (Kills if kill_every_s else Restarts)(servers, every_s, report)
            outages.start()
        began = time.monotonic()
        while time.monotonic() < began + seconds:
            time.sleep(min(10.0, began + seconds - time.monotonic()))
            report(f"{time.monotonic() - began:.0f} s: {sum(map(len, sending.events))} events of cameras")
        usage = [each.report() for each in usages]
        load = _difference(before, _database_load(database), time.monotonic() - began)
        if outages is not None:
            outages.end()
        sending.end()
        hosts.end()
        deadline = time.monotonic() + _SETTLE_S
        while True:
            reports = [crowd.ask() for crowd in crowds]
            stored = _Stored.read(database)
            newest = [each for one in reports for each in one["newest"]]
            behind = [
                (table, seen, stored.newest[table])
                for table, seen in zip(followed, newest, strict=True)
                if seen != stored.newest[table]
            ]
            if not behind or time.monotonic() > deadline:
                break
            time.sleep(0.5)
    faults = [fault for one in reports for fault in one["faults"]]
    refused = [*sending.client.refused, *hosts.client.refused]
    gaps = [each for one in reports for each in one["gaps"]]
    lost = [each for each in hosts.acknowledged if stored.entries[each] != 1] + [
        (table, seq)
        for table, seqs in zip(opened, sending.events, strict=False)
        for seq in seqs
        if seq > stored.newest[table]
    ]
    result = {
        "processes": processes,
        "tables": tables,
        "phones": phones,
        "cameras": cameras,
        "seconds": seconds,
        "kills": len(outages.began) if isinstance(outages, Kills) else 0,
        "restarts": len(outages.began) if isinstance(outages, Restarts) else 0,
        "observations": sum(sending.accepted),
        "entries": len(hosts.acknowledged),
        "events": sum(stored.newest.values()) - tables,
        "cameras_without_events": sending.events.count(set()),
        "not_stored_once": len(lost),
        "faults": len(faults),
        "behind": len(behind),
        "refused": len(refused),
        "repeated_observations": dict(sending.client.failed),
        "repeated_entries": dict(hosts.client.failed),
        "longest_entry_s": round(hosts.longest_s, 1),
        "reconnected": sum(one["reconnected"] for one in reports),
        "refused_streams": sum(one["refused"] for one in reports),
        "failed_connections": sum(one["failed"] for one in reports),
        "event_to_phone_ms": _percentiles([1000 * each for one in reports for each in one["latencies"]]),
        "without_stream_s": _percentiles([gap for each in gaps for gap in each]),
        "longest_without_stream_s": _percentiles([max(each, default=0.0) for each in gaps]),
        "takeover_s": None,
        "drain_s": None,
        "ready_s": None,
        "process_usage": usage if outages is None else "not measured with kills or restarts",
        "database_usage": cluster_usage.report(),
        "database": load,
    }
    if outages is not None:
        result["takeover_s"] = _percentiles(_takeovers(outages.began, sending.waits))
        result["ready_s"] = _percentiles(outages.ready_s)
    if isinstance(outages, Restarts):
        result["drain_s"] = _percentiles(outages.drain_s)
    report(f"{faults[:5]} {behind[:5]} {refused[:3]} {lost[:3]}")
    return result


@dataclass(frozen=True, slots=True)
class _Stored:
    """What the database has at the end."""

    newest: dict[str, int]
    """The number of the newest event of each table; events are numbered without gaps."""
    entries: Counter[tuple[str, str]]
    """How often each name was entered at each table."""

    @classmethod
    def read(cls, database: psycopg.Connection[Any]) -> _Stored:
        """Read it."""
        newest = "SELECT table_id, max(seq) FROM table_events GROUP BY table_id"
        entered = "SELECT table_id, data::json ->> 'name' FROM table_events WHERE kind = 'seated'"
        return cls(dict(database.execute(newest).fetchall()), Counter(database.execute(entered).fetchall()))


def _takeovers(ends: Sequence[float], waits: Sequence[tuple[float, float]]) -> list[float]:
    """Return how long after a process ended each observation that had to be sent again was accepted, s."""
    return [
        accepted - max(ended, began)
        for ended in ends
        for began, accepted in waits
        if began - 10 < ended < accepted < ended + 60
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
    if not values:
        return None
    if len(values) == 1:
        return {"n": 1, "max": round(values[0], 1)}
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    return {
        "n": len(values),
        "p50": round(cuts[49], 1),
        "p95": round(cuts[94], 1),
        "p99": round(cuts[98], 1),
        "max": round(max(values), 1),
    }
