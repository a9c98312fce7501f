"""A table's stream: how the table stands and what happens, each event once, also across a broken connection."""

from __future__ import annotations

import random
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from http.client import HTTPException
from typing import Any, Final
from urllib.parse import quote

from companion.client import AwayError, Client, RefusedError
from hardware.mqtt.messages import last_yaku, state_of
from hardware.worker.following import messages

__all__ = ["Feed"]

#: The server breaks silence every 12 s; after so long it is gone, s.
_SILENCE_S: Final = 30.0
_FIRST_WAIT_S: Final = 0.25
_LONGEST_WAIT_S: Final = 3.0
#: What happened before that is no news any more after an absence, s.
_NEWS_S: Final = 10.0


class Feed:
    """A thread that follows one table.

    ``stands`` is called there with what `state_of` tells, ``happened`` with each new event; ``goes_on`` when the evening
    goes on at another table.
    """

    def __init__(
        self,
        client: Client,
        table: str,
        *,
        stands: Callable[[Mapping[str, Any]], None],
        happened: Callable[[Mapping[str, Any]], None],
        goes_on: Callable[[], None],
    ) -> None:
        self.table = table
        self._client = client
        self._stands, self._happened, self._goes_on = stands, happened, goes_on
        self._seq = 0
        self._view: Mapping[str, Any] | None = None
        self._formed: list[Mapping[str, Any]] = []
        """Of each line of the history, which player made which yaku."""
        self._camera = "absent"
        self._broken: float | None = None
        """Since when nothing is heard, s of the monotonic clock; None while the stream stands."""
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._thread = threading.Thread(target=self._run, name=f"mqtt-{table}", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Follow no more."""
        self._closed.set()
        with self._lock, suppress(OSError):
            if self._socket is not None:
                self._socket.shutdown(socket.SHUT_RDWR)  # ends the read that waits
        self._thread.join()

    def _run(self) -> None:
        wait = _FIRST_WAIT_S
        while not self._closed.is_set():
            began = False
            with suppress(OSError, HTTPException, AwayError, RefusedError, ValueError, KeyError):
                for _ in self._follow():
                    began = True
            if self._broken is None:
                self._broken = time.monotonic()
            wait = _FIRST_WAIT_S if began else min(2 * wait, _LONGEST_WAIT_S)
            self._closed.wait(wait * random.uniform(0.7, 1.3))

    def _follow(self) -> Iterator[None]:
        """Follow until the stream breaks off; yields after each message."""
        connection = self._client.connect()
        path = f"/api/tables/{quote(self.table, safe='')}"
        try:
            connection.connect()
            with self._lock:
                self._socket = connection.sock
            if self._closed.is_set():
                return
            headers = dict(self._client.headers)
            if self._seq:
                headers["Last-Event-ID"] = str(self._seq)
            connection.request("GET", f"{path}/events", headers=headers)
            self._socket.settimeout(_SILENCE_S)
            with connection.getresponse() as answer:
                if answer.status != 200:
                    return
                # The stream tells how the camera is only when that changes.
                self._camera = str(self._client.call("GET", f"{path}/camera")["state"])
                for event, data in messages(answer):
                    self._take(event, data)
                    self._broken = None
                    yield
        finally:
            with self._lock:
                self._socket = None
            connection.close()

    def _take(self, event: str, data: Mapping[str, Any]) -> None:
        match event:
            case "next":
                self._goes_on()
            case "camera":
                self._camera = str(data["state"])
                self._tell()
            case "snapshot" | "resync" | "change":
                self._change(data, known=event == "change" and bool(self._seq))

    def _change(self, data: Mapping[str, Any], *, known: bool) -> None:
        """Take a state; a change tells its history from a line on, and the events that made it."""
        seq, state, kept = data["seq"], data["state"], data.get("from")
        if kept is not None and data["after"] != self._seq:
            raise ValueError("something is missing in between: begin anew")
        before = self._formed[: kept["history"]] if kept else []
        self._formed = [
            *before,
            *({key: line[key] for key in ("seat", "formed")} for line in state["history"]),
        ]
        was, self._seq, self._view = self._seq, seq, state
        self._tell()
        if known and (self._broken is None or time.monotonic() - self._broken < _NEWS_S):
            for each in data["events"]:
                if each["seq"] > was:
                    self._happened({"table": self.table, **each})

    def _tell(self) -> None:
        if self._view is not None:
            self._stands(state_of(self._view, self._seq, last_yaku(self._formed), self._camera))
