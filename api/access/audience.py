"""The audience that a request belongs to: what it may know of a table's hidden cards (`companion.table.hidden_cards`)."""

from __future__ import annotations

from api.access.identity import Who, who
from api.access.pairings import MACHINES
from companion.table.hidden_cards import PUBLIC, Audience

__all__ = ["audience_at"]


def audience_at(table_id: str, asker: Who | None = None) -> Audience:
    """Return the audience of whoever sends the request, or of ``asker``: the seat at this table, else the public.

    A host with a seat at the table is that seat. A host without one is the public, because the laptop with the host's page
    stands where everybody sees it, and so are machines, wherever they stand.
    """
    asker = asker or who()
    return PUBLIC if asker.role in MACHINES else asker.seat_at(table_id)
