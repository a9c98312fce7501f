"""The web server that serves the application: waitress, set up for streams that stay open and phones that vanish."""

from __future__ import annotations

import ctypes
import select
import socket
import sys
from typing import Any, Final

import waitress  # type: ignore[import-untyped]

__all__ = ["make_server"]

_OTHERS: Final = 40
"""Threads beside those of the streams. Pictures wait in theirs for their turn; the others answer everybody else meanwhile."""
_MOST_BYTES: Final = (
    256 * 2**20
)  # more is not even received; less is refused by the application, which says why
_TAB_CONNECTIONS: Final = 6  # what a browser opens to one server at most
_VANISHED_MS: Final = 30_000
#: Bytes that wait for one slow client in the server; the next ones wait in its stream's queue, which ends.
_WAITING_BYTES: Final = 2**20
_M_ARENA_MAX: Final = -8  # glibc, malloc.h
_ARENAS: Final = 2


def make_server(app: Any, host: str, port: int, *, most_streams: int) -> Any:
    """Return a server that listens already; `OSError` or `ValueError` where it cannot.

    ``run()`` serves until `SystemExit` or `KeyboardInterrupt` is raised in it.
    """
    _share_memory()
    server = waitress.create_server(
        app,
        host=host,
        port=port,
        threads=most_streams + _OTHERS,  # each stream holds one
        connection_limit=most_streams * _TAB_CONNECTIONS + _OTHERS,
        asyncore_use_poll=hasattr(select, "poll"),  # select() ends at 1,024 connections
        channel_timeout=120,  # longer than a stream's heartbeat
        channel_request_lookahead=1,  # so that a client that leaves is noticed while its stream is silent
        outbuf_high_watermark=_WAITING_BYTES,
        clear_untrusted_proxy_headers=False,  # nothing is believed of them but that a proxy stands in between
        max_request_body_size=_MOST_BYTES,
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
    ]
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # A phone that lost the network says no goodbye, and one that sleeps reads nothing: without this the kernel tries
        # for a quarter of an hour, and holds a thread here as long.
        options.append((socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _VANISHED_MS))
    return options
