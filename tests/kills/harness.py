"""Clients that report events, send pictures and pair while the server is killed, and the comparison with the stored
data.

Every client remembers what the server acknowledged. After each kill the database must contain all of it
exactly once, the next start must be clean, and requests without a response are repeated with the same key, as
phones do.
"""

from __future__ import annotations

import hashlib
import random
import sqlite3
import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from tests.real_server import START_S, NoAnswerError, RealServer, form, picture

_RETRY_S: Final = 0.05
_LOAD_S: Final = (0.0, 2.0)
"""Duration of the load before a kill, s, from the first acknowledged event after a start."""
_AT_ONCE: Final = 0.2
"""Fraction of the kills that do not wait for an event: they occur just after the start."""
_GROUPS: Final = 40
"""Groups of events that a client reports at one table before it opens another one: a long table takes long to load."""


class Load:
    """The clients."""

    def __init__(self, server: RealServer, writers: int) -> None:
        self._server = server
        self._ended = threading.Event()
        self.events: Counter[tuple[str, str]] = Counter()
        """Acknowledged: table and name of each event."""
        self.scans: dict[str, str] = {}
        """Acknowledged: SHA-256 of the picture by the id of each scan."""
        self.pairings = 0
        """Acknowledged pairings."""
        self.refused: list[tuple[int, Any]] = []
        """Answers that nobody expects."""
        self._threads = [
            threading.Thread(target=self._write, args=(number,), daemon=True) for number in range(writers)
        ]
        self._threads.append(threading.Thread(target=self._scan, daemon=True))
        self._threads.append(threading.Thread(target=self._pair, daemon=True))
        for thread in self._threads:
            thread.start()

    def wait_for_event(self) -> None:
        """Wait until one more event is acknowledged."""
        before, end = len(self.events), time.monotonic() + START_S
        while len(self.events) == before:
            assert time.monotonic() < end, self.refused[-1:]
            time.sleep(0.005)

    def end(self) -> None:
        """Stop when every request has its response."""
        self._ended.set()
        for thread in self._threads:
            thread.join(120)
            assert not thread.is_alive()

    def _sent(self, method: str, path: str, body: object, headers: dict[str, str] | None = None) -> Any:
        """Send a request until it gets a response, and return it; None if it is refused."""
        while True:
            try:
                status, answer = self._server.request(method, path, body, headers, timeout=10)
            except NoAnswerError:
                time.sleep(_RETRY_S)
                continue
            if status in {200, 201}:
                return answer
            if status == 503:  # busy: as a phone, try again
                time.sleep(_RETRY_S)
                continue
            self.refused.append((status, answer))
            return None

    def _write(self, writer: int) -> None:
        number, table = 0, ""
        while not self._ended.is_set():
            if number % _GROUPS == 0:
                opened = self._sent("POST", "/api/tables", {"game": "koikoi", "players": ["Aiko", "Ben"]})
                table = opened["id"]
            name = f"writer {writer} no. {number}"
            # Two events at a time, so that a split group would be detected.
            events = [
                {"kind": "seated", "data": {"seat": seat, "name": f"{name}.{seat}"[:40]}} for seat in (1, 2)
            ]
            if self._sent(
                "POST", f"/api/tables/{table}/events", {"events": events, "key": f"{writer}-{number}"}
            ):
                for event in events:
                    self.events[table, event["data"]["name"]] += 1  # type: ignore[index]
            number += 1

    def _scan(self) -> None:
        number = 0
        while not self._ended.is_set():
            content = picture(number)
            if answer := self._sent("POST", "/api/scan", *form(content)):
                self.scans[answer["id"]] = hashlib.sha256(content).hexdigest()
            number += 1
            self._ended.wait(0.1)

    def _pair(self) -> None:
        while not self._ended.is_set():
            body = {"role": "scorer", "uses": 1, "name": "a phone"}
            if invited := self._sent("POST", "/api/pairings", body):
                try:
                    status, answer = self._server.request("POST", "/api/pair", {"code": invited["code"]})
                except NoAnswerError:
                    continue  # the invitation may be used up; then another one is used
                if status in {200, 201}:
                    self.pairings += 1
                elif status != 503:
                    self.refused.append((status, answer))
            self._ended.wait(2)


def run(
    folder: Path, *, kills: int, seed: int, writers: int, report: Callable[[str], None]
) -> dict[str, Any]:
    """Kill the server a number of times and return the figures; `AssertionError` if something acknowledged is lost or
    doubled."""
    draw = random.Random(seed)
    server = RealServer(folder)
    starts = [server.start()]
    load = Load(server, writers)
    try:
        for kill in range(1, kills + 1):
            if draw.random() > _AT_ONCE:
                load.wait_for_event()
            time.sleep(draw.uniform(*_LOAD_S))
            server.kill()
            events, scans = dict(load.events), dict(load.scans)
            starts.append(server.start())  # before the check, which would recover the database's WAL itself
            _check(folder, events, scans)
            status, health = server.request("GET", "/api/health")
            assert (status, health["status"], health["notices"]) == (200, "ok", []), health
            report(
                f"kill {kill}: {len(events)} events, {len(scans)} scans acknowledged; up after {starts[-1]:.1f} s"
            )
        load.end()
        assert load.refused == [], load.refused[:3]
        _check(folder, load.events, load.scans, exactly=True)
        status, paired = server.request("GET", "/api/pairings")
        assert status == 200
        assert len(paired["pairings"]) >= load.pairings
    finally:
        server.stop()
    _check(folder, load.events, load.scans, exactly=True)
    return {
        "kills": kills,
        "events": sum(load.events.values()),
        "scans": len(load.scans),
        "pairings": load.pairings,
        "refused": len(load.refused),
        "start_s": {"median": round(statistics.median(starts), 2), "max": round(max(starts), 2)},
    }


def _check(
    folder: Path, events: dict[tuple[str, str], int], scans: dict[str, str], *, exactly: bool = False
) -> None:
    """Compare the acknowledged data with the database: all of it once; ``exactly``: and nothing else."""
    with closing(sqlite3.connect(folder / "log.sqlite3")) as db:
        assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        stored = Counter(
            db.execute(
                "SELECT table_id, json_extract(data, '$.name') FROM table_events WHERE kind = 'seated'"
            ).fetchall()
        )
        numbers: dict[str, list[int]] = {}
        for table, seq in db.execute("SELECT table_id, seq FROM table_events ORDER BY table_id, seq"):
            numbers.setdefault(table, []).append(seq)
        pictures = dict(db.execute("SELECT id, sha256 FROM scans").fetchall())
    assert set(stored.values()) <= {1}, [each for each, count in stored.items() if count > 1]
    assert events.keys() <= stored.keys(), sorted(events.keys() - stored.keys())
    assert all(seqs == list(range(1, len(seqs) + 1)) for seqs in numbers.values())
    assert scans.keys() <= pictures.keys(), scans.keys() - pictures.keys()
    for scan_id in scans:
        sha256 = pictures[scan_id]
        (path,) = (folder / "evidence" / sha256[:2]).glob(f"{sha256}.*")
        assert hashlib.sha256(path.read_bytes()).hexdigest() == sha256
    if exactly:
        assert events.keys() == stored.keys(), sorted(stored.keys() - events.keys())
