"""A server that runs in a thread, and raw connections to it from several addresses."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from api.serving.server import Server

TIMEOUT_S = 20.0


@contextmanager
def running(app: Callable[..., Any], most_streams: int = 2) -> Iterator[Server]:
    """Serve an application in a thread."""
    server = Server(
        app, "127.0.0.1", 0, most_streams=most_streams, recognize=lambda headers: "X_PAIRED" in headers
    )
    thread = threading.Thread(target=server.run, name="loop")
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join(TIMEOUT_S)
        server.close()
        assert not thread.is_alive()


class Clients:
    """Raw connections; all are closed at the end."""

    def __init__(self, server: Server) -> None:
        self.port = int(server.port)
        self.sockets: list[socket.socket] = []

    def connect(self, number: int, sent: bytes = b"", *, buffer: int | None = None) -> socket.socket:
        """Connect from the address of phone ``number`` and send some bytes."""
        client = socket.socket()
        self.sockets.append(client)
        if buffer is not None:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        client.bind((f"127.0.1.{number}", 0))
        client.settimeout(TIMEOUT_S)
        client.connect(("127.0.0.1", self.port))
        if sent:
            client.sendall(sent)
        return client

    def get(self, number: int, path: str = "/") -> int:
        """Return the status of a phone's request."""
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=TIMEOUT_S, source_address=(f"127.0.1.{number}", 0)
        )
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        finally:
            connection.close()


def response_of(client: socket.socket) -> http.client.HTTPResponse:
    """Return the response that begins to arrive on a connection."""
    response = http.client.HTTPResponse(client)
    response.begin()
    return response


def is_closed(client: socket.socket) -> bool:
    """Wait until the server closes a connection."""
    try:
        while client.recv(2**16):
            pass
    except ConnectionError:
        pass
    except TimeoutError:
        return False
    return True


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)
