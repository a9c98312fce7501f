"""Leases: which of several server processes has something in memory for all of them, such as the referee of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["LEASE_S", "Lease"]

LEASE_S: Final = 3.0
"""How long a lease lasts without a renewal, s. If the holder's machine does not answer at all, another process takes over after at
most this time, one attempt to connect (1 s) and the pause before a camera tries again (1 s): together 5 s."""


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
