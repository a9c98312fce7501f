"""The web server: uvicorn, with limits for phones that disappear and for clients that want to keep others out."""

from __future__ import annotations

import asyncio
import ctypes
import logging
import socket
import ssl
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Final, cast

import uvicorn

from api.serving.connection import ClientConnection, Connections, Listening
from api.serving.gateway import Gateway, Recognize
from api.serving.limits import FILE_SLACK, KEEP_ALIVE_S, file_limit

_TAB_CONNECTIONS: Final = 6  # maximum that a browser opens to one server
_SPARE_CONNECTIONS: Final = 1024
"""Additional connections; more than a few clients may open, so that they cannot use up all of them."""
_BACKLOG: Final = 128
"""Connections that the system accepts before the server does, and that the server accepts at once."""
_CHECK_S: Final = 1.0
"""How often connections are checked for expired time limits, and signals are handled that did not interrupt a wait, s."""
_M_ARENA_MAX: Final = -8  # glibc, malloc.h
_ARENAS: Final = 2

_log = logging.getLogger(__name__)


def _nobody(headers: Mapping[str, str]) -> bool:
    return False


class Server:
    """A server on one or more addresses, some of which may use TLS; `run` serves until `stop` or `finish`."""

    def __init__(
        self,
        app: Callable[..., Iterable[bytes]],
        host: str,
        port: int,
        *,
        most_streams: int,
        behind_proxy: bool = False,
        recognize: Recognize = _nobody,
    ) -> None:
        """Listen on all addresses of a host name. Raises `OSError` if that is not possible.

        ``behind_proxy``: all connections come from a reverse proxy, so there is no limit per address. ``recognize`` returns whether
        a paired device sent a request with the given headers; it is called for each request and must not block.
        """
        _share_memory()
        wanted = most_streams * _TAB_CONNECTIONS + _SPARE_CONNECTIONS
        most = min(wanted, file_limit(wanted + FILE_SLACK) - FILE_SLACK)
        self.connections = Connections(most, per_address=None) if behind_proxy else Connections(most)
        self.gateway = Gateway(app, recognize, behind_proxy=behind_proxy)
        self._listening = Listening(self.connections)
        self._sockets = _listen(host, port)
        self._loop: asyncio.AbstractEventLoop | None = None
        logging.getLogger("uvicorn.error").setLevel(logging.ERROR)  # its warnings are about strange requests
        self._uvicorn = uvicorn.Server(
            uvicorn.Config(
                self.gateway,
                http=cast(type[asyncio.Protocol], partial(ClientConnection, listening=self._listening)),
                loop="asyncio",
                ws="none",
                lifespan="off",
                interface="asgi3",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                backlog=_BACKLOG,
                timeout_keep_alive=int(KEEP_ALIVE_S),
            )
        )

    @property
    def port(self) -> int:
        """The port without TLS."""
        return int(self._sockets[0].getsockname()[1])

    def listen_tls(self, host: str, port: int, tls: ssl.SSLContext) -> int:
        """Also serve HTTPS, and return its port; call this before `run`. Raises `OSError` if the port is unavailable."""
        sockets = _listen(host, port)
        self._sockets += sockets
        secure = int(sockets[0].getsockname()[1])
        self._listening.tls[secure] = tls
        return secure

    def use_tls(self, tls: ssl.SSLContext) -> None:
        """Use another certificate for new connections; may be called from any thread."""
        for port in self._listening.tls:
            self._listening.tls[port] = tls

    def run(self) -> None:
        """Serve until `stop` or `finish` is called, or an exception is raised in this thread, as by a signal handler."""
        serving = threading.Thread(target=self._serve, name="server", daemon=True)
        serving.start()
        try:
            while serving.is_alive():
                serving.join(_CHECK_S)  # with an end: a wait is not always interrupted by a signal
        finally:
            self.stop()
            serving.join()

    def _serve(self) -> None:
        """Serve in a thread of its own, where uvicorn leaves the handlers of signals alone."""

        async def serve() -> None:
            self._loop = asyncio.get_running_loop()
            checking = self._loop.create_task(self._check_connections())
            await self._uvicorn.serve(self._sockets)
            checking.cancel()

        asyncio.run(serve())

    async def _check_connections(self) -> None:
        while True:
            await asyncio.sleep(_CHECK_S)
            try:
                self.connections.close_expired()
                self.gateway.wake_silent(self.connections)
            except Exception:  # the limits of the other connections must hold
                _log.exception("connections could not be checked")

    def finish(self, within_s: float) -> None:
        """Accept no more connections, and make `run` return when all requests have their responses, or after ``within_s`` s.

        May be called from any thread.
        """
        self._uvicorn.config.timeout_graceful_shutdown = int(within_s)
        self.gateway.finishing = True
        self._uvicorn.should_exit = True

    def stop(self) -> None:
        """Make `run` return; may be called from any thread."""
        self._uvicorn.force_exit = self._uvicorn.should_exit = True
        if self._loop is not None:
            with suppress(RuntimeError):  # it has ended
                self._loop.call_soon_threadsafe(self._close_connections)

    def _close_connections(self) -> None:
        for each in self.connections:
            each.close()

    def close(self) -> None:
        """Close the sockets, also of a server that never ran, and wait until no request is being handled."""
        for each in self._sockets:
            each.close()
        self.gateway.close()


def _listen(host: str, port: int) -> list[socket.socket]:
    """Return sockets that listen on all addresses of a host name."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    sockets: list[socket.socket] = []
    try:
        for family, address in dict.fromkeys((each[0], each[4]) for each in found):
            sockets.append(socket.create_server(address, family=family, backlog=_BACKLOG))
    except OSError:
        for each in sockets:
            each.close()
        raise
    return sockets


def _share_memory() -> None:
    """Make the threads share malloc arenas, because glibc would keep memory for each thread.

    Otherwise the server takes 170 instead of 121 MB after 25 turns of play observed by a camera.
    """
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # other C libraries do not have it
        if mallopt is not None:
            mallopt(_M_ARENA_MAX, _ARENAS)
