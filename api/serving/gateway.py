"""The ASGI application between uvicorn and Flask: bodies within limits, turns for threads, and streams without threads."""

from __future__ import annotations

import asyncio
import logging
import shutil
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from itertools import islice
from typing import IO, Any, Final

from a2wsgi import WSGIMiddleware

from api.serving import limits
from api.serving.connection import CONNECTION, ClientConnection, ClientLostError, Refusal, StreamSource
from api.serving.limits import Budget, Share, is_exempt
from api.serving.turns import THREADS, RequestTurns

Recognize = Callable[[Mapping[str, str]], bool]
_Receive = Callable[[], Awaitable[Any]]
_Send = Callable[[Any], Awaitable[None]]

HEARTBEAT_S: Final = 12.0
"""Maximum silence of a stream, s; then a comment is sent, which also reveals that a phone has left."""
_HEARTBEAT: Final = b": still here\n\n"
_BODY: Final = "companion.body"
"""The key of a request's body in its ASGI state."""
_SEND_BYTES: Final = 2**18
"""Bytes of a response that are passed to the connection at once."""
_CHANGES_AT_ONCE: Final = 50
"""Streams that are sent their new messages before the server does something else."""
_FORM: Final = "multipart/form-data"

_log = logging.getLogger(__name__)

_NO_HOST: Final = Refusal(HTTPStatus.BAD_REQUEST, "bad-request", "A request must name one host.")
_NO_TEXT: Final = Refusal(HTTPStatus.BAD_REQUEST, "bad-request", "The headers of a request must be UTF-8.")
_NO_LENGTH: Final = Refusal(
    HTTPStatus.LENGTH_REQUIRED, "length-required", "A request with a body must have its Content-Length."
)
_BUSY: Final = Refusal(
    HTTPStatus.SERVICE_UNAVAILABLE,
    "busy",
    "Too much is being sent at the same time. Wait a few seconds and send this again.",
)
_DISK_FULL: Final = Refusal(
    HTTPStatus.INSUFFICIENT_STORAGE,
    "disk-full",
    "The disk of the computer that serves this page is full. Make space there, then send this again.",
)
_NO_STREAM: Final = Refusal(
    HTTPStatus.HTTP_VERSION_NOT_SUPPORTED, "http-version", "A response that stays open needs HTTP/1.1."
)
_FAILED: Final = Refusal(
    HTTPStatus.INTERNAL_SERVER_ERROR, "internal", "The program has failed at this request; its log says why."
)


class _RefusedError(Exception):
    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.detail)
        self.refusal = refusal


class Gateway:
    """Receives each request's body, waits for its turn, has a WSGI application handle it in a thread, and sends the response."""

    def __init__(
        self, app: Callable[..., Iterable[bytes]], recognize: Recognize, *, behind_proxy: bool = False
    ) -> None:
        """``recognize`` returns whether a paired device sent a request with given headers (upper case, underscores).

        ``behind_proxy``: clients share a proxy's connections.
        """
        self._app = app
        self._wsgi = WSGIMiddleware(self._call, workers=THREADS)
        self._recognize = recognize
        self._behind_proxy = behind_proxy
        self._turns, self.budget = RequestTurns(), Budget()
        self._changes = _Changes()
        self.finishing = False
        """Whether each response is the last one on its connection."""

    async def __call__(self, scope: Any, receive: _Receive, send: _Send) -> None:
        """Handle a request."""
        connection: ClientConnection = scope["state"][CONNECTION]
        # As nginx does: for the application, a name with an underscore would be the same as one with a hyphen.
        scope["headers"] = [
            (name, value.strip(b" \t")) for name, value in scope["headers"] if b"_" not in name
        ]
        headers = {
            name.decode("latin-1").upper().replace("-", "_"): value.decode("latin-1")
            for name, value in scope["headers"]
        }
        connection.begin(int(headers.get("CONTENT_LENGTH", 0)))
        try:
            _check(scope, headers)
            paired = self._recognize(headers)
            connection.paired = paired and not self._behind_proxy  # clients share a proxy's connections
            with self.budget.share(connection.client_key, paired=paired) as share:
                response = await self._respond(connection, scope, receive, share, paired=paired)
                if connection.source is not None and scope["http_version"] != "1.1":
                    raise _RefusedError(_NO_STREAM)
                await self._send(connection, response, send, share)
        except _RefusedError as error:
            connection.refuse(error.refusal)
            await _end(connection, send)
        except ClientLostError:
            connection.close()
            await _end(connection, send)
        finally:
            if connection.source is not None:
                connection.source.close()
                connection.source = None
            connection.end()

    def wake_silent(self, connections: Iterable[ClientConnection]) -> None:
        """Have the streams that were silent for long send a comment; called about once a second."""
        silent_since = time.monotonic() - HEARTBEAT_S
        for each in connections:
            if each.source is not None and each.sent_at <= silent_since:
                each.changed.set()

    def close(self) -> None:
        """Wait until the threads have ended."""
        self._wsgi.executor.shutdown()

    async def _respond(
        self, connection: ClientConnection, scope: Any, receive: _Receive, share: Share, *, paired: bool
    ) -> list[Any]:
        """Return the ASGI messages of the response."""
        client = connection.client_key
        priority = paired or (is_exempt(client) and not self._behind_proxy)
        body = tempfile.SpooledTemporaryFile(limits.MEMORY_BYTES)  # noqa: SIM115  # see below
        try:
            await _receive_body(connection, receive, body, share)
            scope["state"][_BODY] = body
            connection.turn = asyncio.get_running_loop().create_future()
            async with self._turns.turn(client, connection.turn, priority=priority):
                return await self._handle(scope, receive)
        finally:
            with suppress(OSError):  # a full disk: closing tries again to write what could not be written
                body.close()

    async def _handle(self, scope: Any, receive: _Receive) -> list[Any]:
        messages: list[Any] = []

        async def collect(message: Any) -> None:
            messages.append(message)

        try:
            await self._wsgi(scope, receive, collect)
        except Exception as error:
            _log.exception("a request has failed: %s %s", scope["method"], scope["path"])
            raise _RefusedError(_FAILED) from error
        return messages

    def _call(self, environ: Any, start: Any) -> Iterable[bytes]:
        """Call the application; runs in a worker thread."""
        state = environ["asgi.scope"]["state"]
        environ["wsgi.input"], environ[CONNECTION] = state[_BODY], state[CONNECTION]
        return self._app(environ, start)

    async def _send(
        self, connection: ClientConnection, response: list[Any], send: _Send, share: Share
    ) -> None:
        start, *parts = response
        if self.finishing:
            start["headers"].append((b"connection", b"close"))
        body = b"".join(part["body"] for part in parts)
        if connection.source is None:
            if len(body) > limits.MEMORY_BYTES and not share.take(len(body)):
                raise _RefusedError(_BUSY)
            if not any(name == b"content-length" for name, _ in start["headers"]):
                start["headers"].append((b"content-length", str(len(body)).encode()))

        async def send_part(part: bytes) -> None:
            await send({"type": "http.response.body", "body": part, "more_body": True})
            connection.sent += len(part)
            connection.sent_at = time.monotonic()

        if connection.source is not None:
            connection.begin_stream()
        await send(start)
        if connection.source is None:
            for begin in range(0, len(body), _SEND_BYTES):
                await send_part(body[begin : begin + _SEND_BYTES])
        else:
            await self._follow(connection, connection.source, body, send_part)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _follow(
        self,
        connection: ClientConnection,
        source: StreamSource,
        first: bytes,
        send: Callable[[bytes], Awaitable[None]],
    ) -> None:
        """Send the messages of a stream until it ends or the client leaves."""
        changed = connection.changed
        source.on_change(partial(self._changes.announce, asyncio.get_running_loop(), changed))
        await send(first)
        while not connection.lost.is_set():
            changed.clear()
            try:
                data = source.take()
            except OverflowError:
                data = await _resynced(source)
            except EOFError:
                return
            if data is not None:
                await send(data)
            elif time.monotonic() - connection.sent_at >= HEARTBEAT_S:
                await send(_HEARTBEAT)
            else:
                await changed.wait()


async def _end(connection: ClientConnection, send: _Send) -> None:
    """Wait until a connection is lost; then end a response that nobody gets, because uvicorn reports one that is missing."""
    await connection.lost.wait()
    await send({"type": "http.response.start", "status": HTTPStatus.BAD_REQUEST, "headers": []})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _resynced(source: StreamSource) -> bytes:
    try:
        return await asyncio.to_thread(source.resync)
    except Exception as error:
        _log.exception("a stream's dropped messages cannot be replaced")
        raise ClientLostError from error


def _check(scope: Any, headers: Mapping[str, str]) -> None:
    """Refuse what is ambiguous (RFC 9112, sections 3.2 and 6.3) or too large before its body is received."""
    if scope["http_version"] == "1.1" and [name for name, _ in scope["headers"]].count(b"host") != 1:
        raise _RefusedError(_NO_HOST)
    if not all(_is_text(value) for _, value in scope["headers"]):
        raise _RefusedError(_NO_TEXT)
    if "TRANSFER_ENCODING" in headers:
        raise _RefusedError(_NO_LENGTH)
    form = headers.get("CONTENT_TYPE", "").lower().startswith(_FORM)
    limit = limits.UPLOAD_BYTES if form else limits.JSON_BYTES
    if int(headers.get("CONTENT_LENGTH", 0)) > limit:
        kind = "forms with pictures" if form else "requests without pictures"
        detail = f"This request is too large: {kind} may have {limit // 2**20} MB."
        raise _RefusedError(Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-many-bytes", detail))


def _is_text(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


async def _receive_body(
    connection: ClientConnection, receive: _Receive, body: IO[bytes], share: Share
) -> None:
    """Write a request's body to a temporary file."""
    loop = asyncio.get_running_loop()
    began, received, more = loop.time(), 0, connection.body_left > 0
    while more:
        latest = began + limits.BODY_IDLE_S + received / limits.BODY_MIN_RATE
        try:
            async with asyncio.timeout_at(min(latest, loop.time() + limits.BODY_IDLE_S)):
                message = await receive()
        except TimeoutError as error:
            raise ClientLostError from error
        if message["type"] == "http.disconnect":
            raise ClientLostError
        part, more = message["body"], message["more_body"]
        connection.body_left -= len(part)
        spooled = received > limits.MEMORY_BYTES
        received += len(part)
        if not share.take(len(part)):
            raise _RefusedError(_BUSY)
        if received > limits.MEMORY_BYTES:
            if not spooled and not share.take_file():
                raise _RefusedError(_BUSY)
            if shutil.disk_usage(tempfile.gettempdir()).free < limits.DISK_RESERVE_BYTES:
                raise _RefusedError(_DISK_FULL)
        try:
            body.write(part)
            body.flush()
        except OSError as error:
            raise _RefusedError(_DISK_FULL) from error
    connection.body_left = 0
    body.seek(0)


class _Changes:
    """Sets the events of streams with new messages; the loop is woken once for all that are announced together."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._events: dict[asyncio.Event, None] = {}

    def announce(self, loop: asyncio.AbstractEventLoop, event: asyncio.Event) -> None:
        """Have the loop set an event; may be called from any thread."""
        with self._lock:
            first = not self._events
            self._events[event] = None
        if first:
            with suppress(RuntimeError):  # the server has ended
                loop.call_soon_threadsafe(self._set, loop)

    def _set(self, loop: asyncio.AbstractEventLoop) -> None:
        """Set some events, so that what else the loop has to do does not wait for all."""
        with self._lock:
            events = list(islice(self._events, _CHANGES_AT_ONCE))
            for event in events:
                del self._events[event]
            more = bool(self._events)
        for event in events:
            event.set()
        if more:
            loop.call_soon(self._set, loop)
