"""Follows the server-sent event stream of a table."""

from __future__ import annotations

import json
import random
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from http.client import HTTPException
from typing import Any, Final
from urllib.parse import quote

from companion.net.client import Client

__all__ = ["EventStream", "TableFollower", "messages"]

#: Silence after which the server counts as lost, s; it sends something every 12 s.
_SILENCE_S: Final = 30.0
_FIRST_WAIT_S: Final = 0.25
_MAX_WAIT_S: Final = 3.0


class EventStream:
    """A thread that reads one table's event stream and reconnects when it ends.

    ``take`` is called in the thread with each message's name and data; if it raises `ValueError` or `KeyError`, the stream is
    restarted. ``headers`` returns additional headers for each request; ``broken`` is called when the connection is lost.
    """

    def __init__(
        self,
        client: Client,
        table: str,
        take: Callable[[str, Mapping[str, Any]], None],
        *,
        headers: Callable[[], Mapping[str, str]] = dict,
        broken: Callable[[], None] = lambda: None,
    ) -> None:
        self._client, self._table = client, table
        self._take, self._more_headers, self._broken = take, headers, broken
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
        wait = _FIRST_WAIT_S
        while not self._closed.is_set():
            began = False
            with suppress(OSError, HTTPException, ValueError, KeyError):
                for _ in self._follow():
                    began = True
            self._broken()
            wait = _FIRST_WAIT_S if began else min(2 * wait, _MAX_WAIT_S)
            self._closed.wait(wait * random.uniform(0.7, 1.3))

    def _follow(self) -> Iterator[None]:
        """Follow until the stream ends; yields after each message."""
        connection = self._client.connect()
        try:
            connection.connect()
            with self._lock:
                self._socket = connection.sock
            if self._closed.is_set():
                return
            path = f"/api/tables/{quote(self._table, safe='')}/events"
            connection.request("GET", path, headers={**self._client.headers, **self._more_headers()})
            self._socket.settimeout(_SILENCE_S)
            with connection.getresponse() as answer:
                if answer.status != 200:
                    return
                for event, data in messages(answer):
                    self._take(event, data)
                    yield
        finally:
            with self._lock:
                self._socket = None
            connection.close()


class TableFollower(EventStream):
    """A thread that follows one table. It keeps no state: after reconnecting, the server sends a snapshot.

    ``seen`` is called in the thread with the table's view, ``next_table`` with the id of the evening's next table.
    """

    def __init__(
        self,
        client: Client,
        table: str,
        seen: Callable[[Mapping[str, Any]], None],
        next_table: Callable[[str], None],
    ) -> None:
        def take(event: str, data: Mapping[str, Any]) -> None:
            if event in {"snapshot", "change", "resync"}:
                # A change shortens only lists that no display shows, so its state is complete for this purpose.
                seen(data["state"])
            elif event == "next":
                next_table(str(data["table"]))

        super().__init__(client, table, take)


def messages(lines: Iterable[bytes]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the messages of an event stream: name and JSON data."""
    event, data = "", ""
    for line in lines:
        field, _, value = line.decode().rstrip("\n").partition(": ")
        if field == "event":
            event = value
        elif field == "data":
            data = value
        elif not field and data:
            yield event, json.loads(data)
            event, data = "", ""
