"""Signals between the processes that share a PostgreSQL database, with ``LISTEN`` and ``NOTIFY``.

Each process has two connections for them beside those of its store. A notification is sent after the transaction that it announces:
transactions with notifications commit one after the other, each with its own write to the disk, others together. PostgreSQL delivers the
notifications of one transaction in their order and without others between them, so a long text is sent in several of them.
"""

from __future__ import annotations

import json
import logging
import secrets
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeAlias

import psycopg

from companion.store.signals import Signals, SignalTopic

_CHANNEL: Final = "companion"
_CONNECT_S: Final = 3
"""Timeout of a new connection, s."""
_RETRY_S: Final = 0.5
"""Time between two attempts to connect, s."""
_ALIVE_S: Final = 1.0
"""How often a silent connection is tested, s."""
_KEEPALIVE: Final[dict[str, Any]] = {
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
"""A connection to a machine that was cut off ends after ten seconds."""
_PART: Final = 7_900
"""Characters of ASCII in one notification, which may have 8,000 bytes with the sender and the number of parts that follow."""
_MOST_WAITING: Final = 2_000
"""Signals that wait for the database; beyond it the oldest are dropped."""

_logger = logging.getLogger(__name__)

_Signal: TypeAlias = tuple[SignalTopic, str]
"""The topic and the text."""


class PostgresSignals(Signals):
    """The signals of a process; see `companion.store.signals.Signals`."""

    alone = False

    def __init__(self, url: str) -> None:
        self._url = url
        self._sender = secrets.token_hex(6)
        self._receivers: dict[str, list[tuple[Callable[[str], None], Callable[[], None]]]] = defaultdict(list)
        self._changed = threading.Condition()
        self._waiting: dict[_Signal, None] = {}
        """The signals to send, in their order; one that is sent again waits at its new place only."""
        self._closed = threading.Event()
        self._listening: threading.Thread | None = None
        self._sending: threading.Thread | None = None

    def subscribe(
        self, topic: SignalTopic, receive: Callable[[str], None], missed: Callable[[], None] = lambda: None
    ) -> None:
        """Call ``receive`` with each signal of another process; see `Signals.subscribe`."""
        with self._changed:
            self._receivers[topic].append((receive, missed))
            if self._listening is None:
                self._listening = threading.Thread(target=self._listen, name="signals", daemon=True)
                self._listening.start()

    def send(self, topic: SignalTopic, text: str) -> None:
        """Send a signal to the other processes; see `Signals.send`."""
        with self._changed:
            self._waiting.pop((topic, text), None)
            self._waiting[topic, text] = None
            if len(self._waiting) > _MOST_WAITING:
                del self._waiting[next(iter(self._waiting))]
            if self._sending is None:
                self._sending = threading.Thread(target=self._send, name="signal sender", daemon=True)
                self._sending.start()
            self._changed.notify()

    def close(self) -> None:
        """Send what is waiting, if the database can be reached, and stop."""
        with self._changed:
            self._closed.set()
            self._changed.notify()
            sending = self._sending
        if sending is not None:
            sending.join(_RETRY_S)

    # --- sending

    def _send(self) -> None:
        """Send what is waiting until the end, all that has come in meanwhile together."""
        connection: psycopg.Connection[Any] | None = None
        while signals := self._next_batch():
            try:
                if connection is None:
                    connection = self._connect()
                    connection.execute("SET synchronous_commit = off")  # a signal need not survive a failure
                with connection.transaction():
                    for note in self._notes_of(signals):
                        connection.execute("SELECT pg_notify(%s, %s)", [_CHANNEL, note])
            except psycopg.Error as error:
                _logger.warning("signals to other processes are delayed: %s", error)
                if connection is not None:
                    connection.close()
                    connection = None
                with self._changed:
                    again = (each for each in signals if each not in self._waiting)
                    self._waiting = dict.fromkeys(again) | self._waiting
                if self._closed.wait(_RETRY_S):
                    return
        if connection is not None:
            connection.close()

    def _next_batch(self) -> list[_Signal]:
        """Wait for signals to send; none at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed.is_set())
            signals = list(self._waiting)
            self._waiting.clear()
        return signals

    def _notes_of(self, signals: Sequence[_Signal]) -> Iterator[str]:
        """Yield the notifications of signals: the sender, how many parts follow, and a part of their JSON document."""
        document = json.dumps(signals)
        starts = range(0, len(document), _PART)
        for left, start in zip(reversed(range(len(starts))), starts, strict=True):
            yield f"{self._sender} {left} {document[start : start + _PART]}"

    # --- receiving

    def _listen(self) -> None:
        connected_before = False
        while not self._closed.is_set():
            try:
                with self._connect() as connection:
                    connection.execute(f"LISTEN {_CHANNEL}")
                    if connected_before:
                        self._miss()
                    connected_before = True
                    self._receive(connection)
            except psycopg.Error as error:
                if not self._closed.is_set():
                    _logger.warning("signals of other processes are missing: %s", error)
            self._closed.wait(_RETRY_S)

    def _receive(self, connection: psycopg.Connection[Any]) -> None:
        """Receive signals until the end. Raises `psycopg.Error` if the connection is lost."""
        parts = list[str]()
        for note in self._notes(connection):
            sender, left, part = note.split(" ", 2)
            if sender == self._sender:
                continue
            parts.append(part)
            if left == "0":
                for topic, text in json.loads("".join(parts)):
                    self._deliver(topic, text)
                parts.clear()

    def _notes(self, connection: psycopg.Connection[Any]) -> Iterator[str]:
        """Yield the contents of notifications until the end. Raises `psycopg.Error` if the connection is lost."""
        while not self._closed.is_set():
            # A list, because no query can be made while notifications are read.
            notes = [each.payload for each in connection.notifies(timeout=_ALIVE_S, stop_after=1)]
            yield from notes
            if not notes:
                connection.execute("SELECT 1")  # fails if the connection is lost

    def _deliver(self, topic: str, text: str) -> None:
        for receive, _ in self._receivers[topic]:
            try:
                receive(text)
            except Exception:  # the thread has to go on for other signals
                _logger.exception("a signal of another process could not be processed")

    def _miss(self) -> None:
        """Say that signals may have been lost while this process was not connected."""
        for receivers in list(self._receivers.values()):
            for _, missed in receivers:
                missed()

    def _connect(self) -> psycopg.Connection[Any]:
        return psycopg.connect(self._url, autocommit=True, connect_timeout=_CONNECT_S, **_KEEPALIVE)
