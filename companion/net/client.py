"""A client of a companion's HTTP API, for the program's other processes: cameras, devices, commands."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from copy import copy
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from companion.hanafuda.errors import BadRequestError, MessageError, quote
from companion.hanafuda.messages import Message
from companion.messages import DEFAULT_LANGUAGE
from companion.messages.catalog import catalog

__all__ = ["AwayError", "Client", "RefusedError"]

_TIMEOUT_S: Final = 5.0
#: HTTP statuses of a server that is only busy or starting.
_RETRYABLE: Final = frozenset({408, 425, 429, 500, 502, 503, 504})


class _Answer(NamedTuple):
    """The server's answer to one request."""

    status: int
    reason: str
    data: bytes
    retry_after_s: float | None
    """The header ``Retry-After``, s."""


class AwayError(MessageError):
    """Raised if the server cannot be reached or is not ready; a retry may succeed."""

    def __init__(self, message: Message | str, retry_after_s: float | None = None) -> None:
        self.retry_after_s = retry_after_s
        """When the server wants the request again, s; None if it does not say."""
        super().__init__(message)


class RefusedError(MessageError):
    """Raised if the server rejects a request, with the server's message; a retry would fail again."""

    def __init__(self, status: int, sentence: str, problem: Mapping[str, Any] | None = None) -> None:
        self.problem = dict(problem or {})
        """The problem document of the answer (RFC 9457)."""
        super().__init__(_message(self.problem, sentence))
        self.status = status


class Client:
    """Calls a server, from any thread. All requests raise `AwayError` or `RefusedError`.

    Each call opens a connection of its own, unless the client was made by `kept`.
    """

    def __init__(self, url: str, token: str | None = None) -> None:
        """``url``: the server's, such as ``http://box:8420``. ``token``: a paired machine's. Raises `BadRequestError` for a bad URL."""
        parsed_url = urlsplit(url)
        try:
            self._port = parsed_url.port
        except ValueError:
            self._port = 0
        if parsed_url.scheme not in {"http", "https"} or not parsed_url.hostname or self._port == 0:
            raise BadRequestError(Message("client-bad-address", {"url": quote(url)}))
        self._host, self._secure = parsed_url.hostname, parsed_url.scheme == "https"
        self.url = f"{parsed_url.scheme}://{parsed_url.netloc}"
        self._headers = {"Accept": "application/json"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._keep = False
        self._open = threading.local()
        self._connections: set[HTTPConnection] = set()
        self._broken_off = False

    def kept(self) -> Client:
        """Return a client that keeps one connection open per thread until that thread calls `close`; this saves some ms per call."""
        client = copy(self)
        client._keep, client._open, client._connections = (
            True,
            threading.local(),
            set(),
        )
        return client

    def break_off(self) -> None:
        """Make waiting and later calls raise `AwayError` at once; callable from any thread."""
        self._broken_off = True
        for connection in tuple(self._connections):
            if (waiting := connection.sock) is not None:
                with suppress(OSError):
                    waiting.shutdown(socket.SHUT_RDWR)

    def call(self, method: str, path: str, document: object = None) -> dict[str, Any]:
        """Send a request, with ``document`` as JSON if given, and return the answer's JSON object."""
        if document is None:
            return self.send(method, path)
        return self.send(
            method, path, json.dumps(document, separators=(",", ":")).encode(), "application/json"
        )

    def send(
        self, method: str, path: str, body: bytes | None = None, kind: str | None = None
    ) -> dict[str, Any]:
        """Send ``body`` of the media type ``kind`` and return the answer's JSON object."""
        headers = self._headers | ({"Content-Type": kind} if kind else {})
        try:
            status, reason, data, retry_after_s = self._exchange(method, path, body, headers)
        except (OSError, HTTPException) as error:
            self.close()
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise AwayError(Message("client-no-answer", {"url": self.url, "reason": reason})) from None
        if not self._keep:
            self.close()
        if status >= 400:
            raise _refusal(status, reason, data, retry_after_s)
        try:
            answer = json.loads(data)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise AwayError(Message("client-not-companion", {"url": self.url}))
        return answer

    def connect(self, timeout: float = _TIMEOUT_S) -> HTTPConnection:
        """Return a new connection, for a stream; it opens at its first request."""
        if self._secure:
            return HTTPSConnection(self._host, self._port, timeout=timeout)
        return HTTPConnection(self._host, self._port, timeout=timeout)

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of each request."""
        return self._headers

    def close(self) -> None:
        """Close this thread's connection."""
        connection, self._open.connection = self._current_connection(), None
        if connection is not None:
            self._connections.discard(connection)
            connection.close()

    def _current_connection(self) -> HTTPConnection | None:
        return getattr(self._open, "connection", None)

    def _exchange(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> _Answer:
        """Send one request and read the answer; if the server has closed the kept connection, retry with a new one."""
        if (connection_before := self._current_connection()) is not None:
            try:
                return _answered(connection_before, method, path, body, headers)
            except (ConnectionError, HTTPException):  # RemoteDisconnected is both
                self.close()
        if self._broken_off:
            raise ConnectionAbortedError("this program is ending")
        self._open.connection = connection = self.connect()
        self._connections.add(connection)
        return _answered(connection, method, path, body, headers)


def _answered(
    connection: HTTPConnection, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
) -> _Answer:
    connection.request(method, path, body, dict(headers))
    answer: HTTPResponse = connection.getresponse()
    retry_after = answer.getheader("Retry-After", "")
    retry_after_s = float(retry_after) if retry_after.isdecimal() else None
    return _Answer(answer.status, answer.reason, answer.read(), retry_after_s)


def _refusal(status: int, reason: str, data: bytes, retry_after_s: float | None) -> AwayError | RefusedError:
    """Return the error for a problem document (RFC 9457)."""
    try:
        document = json.loads(data)
    except ValueError:
        document = None
    problem = document if isinstance(document, dict) else {}
    sentence = str(problem.get("detail") or problem.get("title") or reason)
    if status in _RETRYABLE:
        return AwayError(_message(problem, sentence), retry_after_s)
    return RefusedError(status, sentence, problem)


def _message(problem: Mapping[str, Any], sentence: str) -> Message:
    """Return the message of a problem document; ``sentence``, its text, if this version's catalogs do not have it."""
    with suppress(KeyError, TypeError, ValueError):
        document = problem.get("says") or problem
        if document["code"] in catalog(DEFAULT_LANGUAGE):
            return Message.from_dict({"code": document["code"], "params": document.get("params")})
    return Message("text", {"en": sentence})
