"""The leases of a store that only one server process uses: it holds all of them."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Collection, Mapping
from typing import Final

from companion.store.errors import LeaseLostError
from companion.store.lease_records import Lease
from companion.store.sql.connection import Connection

__all__ = ["LocalLeases"]

_KEY_BYTES: Final = 32


class LocalLeases:
    """Leases in memory; see `companion.store.store_protocol.LeaseStore`. Thread-safe."""

    def __init__(self) -> None:
        self.key = secrets.token_bytes(_KEY_BYTES)
        self._lock = threading.Lock()
        self._leases: dict[str, Lease] = {}
        self._claims = 0

    def advertise(self, url: str, root: str = "") -> None:
        """Do nothing: there are no other processes."""

    def claim(self, resource: str) -> Lease:
        """Return this process's lease of a resource."""
        with self._lock:
            lease = self._leases.get(resource)
            if lease is None:
                self._claims += 1
                lease = self._leases[resource] = Lease(resource, self._claims, "", own=True)
            return lease

    def holder(self, resource: str) -> Lease | None:
        """Return the lease of a resource, or None."""
        with self._lock:
            return self._leases.get(resource)

    def renew(self, notes: Mapping[Lease, str]) -> set[Lease]:
        """Return the leases, which do not expire."""
        return set(notes)

    def release(self, leases: Collection[Lease]) -> None:
        """Give up leases; those that were lost are ignored."""
        with self._lock:
            for lease in leases:
                if self._leases.get(lease.resource) == lease:
                    del self._leases[lease.resource]

    def notes(self) -> dict[Lease, str]:
        """Return the notes of other processes: none."""
        return {}

    def check(self, db: Connection, lease: Lease) -> None:
        """Raise `LeaseLostError` for a lease that was released; ``db`` is the transaction of the append."""
        with self._lock:
            if self._leases.get(lease.resource) != lease:
                raise LeaseLostError(lease.resource)
