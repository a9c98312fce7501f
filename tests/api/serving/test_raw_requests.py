"""Unusual requests through the real web server: they do not confuse the identification of the sender."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.live.test_live_server import TIMEOUT_S, Server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder: Path = tmp_path_factory.mktemp("raw")
    server = Server(folder)
    server.open_table()
    yield server
    server.stop()


END = "\r\nConnection: close\r\n\r\n"


def answer(server: Server, *lines: str) -> tuple[int, str]:
    """Send lines unchanged; return the response's status and its text."""
    with socket.create_connection(("127.0.0.1", server.port), TIMEOUT_S) as connection:
        connection.sendall(("\r\n".join(lines) + END).encode("latin-1"))
        received = b""
        while chunk := connection.recv(65_536):
            received += chunk
    return int(received.split(maxsplit=2)[1]), received.decode("utf-8", "replace")


GET = "GET /api/me HTTP/1.1"


@pytest.mark.parametrize(
    ("lines", "status", "role"),
    [
        ((GET, "Host: localhost"), 200, "host"),
        ((GET, "hOsT:   LocalHost.:8420  "), 200, "host"),
        ((GET, "Host: localhost", "VIA: 1.1 x"), 200, "viewer"),
        ((GET, "Host: localhost", "x-real-ip: 127.0.0.1"), 200, "viewer"),
        ((GET, "Host: localhost", "X_Real_IP: 192.0.2.7"), 200, None),  # an underscore: ignored
        (("GET /api/me HTTP/1.0", "Host: localhost"), 200, "viewer"),
        (("GET /api/me HTTP/1.0",), 421, None),
        ((GET,), None, None),
        ((GET, "Host:"), None, None),
        ((GET, "Host: evil.example"), 421, None),
        ((GET, "Host: localhost", "Host: evil.example"), None, None),
        ((GET, "Host: evil.example", "Host: localhost"), None, None),
        ((GET, "Host: localhost,evil.example"), None, None),
        ((GET, "Host: localhost evil.example"), None, None),
        ((GET, "Host: evil@localhost"), None, None),
        ((GET, "Host: localhost\t"), 200, "host"),
        ((GET, "Host: \xe9vil"), None, None),
        (("GET http://evil.example/api/me HTTP/1.1", "Host: evil.example"), None, None),
        (("GET http://localhost/api/me HTTP/1.1", "Host: evil.example"), None, None),
        (("GET //evil.example/api/me HTTP/1.1", "Host: evil.example"), None, None),
        (("OPTIONS * HTTP/1.1", "Host: evil.example"), None, None),
        ((GET, "Host: localhost", "Origin: http://evil.example"), 403, None),
        ((GET, "Host: localhost", "Origin: null", "Origin: http://localhost"), 403, None),
        ((GET, "Host: localhost", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"), 403, None),
    ],
)
def test_no_spelling_of_a_request_makes_a_stranger_the_host(
    server: Server, lines: tuple[str, ...], status: int | None, role: str | None
) -> None:
    answered, text = answer(server, *lines)
    if status is None:
        assert answered in {308, 400, 404, 421}, text
        assert '"role"' not in text
    else:
        assert answered == status, text
    if role is not None:
        assert f'"role":"{role}"' in text.replace(" ", "")


@pytest.mark.parametrize(
    "path",
    [
        "//api/pairings",
        "/api//pairings",
        "/./api/pairings",
        "/static/../api/pairings",
        "/static/%2e%2e/api/pairings",
        "/api/pairings/",
        "/api/pairings%00",
        "/api/pairings;x",
        "/api/pairings?",
        "/api/pairings#x",
        "http://localhost/api/pairings",
    ],
)
def test_no_spelling_of_a_path_gets_around_the_table_of_routes(server: Server, path: str) -> None:
    """A request of an unpaired phone behind a proxy."""
    answered, text = answer(server, f"GET {path} HTTP/1.1", "Host: localhost", "Via: 1.1 phone")
    assert answered in {308, 400, 403, 404}, text
    assert '"pairings"' not in text


def test_a_body_does_not_hide_where_its_request_goes(server: Server) -> None:
    answered, text = answer(
        server,
        "POST /api/tables HTTP/1.1",
        "Host: evil.example",
        "Content-Type: application/json",
        "Connection: close",
        f"Content-Length: {len('{}') + len(END)}",
        "",
        "{}",
    )
    assert answered == 421, text
