"""The client of the HTTP API: its requests, and its reaction to servers that refuse, disconnect, or are something
else."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import pytest

from companion.hanafuda.errors import BadRequestError
from companion.messages import error_text
from companion.net.client import AwayError, Client, RefusedError
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
        self.connections = 0
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                server.connections += 1
                super().setup()

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
def kept(server: Server) -> Iterator[Client]:
    made = Client(server.url, "secret").kept()
    yield made
    made.close()


def test_a_call_is_a_document_there_and_one_back(server: Server) -> None:
    assert Client(server.url, "secret").call("PUT", "/api/x", {"a": "é"}) == {"ok": True}
    ((method, path, body, headers),) = server.came
    assert (method, path, json.loads(body)) == ("PUT", "/api/x", {"a": "é"})
    assert headers == {"Authorization": "Bearer secret", "Content-Type": "application/json"}
    Client(server.url + "/t/abc/").call("GET", "/api/y")
    assert server.came[1][:3] == ("GET", "/api/y", b"")
    assert server.came[1][3] == {"Authorization": None, "Content-Type": None}


def test_a_kept_connection_stays_open(server: Server, kept: Client) -> None:
    for _ in range(3):
        kept.call("POST", "/api/x", {})
    assert server.connections == 1
    for _ in range(2):
        Client(server.url).call("GET", "/api/x")
    assert server.connections == 3


def test_a_kept_connection_that_the_server_closed_is_opened_again(server: Server, kept: Client) -> None:
    server.hangs_up = True
    for count in range(3):
        assert kept.call("POST", "/api/x", {"count": count}) == {"ok": True}
    assert [json.loads(body)["count"] for _, _, body, _ in server.came] == [0, 1, 2]


@pytest.mark.parametrize("status", [401, 403, 404, 409, 422])
def test_a_refusal_has_the_servers_sentence(server: Server, kept: Client, status: int) -> None:
    server.status, server.body = status, b'{"detail": "said no", "code": "x"}'
    for client in (kept, Client(server.url)):
        with raises_text(RefusedError, match="said no") as refused:
            client.call("GET", "/api/x")
        assert (refused.value.status, refused.value.problem["code"]) == (status, "x")
    server.body = b"<h1>No</h1>"
    with pytest.raises(RefusedError):
        kept.call("GET", "/api/x")


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (503, b'{"title": "busy"}', "busy"),
        (429, b"{}", "Too Many Requests"),
        (200, b"<html>", "did not respond with a JSON object"),
        (200, b"[]", "did not respond with a JSON object"),
    ],
)
def test_what_may_be_better_later_is_away(server: Server, status: int, body: bytes, message: str) -> None:
    server.status, server.body = status, body
    with raises_text(AwayError, match=message):
        Client(server.url).call("GET", "/api/x")


def test_waiting_for_an_answer_can_be_interrupted(server: Server, kept: Client) -> None:
    server.silent.set()

    def break_off() -> None:
        while not server.came:
            time.sleep(0.01)
        kept.break_off()

    breaking = threading.Thread(target=break_off)
    breaking.start()
    with pytest.raises(AwayError) as away:
        kept.call("GET", "/api/x")
    breaking.join()
    assert "timed out" not in error_text(away.value)
    with raises_text(AwayError, match="ending"):
        kept.call("GET", "/api/x")


@pytest.mark.parametrize(
    "url", ["", "box", "ftp://box", "http://", "http://box:port", "http://box:0", "//box"]
)
def test_invalid_addresses_are_rejected(url: str) -> None:
    with raises_text(BadRequestError, match="not a server's address"):
        Client(url)


def test_an_unreachable_server_is_reported_as_away() -> None:
    with raises_text(AwayError, match=r"http://127\.0\.0\.1:9 does not answer"):
        Client("http://127.0.0.1:9").call("GET", "/api/me")
