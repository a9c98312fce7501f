"""Which process keeps what in memory for all server processes of a store, by leases: referees, cameras, devices.

With one process all leases are its own.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from companion.store import Lease, LeaseLostError, LeaseStore
from companion.store.lease_records import LEASE_S

__all__ = ["DEVICES", "PRINTER", "Ownership", "of_enrollment", "of_table", "table_of"]

DEVICES: Final = "devices"
"""The resource of the devices: the reports and commands of their process, and the scans for pairing tags."""

PRINTER: Final = "printer"
"""The resource of the job that is being printed."""

_TABLE: Final = "table:"
_SURE_S: Final = LEASE_S - 1
"""How long after its last renewal a lease is used without asking the database, s: it is renewed twice within this time."""
_UNUSED_S: Final = 2 * 3600.0
"""A lease that was not used for this long, s, is given up; so long are enrollments kept."""


def of_table(table_id: str) -> str:
    """Return the resource of what is in memory about a table: its referee, camera and readers."""
    return f"{_TABLE}{table_id}"


def of_enrollment(enrollment_id: str) -> str:
    """Return the resource of a deck that is being enrolled."""
    return f"enrollment:{enrollment_id}"


def table_of(resource: str) -> str | None:
    """Return the id of the table that a resource belongs to, None for another resource."""
    return resource.removeprefix(_TABLE) if resource.startswith(_TABLE) else None


@dataclass(slots=True)
class _Held:
    """A lease of this process; times are s on the clock."""

    lease: Lease
    renewed: float
    used: float


class Ownership:
    """The leases of this process. Thread-safe."""

    def __init__(self, leases: LeaseStore, clock: Callable[[], float] = time.monotonic) -> None:
        self._leases, self._clock = leases, clock
        self._lock = threading.Lock()
        self._held: dict[str, _Held] = {}

    @property
    def key(self) -> bytes:
        """The secret with which the processes sign the requests that they forward to each other."""
        return self._leases.key

    def holds(self, resource: str) -> bool:
        """Return whether this process had the lease of a resource when it last looked."""
        with self._lock:
            return resource in self._held

    def claim(self, resource: str) -> Lease:
        """Return the lease of a resource: this process's, which is taken if nobody has it, or the other holder's.

        Raises `LogWriteError` if the database cannot be asked.
        """
        now = self._clock()
        with self._lock:
            held = self._held.get(resource)
            if held is not None and now - held.renewed < _SURE_S:
                held.used = now
                return held.lease
        lease = self._leases.claim(resource)
        with self._lock:
            if lease.own:
                self._held[resource] = _Held(lease, now, now)
            else:
                self._held.pop(resource, None)
        return lease

    def own(self, resource: str) -> Lease:
        """Return this process's lease of a resource; raises `LeaseLostError` if another process has it."""
        lease = self.claim(resource)
        if not lease.own:
            raise LeaseLostError(resource)
        return lease

    def drop(self, lease: Lease) -> None:
        """Forget a lease with which an append was refused."""
        with self._lock:
            held = self._held.get(lease.resource)
            if held is not None and held.lease == lease:
                del self._held[lease.resource]

    def elsewhere(self, resource: str) -> Lease | None:
        """Return another process's lease of a resource; None if this process or nobody has it."""
        with self._lock:
            held = self._held.get(resource)
            if held is not None and self._clock() - held.renewed < _SURE_S:
                return None
        lease = self._leases.holder(resource)
        return None if lease is None or lease.own else lease

    def revoke(self, lease: Lease) -> None:
        """End the lease of a process that has ended; if it still runs, its writes are refused and it claims the lease again."""
        self._leases.release([lease])

    def is_held(self, lease: Lease) -> bool:
        """Return whether another process still holds a lease."""
        current = self._leases.holder(lease.resource)
        return current is not None and current.token == lease.token

    def renew(self, note: Callable[[str], str]) -> list[str]:
        """Extend the leases of this process and return the resources of those that it lost.

        ``note`` returns what the other processes should know about a resource.
        """
        now = self._clock()
        with self._lock:
            held = list(self._held.values())
        unused = {each.lease for each in held if now - each.used > _UNUSED_S}
        kept = self._leases.renew(
            {each.lease: note(each.lease.resource) for each in held if each.lease not in unused}
        )
        self._leases.release(unused)
        lost = []
        with self._lock:
            for each in held:
                if each.lease in kept:
                    each.renewed = now
                elif self._held.get(each.lease.resource) is each:
                    del self._held[each.lease.resource]
                    lost.append(each.lease.resource)
        return lost

    def notes(self) -> dict[str, str]:
        """Return what the other processes say about their resources."""
        return {lease.resource: note for lease, note in self._leases.notes().items()}

    def release(self) -> None:
        """Give up all leases, so that other processes can take them at once."""
        with self._lock:
            leases = [each.lease for each in self._held.values()]
            self._held.clear()
        self._leases.release(leases)
