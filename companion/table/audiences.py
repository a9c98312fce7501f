"""A table as each audience may know it; see `companion.table.hidden` for who may know what."""

from __future__ import annotations

from companion.table.hidden import Audience, Redactor
from companion.table.table import Table

__all__ = ["Audiences"]


class Audiences:
    """One table for all its audiences: the table itself as long as nothing is hidden from them.

    For an audience that may not know everything it is another `Table`, of redacted events, that follows the first one.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._redactor = Redactor(table)
        self._redacted: dict[Audience, Table] = {}
        self._seq = 0
        self._known: dict[Audience, Table] = {}

    def known(self, audience: Audience) -> Table:
        """Return the table as an audience may know it now. It is only to be read, and only until the next event."""
        if self._seq != self._table.seq:
            self._seq, self._known = self._table.seq, {}
        if audience not in self._known:
            self._known[audience] = self._follow(audience)
        return self._known[audience]

    def _follow(self, audience: Audience) -> Table:
        events = self._redactor.events(audience)
        if events is self._table.events:
            return self._table
        if (redacted := self._redacted.get(audience)) is None:
            redacted = self._redacted[audience] = Table.of(events)
        else:
            redacted.replace(events)
        return redacted
