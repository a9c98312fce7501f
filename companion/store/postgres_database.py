"""The PostgreSQL connections of a store: a pool, transactions, and the translation of statements and errors."""

from __future__ import annotations

import hashlib
import logging
import re
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final, TypeAlias
from urllib.parse import quote

import psycopg
from psycopg.abc import Buffer
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import dict_row, tuple_row
from psycopg.types.string import StrDumperUnknown
from psycopg_pool import ConnectionPool, PoolTimeout

from companion.hanafuda.messages import Message
from companion.store.database import Values
from companion.store.errors import (
    FaultReason,
    LogBusyError,
    LogReadError,
    LogUnreachableError,
    LogUnusableError,
    LogWriteError,
)
from companion.store.schema import MIGRATIONS, POSTGRES, Migration, migrate

_MAX_CONNECTIONS: Final = 10
"""Connections of one process at the same time; a transaction takes a few milliseconds, and PostgreSQL allows 100 by default."""
_WAIT_S: Final = 3.0
"""Timeout of a transaction that waits for a connection, s: longer than a restart of the database, short enough for a person."""
_ATTEMPT_S: Final = 0.3
"""Timeout of one attempt to get a connection, s; after it the pool tries again to connect."""
_WAIT_AGAIN_S: Final = 0.2
"""The same after it has timed out once, s, so that the requests of many phones do not queue up."""
_REASON_S: Final = 1.0
"""Validity of the reason why no connection can be opened, s."""
_CHECK_BYTES: Final = 16_384
"""Size of the test write, bytes: that of a large event."""
_CONNECT_S: Final = 3
"""Timeout of a new connection, s; PostgreSQL's client has no shorter one than 2 s."""
_MIGRATING: Final = 7_262_016_551_026
"""The advisory lock of migrations; any number that no other program uses in this database."""
_SETTINGS: Final = {
    "lock_timeout": "10s",  # longer than any transaction
    "idle_in_transaction_session_timeout": "30s",  # a process that hangs must not keep its locks
    "tcp_keepalives_idle": "5",  # nor one whose machine was cut off
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
    "timezone": "UTC",
}

# The pool reports each attempt to connect; the requests that fail are reported anyway.
logging.getLogger("psycopg.pool").setLevel(logging.ERROR)

_RawConnection: TypeAlias = "psycopg.Connection[Any]"

_TOKENS: Final = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|::|\?|:([a-z][a-z0-9_]*)|%")
"""Texts and quoted names, in which nothing is replaced but ``%``, casts, and the parameters."""


@lru_cache(maxsize=1024)
def translated(sql: str) -> str:
    """Return a statement with its parameters ``?`` and ``:name`` as psycopg writes them."""

    def replaced(found: re.Match[str]) -> str:
        token = found.group()
        if token == "?":
            return "%s"
        if found.group(1):
            return f"%({found.group(1)})s"
        return token.replace("%", "%%")

    return _TOKENS.sub(replaced, sql)


class _TextDumper(StrDumperUnknown):
    """Passes texts to PostgreSQL, which cannot store the character NUL: it becomes U+FFFD, as for other unreadable characters."""

    def dump(self, obj: str) -> Buffer | None:
        return super().dump(obj.replace("\0", "\ufffd"))


class PostgresConnection:
    """A connection as `companion.store.database.Connection` describes it."""

    def __init__(self, connection: _RawConnection) -> None:
        self.raw = connection

    def execute(self, sql: str, values: Values = (), /) -> psycopg.Cursor[tuple[Any, ...]]:
        """Execute a statement, and return its result as tuples."""
        return self.raw.cursor(row_factory=tuple_row).execute(translated(sql), values)

    def query(self, sql: str, values: Values = (), /) -> Iterable[dict[str, Any]]:
        """Execute a query, and return its rows as dictionaries."""
        return self.raw.cursor(row_factory=dict_row).execute(translated(sql), values)

    def executemany(self, sql: str, rows: Iterable[Values], /) -> None:
        """Execute a statement once for each row of values."""
        self.raw.cursor().executemany(translated(sql), rows)


class PostgresDatabase:
    """The database of a store. Thread-safe; other processes and machines may use the same database."""

    def __init__(self, url: str, migrations: Sequence[Migration] = MIGRATIONS) -> None:
        """Connect to the database at ``url`` and bring its schema up to date; raises `LogUnusableError`."""
        self.address = Address(url)
        self.written: float | None = None
        """Time of the last write, s of the monotonic clock."""
        self._local = threading.local()
        self._failed = False
        self._reason_lock = threading.Lock()
        self._reason: tuple[float, psycopg.Error | None] = (float("-inf"), None)
        self.address.check()
        try:
            with psycopg.connect(url, connect_timeout=_CONNECT_S) as connection:
                connection.execute("SELECT pg_advisory_xact_lock(%s)", [_MIGRATING])
                migrate(PostgresConnection(connection), POSTGRES, self.address.place, migrations)
        except psycopg.Error as error:
            raise unusable_error(error, self.address) from None  # its text may have the password
        self._pool = ConnectionPool(
            url,
            connection_class=psycopg.Connection[Any],
            kwargs={"autocommit": True, "connect_timeout": _CONNECT_S},
            configure=_configure,
            min_size=1,
            max_size=_MAX_CONNECTIONS,
            reconnect_timeout=_ATTEMPT_S,
            open=True,
        )

    def close(self) -> None:
        """Close all connections; the database cannot be used afterwards."""
        self._pool.close()

    def connections(self) -> dict[str, int]:
        """Return the number of open and idle connections, and of threads that are waiting for one."""
        found = self._pool.get_stats()
        return {
            "open": found.get("pool_size", 0),
            "idle": found.get("pool_available", 0),
            "waiting": found.get("requests_waiting", 0),
        }

    def next_number(self, table: str, column: str) -> str:
        """Return an SQL expression for the next number in a column; see `companion.store.database.Database`."""
        return f"nextval('{table}_{column}')"

    @contextmanager
    def reading(self) -> Iterator[PostgresConnection]:
        """Yield a connection with a consistent snapshot; within `writing`, the transaction's own connection.

        Raises `LogReadError` if the database cannot be read.
        """
        current: PostgresConnection | None = getattr(self._local, "connection", None)
        if current is not None:
            yield current
            return
        try:
            with self._transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") as connection:
                yield connection
        except (psycopg.OperationalError, psycopg.InterfaceError, psycopg.InternalError) as error:
            raise read_error(error, self.address) from error

    @contextmanager
    def writing(self, scope: str = "") -> Iterator[PostgresConnection]:
        """Yield a connection in a transaction, which is committed durably at the end or rolled back on an error.

        Of two transactions with the same ``scope``, one waits for the other. Raises `LogWriteError`, also if the connection was
        lost during the commit: then the transaction may have been committed.
        """
        lock = f"BEGIN; SELECT pg_advisory_xact_lock({_lock_number(scope)})"
        try:
            with self._transaction(lock) as connection:
                yield connection
        except psycopg.Error as error:
            raise write_error(error, self.address) from error
        self.written = time.monotonic()

    @contextmanager
    def session(self) -> Iterator[PostgresConnection]:
        """Yield a connection of its own, outside of transactions; its locks end with it.

        Raises `LogReadError` if it cannot be opened or is lost.
        """
        try:
            with psycopg.connect(self.address.url, connect_timeout=_CONNECT_S, autocommit=True) as connection:
                _configure(connection)
                yield PostgresConnection(connection)
        except psycopg.Error as error:
            raise read_error(error, self.address) from error

    def check(self) -> LogWriteError | None:
        """Return why nothing can be written at present; None if writing works."""
        try:
            with self._transaction("BEGIN", end="ROLLBACK") as connection:
                connection.execute(
                    "INSERT INTO access_values (name, value) VALUES (gen_random_uuid(), repeat('.', ?))",
                    [_CHECK_BYTES],
                )
        except psycopg.Error as error:
            return write_error(error, self.address)
        return None

    def in_doubt(self) -> bool:
        """Return whether the last transaction failed to begin or to write."""
        return self._failed

    @contextmanager
    def _transaction(self, begin: str, *, end: str = "COMMIT") -> Iterator[PostgresConnection]:
        connection = self._begin(begin)
        outer = getattr(self._local, "connection", None)
        self._local.connection = PostgresConnection(connection)
        try:
            yield self._local.connection
            self._end(connection, end)
        except BaseException as error:
            self._failed = isinstance(error, psycopg.Error)
            with suppress(psycopg.Error):  # the connection is lost, and PostgreSQL rolls back itself
                connection.execute("ROLLBACK")
            raise
        finally:
            self._local.connection = outer
            self._pool.putconn(connection)

    def _end(self, connection: _RawConnection, end: str) -> None:
        try:
            connection.execute(end)
        except psycopg.Error as error:
            if connection.closed:
                raise CommitInDoubtError(*error.args) from error
            raise

    def _begin(self, begin: str) -> _RawConnection:
        """Return a connection after ``begin`` was executed; connections that were cut while they were idle are replaced."""
        deadline = time.monotonic() + (_WAIT_AGAIN_S if self._failed else _WAIT_S)
        while True:
            connection = self._connection(deadline)
            try:
                connection.execute(begin)
            except BaseException as error:
                lost = connection.closed
                with suppress(psycopg.Error):
                    connection.execute("ROLLBACK")
                self._pool.putconn(connection)
                if not lost or not isinstance(error, psycopg.Error) or time.monotonic() > deadline:
                    self._failed = True
                    raise
            else:
                self._failed = False
                return connection

    def _connection(self, deadline: float) -> _RawConnection:
        while True:
            left = deadline - time.monotonic()
            try:
                return self._pool.getconn(max(0.0, min(left, _ATTEMPT_S)))
            except PoolTimeout as error:
                if left <= _ATTEMPT_S:
                    reason = self._why_not()
                    # Without a reason all connections are in use: the next wait stays long.
                    self._failed = reason is not None
                    raise reason or error from None

    def _why_not(self) -> psycopg.Error | None:
        """Return why no connection can be opened; None if one can. Asked by many threads, it tries once a second."""
        with self._reason_lock:
            tried, reason = self._reason
            if time.monotonic() - tried > _REASON_S:
                try:
                    psycopg.connect(self.address.url, connect_timeout=_CONNECT_S).close()
                    reason = None
                except psycopg.Error as error:
                    reason = error
                self._reason = time.monotonic(), reason
        return reason


def _configure(connection: _RawConnection) -> None:
    assignments = ", ".join(f"set_config('{name}', '{value}', false)" for name, value in _SETTINGS.items())
    connection.adapters.register_dumper(str, _TextDumper)
    connection.execute(f"SELECT {assignments}")


def _lock_number(scope: str) -> int:
    """Return the number of the advisory lock for a scope, a signed 64-bit integer."""
    return int.from_bytes(hashlib.sha256(scope.encode()).digest()[:8], signed=True)


@dataclass(frozen=True)
class Address:
    """The address of a database, ``postgresql://USER:PASSWORD@HOST:PORT/DATABASE`` or with ``?host=`` for a Unix socket."""

    url: str

    def check(self) -> None:
        """Raise `LogUnusableError` if the URL is not a valid address; the message does not quote it, for it has a password."""
        # An @ in a password that is not written as %40 splits the address at the wrong place.
        if not self._parts or "@" in self._part("host") or "@" in self._part("dbname"):
            raise LogUnusableError(Message("database-bad-address"))

    @cached_property
    def _parts(self) -> dict[str, Any]:
        try:
            return dict(conninfo_to_dict(self.url))
        except psycopg.Error:
            return {}

    def _part(self, name: str) -> str:
        return str(self._parts.get(name) or "")

    @property
    def user(self) -> str:
        """The user's name; empty if it is that of the operating system."""
        return self._part("user")

    @property
    def database(self) -> str:
        """The name of the database; empty if it is that of the user."""
        return self._part("dbname")

    @cached_property
    def place(self) -> str:
        """The address without user and password."""
        host, port = self._part("host"), self._part("port")
        if host.startswith("/"):
            return f"postgresql:///{self.database}?host={host}" + (f"&port={port}" if port else "")
        return f"postgresql://{host}" + (f":{port}" if port else "") + f"/{self.database}"

    def reason(self, error: BaseException) -> str:
        """Return the text of an error in one line, without the password."""
        text = " ".join(str(error).split())
        text = re.sub(r"^connection (failed|is bad): |\.? Is the server running .*", "", text)
        password = self._part("password")
        for each in {password, quote(password, safe="")} - {""}:
            text = text.replace(each, "***")
        return text


_REASONS: Final[Mapping[str, FaultReason]] = {
    "25006": "read-only",
    "40001": "busy",
    "40P01": "busy",
    "53100": "full",
    "55P03": "busy",
    "57014": "busy",
    "XX001": "damaged",
    "XX002": "damaged",
}
"""SQLSTATE codes caused by the disk, the server or other programs; others are bugs of the program."""
_REFUSED: Final = ("password", "authentication", "pg_hba.conf", "role ")
"""Words in the errors of a server that refuses a user: the client library has no codes for them."""
_NOT_PERMITTED: Final = "42501"
_NO_DATABASE: Final = 'database "'


class CommitInDoubtError(psycopg.OperationalError):
    """Raised if the connection was lost during a commit, so that it is not known whether the changes are stored."""


def write_error(error: psycopg.Error, address: Address) -> LogWriteError:
    """Return the error for a failed write, with advice."""
    reason = reason_of(error)
    params = {"place": address.place, "reason": address.reason(error)}
    if isinstance(error, CommitInDoubtError):
        return LogUnreachableError(Message("problem-database-in-doubt", params))
    if reason == "unreachable":
        return LogUnreachableError(Message("problem-database-unreachable", params))
    if reason == "busy":
        return LogBusyError(address.place)
    advice = Message(f"log-{reason}")
    return LogWriteError(Message("problem-log-not-written", {**params, "advice": advice}), reason=reason)


def read_error(error: psycopg.Error, address: Address) -> LogReadError:
    """Return the error for a failed read."""
    params = {"place": address.place, "reason": address.reason(error)}
    return LogReadError(Message("problem-database-not-read", params))


def unusable_error(error: psycopg.Error, address: Address) -> LogUnusableError:
    """Return the error for a database that cannot be opened."""
    reason = address.reason(error)
    params = {"place": address.place, "user": address.user, "database": address.database, "reason": reason}
    if error.sqlstate == _NOT_PERMITTED:
        return LogUnusableError(Message("database-not-permitted", params))
    if error.sqlstate is None and isinstance(error, psycopg.OperationalError):
        if any(word in reason for word in _REFUSED):
            return LogUnusableError(Message("database-refused", params))
        if _NO_DATABASE in reason and "not exist" in reason:
            return LogUnusableError(Message("database-missing", params))
        return LogUnusableError(Message("database-unreachable", params))
    return LogUnusableError(Message("database-unusable", params))


def reason_of(error: psycopg.Error) -> FaultReason:
    """Return the reason for a failure."""
    if isinstance(error, PoolTimeout):
        return "busy"
    code = error.sqlstate
    if code is None:  # not from the server
        unreachable = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
        return "unreachable" if unreachable else "failed"
    if code.startswith(("08", "57P", "53300", "25P03")):
        return "unreachable"
    return _REASONS.get(code, "failed")
