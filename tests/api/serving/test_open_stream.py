"""Responses that stay open: messages in order without a thread each, heartbeats, replacements, and ends."""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from api.serving import gateway
from api.serving.connection import CONNECTION
from api.serving.server import Server
from tests.api.serving.raw_clients import Clients, is_closed, response_of, running, until

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="macOS has no other loopback addresses")


class Messages:
    """A stream of the messages that a test puts in; an `OverflowError` or `EOFError` is raised instead."""

    def __init__(self) -> None:
        self.waiting: deque[bytes | OverflowError | EOFError] = deque()
        self.closed = self.failing = False
        self.resynced_in: threading.Thread | None = None
        self.notify: Callable[[], None] = lambda: None

    def put(self, data: bytes | OverflowError) -> None:
        self.waiting.append(data)
        self.notify()

    def end(self) -> None:
        self.waiting.append(EOFError())
        self.notify()

    def take(self) -> bytes | None:
        taken = self.waiting.popleft() if self.waiting else None
        if isinstance(taken, Exception):
            raise taken
        return taken

    def resync(self) -> bytes:
        self.resynced_in = threading.current_thread()
        if self.failing:
            raise LookupError
        return b"resync"

    def on_change(self, notify: Callable[[], None]) -> None:
        self.notify = notify

    def close(self) -> None:
        self.closed = True


@contextmanager
def serving_messages(*, failing: bool = False) -> Iterator[tuple[Server, list[Messages], Clients]]:
    """Serve a stream for every request; ``failing``: an error follows instead of the response."""
    sources: list[Messages] = []

    def app(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        source = Messages()
        environ[CONNECTION].keep_open(source)
        sources.append(source)
        if failing:
            raise LookupError
        start("200 OK", [("Content-Type", "text/event-stream")])
        return iter([b"first"])

    with running(app) as server:
        clients = Clients(server)
        yield server, sources, clients
        for each in clients.sockets:
            each.close()


def test_silent_streams_hold_no_threads_and_their_messages_arrive_in_order() -> None:
    with serving_messages() as (_, sources, clients):
        streams = [
            clients.connect(1 + number % 20, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n") for number in range(60)
        ]
        responses = [response_of(each) for each in streams]
        until(lambda: len(sources) == 60)
        for number in range(100):
            for source in sources:
                source.put(b"<%d>" % number)
        expected = b"first" + b"".join(b"<%d>" % number for number in range(100))
        for response in responses:
            assert response.read(len(expected)) == expected
        assert threading.active_count() < 60


def test_a_stream_ends_after_its_last_message() -> None:
    with serving_messages() as (_, sources, clients):
        first = clients.connect(1, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        response = response_of(first)
        sources[-1].put(b"bye")
        sources[-1].end()
        assert response.read() == b"firstbye"
        first.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")  # the connection is used again
        response = response_of(first)
        until(lambda: len(sources) == 2)
        sources[-1].end()
        assert response.read() == b"first"
        assert response_of(clients.connect(1, b"GET / HTTP/1.0\r\n\r\n")).status == 505
        until(lambda: all(source.closed for source in sources))


def test_silence_is_broken_by_a_comment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "HEARTBEAT_S", 0.1)
    with serving_messages() as (_, _sources, clients):
        response = response_of(clients.connect(1, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
        beat = b": still here\n\n"
        assert response.read(5 + 2 * len(beat)) == b"first" + 2 * beat


def test_dropped_messages_are_replaced_by_a_worker() -> None:
    with serving_messages() as (_, sources, clients):
        response = response_of(clients.connect(1, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
        until(lambda: len(sources) == 1)
        (source,) = sources
        source.put(OverflowError())
        source.put(b"later")
        assert response.read(len(b"firstresynclater")) == b"firstresynclater"
        assert source.resynced_in is not None
        assert source.resynced_in.name != "server"


def test_a_stream_whose_replacement_fails_ends() -> None:
    with serving_messages() as (_, sources, clients):
        client = clients.connect(1, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        until(lambda: len(sources) == 1)
        sources[0].failing = True
        sources[0].put(OverflowError())
        until(lambda: sources[0].closed)
        assert is_closed(client)


@pytest.mark.parametrize("together", [True, False])
def test_a_client_that_sends_another_request_on_its_stream_is_disconnected(together: bool) -> None:
    request = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    with serving_messages() as (_, sources, clients):
        client = clients.connect(1, request * (2 if together else 1))
        if not together:
            assert client.recv(2**16)
            client.sendall(request)
        until(lambda: len(sources) == 1 and sources[0].closed)
        assert is_closed(client)


def test_a_stream_leaves_when_its_client_does() -> None:
    with serving_messages() as (server, sources, clients):
        client = clients.connect(1, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        until(lambda: len(sources) == 1)
        client.close()
        until(lambda: sources[0].closed and len(server.connections) == 0)


def test_a_stream_whose_request_fails_is_released() -> None:
    with serving_messages(failing=True) as (_, sources, clients):
        assert clients.get(1) == 500
        until(lambda: [source.closed for source in sources] == [True])
