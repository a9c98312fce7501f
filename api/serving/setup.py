"""The web server that serves the application: waitress, set up for streams that stay open and phones that vanish."""

from __future__ import annotations

import ctypes
import socket
import sys
from typing import Any, Final

from api.serving.limits import FILE_SLACK, Connections, file_limit
from api.serving.server import Recognize, Server

__all__ = ["make_server"]

_OTHERS: Final = 40
"""Threads beside those of the streams. Pictures wait in theirs for their turn; the others answer everybody else meanwhile."""
_TAB_CONNECTIONS: Final = 6  # what a browser opens to one server at most
_SPARE_CONNECTIONS: Final = 1024
"""Connections beside those of the phones; more than a few clients may have, so that they cannot take all."""
_VANISHED_MS: Final = 20_000
_PROBED_AFTER_S: Final = 30
#: Bytes that the system keeps for one client that does not read: 200 Mbit/s at 5 ms, and 250 MB for 1,000 such clients.
_SYSTEM_BYTES: Final = 2**18
#: Bytes that wait for one slow client in the server; the next ones wait in its stream's queue, which ends.
_WAITING_BYTES: Final = 2**20
#: Bytes of a body or answer that are kept in memory; more are in a temporary file.
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
    """Return a server that listens already; `OSError` or `ValueError` where it cannot.

    ``run()`` serves until ``stop()``, or until `SystemExit` or `KeyboardInterrupt` is raised in it. ``behind_proxy``: all
    connections are a reverse proxy's, so that there is no limit for one address. ``recognize`` tells from the headers of a request
    whether a paired device sent it; it is called for each request and must not wait for anything.
    """
    _share_memory()
    wanted = most_streams * _TAB_CONNECTIONS + _SPARE_CONNECTIONS
    most = min(wanted, file_limit(wanted + FILE_SLACK) - FILE_SLACK)
    connections = Connections(most, per_address=None) if behind_proxy else Connections(most)
    server = Server.listening(
        app,
        connections,
        recognize,
        host=host,
        port=port,
        threads=most_streams + _OTHERS,  # each stream holds one
        channel_request_lookahead=1,  # so that a client that leaves is noticed while its stream is silent
        outbuf_high_watermark=_WAITING_BYTES,
        outbuf_overflow=_WAITING_BYTES,
        inbuf_overflow=_MEMORY_BYTES,
        clear_untrusted_proxy_headers=False,  # nothing is believed of them but that a proxy stands in between
        max_request_header_size=_HEADER_BYTES,
        max_request_body_size=sys.maxsize,  # its own refusal has no detail for people; see `api.serving.channel`
    )
    server.adj.socket_options = _socket_options()  # no option of its own; read at each connection
    return server


def _share_memory() -> None:
    """Let the threads share memory: glibc would keep some for each, and all take their turns
    (170 instead of 121 MB after 25 turns of play at which a camera looked).
    """
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # other C libraries have none
        if mallopt is not None:
            mallopt(_M_ARENA_MAX, _ARENAS)


def _socket_options() -> list[tuple[int, int, int]]:
    options = [
        (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
        (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
        (socket.SOL_SOCKET, socket.SO_SNDBUF, _SYSTEM_BYTES),
    ]
    if hasattr(socket, "TCP_KEEPIDLE"):
        options.append((socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, _PROBED_AFTER_S))
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # A phone that lost the network says no goodbye, and one that sleeps reads nothing: without this the kernel tries
        # for a quarter of an hour, and holds a thread here as long.
        options.append((socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _VANISHED_MS))
    return options
