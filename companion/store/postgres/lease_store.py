"""The leases of the server processes in PostgreSQL.

The table is unlogged: renewals cost no write to the disk, and after a crash of the database everybody claims anew. The fencing
tokens come from a sequence, which survives the crash, so a token never counts twice.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from companion.store.errors import LeaseLostError
from companion.store.lease_records import LEASE_S, Lease
from companion.store.postgres.database import PostgresDatabase
from companion.store.sql.connection import Connection

__all__ = ["PostgresLeases"]

_EXPIRES: Final = f"clock_timestamp() + interval '{LEASE_S} seconds'"
_KEY_NAME: Final = "forwarding_key"
_KEY_BYTES: Final = 32
_CHUNK: Final = 500
"""Maximum number of leases in one statement."""
_FORGOTTEN: Final = "interval '1 hour'"
"""How long expired leases are kept."""

_CLAIM: Final = f"""
    INSERT INTO leases AS held (resource, holder, url, root, token, expires, note)
    VALUES (:resource, :holder, :url, :root, nextval('lease_tokens'), {_EXPIRES}, '')
    ON CONFLICT (resource) DO UPDATE SET
        token = CASE WHEN held.holder = excluded.holder THEN held.token ELSE excluded.token END,
        note = CASE WHEN held.holder = excluded.holder THEN held.note ELSE '' END,
        holder = excluded.holder, url = excluded.url, root = excluded.root, expires = excluded.expires
    WHERE held.holder = excluded.holder OR held.url = excluded.url OR held.expires < clock_timestamp()
    RETURNING token
"""
"""Takes a lease if nobody holds it, or extends it. A holder at the same address has ended: its port is this process's now."""

_HELD: Final = """
    SELECT token, url, holder = :holder AS own, root FROM leases
    WHERE resource = :resource AND expires >= clock_timestamp() AND (holder = :holder OR url <> :url)
"""

_CHECK: Final = """
    SELECT set_config('idle_in_transaction_session_timeout', '2000', true) FROM leases
    WHERE resource = ? AND token = ? FOR SHARE
"""
"""Keeps the lease until the transaction ends. If this process is stopped in the middle, the database ends the transaction after 2 s,
so that another process can take the lease."""


class PostgresLeases:
    """The leases in a database, by its clock; see `companion.store.store_protocol.LeaseStore`. Thread-safe."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._holder = secrets.token_urlsafe(12)
        self._url = f"not-served:{self._holder}"
        self._root = ""
        self._known_key: bytes | None = None

    @property
    def key(self) -> bytes:
        """The secret that the processes share; created by the first one."""
        if self._known_key is None:
            new = secrets.token_hex(_KEY_BYTES)
            with self._database.writing("leases") as db:
                db.execute(
                    "INSERT INTO access_values (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
                    [_KEY_NAME, new],
                )
                row = db.execute("SELECT value FROM access_values WHERE name = ?", [_KEY_NAME]).fetchone()
            assert row is not None, "it was just inserted"
            self._known_key = bytes.fromhex(row[0])
        return self._known_key

    def advertise(self, url: str, root: str = "") -> None:
        """Set where the other processes reach this one; see `LeaseStore.advertise`."""
        self._url, self._root = url, root
        with self._database.writing("leases") as db:
            db.execute(f"DELETE FROM leases WHERE expires < clock_timestamp() - {_FORGOTTEN}")

    def claim(self, resource: str) -> Lease:
        """Take or extend a lease; see `LeaseStore.claim`."""
        while True:
            with self._database.writing(f"lease:{resource}") as db:
                row = db.execute(_CLAIM, self._names(resource)).fetchone()
                if row is not None:
                    return Lease(resource, int(row[0]), self._url, own=True)
                if (lease := self._held(db, resource)) is not None:
                    return lease

    def holder(self, resource: str) -> Lease | None:
        """Return the lease of a resource, None if nobody holds it."""
        with self._database.reading() as db:
            return self._held(db, resource)

    def renew(self, notes: Mapping[Lease, str]) -> set[Lease]:
        """Extend leases; see `LeaseStore.renew`."""
        kept = set()
        rest = iter(notes.items())
        while chunk := dict(islice(rest, _CHUNK)):
            kept |= self._renew(chunk)
        return kept

    def _renew(self, notes: Mapping[Lease, str]) -> set[Lease]:
        rows = ", ".join(["(CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS TEXT))"] * len(notes))
        values: list[Any] = []
        for lease, note in notes.items():
            values += [lease.resource, lease.token, note]
        with self._database.writing(f"renewal:{self._holder}") as db:
            renewed = db.execute(
                f"UPDATE leases SET expires = {_EXPIRES}, note = kept.note"
                f" FROM (VALUES {rows}) AS kept (resource, token, note)"
                " WHERE leases.resource = kept.resource AND leases.token = kept.token RETURNING leases.token",
                values,
            ).fetchall()
        tokens = {int(token) for (token,) in renewed}
        return {lease for lease in notes if lease.token in tokens}

    def release(self, leases: Collection[Lease]) -> None:
        """Give up leases; see `LeaseStore.release`."""
        if leases:
            with self._database.writing(f"renewal:{self._holder}") as db:
                db.executemany(
                    "DELETE FROM leases WHERE resource = ? AND token = ?",
                    [_identity(lease) for lease in leases],
                )

    def notes(self) -> dict[Lease, str]:
        """Return the leases of the other processes with their notes."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT resource, token, url, note FROM leases WHERE holder <> ? AND expires >= clock_timestamp()",
                [self._holder],
            ).fetchall()
        return {Lease(resource, int(token), url, own=False): note for resource, token, url, note in rows}

    def check(self, db: Connection, lease: Lease) -> None:
        """Raise `LeaseLostError` if another process took a lease; otherwise none can until the transaction ends."""
        if db.execute(_CHECK, _identity(lease)).fetchone() is None:
            raise LeaseLostError(lease.resource)

    def _held(self, db: Connection, resource: str) -> Lease | None:
        row = db.execute(_HELD, self._names(resource)).fetchone()
        if row is None:
            return None
        token, url, own, root = row
        return Lease(resource, int(token), str(url), own=bool(own), root="" if own else str(root))

    def _names(self, resource: str) -> dict[str, Any]:
        return {"resource": resource, "holder": self._holder, "url": self._url, "root": self._root}


def _identity(lease: Lease) -> Sequence[Any]:
    return [lease.resource, lease.token]
