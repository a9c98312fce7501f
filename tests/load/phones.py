"""Simulated phones that follow a table, many in one process, and record when each event arrives."""

from __future__ import annotations

import asyncio
import re
import ssl
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any, Final

from tests.load.clients import NOT_LOCAL, Target, answered, source_address

__all__ = ["follow"]

_NETWORK: Final = 16  # 127.0.16.0 and on
_CHANGE: Final = re.compile(rb"event: change\nid: ([0-9]+)\n")
_RETRY_S: Final = 1.0
_HEAD_BYTES: Final = 2048
"""Number of bytes of a message (the first one includes the response header) that are searched for its sequence
number."""
_BUFFER_BYTES: Final = 2**16
_MAX_CONNECTING: Final = 40
"""Maximum number of phones that connect at the same time at the start."""


class _Phone(asyncio.BufferedProtocol):
    """The event stream of one phone."""

    def __init__(self, group: _Phones, number: int) -> None:
        self._group = group
        self._number = number
        self._waiting = bytearray()
        self._started = False
        self.ended = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        cookie = self._group.cookies[self._number % len(self._group.cookies)]
        transport.write(
            f"GET {self._group.target.stream_path} HTTP/1.1\r\nHost: 127.0.0.1:{self._group.target.port}\r\n"
            f"{NOT_LOCAL}Cookie: {cookie}\r\n\r\n".encode()
        )

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._group.buffer

    def buffer_updated(self, nbytes: int) -> None:
        self._waiting += self._group.buffer[:nbytes]
        while (end := self._waiting.find(b"\n\n")) >= 0:  # the end of a message; the framing of HTTP has \r\n
            head = bytes(self._waiting[: min(end, _HEAD_BYTES)])
            del self._waiting[: end + 2]
            if not self._started:
                self._started = True
                self._group.connected(head)
            elif (match := _CHANGE.search(head)) is not None:
                self._group.arrived(self._number, int(match[1]))

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_result(self._started)


class _Phones:
    def __init__(self, pipe: Connection, target: Target, count: int, cookies: Sequence[str]) -> None:
        self._pipe = pipe
        self.target = target
        self.cookies = cookies
        self._count = count
        self._connected = 0
        self._lost = 0
        self._refused = 0
        self._arrivals: list[tuple[int, int, float]] = []
        self.buffer = memoryview(bytearray(_BUFFER_BYTES))
        """Received bytes, of one phone after the other: a new buffer for each would cost more time than all the rest."""
        self._tls = None if target.root is None else ssl.create_default_context(cafile=target.root)

    def connected(self, head: bytes) -> None:
        if b"event: snapshot" in head:
            self._connected += 1
            if self._connected == self._count:
                self._pipe.send("connected")
        else:
            self._refused += 1

    def arrived(self, number: int, seq: int) -> None:
        self._arrivals.append((number, seq, time.monotonic()))

    def report(self) -> dict[str, Any]:
        return {"arrivals": self._arrivals, "lost": self._lost, "refused": self._refused}

    async def run(self) -> None:
        gate = asyncio.Semaphore(_MAX_CONNECTING)
        phones = [asyncio.create_task(self._keep_connected(number, gate)) for number in range(self._count)]
        await answered(self._pipe, self.report)
        for phone in phones:
            phone.cancel()

    async def _keep_connected(self, number: int, gate: asyncio.Semaphore) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                async with gate:
                    _, phone = await loop.create_connection(
                        lambda: _Phone(self, number),
                        "127.0.0.1",
                        self.target.port,
                        ssl=self._tls,
                        local_addr=source_address(_NETWORK, number),
                    )
                if await phone.ended:
                    self._lost += 1
            except OSError:
                self._refused += 1
            await asyncio.sleep(_RETRY_S)


async def follow(pipe: Connection, target: Target, count: int, cookies: Sequence[str]) -> None:
    """Follow a table with ``count`` phones; sends ``connected`` once all are connected. A report lists (phone, event,
    s) of all arrivals.
    """
    await _Phones(pipe, target, count, cookies).run()
