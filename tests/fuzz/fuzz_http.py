"""Send the web server bytes that are almost requests, in pieces, from several addresses, with connections that end at any moment.

    python -m tests.fuzz.fuzz_http --minutes 10

After every hundred connections the server must answer a proper request, have written no warning into its log, hold no
connection whose client has left, and not have grown. What fails is printed with the bytes that were sent before; the exit
status is then 1.
"""

from __future__ import annotations

import argparse
import logging
import random
import socket
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

sys.path.append(str(Path(__file__).parents[2]))
from api.serving.server import Server
from tests.api.api_helpers import ScannerDouble, context_of, make_app

ANSWER_S: Final = 20.0
"""How long a proper request may take, s; generous, because these tests also run on busy machines."""
GROWTH_BYTES: Final = 200 * 2**20
"""By how much the process may grow, bytes: the limits allow bodies and responses in memory."""
_ROUND: Final = 100

_SEEDS: Final = (
    b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /api/tables/%(table)s/events HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 1\r\n\r\n",
    b"GET /api/tables/%(table)s HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n",
    b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 18\r\n\r\n"
    b'{"game": "koikoi"}',
    b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    b"POST /api/scan HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Type: multipart/form-data; boundary=x"
    b'\r\nContent-Length: 100000\r\n\r\n--x\r\nContent-Disposition: form-data; name="picture"; filename="a"\r\n\r\n',
    b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\nUpgrade: h2c, websocket\r\nConnection: Upgrade\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
)
_TOKENS: Final = (
    b"\r\n", b"\n", b"\r\n\r\n", b"\0", b"\xff", b" ", b"\t", b":", b" HTTP/1.1", b"Content-Length: 5\r\n",
    b"Content-Length: 99999999999999999999\r\n", b"Transfer-Encoding: chunked\r\n", b"Host: localhost\r\n",
    b"Connection: close\r\n", b"Cookie: pairing=", b"//", b"%", b"%ff", b"[", b"ffffffffffffffff\r\n", b";" * 5000,
    b"x" * 40_000, b"A: b\r\n" * 500, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 30,
)  # fmt: skip


def _memory_bytes() -> int:
    """Return the memory that this process uses, bytes; 0 where the system does not tell (only Linux does here)."""
    with suppress(OSError):
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096
    return 0


class _Records(logging.Handler):
    """Keeps what was logged."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record."""
        self.texts.append(self.format(record))


class HttpFuzzer:
    """A server and a source of connections to it."""

    def __init__(self, server: Server, table: str, number: int) -> None:
        self._server, self._table, self._random = server, table.encode(), random.Random(number)
        self._records = _Records()
        logging.getLogger().addHandler(self._records)
        self._grown_from = _memory_bytes()
        self.connections = 0

    def round(self) -> str | None:
        """Make some connections; return what went wrong, with what was sent, or None."""
        sent = [self._connect() for _ in range(_ROUND)]
        self.connections += _ROUND
        if (fault := self._fault()) is None:
            return None
        return f"{fault}\nafter\n" + "\n".join(repr(each[:500]) for each in sent)

    def _fault(self) -> str | None:
        try:
            with socket.create_connection(("127.0.0.1", self._server.port), ANSWER_S) as client:
                client.sendall(b"GET /api/me HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                if not client.recv(100).startswith(b"HTTP/1.1 200"):
                    return "a proper request was refused"
        except OSError as error:
            return f"a proper request was not answered: {error}"
        if self._records.texts:
            return "written into the log: " + self._records.texts[0]
        deadline = time.monotonic() + ANSWER_S
        while len(self._server.connections):
            if time.monotonic() > deadline:
                return f"{len(self._server.connections)} connections are left"
            time.sleep(0.01)
        grown = _memory_bytes() - self._grown_from
        return f"the process has grown by {grown} bytes" if grown > GROWTH_BYTES else None

    def _connect(self) -> bytes:
        """Send almost a request in pieces, and leave; return what was to be sent."""
        rng = self._random
        data = bytearray(rng.choice(_SEEDS).replace(b"%(table)s", self._table))
        for _ in range(rng.choice((0, 1, 1, 2, 4, 8))):
            at = rng.randrange(len(data) + 1)
            match rng.randrange(5):
                case 0:
                    data[at:at] = rng.choice(_TOKENS)
                case 1:
                    del data[at : at + rng.randrange(1, 20)]
                case 2 if at < len(data):
                    data[at] = rng.randrange(256)
                case 3:
                    data += rng.choice(_SEEDS).replace(b"%(table)s", self._table)
                case _:
                    data[at:at] = data[: rng.randrange(200)]
        with socket.socket() as client, suppress(OSError):
            # So that ports of closed connections can be used by servers that listen on all addresses.
            client.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            client.bind((f"127.0.1.{rng.randrange(1, 200)}", 0))
            client.settimeout(ANSWER_S)
            client.connect(("127.0.0.1", self._server.port))
            if rng.random() < 0.2:  # a reset instead of a regular end
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            rest = bytes(data)
            while rest:
                piece = rng.choice((1, 3, 50, 1000, len(rest)))
                client.sendall(rest[:piece])
                rest = rest[piece:] if rng.random() < 0.9 else b""
            client.settimeout(rng.choice((0.001, 0.05)))
            client.recv(rng.choice((1, 4096)))
        return bytes(data)


@contextmanager
def fuzzer(number: int) -> Iterator[HttpFuzzer]:
    """Yield a fuzzer of the web server with the application in a temporary folder."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        app = make_app(Path(folder), ScannerDouble(), max_streams=200)
        context = context_of(app)
        opened = app.test_client().post("/api/tables", json={"game": "koikoi", "players": ["Aiko", "Ben"]})
        server = Server(app, "127.0.0.1", 0, most_streams=200)
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            yield HttpFuzzer(server, opened.get_json()["id"], number)
        finally:
            server.stop()
            thread.join()
            server.close()
            context.close()


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    asked = parser.parse_args()
    until = time.monotonic() + 60 * asked.minutes
    with fuzzer(asked.seed) as fuzzing:
        print(f"seed {asked.seed}", flush=True)
        while time.monotonic() < until:
            if fault := fuzzing.round():
                print(fault, flush=True)
                return 1
        print(f"{fuzzing.connections} connections, no fault", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
