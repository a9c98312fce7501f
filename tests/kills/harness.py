"""Clients that report events, send pictures and pair while the server is killed, and the comparison with the stored
data.

Every client remembers what the server acknowledged. After each kill the database must contain all of it
exactly once, the next start must be clean, and requests without a response are repeated with the same key, as
phones do.
"""

from __future__ import annotations

import hashlib
import random
import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from tests.kills.stored import Stored, in_database, in_folder
from tests.postgres import Cluster
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
            if status in {503, 507}:  # busy, or nothing can be stored: as a phone, try again
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
                elif status not in {503, 507}:
                    self.refused.append((status, answer))
            self._ended.wait(2)


def run(
    folder: Path,
    *,
    kills: int,
    seed: int,
    writers: int,
    report: Callable[[str], None],
    cluster: Cluster | None = None,
    kinds: Sequence[str] = ("server", "database", "connections"),
) -> dict[str, Any]:
    """Kill the server a number of times and return the figures; `AssertionError` if something acknowledged is lost or
    doubled.

    ``cluster``: the log is in a new database of this PostgreSQL server. Then that server is killed too, and all connections
    to it are cut, while the program runs on; ``kinds``: which of them.
    """
    draw = random.Random(seed)
    url = None if cluster is None else cluster.new_database()
    server = RealServer(folder, store=url)
    starts = [server.start()]
    load = Load(server, writers)
    faults = Counter[str]()

    def stored() -> Stored:
        return in_folder(folder) if url is None else in_database(url)

    try:
        for kill in range(1, kills + 1):
            if draw.random() > _AT_ONCE:
                load.wait_for_event()
            time.sleep(draw.uniform(*_LOAD_S))
            fault = "server" if cluster is None else draw.choice(kinds)
            faults[fault] += 1
            began = time.monotonic()
            if fault == "server":
                server.kill()
            elif cluster is not None and url is not None:
                if fault == "database":
                    cluster.kill()
                else:
                    cluster.cut(url)
            events, scans = Counter(load.events), dict(load.scans)
            if fault == "server":
                server.start()  # before the check, which would recover SQLite's WAL itself
            else:
                server.wait_until_ready()
            starts.append(time.monotonic() - began)
            stored().check(events, scans, exactly=False)
            status, health = server.request("GET", "/api/health")
            assert (status, health["status"], health["notices"]) == (200, "ok", []), health
            report(
                f"kill {kill} ({fault}): {len(events)} events, {len(scans)} scans acknowledged;"
                f" up after {starts[-1]:.1f} s"
            )
        load.end()
        assert load.refused == [], load.refused[:3]
        stored().check(load.events, load.scans, exactly=True)
        status, paired = server.request("GET", "/api/pairings")
        assert status == 200
        assert len(paired["pairings"]) >= load.pairings
    finally:
        server.stop()
    stored().check(load.events, load.scans, exactly=True)
    if cluster is not None and url is not None:
        cluster.remove_database(url)
    return {
        "kills": dict(faults),
        "events": sum(load.events.values()),
        "scans": len(load.scans),
        "pairings": load.pairings,
        "refused": len(load.refused),
        "start_s": {"median": round(statistics.median(starts), 2), "max": round(max(starts), 2)},
    }
