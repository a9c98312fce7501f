"""What clients send, and what the machine lacks, stops no evening: accidents and attacks on the real server."""

from __future__ import annotations

import errno
import http.client
import json
import logging
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
import werkzeug.formparser

from api.serving import limits
from api.serving.server import Server
from tests.api.api_helpers import ScannerDouble, context_of, make_app
from tests.api.serving.raw_clients import TIMEOUT_S, response_of, until

LONG = 31_000
"""Length of a header below the limit, bytes."""
FORM = "multipart/form-data; boundary=x"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    app = make_app(tmp_path_factory.mktemp("data"), ScannerDouble())
    server = Server(app, "127.0.0.1", 0, most_streams=20)
    thread = threading.Thread(target=server.run)
    thread.start()
    yield server
    server.stop()
    thread.join(TIMEOUT_S)
    server.close()
    context_of(app).close()


def connect(port: int, sent: bytes = b"") -> socket.socket:
    client = socket.create_connection(("127.0.0.1", port), TIMEOUT_S)
    client.sendall(sent)
    return client


def answer(port: int, *lines: str, body: bytes = b"") -> tuple[int, Any]:
    """Send lines and a body unchanged; return the response's status and its text."""
    request = "\r\n".join((*lines, f"Content-Length: {len(body)}", "", "")).encode("latin-1")
    with connect(port, request) as client:
        client.sendall(body)
        return read(client)


def read(client: socket.socket) -> tuple[int, str]:
    """Return the status and the text of a response."""
    with closing(response_of(client)) as response:
        return response.status, response.read().decode()


def form(picture: bytes) -> bytes:
    head = b'--x\r\nContent-Disposition: form-data; name="picture"; filename="a.jpg"\r\n\r\n'
    return head + picture + b"\r\n--x--\r\n"


# --- requests that no browser sends


@pytest.mark.parametrize(
    "name", ["Accept", "Accept-Language", "Authorization", "Content-Type", "Cookie", "Range", "X"]
)
@pytest.mark.parametrize("end", ["x", "\x01"])
@pytest.mark.parametrize("value", [" ", "a ", "\t", ",", ";", '"', "\\", "=", "a;q=0.5,", "a=b;"])
def test_a_long_header_keeps_nobody_waiting(server: Server, name: str, value: str, end: str) -> None:
    """A header with 31 kB of spaces stopped the server for 9 s: a regular expression took quadratic time."""
    strange = (
        f"GET /api/me HTTP/1.1\r\nHost: localhost\r\n{name}: {value * (LONG // len(value))}{end}\r\n\r\n"
    )
    with connect(server.port, strange.encode()) as client:
        other = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
        other.request("GET", "/api/me")
        assert other.getresponse().status == 200
        other.close()
        assert read(client)[0] in {200, 400, 401}


@pytest.mark.parametrize(
    "line",
    [
        "GET http://[ HTTP/1.1",
        "GET http://[::1 HTTP/1.1",
        "GET http://a:b HTTP/1.1",
        "GET //[ HTTP/1.1",
        "GET * HTTP/1.1",
        "CONNECT x:1 HTTP/1.1",
        "PRI * HTTP/2.0",
        "GET /\xff HTTP/1.1",
        "GET /%ff%00 HTTP/1.1",
        "\x16\x03\x01\x02",
        "GET / HTTP/1.1\r\nHost: [",
        "GET / HTTP/1.1\r\nCookie: \xff",
        "GET / HTTP/1.1\r\nAccept-Language: \xff",
        "GET / HTTP/1.1\r\nContent-Length: 1, 2",
        "GET / HTTP/1.1\r\nContent-Length: -1",
        "GET / HTTP/1.1\r\nContent-Length: ",
        "GET / HTTP/1.1\r\nContent-Length: 1e3",
        "POST / HTTP/1.1\r\nContent-Length: 18446744073709551615",
        "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999",
        "POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked",
        "GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade",
        "GET / HTTP/1.1\r\nno colon",
        "GET / HTTP/1.1\r\n folded: line",
    ],
)
def test_a_strange_request_writes_nothing_into_the_log(
    server: Server, caplog: pytest.LogCaptureFixture, line: str
) -> None:
    """2,000 requests with the address `http://[` wrote 3.8 MB of tracebacks."""
    with connect(server.port, f"{line}\r\nHost: localhost\r\n\r\n".encode("latin-1")) as client:
        assert 400 <= read(client)[0] < 500
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING]


def test_endless_parts_of_unknown_length_are_refused(server: Server) -> None:
    """Chunk sizes and trailers without an end took 300 MB of memory."""
    head = b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    with connect(server.port, head) as client:
        for _ in range(1000):
            client.sendall(b"1;" + b"x" * 10_000)
        status, text = read(client)
        assert (status, json.loads(text)["type"]) == (411, "/problems/length-required")


@pytest.mark.parametrize(
    ("path", "kind", "size"),
    [("/api/tables", "application/json", 19 * 2**20), ("/api/scan", FORM, 140 * 2**20)],
    ids=["an event of 19 MB", "a photograph of 140 MB"],
)
def test_who_sends_too_much_reads_why(server: Server, path: str, kind: str, size: int) -> None:
    """The connection was reset while the client was sending, so that the sentence was lost."""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {size}\r\n\r\n"
    )
    with connect(server.port, head.encode()) as client:
        for _ in range(size // 2**20):
            client.sendall(bytes(2**20))
        status, text = read(client)
        assert status == 413
        assert "too large" in json.loads(text)["detail"]


# --- a full disk


class FullDisk(tempfile.SpooledTemporaryFile[bytes]):
    """A temporary file that has no room for more than fits into memory."""

    def rollover(self) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class FullAtItsEnd(FullDisk):
    """One whose end fails, too: it writes what is buffered."""

    def close(self) -> None:
        super().close()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("disk", [FullDisk, FullAtItsEnd])
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the double's end, once more
def test_a_full_disk_refuses_photographs_and_the_server_lives(
    server: Server, monkeypatch: pytest.MonkeyPatch, disk: type[FullDisk]
) -> None:
    """The process ended: one photograph was enough."""
    lines = ("POST /api/scan HTTP/1.1", "Host: localhost", f"Content-Type: {FORM}")
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "SpooledTemporaryFile", disk)
        status, text = answer(server.port, *lines, body=form(bytes(200_000)))
        assert (status, json.loads(text)["type"]) == (507, "/problems/disk-full")
        assert answer(server.port, "GET /api/me HTTP/1.1", "Host: localhost")[0] == 200
    assert answer(server.port, *lines, body=form(bytes(200_000)))[0] != 507


def test_bodies_leave_space_for_the_log(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "DISK_RESERVE_BYTES", 2**62)
    lines = ("POST /api/scan HTTP/1.1", "Host: localhost", f"Content-Type: {FORM}")
    assert answer(server.port, *lines, body=form(bytes(200_000)))[0] == 507
    assert answer(server.port, *lines, body=form(bytes(100)))[0] != 507  # it stays in memory


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the form is left unclosed
def test_a_disk_that_fills_while_a_form_is_read_is_named(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(werkzeug.formparser, "SpooledTemporaryFile", FullDisk)
    lines = ("POST /api/scan HTTP/1.1", "Host: localhost", f"Content-Type: {FORM}", "Accept-Language: ja")
    status, text = answer(server.port, *lines, body=form(bytes(600_000)))
    assert status == 507
    assert "書き込めませんでした" in json.loads(text)["message"]


# --- few file descriptors


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of descriptors to set")
def test_unfinished_bodies_leave_descriptors_for_the_pages(tmp_path: Path) -> None:
    """At 1,024 descriptors, 1,000 unfinished bodies in temporary files were enough for a page to answer 500."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    few = "import resource, runpy; resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024)); runpy.run_module('companion.cli', run_name='__main__')"
    command = [sys.executable, "-c", few, "serve", "--host", "127.0.0.1", "--port", str(port)]
    with subprocess.Popen(
        [*command, "--data", str(tmp_path), "--no-devices", "--json"],
        stdout=subprocess.PIPE,
    ) as process:
        clients: list[socket.socket] = []
        try:
            assert process.stdout is not None
            assert process.stdout.readline()
            head = f"POST /api/scan HTTP/1.1\r\nHost: x\r\nContent-Type: {FORM}\r\nContent-Length: 900000\r\n\r\n"
            for number in range(1000):
                client = socket.socket()
                clients.append(client)
                client.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                client.bind((f"127.0.1.{1 + number % 50}", 0))
                client.settimeout(TIMEOUT_S)
                client.connect(("127.0.0.1", port))
                with suppress(ConnectionError):  # it had to make room
                    client.sendall(head.encode() + bytes(100_000))
            until(lambda: answer(port, "GET / HTTP/1.1", "Host: localhost")[0] == 200)
            statuses = [answer(port, "GET / HTTP/1.1", "Host: localhost")[0] for _ in range(20)]
            assert statuses == [200] * 20
        finally:
            for each in clients:
                each.close()
            process.terminate()
    assert process.returncode == 0
