"""Leases: which of several server processes has something in memory for all of them, such as the referee of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["LEASE_S", "Lease"]

LEASE_S: Final = 4.0
"""How long a lease lasts without a renewal, s. Another process takes over after at most this time and the pause between two
requests of a camera, together less than 5 s; and a process may be busy for 3 s without losing its leases."""


@dataclass(frozen=True, slots=True)
class Lease:
    """The lease of a resource, held by one process at a time."""

    resource: str
    """Such as ``table:ID``."""
    token: int
    """The fencing token: larger for each new holder of the resource, so that a late write of an earlier one can be refused."""
    url: str
    """Where the other processes reach the holder; empty if there are none."""
    own: bool
    """Whether this process is the holder."""
    root: str = ""
    """The root certificate (PEM) of the authority in the holder's data folder; empty if that has none. Not set in its own leases."""
