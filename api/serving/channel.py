"""A client connection: waitress's channel with time limits, a limited body size, and optional TLS."""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections.abc import Mapping
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from waitress.channel import HTTPChannel  # type: ignore[import-untyped]
from waitress.parser import HTTPRequestParser  # type: ignore[import-untyped]
from waitress.task import ErrorTask, WSGITask  # type: ignore[import-untyped]
from waitress.utilities import Error  # type: ignore[import-untyped]

from api.serving import limits
from api.serving.limits import is_exempt
from api.serving.open_stream import OpenStream, StreamSource
from companion.net.addresses import client_key

CONNECTION: Final = "companion.connection"
"""The key of the `Channel` in a request's WSGI environment."""

_MAX_RESPONSE_BYTES: Final = 64 * 2**20
"""Maximum number of unsent response bytes (on disk) for a slow client before its thread waits, too."""
_SEND_BYTES: Final = 2**16
_FORM: Final = "multipart/form-data"
_TLS_WOULD_BLOCK: Final = (ssl.SSLWantReadError, ssl.SSLWantWriteError)
_RETRY_AFTER_S: Final = 10


class _RefusalError(Error):  # type: ignore[misc]
    """A request that is refused before its body is complete."""

    def __init__(self, status: HTTPStatus, slug: str, detail: str) -> None:
        super().__init__(detail)
        self.code, self.reason, self.slug = int(status), status.phrase, slug


def _problem(error: Any) -> tuple[str, list[tuple[str, str]], bytes]:
    """Return the status, headers and RFC 9457 body for an error that occurs before the application is called."""
    document = {
        "type": f"/problems/{getattr(error, 'slug', error.reason.lower().replace(' ', '-'))}",
        "title": error.reason,
        "status": error.code,
        "detail": error.body,
    }
    headers = [("Content-Type", "application/problem+json")]
    if error.code == HTTPStatus.SERVICE_UNAVAILABLE:
        headers.append(("Retry-After", str(_RETRY_AFTER_S)))
    return f"{error.code} {error.reason}", headers, json.dumps(document).encode()


class _ErrorTask(ErrorTask):  # type: ignore[misc]
    """Sends a problem document, as the application does for its errors."""

    def execute(self) -> None:
        """Write the response."""
        self.status, headers, body = _problem(self.request.error)
        self.response_headers.extend(headers)
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class _Task(WSGITask):  # type: ignore[misc]
    """Handles a request by calling the application."""

    def build_response_header(self) -> Any:
        """Return the response header; the last response on a connection says that it is the last one."""
        if self.channel.server.finishing:
            self.set_close_on_finish()
        return super().build_response_header()

    def finish(self) -> None:
        """End the response, or leave it open for its stream."""
        if self.content_length is None and self.channel.begin_stream(chunked=self.chunked_response):
            self.close_on_finish = False
        else:
            super().finish()

    def get_environment(self) -> dict[str, Any]:
        """Return the WSGI environment."""
        environ: dict[str, Any] = super().get_environment()
        environ[CONNECTION] = self.channel
        environ["wsgi.url_scheme"] = "https" if self.channel.secure else "http"
        return environ


class _Parser(HTTPRequestParser):  # type: ignore[misc]
    """Parses a request; refuses a body that is too large for its type or exceeds the `BodyBudget`."""

    def __init__(self, adj: Any, channel: Channel) -> None:
        super().__init__(adj)
        self._channel = channel
        self._recognized = False
        self._paired = False
        self._taken = 0
        self.began = time.monotonic()
        self.body_began: float | None = None

    def received(self, data: bytes) -> int:
        """Parse received bytes; return how many of them belong to this request."""
        consumed = int(super().received(data))
        if self.headers_finished and not self._recognized:
            self._recognized = True
            self._paired = self._channel.recognize(self.headers)
        error: Any = self.error
        if self.headers_finished and self.body_rcv is not None and error is None:
            if self.body_began is None:
                self.body_began = time.monotonic()
            self._check_body()
        if self.error is not None:
            self.expect_continue = False  # otherwise the client would be told to send the body
        return consumed

    def close(self) -> None:
        """Release the body and its share of the budget."""
        taken, self._taken = self._taken, 0
        if taken:
            self._channel.server.bodies.give_back(self._channel.client, taken, paired=self._paired)
        super().close()

    def _check_body(self) -> None:
        form = self.headers.get("CONTENT_TYPE", "").lower().startswith(_FORM)
        limit = limits.UPLOAD_BYTES if form else limits.JSON_BYTES
        if max(self.content_length, self.body_bytes_received) > limit:
            kind = "forms with pictures" if form else "requests without pictures"
            self._refuse(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                "too-many-bytes",
                f"This request is too large: {kind} may have {limit // 2**20} MB.",
            )
            return
        new = self.body_bytes_received - self._taken
        if not new:
            return
        self._taken += new
        if not self._channel.server.bodies.take(self._channel.client, new, paired=self._paired):
            self._refuse(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "busy",
                "Too many uploads are being received. Wait a few seconds and send this one again.",
            )

    def _refuse(self, status: HTTPStatus, slug: str, detail: str) -> None:
        self.error = _RefusalError(status, slug, detail)
        self.completed = True


class Channel(HTTPChannel):  # type: ignore[misc]
    """A connection. The application finds it in the WSGI environment under `CONNECTION`."""

    task_class = _Task
    error_task_class = _ErrorTask

    server: Any
    """The `api.serving.server.Server`, which imports this module."""
    connected: bool
    sendbuf_len: int

    def __init__(self, server: Any, sock: Any, addr: tuple[Any, ...], adj: Any, map: Any = None) -> None:
        self.parser_class = partial(_Parser, channel=self)
        self.client = client_key(str(addr[0]))
        self.paired = False
        """Whether the server or the application recognized a paired device on this connection."""
        self.places = 0
        """Number of its requests that are being handled, as `FairQueue` counts them."""
        self._source: StreamSource | None = None
        self.stream: OpenStream | None = None
        self._leaving = False
        self.waiting_since = time.monotonic()
        self._served = False
        self._received_at = self.waiting_since
        self._sent = 0
        self._sent_before = 0
        self._stalled_since = self.waiting_since
        self.secure = isinstance(sock, ssl.SSLSocket)
        self._handshaking = self.secure
        self._handshake_writes = False
        # The loop reads and a worker writes, but two threads must not use an OpenSSL connection at the same time.
        self._socket_lock = threading.Lock()
        super().__init__(server, sock, addr, adj, map=map)
        self.sendbuf_len = min(self.sendbuf_len, _SEND_BYTES)
        server.connections.add(self)

    # --- identity

    @property
    def has_priority(self) -> bool:
        """Whether its requests have priority: those of paired devices and of this machine's own processes."""
        connections = self.server.connections
        return self.paired or (is_exempt(self.client) and not connections.behind_proxy)

    def recognize(self, headers: Mapping[str, str]) -> bool:
        """Return whether a paired device sent a request, and remember it for the connection."""
        if not self.paired or self.server.connections.behind_proxy:  # clients share a proxy's connections
            self.paired = self.server.recognize(headers)
        return self.paired

    # --- time limits

    @property
    def is_idle(self) -> bool:
        """Whether there is neither a request nor a response, not even a part of one."""
        return (
            not self.requests and not self.total_outbufs_len and self.request is None and self.stream is None
        )

    @property
    def eviction_rank(self) -> int | None:
        """The order in which connections are closed when there is no room, lowest first; None: busy, must not be closed."""
        if self.requests or self.total_outbufs_len or self.stream is not None:
            return None
        if not self._served or self.request is not None:
            return 0 if not self.paired else 1
        return 2 if self.paired else 1

    def expired(self, now: float) -> bool:
        """Return whether the client has kept the server waiting for too long.

        Called about once a second with the value of `time.monotonic`.
        """
        if self.total_outbufs_len:
            if self._sent != self._sent_before:
                self._sent_before, self._stalled_since = self._sent, now
            return now - self._stalled_since > limits.SEND_IDLE_S
        self._stalled_since = now
        if self.requests or self.stream is not None:
            self.waiting_since = now
            return False
        request = self.request
        if request is None:
            return now - self.waiting_since > (limits.KEEP_ALIVE_S if self._served else limits.HEADER_S)
        if request.body_began is None:
            return bool(now - request.began > limits.HEADER_S)
        rate = request.body_bytes_received / limits.BODY_MIN_RATE
        return bool(
            now - self._received_at > limits.BODY_IDLE_S
            or now - request.body_began > limits.BODY_IDLE_S + rate
        )

    def disconnect(self) -> None:
        """Ask the loop to close the connection, even one that cannot be written to; may be called from any thread."""
        self._leaving = True
        self.wake()

    # --- streams

    @property
    def has_room(self) -> bool:
        """Whether the client has read enough for more of a stream to be written."""
        return bool(self.connected and self.total_outbufs_len < self.adj.outbuf_high_watermark)

    def keep_open(self, source: StreamSource) -> None:
        """Have the response to the current request continue with the messages of ``source``. Called by the application."""
        self._source = source

    def begin_stream(self, *, chunked: bool) -> bool:
        """Hand the connection over to the loop if the application wants the response to be kept open; return whether it does."""
        source, self._source = self._source, None
        if source is None:
            return False
        self.stream = OpenStream(self, source, chunked=chunked)
        if not self.connected:  # the client left before the loop knew of the stream
            self.stream.close()
        return True

    def write_now(self, data: bytes) -> None:
        """Send a part of the stream, and buffer what the client does not accept yet."""
        sent = 0 if self.total_outbufs_len else self.send(data)
        if sent < len(data) and self.connected:
            self.write_soon(data[sent:])

    def end_stream(self, last: bytes) -> None:
        """Write the end of the stream, and close the connection when the client has everything."""
        self.write_now(last)
        self.close_when_flushed = True

    # --- called by the loop

    def update(self) -> None:
        """Do what other threads have asked for, before the loop waits."""
        if self._leaving:
            self.handle_close()
        elif self.stream is not None and not self.close_when_flushed:
            self.stream.send_waiting()

    def readable(self) -> bool:
        """Return whether the loop should wait for incoming bytes."""
        return self._handshaking or bool(super().readable())

    def writable(self) -> bool:
        """Return whether the loop should wait until bytes can be sent."""
        if self._handshaking and not self.will_close:
            return self._handshake_writes
        return bool(super().writable())

    def handle_read(self) -> None:
        """Read the available bytes."""
        if self._handshaking and not self._shake_hands():
            return
        while self.connected:
            try:
                data = self.recv(self.adj.recv_bytes)
            except BlockingIOError:
                return
            if not data:  # the client has left, and `recv` has closed the connection
                self.connected = False
                return
            self._received_at = time.monotonic()
            self.received(data)
            # The rest of a TLS record is already in memory, so the socket does not become readable for it.
            if not (self.secure and self.socket.pending()):
                return

    def handle_write(self) -> None:
        """Send pending bytes."""
        if self._handshaking and not self.will_close:
            self._shake_hands()
            return
        super().handle_write()

    def received(self, data: bytes) -> bool:
        """Parse received bytes as requests. Closes a stream whose client sends another request."""
        if self.stream is not None:
            self.will_close = True
            return False
        accepted = bool(super().received(data))
        if len(self.requests) > limits.MAX_PIPELINED:
            self.will_close = True
        return accepted

    def handle_close(self) -> None:
        """Close the connection."""
        if self.request is not None:
            self.request.close()
        super().handle_close()

    def close(self) -> None:
        """Close the connection."""
        self.handle_close()

    def del_channel(self, map: Any = None) -> None:
        """Remove the connection from the loop."""
        self.server.connections.remove(self)
        super().del_channel(map)
        if self.stream is not None:
            self.stream.close()

    def _shake_hands(self) -> bool:
        """Continue the TLS handshake; return whether it is complete."""
        self._handshake_writes = False
        try:
            with self._socket_lock:
                self.socket.do_handshake()
        except ssl.SSLWantReadError:
            return False
        except ssl.SSLWantWriteError:
            self._handshake_writes = True
            return False
        except OSError:  # not TLS, a version that is too old, or a phone that does not trust the certificate
            self.handle_close()
            return False
        self._handshaking = False
        return True

    def recv(self, buffer_size: int) -> bytes:
        """Receive bytes; returns none if the client has left. Raises `BlockingIOError` if none are available yet."""
        try:
            with self._socket_lock:
                data = bytes(self.socket.recv(buffer_size))
        except (BlockingIOError, *_TLS_WOULD_BLOCK) as error:
            raise BlockingIOError from error
        except OSError:
            data = b""
        if not data:
            self.handle_close()
        return data

    def send(self, data: bytes, do_close: bool = True) -> int:
        """Send bytes; return how many the system accepted."""
        try:
            with self._socket_lock:
                count = int(self.socket.send(data))
        except (BlockingIOError, *_TLS_WOULD_BLOCK):
            return 0
        except OSError:
            if self.server.in_loop:
                self.handle_close()
            else:  # only the loop closes connections
                self.disconnect()
            return 0
        self._sent += count
        return count

    # --- called by worker threads

    def service(self) -> None:
        """Handle the next request, or get the replacement of a stream's dropped messages."""
        with self.server.working_for(self):
            if self.stream is None:
                self._handle_request()
            elif self.requests:  # sent together with the one for the stream
                self.disconnect()
            else:
                self._resync(self.stream)

    def _handle_request(self) -> None:
        super().service()
        source, self._source = self._source, None
        if source is not None:  # an error followed
            source.close()
        self._served = True
        self.waiting_since = time.monotonic()

    def _resync(self, stream: OpenStream) -> None:
        try:
            stream.resync()
        except BaseException:
            self.disconnect()
            raise
        self.wake()

    def ask_worker(self) -> None:
        """Have a worker thread replace what the stream has dropped."""
        self.server.add_task(self)

    def wake(self) -> None:
        """Have the loop call `update` and find out what to wait for; may be called from any thread."""
        self.server.wake(self)

    def _flush_outbufs_below_high_watermark(self) -> None:
        """Wait until a slow client has read enough for more bytes to be written.

        A response is buffered, on disk if it is large, and its thread continues with the next request, unless it is huge.
        """
        if self.total_outbufs_len > _MAX_RESPONSE_BYTES:
            super()._flush_outbufs_below_high_watermark()
