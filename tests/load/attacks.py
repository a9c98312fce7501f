"""Misbehaving clients: half-open connections, clients that never read, clients that vanish, and hostile pictures."""

from __future__ import annotations

import asyncio
import socket
import struct
import zlib
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from typing import Final

from tests.load.clients import NOT_LOCAL, Target, answered, reset, source_address

__all__ = ["ATTACKS", "attack"]

HALF_OPEN: Final = 1000
NEVER_READ: Final = 100
VANISH_PER_S: Final = 100
UPLOADERS: Final = 8

_RETRY_S: Final = 0.5
_DRIP_S: Final = 1.0
_SMALL_BUFFER: Final = 4096
_ADDRESSES: Final = 40
"""Addresses that half-open connections come from: 25 connections each, so that the limit per address does not stop
them."""
_HEAD: Final = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-"
_PATIENCE_S: Final = 120.0


class _Attack:
    """One kind of attack and its counters."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.counts: Counter[str] = Counter()

    async def connect(self, network: int, number: int, *, buffer: int | None = None) -> socket.socket:
        """Return a connection from one of the attackers' addresses."""
        client = socket.socket()
        client.setblocking(False)
        try:
            if buffer is not None:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
            if (source := source_address(network, number)) is not None:
                client.bind(source)
            await asyncio.get_running_loop().sock_connect(client, ("127.0.0.1", self.target.port))
        except BaseException:
            client.close()
            raise
        self.counts["connections"] += 1
        return client

    async def forever(self, each: Callable[[int], Awaitable[None]], number: int) -> None:
        """Repeat a misbehavior until the task is canceled."""
        while True:
            try:
                await each(number)
            except OSError:
                self.counts["closed by the server"] += 1
            await asyncio.sleep(_RETRY_S)

    async def half_open(self, number: int) -> None:
        """Send nothing, half a header, or one byte per second."""
        client = await self.connect(64, number % _ADDRESSES)
        with client:
            loop = asyncio.get_running_loop()
            if number % 3:
                await loop.sock_sendall(client, _HEAD)
            while number % 3 == 2:  # every third client drips until the server closes
                await asyncio.sleep(_DRIP_S)
                await loop.sock_sendall(client, b"a")
            await loop.sock_recv(client, 1)
        raise ConnectionResetError

    async def never_read(self, number: int) -> None:
        """Open a stream or request large responses, and read nothing."""
        client = await self.connect(80, number, buffer=_SMALL_BUFFER)
        with client:
            loop = asyncio.get_running_loop()
            path = self.target.stream_path if number % 2 else "/api/openapi.json"
            request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.target.port}\r\n{NOT_LOCAL}\r\n"
            while True:  # a write fails once the server has closed the connection
                await loop.sock_sendall(client, request.encode())
                await asyncio.sleep(10 * _DRIP_S)

    async def vanish(self, _: int) -> None:
        """Open 100 streams per second and disappear without closing them."""
        loop = asyncio.get_running_loop()
        request = f"GET {self.target.stream_path} HTTP/1.1\r\nHost: 127.0.0.1:{self.target.port}\r\n{NOT_LOCAL}\r\n".encode()
        number, due = 0, loop.time()
        while True:
            with suppress(OSError):
                client = await self.connect(96, number)
                await loop.sock_sendall(client, request)
                reset(client)
            number = (number + 1) % (10 * VANISH_PER_S)
            due += 1 / VANISH_PER_S
            await asyncio.sleep(max(0.0, due - loop.time()))

    async def pictures(self, number: int) -> None:
        """Upload pictures whose files are small and that are huge when decoded."""
        sides = ((50_000_000, 1), (7_071, 7_071), (2, 60_000), (3_000, 2_000))[number % 4]
        body = _form(_png(*sides))
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", self.target.port, local_addr=source_address(112, number)
        )
        try:
            writer.write(
                f"POST /api/scan HTTP/1.1\r\nHost: 127.0.0.1:{self.target.port}\r\n{NOT_LOCAL}"
                f"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode()
                + body
            )
            await writer.drain()
            status = (await asyncio.wait_for(reader.readline(), _PATIENCE_S)).split()
            self.counts[f"status {status[1].decode() if len(status) > 1 else 'none'}"] += 1
            await reader.read()
        finally:
            writer.close()


def _png(width: int, height: int) -> bytes:
    """Return a white PNG with 1 bit per pixel: a few kB, however large the picture."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    packer = zlib.compressobj(9)
    line = b"\0" + b"\xff" * ((width + 7) // 8)
    packed = b"".join(packer.compress(line) for _ in range(height)) + packer.flush()
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def _form(picture: bytes) -> bytes:
    head = b'--x\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n'
    return head + picture + b"\r\n--x--\r\n"


ATTACKS: Final = {
    "half-open": (HALF_OPEN, _Attack.half_open),
    "never-read": (NEVER_READ, _Attack.never_read),
    "vanish": (1, _Attack.vanish),
    "pictures": (UPLOADERS, _Attack.pictures),
}
"""The number of clients of each attack, and the method that each runs."""


async def attack(pipe: Connection, target: Target, names: Sequence[str]) -> None:
    """Run attacks until asked to end; a report has the counters of each attack by name."""
    attacks = {name: _Attack(target) for name in names}
    tasks = [
        asyncio.create_task(each.forever(partial(ATTACKS[name][1], each), number))
        for name, each in attacks.items()
        for number in range(ATTACKS[name][0])
    ]
    pipe.send("started")
    await answered(pipe, lambda: {name: dict(each.counts) for name, each in attacks.items()})
    for task in tasks:
        task.cancel()
