"""Simulated phones that follow tables at several server processes, and check that they get every event once and in order.

Each connection goes to the process of the table. A phone that loses its stream reconnects as a browser does: after the time
that the server asked for, with the number of the last event that it got.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from multiprocessing.connection import Connection
from typing import Any, Final

from tests.cluster.balancer import Balancer
from tests.load.clients import NOT_LOCAL, answered

_RETRY_S: Final = 3.0
"""As long as a page waits until it reconnects, s, unless the server asks for another time."""
_MAX_CONNECTING: Final = 40
_RETRY: Final = re.compile(rb"\nretry: ([0-9]+)$")
_KIND: Final = re.compile(rb"event: ([a-z]+)\n(?:id: ([0-9]+)\n)?data: ", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Crowd:
    """Which phones a process simulates."""

    number: int
    ports: Sequence[int]
    tables: Sequence[str]
    """The table that each phone follows."""
    cookies: Sequence[str]
    """The phones take turns to use them."""


class _Phone:
    def __init__(self, group: _Group, number: int) -> None:
        self._group = group
        self._table = group.crowd.tables[number]
        self._cookie = group.crowd.cookies[number % len(group.crowd.cookies)]
        self.newest: int | None = None
        self.faults: list[str] = []
        self.reconnected = 0
        self.latencies: list[float] = []
        self.gaps: list[float] = []
        """Times without a stream, s."""
        self._reconnect_s = _RETRY_S

    async def follow(self) -> None:
        lost_at: float | None = None
        while True:
            try:
                reader, writer = await self._group.connect(self._table)
            except OSError:
                self._group.failed += 1
                await asyncio.sleep(self._reconnect_s)
                continue
            try:
                known = "" if self.newest is None else f"Last-Event-ID: {self.newest}\r\n"
                writer.write(
                    f"GET /api/tables/{self._table}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                    f"{NOT_LOCAL}Cookie: {self._cookie}\r\n{known}\r\n".encode()
                )
                head = await reader.readuntil(b"\r\n\r\n")
                if b" 200 " not in head[:16]:
                    self._group.refused += 1
                else:
                    waiting = b""
                    while data := await reader.read(2**16):
                        *blocks, waiting = (waiting + data).split(b"\n\n")
                        for block in blocks:
                            if self._take(block) and lost_at is not None:
                                self.gaps.append(time.monotonic() - lost_at)
                                lost_at = None
            except (OSError, EOFError):
                pass
            finally:
                writer.close()
            if lost_at is None:
                lost_at = time.monotonic()
            self.reconnected += 1
            await asyncio.sleep(self._reconnect_s)

    def _take(self, block: bytes) -> bool:
        """Check a message; return whether it has the state of the table."""
        if (match := _KIND.search(block)) is None or match[2] is None:
            if (asked := _RETRY.search(block)) is not None:
                self._reconnect_s = int(asked[1]) / 1000
            return False
        seq, now = int(match[2]), time.time()
        if match[1] == b"snapshot":
            if self.newest is not None:
                self.faults.append(f"a snapshot instead of the events after {self.newest}")
            self._group.connected += 1
        elif match[1] == b"change":
            events = _events(block[match.end() :])
            numbers = [event["seq"] for event in events]
            if numbers != list(range((self.newest or 0) + 1, seq + 1)) and not (
                numbers == [] and seq == self.newest  # reconnected, and nothing was missed
            ):
                self.faults.append(f"{numbers[:3]}…{numbers[-3:]} after {self.newest}, id {seq}")
            for event in events:
                self.latencies.append(now - datetime.fromisoformat(event["time"]).timestamp())
        else:  # resync: the stream was slower than the events
            self.faults.append(f"{match[1].decode()} at {self.newest}")
        self.newest = seq
        return True


def _events(data: bytes) -> list[dict[str, Any]]:
    """Return the events of a change, without parsing the state after them."""
    text = data.replace(b"\r\n", b"")
    start = text.index(b'"events":') + len(b'"events":')
    events, _ = json.JSONDecoder().raw_decode(text[start:].decode(errors="replace"))
    return list(events)


class _Group:
    def __init__(self, crowd: Crowd, balancer: Balancer) -> None:
        self.crowd = crowd
        self.connected = 0
        self.refused = 0
        """Requests that were answered with another status than 200."""
        self.failed = 0
        """Attempts to connect while no process accepted connections."""
        self._balancer = balancer
        self._gate = asyncio.Semaphore(_MAX_CONNECTING)
        self.phones = [_Phone(self, number) for number in range(len(crowd.tables))]

    async def connect(self, table: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to the process of a table; raises `OSError` if none accepts a connection."""
        async with self._gate:
            for port in self._balancer.ports(table):
                with suppress(OSError):
                    return await asyncio.open_connection("127.0.0.1", port, limit=2**20)
        raise ConnectionRefusedError

    def report(self) -> dict[str, Any]:
        return {
            "connected": self.connected,
            "refused": self.refused,
            "failed": self.failed,
            "newest": [phone.newest for phone in self.phones],
            "faults": [fault for phone in self.phones for fault in phone.faults],
            "reconnected": sum(phone.reconnected for phone in self.phones),
            "latencies": [each for phone in self.phones for each in phone.latencies],
            "gaps": [phone.gaps for phone in self.phones],
        }


async def follow_all(pipe: Connection, crowd: Crowd) -> None:
    """Follow the tables until asked to end; each question is answered with a report."""
    with Balancer(crowd.ports, crowd.number) as balancer:
        group = _Group(crowd, balancer)
        tasks = [asyncio.create_task(phone.follow()) for phone in group.phones]
        await answered(pipe, group.report)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
