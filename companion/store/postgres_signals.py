"""Signals between the processes that share a PostgreSQL database, with ``LISTEN`` and ``NOTIFY``.

Each process has two connections for them beside those of its store. A notification names the tables that have changed and the rows of
other signals, whose texts may be longer than a notification. It is sent after the transaction that it announces: transactions
with notifications commit one after the other, each with its own write to the disk, others together.
"""

from __future__ import annotations

import itertools
import json
import logging
import secrets
import threading
import time
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import psycopg

from companion.store.signals import SignalTopic

__all__ = ["PostgresSignals"]

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
_MOST_PER_NOTE: Final = 200
"""Tables and rows in one notification, which may have 8,000 bytes."""
_MOST_WAITING: Final = 2_000
"""Signals that wait for the database; beyond it the oldest are dropped."""
_KEPT_S: Final = 60
"""How long the rows of signals are kept, s: a process that reconnects within this time gets them."""
_MOST_SEEN: Final = 2_000
"""Rows that a process remembers as received, so that it does not receive them again after reconnecting."""

_logger = logging.getLogger(__name__)


class PostgresSignals:
    """The signals of a process; see `companion.store.signals.Signals`."""

    alone = False

    def __init__(self, url: str) -> None:
        self._url = url
        self._sender = secrets.token_hex(6)
        self._numbers = itertools.count(1)
        self._receivers: dict[str, list[tuple[Callable[[str], None], Callable[[], None]]]] = defaultdict(list)
        self._connected_before = False
        self._seen: OrderedDict[str, None] = OrderedDict()
        self._waiting = threading.Condition()
        self._tables: dict[str, None] = {}
        self._rows: deque[tuple[str, SignalTopic, str]] = deque(maxlen=_MOST_WAITING)
        self._removed_at = time.monotonic()
        self._closed = threading.Event()
        self._listening: threading.Thread | None = None
        self._sending: threading.Thread | None = None

    def subscribe(
        self, topic: SignalTopic, receive: Callable[[str], None], missed: Callable[[], None] = lambda: None
    ) -> None:
        """Call ``receive`` with each signal of another process; see `Signals.subscribe`."""
        with self._waiting:
            self._receivers[topic].append((receive, missed))
            if self._listening is None:
                self._listening = threading.Thread(target=self._listen, name="signals", daemon=True)
                self._listening.start()

    def send(self, topic: SignalTopic, text: str) -> None:
        """Send a signal to the other processes; see `Signals.send`."""
        with self._waiting:
            if topic == "table":
                self._tables[text] = None
                while len(self._tables) > _MOST_WAITING:
                    del self._tables[next(iter(self._tables))]
            else:
                self._rows.append((f"{self._sender}-{next(self._numbers)}", topic, text))
            if self._sending is None:
                self._sending = threading.Thread(target=self._send, name="signal sender", daemon=True)
                self._sending.start()
            self._waiting.notify()

    def close(self) -> None:
        """Send what is waiting, if the database can be reached, and stop."""
        with self._waiting:
            self._closed.set()
            self._waiting.notify()
            sending = self._sending
        if sending is not None:
            sending.join(_RETRY_S)

    # --- sending

    def _send(self) -> None:
        """Send what is waiting until the end, all that has come in meanwhile together."""
        connection: psycopg.Connection[Any] | None = None
        while (batch := self._next_batch()) is not None:
            tables, rows = batch
            try:
                if connection is None:
                    connection = self._connect()
                    connection.execute("SET synchronous_commit = off")  # a signal need not survive a failure
                self._send_batch(connection, tables, rows)
            except psycopg.Error as error:
                _logger.warning("signals to other processes are delayed: %s", error)
                if connection is not None:
                    connection.close()
                    connection = None
                self._put_back(tables, rows)
                if self._closed.wait(_RETRY_S):
                    return
        if connection is not None:
            connection.close()

    def _next_batch(self) -> tuple[list[str], list[tuple[str, SignalTopic, str]]] | None:
        """Wait for signals to send; None at the end."""
        with self._waiting:
            self._waiting.wait_for(lambda: self._tables or self._rows or self._closed.is_set())
            if not (self._tables or self._rows):
                return None
            tables = list(itertools.islice(self._tables, _MOST_PER_NOTE))
            for table_id in tables:
                del self._tables[table_id]
            rows = [self._rows.popleft() for _ in range(min(len(self._rows), _MOST_PER_NOTE))]
        return tables, rows

    def _put_back(self, tables: Sequence[str], rows: Sequence[tuple[str, SignalTopic, str]]) -> None:
        with self._waiting:
            self._tables = dict.fromkeys(tables) | self._tables
            self._rows.extendleft(reversed(rows))

    def _send_batch(
        self,
        connection: psycopg.Connection[Any],
        tables: Sequence[str],
        rows: Sequence[tuple[str, SignalTopic, str]],
    ) -> None:
        note = json.dumps({"from": self._sender, "tables": tables, "rows": [row[0] for row in rows]})
        with connection.transaction():
            if rows:
                connection.cursor().executemany(
                    "INSERT INTO signals (id, topic, text) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING", rows
                )
            connection.execute("SELECT pg_notify(%s, %s)", [_CHANNEL, note])
        if rows and time.monotonic() - self._removed_at > _KEPT_S:
            self._removed_at = time.monotonic()
            connection.execute("DELETE FROM signals WHERE at < now() - make_interval(secs => %s)", [_KEPT_S])

    # --- receiving

    def _listen(self) -> None:
        while not self._closed.is_set():
            try:
                with self._connect() as connection:
                    connection.execute(f"LISTEN {_CHANNEL}")
                    self._receive_missed(connection)
                    for note in self._notes(connection):
                        self._receive(connection, note)
            except psycopg.Error as error:
                if not self._closed.is_set():
                    _logger.warning("signals of other processes are missing: %s", error)
            self._closed.wait(_RETRY_S)

    def _notes(self, connection: psycopg.Connection[Any]) -> Iterator[str]:
        """Yield the contents of notifications until the end. Raises `psycopg.Error` if the connection is lost."""
        while not self._closed.is_set():
            # A list, because no query can be made while notifications are read.
            notes = [each.payload for each in connection.notifies(timeout=_ALIVE_S, stop_after=1)]
            yield from notes
            if not notes:
                connection.execute("SELECT 1")  # fails if the connection is lost

    def _receive(self, connection: psycopg.Connection[Any], note: str) -> None:
        content = json.loads(note)
        if content["from"] == self._sender:
            return
        for table_id in content["tables"]:
            self._deliver("table", table_id)
        if content["rows"]:
            query = "SELECT id, topic, text FROM signals WHERE id = ANY(%s)"
            found = {row[0]: row for row in connection.execute(query, [content["rows"]])}
            self._receive_rows([found[each] for each in content["rows"] if each in found])

    def _receive_missed(self, connection: psycopg.Connection[Any]) -> None:
        """Receive the rows that were sent while this process was not connected, and say that all else may have changed."""
        if self._connected_before:
            rows = connection.execute("SELECT id, topic, text FROM signals ORDER BY at").fetchall()
            self._receive_rows([row for row in rows if not row[0].startswith(f"{self._sender}-")])
        else:
            for (row_id,) in connection.execute("SELECT id FROM signals").fetchall():
                self._seen[row_id] = None  # sent before this process started
            self._connected_before = True
        for receivers in list(self._receivers.values()):
            for _, missed in receivers:
                missed()

    def _receive_rows(self, rows: Sequence[tuple[str, str, str]]) -> None:
        for row_id, topic, text in rows:
            if row_id in self._seen:
                continue
            self._seen[row_id] = None
            while len(self._seen) > _MOST_SEEN:
                self._seen.popitem(last=False)
            self._deliver(topic, text)

    def _deliver(self, topic: str, text: str) -> None:
        for receive, _ in self._receivers[topic]:
            try:
                receive(text)
            except Exception:  # the thread has to go on for other signals
                _logger.exception("a signal of another process could not be processed")

    def _connect(self) -> psycopg.Connection[Any]:
        return psycopg.connect(self._url, autocommit=True, connect_timeout=_CONNECT_S, **_KEEPALIVE)
