"""The client of the HTTP API: its requests, and its reaction to servers that refuse, disconnect, or are something
else."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import pytest

from companion.hanafuda.errors import BadRequestError
from companion.messages import error_text
from companion.net import client as client_module
from companion.net.client import AwayError, Client, RefusedError
from tests.hardware.wait_until import until
from tests.http_double import HttpDouble
from tests.message_text import raises_text


class Server:
    """Responds as configured: `status` and `body`; `hangs_up` disconnects after each response without announcing it;
    `silent` never responds."""

    def __init__(self) -> None:
        self.status, self.body = 200, b'{"ok": true}'
        self.hangs_up = False
        self.silent = threading.Event()
        self.came: list[tuple[str, str, bytes, dict[str, str | None]]] = []
        self.connections = self.closed = 0
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                server.connections += 1
                super().setup()

            def finish(self) -> None:
                super().finish()
                self.connection.shutdown(socket.SHUT_RDWR)
                server.closed += 1

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                names = ("Authorization", "Content-Type")
                server.came.append(
                    (self.command, self.path, body, {name: self.headers.get(name) for name in names})
                )
                if server.silent.is_set():
                    while server.silent.is_set():
                        time.sleep(0.01)
                    self.close_connection = True
                    return
                self.send_response(server.status)
                self.send_header("Content-Length", str(len(server.body)))
                self.end_headers()
                self.wfile.write(server.body)
                self.close_connection = server.hangs_up

            do_GET = do_POST = do_PUT = answer  # noqa: N815  # http.server's names

            def log_message(self, *_: object) -> None:
                pass

        self._double = HttpDouble(Handler)
        self.url = self._double.url

    def close(self) -> None:
        self.silent.clear()
        self._double.close()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with Client(server.url, "secret") as made:
        yield made


def test_a_call_is_a_document_there_and_one_back(server: Server, client: Client) -> None:
    assert client.call("PUT", "/api/x", {"a": "é"}) == {"ok": True}
    ((method, path, body, headers),) = server.came
    assert (method, path, json.loads(body)) == ("PUT", "/api/x", {"a": "é"})
    assert headers == {"Authorization": "Bearer secret", "Content-Type": "application/json"}
    with Client(server.url + "/t/abc/") as without_token:
        without_token.call("GET", "/api/y")
    assert server.came[1] == ("GET", "/api/y", b"", {"Authorization": None, "Content-Type": None})


def test_the_connection_stays_open(server: Server, client: Client) -> None:
    for _ in range(3):
        client.call("POST", "/api/x", {})
    assert server.connections == 1


def test_a_connection_that_the_server_closed_is_opened_again(server: Server, client: Client) -> None:
    server.hangs_up = True
    for count in range(3):
        assert client.call("POST", "/api/x", {"count": count}) == {"ok": True}
        until(lambda: server.closed == server.connections)
    assert [json.loads(body)["count"] for _, _, body, _ in server.came] == [0, 1, 2]


@pytest.mark.parametrize("status", [401, 403, 404, 409, 422])
def test_a_refusal_has_the_servers_sentence(server: Server, client: Client, status: int) -> None:
    server.status, server.body = status, b'{"detail": "refused here", "code": "x"}'
    with raises_text(RefusedError, match="refused here") as refused:
        client.call("GET", "/api/x")
    assert (refused.value.status, refused.value.problem["code"]) == (status, "x")
    server.body = b"<h1>No</h1>"
    with pytest.raises(RefusedError):
        client.call("GET", "/api/x")


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (503, b'{"title": "busy"}', "busy"),
        (429, b"{}", "Too Many Requests"),
        (200, b"<html>", "did not respond with a JSON object"),
        (200, b"[]", "did not respond with a JSON object"),
    ],
)
def test_what_may_be_better_later_is_away(
    server: Server, client: Client, status: int, body: bytes, message: str
) -> None:
    server.status, server.body = status, body
    with raises_text(AwayError, match=message):
        client.call("GET", "/api/x")


def test_a_server_that_does_not_answer_in_time_is_away(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "_TIMEOUT_S", 0.1)
    server.silent.set()
    with Client(server.url) as client, raises_text(AwayError, match="timed out"):
        client.call("GET", "/api/x")


@pytest.mark.parametrize(
    "url", ["", "box", "ftp://box", "http://", "http://box:port", "http://box:0", "//box"]
)
def test_invalid_addresses_are_rejected(url: str) -> None:
    with raises_text(BadRequestError, match="not a server's address"):
        Client(url)


def test_an_unreachable_server_is_reported_as_away() -> None:
    with Client("http://127.0.0.1:9") as client, pytest.raises(AwayError) as away:
        client.call("GET", "/api/me")
    assert error_text(away.value) == "http://127.0.0.1:9 does not answer: Connection refused"
