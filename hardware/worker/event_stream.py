"""Follows the server-sent event stream of a table."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final
from urllib.parse import quote

import httpx

from companion.net.client import Client
from companion.net.retries import Backoff

#: First and longest wait before reconnecting, s.
_FIRST_WAIT_S: Final = 0.25
_MAX_WAIT_S: Final = 3.0


class EventStream:
    """A thread that reads one table's event stream and, when it ends, resumes it after the last message.

    ``take`` is called in the thread with each message's name and data; if it raises `ValueError` or `KeyError`, the stream is
    resumed before that message. ``broken`` is called when the connection is lost.
    """

    def __init__(
        self,
        client: Client,
        table: str,
        take: Callable[[str, Mapping[str, Any]], None],
        *,
        broken: Callable[[], None] = lambda: None,
    ) -> None:
        self._client, self._path = client, f"/api/tables/{quote(table, safe='')}/events"
        self._take, self._broken = take, broken
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._thread = threading.Thread(target=self._run, name=f"follow-{table}", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop following."""
        self._closed.set()
        with self._lock, suppress(OSError):
            if self._socket is not None:
                self._socket.shutdown(socket.SHUT_RDWR)  # interrupts a waiting read
        self._thread.join()

    def _run(self) -> None:
        backoff = Backoff(_FIRST_WAIT_S, _MAX_WAIT_S)
        headers: dict[str, str] = {}
        while not self._closed.is_set():
            with (
                suppress(httpx.HTTPError, OSError, ValueError, KeyError),
                self._client.stream(self._path, headers) as source,
            ):
                try:
                    self._set_socket(source.response.extensions["network_stream"].get_extra_info("socket"))
                    for message in source.iter_sse():
                        if message.data:
                            self._take(message.event, json.loads(message.data))
                            headers["Last-Event-ID"] = message.id
                            backoff.reset()
                finally:
                    self._set_socket(None)
            self._broken()
            self._closed.wait(backoff.next())

    def _set_socket(self, connected: socket.socket | None) -> None:
        with self._lock:
            self._socket = connected
        if connected is not None and self._closed.is_set():
            raise OSError("closed meanwhile")
