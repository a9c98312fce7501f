"""Malicious pictures, sent to a real server: refused or scanned, while all other requests are answered."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.api.api_helpers import jpeg

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")

MAX_MEMORY = 2**30
TIMEOUT_S = 120.0


def until(true: Callable[[], object], patience: float = TIMEOUT_S) -> None:
    end = time.monotonic() + patience
    while not true():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)


def png(width: int, height: int, color: int = 0) -> bytes:
    """Return a PNG of one gray: less than a megabyte, whatever its size."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    line = b"\0" + b"\x80" * (width * {0: 1, 6: 4}[color])
    packer = zlib.compressobj(1)
    body = b"".join(packer.compress(line) for _ in range(height)) + packer.flush()
    header = struct.pack(">IIBBBBB", width, height, 8, color, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


class Serving:
    """`companion serve` as a process, with the memory use of it and its children."""

    def __init__(self, data: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = ["-m", "companion.cli", "serve", "--host", "127.0.0.1", "--port", str(self.port)]
        self.process = subprocess.Popen(
            [sys.executable, *command, "--data", str(data), "--no-devices"],
            stdout=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
        )
        until(self.answers)

    def answers(self) -> bool:
        with contextlib.suppress(OSError):
            return self.ask("GET", "/api/tables")[0] == 200
        return False

    def ask(
        self, method: str, path: str, body: bytes | None = None, kind: str = ""
    ) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)
        try:
            connection.request(method, path, body, {"Content-Type": kind} if kind else {})
            response = connection.getresponse()
            return response.status, dict(response.headers), response.read()
        finally:
            connection.close()

    def scan(self, picture: bytes) -> tuple[int, Any]:
        head = b'--x\r\nContent-Disposition: form-data; name="image"; filename="a"\r\n\r\n'
        status, _, body = self.ask(
            "POST", "/api/scan", head + picture + b"\r\n--x--\r\n", "multipart/form-data; boundary=x"
        )
        return status, json.loads(body)

    def processes(self) -> list[int]:
        found, left = [], [self.process.pid]
        while left:
            found.append(left.pop())
            for path in Path(f"/proc/{found[-1]}/task").glob("*/children"):
                with contextlib.suppress(OSError):
                    left += map(int, path.read_text().split())
        return found

    def memory(self) -> int:
        """Return the sum of the peak memory of all processes, bytes."""
        total = 0
        for each in self.processes():
            with contextlib.suppress(OSError):
                status = Path(f"/proc/{each}/status").read_text()
                total += int(status.partition("VmHWM:")[2].split()[0]) * 1024
        return total

    def stop(self, blow: signal.Signals = signal.SIGTERM) -> None:
        self.process.send_signal(blow)
        self.process.wait(TIMEOUT_S)


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Serving]:
    server = Serving(tmp_path / "data")
    yield server
    if server.process.poll() is None:
        server.stop()


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_the_pictures_that_stopped_an_evening(serving: Serving) -> None:
    """50,000,000 x 1 px took 93 s and 7.7 GB, 24 thumbnails of 7,071 x 7,071 px took 53 s and 11.7 GB."""
    status, refused = serving.scan(png(50_000_000, 1))
    assert (status, refused["type"]) == (422, "/problems/picture-shape")
    status, read = serving.scan(png(7071, 7071))
    assert (status, read["cards"]) == (200, [])
    assert serving.scan(png(7071, 7071, 6))[0] in {200, 413}, "the costliest of the PNGs that are allowed"
    answers: list[int] = []
    small = png(300, 300)

    def thumbnail() -> None:
        answers.append(serving.ask("GET", f"/api/scans/{read['id']}/picture?width=320")[0])

    def attack() -> None:
        answers.append(serving.scan(small)[0])

    threads = [threading.Thread(target=thumbnail) for _ in range(24)]
    threads += [threading.Thread(target=attack) for _ in range(16)]
    for each in threads:
        each.start()
    slowest = 0.0
    while any(each.is_alive() for each in threads):
        began = time.monotonic()
        assert serving.ask("GET", "/api/tables")[0] == 200
        slowest = max(slowest, time.monotonic() - began)
        time.sleep(0.05)
    assert set(answers) <= {200, 413, 503}
    assert 503 in answers, "sixteen at once are more than the queue holds"
    assert slowest < 20, "a request waited for a picture"
    assert serving.memory() < MAX_MEMORY
    until(lambda: serving.scan(jpeg())[0] == 200)


@pytest.mark.parametrize("blow", [signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_the_server(serving: Serving, blow: signal.Signals) -> None:
    until(lambda: serving.scan(jpeg())[0] == 200)
    processes = serving.processes()
    assert len(processes) > 1, "pictures are read in a process of its own"
    serving.stop(blow)
    until(lambda: not any(runs(each) for each in processes))
