"""The server: listening sockets and the loop that serves their connections."""

from __future__ import annotations

import errno
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Final

from waitress.adjustments import Adjustments  # type: ignore[import-untyped]
from waitress.server import TcpWSGIServer  # type: ignore[import-untyped]
from waitress.task import ThreadedTaskDispatcher  # type: ignore[import-untyped]

from api.serving.channel import Channel
from api.serving.fair_turns import FairQueue
from api.serving.limits import BodyBudget, Connections, is_exempt
from api.serving.server_loop import Loop
from companion.net.addresses import client_key

Recognize = Callable[[Mapping[str, str]], bool]

_CHECK_S: Final = 1.0
"""How often connections are checked for expired time limits, s."""
_FINISHING_CHECK_S: Final = 0.05
"""The same while the last requests are finished."""
_ACCEPTED_AT_ONCE: Final = 32
_NO_FILES: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


def _nobody(headers: Mapping[str, str]) -> bool:
    return False


class Server(TcpWSGIServer):  # type: ignore[misc]
    """A server on one or more addresses, some of which may use TLS; `run` serves until `stop`."""

    channel_class = Channel
    next_channel_cleanup: float = 0

    def __init__(
        self,
        application: Any,
        adj: Any,
        sockinfo: Any,
        *,
        connections: Connections[Channel],
        recognize: Recognize = _nobody,
        tls: ssl.SSLContext | None = None,
        shared: Server | None = None,
    ) -> None:
        """``recognize`` returns whether a paired device sent a request with these headers (upper case, underscores).

        ``shared``: the server whose loop, threads and limits this listener shares.
        """
        self.recognize = recognize
        self._tls = tls
        self._listeners: list[Server] = []
        self._stopping = threading.Event()
        self._finish_by: float | None = None
        self._first = self if shared is None else shared
        self._closed = False
        self.connections = connections
        if shared is None:
            self._working = threading.local()
            self.bodies = BodyBudget()
            loop: Loop = Loop()
            dispatcher = ThreadedTaskDispatcher()
            dispatcher.queue = FairQueue()
            dispatcher.set_thread_count(adj.threads)
        else:
            self._working, self.bodies = shared._working, shared.bodies
            loop, dispatcher = shared._map, shared.task_dispatcher
        super().__init__(application, map=loop, dispatcher=dispatcher, adj=adj, sockinfo=sockinfo)

    @classmethod
    def listening(
        cls,
        application: Any,
        connections: Connections[Channel],
        recognize: Recognize | None = None,
        **options: Any,
    ) -> Server:
        """Return a server that is already listening on all addresses of its host name."""
        adj = Adjustments(**options)
        first, *others = adj.listen
        shared: dict[str, Any] = {"connections": connections, "recognize": recognize or _nobody}
        server = cls(application, adj, first, **shared)
        for sockinfo in others:
            server._listeners.append(cls(application, adj, sockinfo, **shared, shared=server))
        return server

    def use_tls(self, tls: ssl.SSLContext) -> None:
        """Use another certificate for new connections; may be called from any thread."""
        for listener in self._listeners:
            if listener._tls is not None:
                listener._tls = tls

    def listen_tls(self, host: str, port: int, tls: ssl.SSLContext) -> int:
        """Also serve HTTPS, and return its port. Raises `OSError` if the port is unavailable."""
        options = Adjustments(host=host, port=port)
        for sockinfo in options.listen:
            self._listeners.append(
                Server(
                    self.application,
                    self.adj,
                    sockinfo,
                    connections=self.connections,
                    recognize=self.recognize,
                    tls=tls,
                    shared=self,
                )
            )
        return int(self._listeners[-1].effective_port)

    # --- running

    def run(self) -> None:
        """Serve until `stop` is called, or `SystemExit` or `KeyboardInterrupt` is raised in this thread."""
        try:
            while not self._stopping.is_set() and not self._is_finished():
                now = time.monotonic()
                if now >= self.next_channel_cleanup:
                    self.next_channel_cleanup = now + _CHECK_S
                    self.maintenance(now)
                self._map.run_once(_FINISHING_CHECK_S if self.finishing else _CHECK_S)
        except (SystemExit, KeyboardInterrupt):
            pass
        self.task_dispatcher.shutdown()

    def stop(self) -> None:
        """Make `run` return; may be called from any thread."""
        self._stopping.set()
        self.pull_trigger()

    def finish(self, within_s: float) -> None:
        """Accept no more connections, and make `run` return when all requests have their responses, or after ``within_s`` s.

        May be called from any thread.
        """
        self._finish_by = time.monotonic() + within_s
        self.pull_trigger()

    @property
    def finishing(self) -> bool:
        """Whether the running requests are the last ones."""
        return self._first._finish_by is not None

    def _is_finished(self) -> bool:
        if self._finish_by is None:
            return False
        for listener in (self, *self._listeners):
            if listener.accepting:
                listener.accepting = False
                listener.del_channel()
                listener.socket.close()
        for channel in self.connections:
            if channel.is_idle:
                channel.handle_close()
        return not len(self.connections) or time.monotonic() > self._finish_by

    def close(self) -> None:
        """Close this listener; the first listener also closes all other sockets of the server."""
        if self._closed:
            return
        self._closed = True
        if self._first is self:
            for dispatcher in list(self._map.values()):
                if dispatcher is not self:
                    dispatcher.close()
        super().close()
        if self._first is self:
            self._map.close()

    def maintenance(self, now: float) -> None:
        """Close the connections whose time limits have expired, and have silent streams send a heartbeat."""
        for channel in self.connections:
            if channel.expired(now):
                channel.handle_close()
            elif channel.stream is not None and channel.stream.is_silent(now):
                self._map.change(channel)

    # --- waking the loop

    def pull_trigger(self) -> None:
        """Wake the loop; when called by a worker, also mark its connection as changed."""
        channel = getattr(self._working, "channel", None)
        if channel is None:
            self.trigger.pull_trigger()
        else:
            self.wake(channel)

    def wake(self, channel: Channel) -> None:
        """Wake the loop to update a connection and the events that it waits for on it."""
        if self._map.change(channel):
            with suppress(OSError):  # the server has been closed
                self.trigger.pull_trigger()

    @property
    def in_loop(self) -> bool:
        """Whether this thread is the loop's rather than a worker's."""
        return getattr(self._working, "channel", None) is None

    @contextmanager
    def working_for(self, channel: Channel) -> Iterator[None]:
        """Register the connection that this worker thread handles."""
        self._working.channel = channel
        try:
            yield
        finally:
            self._working.channel = None
            dispatcher = self.task_dispatcher
            with dispatcher.lock:
                dispatcher.queue.leave(channel)
                dispatcher.queue_cv.notify()

    # --- accepting

    def readable(self) -> bool:
        """Return whether the loop should wait for connections: always, as other connections are closed if there is no room."""
        return bool(self.accepting)

    def handle_accept(self) -> None:
        """Accept waiting connections if there is room for them."""
        for _ in range(_ACCEPTED_AT_ONCE):
            try:
                accepted = self.accept()
            except OSError as error:
                if error.errno in _NO_FILES and self.connections.make_room():
                    continue
                return
            if accepted is None:
                return
            sock, address = accepted
            client = client_key(str(address[0]))
            if not self.connections.admit(client, exempt=is_exempt(client)):
                sock.close()
                continue
            try:
                self.set_socket_options(sock)
                sock.setblocking(False)
                if self._tls is not None:
                    sock = self._tls.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)
                Channel(self, sock, address, self.adj, map=self._map)
            except OSError:  # the client has left already
                sock.close()
