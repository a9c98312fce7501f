"""Configures the waitress web server for long-lived streams and for phones that disappear without closing connections."""

from __future__ import annotations

import ctypes
import socket
import sys
from typing import Any, Final

from api.serving.channel import Channel
from api.serving.limits import FILE_SLACK, Connections, file_limit
from api.serving.server import Recognize, Server

_THREADS: Final = 40
"""Threads that handle requests. Pictures wait for their turn in some of them; streams need none."""
_TAB_CONNECTIONS: Final = 6  # maximum that a browser opens to one server
_SPARE_CONNECTIONS: Final = 1024
"""Additional connections; more than a few clients may open, so that they cannot use up all of them."""
_USER_TIMEOUT_MS: Final = 20_000
_KEEP_IDLE_S: Final = 30
#: Send buffer of a connection, bytes: enough for 200 Mbit/s at 5 ms, and 250 MB for 1,000 clients that do not read.
_SEND_BUFFER_BYTES: Final = 2**18
#: Bytes that the server buffers for a slow client; further ones wait in its stream's bounded queue.
_BUFFER_BYTES: Final = 2**20
#: Bytes of a body or response kept in memory; larger ones go to a temporary file.
_MEMORY_BYTES: Final = 2**16
_HEADER_BYTES: Final = 2**15
_M_ARENA_MAX: Final = -8  # glibc, malloc.h
_ARENAS: Final = 2


def make_server(
    app: Any,
    host: str,
    port: int,
    *,
    most_streams: int,
    behind_proxy: bool = False,
    recognize: Recognize | None = None,
) -> Server:
    """Return a server that is already listening. Raises `OSError` or `ValueError` if it cannot listen.

    ``run()`` serves until ``stop()``, or until `SystemExit` or `KeyboardInterrupt` is raised in it. ``behind_proxy``: all
    connections come from a reverse proxy, so there is no limit per address. ``recognize`` returns whether a paired device sent a
    request with the given headers; it is called for each request and must not block.
    """
    _share_memory()
    wanted = most_streams * _TAB_CONNECTIONS + _SPARE_CONNECTIONS
    limit = min(wanted, file_limit(wanted + FILE_SLACK) - FILE_SLACK)
    connections: Connections[Channel] = (
        Connections(limit, per_address=None) if behind_proxy else Connections(limit)
    )
    server = Server.listening(
        app,
        connections,
        recognize,
        host=host,
        port=port,
        threads=_THREADS,
        outbuf_high_watermark=_BUFFER_BYTES,
        outbuf_overflow=_BUFFER_BYTES,
        inbuf_overflow=_MEMORY_BYTES,
        clear_untrusted_proxy_headers=False,  # used only to detect that there is a proxy
        max_request_header_size=_HEADER_BYTES,
        max_request_body_size=sys.maxsize,  # waitress's error has no helpful text; see `api.serving.channel`
    )
    server.adj.socket_options = _socket_options()  # cannot be passed as an option; read for each connection
    return server


def _share_memory() -> None:
    """Make the threads share malloc arenas, because glibc would keep memory for each thread.

    Otherwise the server takes 170 instead of 121 MB after 25 turns of play observed by a camera.
    """
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # other C libraries do not have it
        if mallopt is not None:
            mallopt(_M_ARENA_MAX, _ARENAS)


def _socket_options() -> list[tuple[int, int, int]]:
    options = [
        (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
        (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
        (socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES),
    ]
    if hasattr(socket, "TCP_KEEPIDLE"):
        options.append((socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, _KEEP_IDLE_S))
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # A phone that lost the network does not close its connection, and a sleeping one reads nothing. Without this, the
        # kernel retries for a quarter of an hour and keeps its stream's place meanwhile.
        options.append((socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _USER_TIMEOUT_MS))
    return options
