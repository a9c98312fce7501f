"""A client of a companion's HTTP API, for the program's other processes: cameras, devices, commands."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from copy import copy
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, Final
from urllib.parse import urlsplit

from companion.hanafuda.errors import BadRequestError, shown

__all__ = ["AwayError", "Client", "RefusedError"]

_PATIENCE_S: Final = 5.0
#: What a server may answer when it is only busy or starting.
_LATER: Final = frozenset({408, 425, 429, 500, 502, 503, 504})


class AwayError(Exception):
    """The server cannot be reached, or is not ready; later it may be."""


class RefusedError(Exception):
    """The server will not have it, however often it is sent; the sentence is the server's."""

    def __init__(self, status: int, sentence: str, problem: Mapping[str, Any] | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.problem = dict(problem or {})
        """The whole answer (RFC 9457)."""


class Client:
    """Calls a server, from any thread. All methods raise `AwayError` and `RefusedError`.

    Each call has a connection of its own; see `kept`.
    """

    def __init__(self, url: str, token: str | None = None) -> None:
        """``url``: of the server, ``http://box:8420``; `BadRequestError` where it is none. ``token``: a machine's, from pairing."""
        place = urlsplit(url)
        try:
            self._port = place.port
        except ValueError:
            self._port = 0
        if place.scheme not in {"http", "https"} or not place.hostname or self._port == 0:
            raise BadRequestError(
                f"{shown(url)} is no server's address: it looks like http://192.168.0.7:8420"
            )
        self._host, self._secure = place.hostname, place.scheme == "https"
        self.url = f"{place.scheme}://{place.netloc}"
        self._headers = {"Accept": "application/json"} | (
            {"Authorization": f"Bearer {token}"} if token else {}
        )
        self._keep = False
        self._open = threading.local()
        self._connections: set[HTTPConnection] = set()
        self._broken_off = False

    def kept(self) -> Client:
        """Return one with a connection a thread that stays open until that thread calls `close`: some ms less a call."""
        kept = copy(self)
        kept._keep, kept._open, kept._connections = True, threading.local(), set()
        return kept

    def break_off(self) -> None:
        """Have calls that wait for an answer, and all later ones, end at once, as away; from any thread."""
        self._broken_off = True
        for connection in tuple(self._connections):
            if (waiting := connection.sock) is not None:
                with suppress(OSError):
                    waiting.shutdown(socket.SHUT_RDWR)

    def call(self, method: str, path: str, document: object = None) -> dict[str, Any]:
        """Send a document, if there is one, and return the server's."""
        if document is None:
            return self.send(method, path)
        return self.send(
            method, path, json.dumps(document, separators=(",", ":")).encode(), "application/json"
        )

    def send(
        self, method: str, path: str, body: bytes | None = None, kind: str | None = None
    ) -> dict[str, Any]:
        """Send ``body`` of the media type ``kind`` and return the server's document."""
        headers = self._headers | ({"Content-Type": kind} if kind else {})
        try:
            status, reason, data = self._exchange(method, path, body, headers)
        except (OSError, HTTPException) as error:
            self.close()
            told = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise AwayError(f"{self.url} does not answer: {told}") from None
        if not self._keep:
            self.close()
        if status >= 400:
            raise _refusal(status, reason, data)
        try:
            found = json.loads(data)
        except ValueError:
            raise AwayError(f"{self.url} answers no JSON: is it a companion's address?") from None
        if not isinstance(found, dict):
            raise AwayError(f"{self.url} answers no object: is it a companion's address?")
        return found

    def connect(self, timeout: float = _PATIENCE_S) -> HTTPConnection:
        """Return a connection of its own that opens at its first request, for a stream."""
        if self._secure:
            return HTTPSConnection(self._host, self._port, timeout=timeout)
        return HTTPConnection(self._host, self._port, timeout=timeout)

    @property
    def headers(self) -> Mapping[str, str]:
        """What goes with each request."""
        return self._headers

    def close(self) -> None:
        """Close this thread's connection."""
        connection, self._open.connection = self._held(), None
        if connection is not None:
            self._connections.discard(connection)
            connection.close()

    def _held(self) -> HTTPConnection | None:
        return getattr(self._open, "connection", None)

    def _exchange(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, str, bytes]:
        """Make one exchange. A connection that was open before may have been closed by the server since: then by a new one."""
        if (held := self._held()) is not None:
            try:
                return _answered(held, method, path, body, headers)
            except (ConnectionError, HTTPException):  # RemoteDisconnected is both
                self.close()
        if self._broken_off:
            raise ConnectionAbortedError("this program is ending")
        self._open.connection = connection = self.connect()
        self._connections.add(connection)
        return _answered(connection, method, path, body, headers)


def _answered(
    connection: HTTPConnection, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
) -> tuple[int, str, bytes]:
    connection.request(method, path, body, dict(headers))
    answer: HTTPResponse = connection.getresponse()
    return answer.status, answer.reason, answer.read()


def _refusal(status: int, reason: str, data: bytes) -> AwayError | RefusedError:
    """Return what a problem's answer (RFC 9457) says."""
    try:
        told = json.loads(data)
    except ValueError:
        told = None
    problem = told if isinstance(told, dict) else {}
    sentence = str(problem.get("detail") or problem.get("title") or reason)
    return AwayError(sentence) if status in _LATER else RefusedError(status, sentence, problem)
