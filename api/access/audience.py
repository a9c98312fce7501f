"""The audience of a request, which decides what it may know of a table's hidden cards (`companion.table.hidden_cards`)."""

from __future__ import annotations

from api.access.identity import Who, who
from api.services.pairings import MACHINES
from companion.table.hidden_cards import PUBLIC, Audience

__all__ = ["audience_at"]


def audience_at(table_id: str, sender: Who | None = None) -> Audience:
    """Return the audience of the sender of the request, or of ``sender``: its seat at this table, otherwise the public.

    A host with a seat counts as that seat. A host without a seat counts as the public, because everybody can see the laptop
    with the host's page; so do machines.
    """
    sender = sender or who()
    return PUBLIC if sender.role in MACHINES else sender.seat_at(table_id)
