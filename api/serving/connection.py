"""A client's connection: uvicorn's HTTP protocol with limits on what it receives before a request reaches the application, and TLS."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final, Protocol

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from api.serving import limits
from api.serving.limits import is_exempt
from companion.net.addresses import client_key

CONNECTION: Final = "companion.connection"
"""The key of the `ClientConnection` in a request's WSGI environment, and in its ASGI state."""

_READ_BYTES: Final = 2**16
"""Maximum number of bytes of a body that are read at once."""
_HEADER_READ_BYTES: Final = 2**12
"""The same between requests: bounds the number of requests that can be sent together."""
_REQUEST_LINE: Final = b" HTTP/1."
_RETRY_AFTER_S: Final = 10
_TLS_CLOSE_S: Final = 5.0
"""How long a client may take to end a TLS connection that the server closes, s."""
_USER_TIMEOUT_MS: Final = 20_000
_KEEP_IDLE_S: Final = 30
#: Send buffer of a connection, bytes: enough for 200 Mbit/s at 5 ms, and 250 MB for 1,000 clients that do not read.
_SEND_BUFFER_BYTES: Final = 2**18


class ClientLostError(Exception):
    """Raised if a client has left, or was too slow."""


class StreamSource(Protocol):
    """The messages of a stream, as the application provides them."""

    def take(self) -> bytes | None:
        """Return the next message, or None if there is none yet; must not block.

        Raises `OverflowError` once after messages were dropped, `EOFError` at the end of the stream.
        """

    def resync(self) -> bytes:
        """Return the message that replaces dropped ones; may block."""

    def on_change(self, notify: Callable[[], None]) -> None:
        """Have ``notify`` called, by any thread, whenever there may be more to take."""

    def close(self) -> None:
        """Release the source; may be called more than once."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is refused before the application is called."""

    status: HTTPStatus
    slug: str
    detail: str

    @property
    def response(self) -> bytes:
        """The whole response: a problem document (RFC 9457), as the application sends for its errors."""
        document = {
            "type": f"/problems/{self.slug}",
            "title": self.status.phrase,
            "status": int(self.status),
            "detail": self.detail,
        }
        body = json.dumps(document).encode()
        retry = f"Retry-After: {_RETRY_AFTER_S}\r\n" if self.status == HTTPStatus.SERVICE_UNAVAILABLE else ""
        return (
            f"HTTP/1.1 {int(self.status)} {self.status.phrase}\r\nContent-Type: application/problem+json\r\n"
            f"Content-Length: {len(body)}\r\n{retry}Connection: close\r\n\r\n"
        ).encode() + body


_HEADER_TOO_LARGE: Final = Refusal(
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
    "request-header-fields-too-large",
    f"The address and headers of a request may have {limits.HEADER_BYTES // 2**10} kB.",
)


@dataclass
class Listening:
    """What all connections of a server share. Only the server's loop uses it."""

    connections: Connections
    tls: dict[int, ssl.SSLContext] = field(default_factory=dict)
    """The certificates for new connections by local port; a port without one is not encrypted."""
    buffer: bytearray = field(default_factory=lambda: bytearray(_READ_BYTES))
    """Where every connection receives; it is emptied before the next one does."""


class ClientConnection(HttpToolsProtocol, asyncio.BufferedProtocol):
    """A connection. The application finds it under `CONNECTION`; only `disconnect` may be called from other threads."""

    def __init__(self, *, listening: Listening, app_state: dict[str, Any], **options: Any) -> None:
        super().__init__(app_state={**app_state, CONNECTION: self}, **options)
        self._listening = listening
        self._event_loop = asyncio.get_running_loop()
        self._io: asyncio.Transport | None = None
        self._handshake: asyncio.Task[None] | None = None
        self._begun = False
        """Whether uvicorn knows the connection: after it was admitted and its TLS handshake has ended."""
        self._early = b""
        """What was received right after the handshake, before uvicorn knows the connection."""
        self.client_key = ""
        self.paired = False
        """Whether its newest request was a paired device's."""
        self.waiting_since = time.monotonic()
        """Since when it has waited for its client, s on the monotonic clock."""
        self._received_at = self.waiting_since
        self._header_bytes = 0
        """Bytes received since the last request."""
        self.body_left = 0
        """Bytes of the request's body that the application has not received yet."""
        self._served = False
        self._refused_at: float | None = None
        self.sent = 0
        """Bytes of responses that were passed to the connection."""
        self._arrived, self._progress_at = 0, self.waiting_since
        """Bytes of responses that the system has taken, and since when there are no more."""
        self.handling = False
        """Whether the application handles a request."""
        self._streaming = False
        """Whether the response stays open for a stream; then the client must send nothing."""
        self.source: StreamSource | None = None
        """The stream that follows the response."""
        self.sent_at = self.waiting_since
        """When a part of a response was last passed to the connection, s on the monotonic clock."""
        self.turn: asyncio.Future[None] | None = None
        """The turn that its request waits for; it raises `ClientLostError` if the connection is lost first."""
        self.changed = asyncio.Event()
        """Set when there may be something to send on its stream, and when it is lost."""
        self.lost = asyncio.Event()

    # --- called by the application

    def begin(self, body_bytes: int) -> None:
        """Note that a request's header is complete; its body has ``body_bytes``."""
        self.handling, self.body_left, self._header_bytes = True, body_bytes, 0

    def keep_open(self, source: StreamSource) -> None:
        """Have the response to the current request continue with the messages of ``source``."""
        self.source = source

    def begin_stream(self) -> None:
        """Note that the response stays open. Raises `ClientLostError` if the client has sent another request already."""
        assert self._io is not None
        self._streaming = True
        if (
            self._header_bytes or not self._io.is_reading()
        ):  # uvicorn does not read while a request waits for this one
            raise ClientLostError

    def end(self) -> None:
        """Note that the response to a request is complete."""
        self.handling = self._streaming = False
        self.turn = None
        self._served = True
        self.body_left = 0
        self.waiting_since = time.monotonic()

    def refuse(self, refusal: Refusal) -> None:
        """Send a refusal, and ignore what the client sends until it has read it: a closed connection would discard the refusal."""
        assert self._io is not None
        self._io.write(refusal.response)
        self._refused_at = time.monotonic()
        self._io.resume_reading()

    def disconnect(self) -> None:
        """Close the connection at once, even one that cannot be written to; may be called from any thread."""
        with suppress(RuntimeError):  # the server has ended
            self._event_loop.call_soon_threadsafe(self.close)

    def close(self) -> None:
        """Close the connection at once."""
        self._listening.connections.remove(self)
        if self._handshake is not None:
            self._handshake.cancel()
        if self._io is not None:
            self._io.abort()

    # --- limits

    @property
    def is_idle(self) -> bool:
        """Whether there is neither a request nor a response, not even a part of one."""
        return not self.handling and not self._header_bytes and not self._unsent_bytes

    @property
    def eviction_rank(self) -> int | None:
        """The order in which connections are closed when there is no room, lowest first; None: busy, must not be closed."""
        if self.handling and not self.body_left:
            return None
        if self._unsent_bytes and self._refused_at is None:
            return None
        if not self._served or self._header_bytes or self.handling:
            return 1 if self.paired else 0
        return 2 if self.paired else 1

    def expired(self, now: float) -> bool:
        """Return whether the client has kept the server waiting for too long; called about once a second with `time.monotonic`.

        The application limits the time of bodies.
        """
        if self._refused_at is not None:
            return (
                now - self._received_at > limits.REFUSED_IDLE_S or now - self._refused_at > limits.REFUSED_S
            )
        unsent = self._unsent_bytes
        arrived = self.sent - unsent
        if not unsent or arrived != self._arrived:
            self._arrived, self._progress_at = arrived, now
        if unsent:
            return now - self._progress_at > limits.SEND_IDLE_S
        if self.handling:
            return False
        limit = limits.HEADER_S if self._header_bytes or not self._served else limits.KEEP_ALIVE_S
        return now - self.waiting_since > limit

    @property
    def _unsent_bytes(self) -> int:
        return 0 if self._io is None else self._io.get_write_buffer_size()

    # --- called by asyncio

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Admit the client, and begin with HTTP or the TLS handshake."""
        assert isinstance(transport, asyncio.Transport)
        self._io = transport
        peer = transport.get_extra_info("peername")
        if peer is None:  # the client has left already
            transport.abort()
            return
        self.client_key = client_key(str(peer[0]))
        if not self._listening.connections.admit(self):
            transport.abort()
            return
        with suppress(OSError):  # as above
            _set_options(transport.get_extra_info("socket"))
        tls = self._listening.tls.get(transport.get_extra_info("sockname")[1])
        if tls is None:
            self._begin_http(transport)
        else:
            transport.pause_reading()
            self._handshake = self._event_loop.create_task(self._shake_hands(transport, tls))

    async def _shake_hands(self, transport: asyncio.Transport, tls: ssl.SSLContext) -> None:
        try:
            secure = await self._event_loop.start_tls(
                transport,
                self,
                tls,
                server_side=True,
                ssl_handshake_timeout=limits.HEADER_S,
                ssl_shutdown_timeout=_TLS_CLOSE_S,
            )
        except OSError:  # not TLS, a version that is too old, or a phone that does not trust the certificate
            secure = None
        self._handshake = None
        if secure is None:
            self.close()
        else:
            self._io = secure
            self._begin_http(secure)
            self._take(self._early)

    def _begin_http(self, transport: asyncio.Transport) -> None:
        self._begun = True
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Release the connection."""
        self._listening.connections.remove(self)
        if self._begun:
            super().connection_lost(exc)
        self.lost.set()
        self.changed.set()
        if self.turn is not None and not self.turn.done():
            self.turn.set_exception(ClientLostError())

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return where to receive: space for no more than the rest of a body, so that few requests can follow it."""
        size = max(_HEADER_READ_BYTES, min(_READ_BYTES, self.body_left))
        return memoryview(self._listening.buffer)[:size]

    def buffer_updated(self, nbytes: int) -> None:
        """Take received bytes."""
        self._received_at = time.monotonic()
        data = bytes(memoryview(self._listening.buffer)[:nbytes])
        if self._begun:
            self._take(data)
        else:
            self._early += data

    def _take(self, data: bytes) -> None:
        if self._refused_at is not None or not data:
            return
        if self._streaming:
            self.close()
            return
        if not self.body_left:
            if not self._header_bytes:
                self.waiting_since = self._received_at
            self._header_bytes += len(data)
            if data.count(_REQUEST_LINE) > limits.MAX_PIPELINED:
                self.close()
                return
            if self._header_bytes > limits.HEADER_BYTES:
                if self.handling:
                    self.close()
                else:
                    self.refuse(_HEADER_TOO_LARGE)
                return
        self.data_received(data)

    def shutdown(self) -> None:
        """End the connection when its request is finished; called by uvicorn when the server ends."""
        if not self._header_bytes or self.handling:
            super().shutdown()


class Connections:
    """The open connections by client, at most ``most`` in total. Only the server's loop may call its methods.

    When there is no room for a new connection, connections that only wait for their client are closed, in this order: those
    that never sent a complete request, idle ones of unpaired clients, idle ones of paired clients; in each group the oldest first.
    """

    def __init__(self, most: int, *, per_address: int | None = limits.PER_ADDRESS) -> None:
        """``per_address``: maximum number of connections per address; None (no limit) behind a reverse proxy."""
        self.most = most
        self._per_address = per_address
        self._open: dict[str, set[ClientConnection]] = defaultdict(set)
        self._count = 0

    @property
    def behind_proxy(self) -> bool:
        """Whether all clients share a proxy's connections."""
        return self._per_address is None

    def __iter__(self) -> Iterator[ClientConnection]:
        return iter([each for connections in self._open.values() for each in connections])

    def __len__(self) -> int:
        return self._count

    def admit(self, new: ClientConnection) -> bool:
        """Add a new connection, after making room for it if necessary; return False if there is no room."""
        own = self._open.get(new.client_key, set())
        exempt = is_exempt(new.client_key)
        if (
            not exempt
            and self._per_address is not None
            and len(own) >= self._per_address
            and not _evict(own, max(1, self._per_address // limits.EVICTION_DIVISOR))
        ):
            return False
        if self._count >= self.most:
            others = [each for each in self if not is_exempt(each.client_key)]
            if not _evict(others, max(1, self.most // limits.EVICTION_DIVISOR)):
                return False
        self._open[new.client_key].add(new)
        self._count += 1
        return True

    def remove(self, connection: ClientConnection) -> None:
        """Remove a closed connection, if it was not removed already."""
        connections = self._open.get(connection.client_key, set())
        if connection in connections:
            connections.remove(connection)
            self._count -= 1
            if not connections:
                del self._open[connection.client_key]

    def close_expired(self) -> None:
        """Close the connections whose time limits have expired."""
        now = time.monotonic()
        for each in self:
            if each.expired(now):
                each.close()


def _evict(connections: Iterable[ClientConnection], limit: int) -> bool:
    """Close at most ``limit`` connections that only wait for their client; return whether there were any."""
    ranked = [(rank, each) for each in connections if (rank := each.eviction_rank) is not None]
    ranked.sort(key=lambda pair: (pair[0], pair[1].waiting_since))
    for _, each in ranked[:limit]:
        each.close()
    return bool(ranked)


def _set_options(sock: socket.socket) -> None:
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
    if hasattr(socket, "TCP_KEEPIDLE"):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, _KEEP_IDLE_S)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # A phone that lost the network does not close its connection, and a sleeping one reads nothing. Without this, the
        # kernel retries for a quarter of an hour and keeps its stream's place meanwhile.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _USER_TIMEOUT_MS)
