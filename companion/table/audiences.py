"""A table as each audience may know it; see `companion.table.hidden_cards` for who may know what."""

from __future__ import annotations

from collections.abc import Sequence

from companion.table.events import Event, NewEvent, Source
from companion.table.hidden_cards import Audience, Redactor, completed
from companion.table.table import Table

__all__ = ["Audiences"]


class Audiences:
    """One table for all its audiences: the table itself as long as nothing is hidden from them.

    An audience that may not know everything gets another `Table`, built from redacted events, that follows the first
    one.
    """

    def __init__(self, table: Table) -> None:
        self.whole = table
        """The table with everything that was reported."""
        self._redactor = Redactor(table)
        self._redacted: dict[Audience, Table] = {}
        self._seq = 0
        self._known: dict[Audience, Table] = {}

    def known(self, audience: Audience) -> Table:
        """Return the table as an audience may know it. The result is read-only and valid until the next event."""
        if self._seq != self.whole.seq:
            self._seq, self._known = self.whole.seq, {}
        if audience not in self._known:
            self._known[audience] = self._follow(audience)
        return self._known[audience]

    def append(
        self, audience: Audience, new: Sequence[NewEvent], *, actor: str, source: Source, time: str
    ) -> list[Event]:
        """Append events reported by an audience, as `Table.append` does, and return them as stored.

        Events are refused only on the basis of what the audience knows. A move that contradicts only hidden cards is
        accepted, and its problems appear when the cards become public: refusing it would reveal where a card is.
        """
        known = self.known(audience)
        if known is self.whole:
            return self.whole.append(new, actor=actor, source=source, time=time)
        whole = [completed(each, self.whole, known) for each in new]
        self._seq = 0  # the redacted table now has unredacted events: rebuild it at the next call
        known.append(new, actor=actor, source=source, time=time)
        return self.whole.append(whole, actor=actor, source=source, time=time, strict=False)

    def _follow(self, audience: Audience) -> Table:
        events = self._redactor.events(audience)
        if events is self.whole.events:
            return self.whole
        if (redacted := self._redacted.get(audience)) is None:
            redacted = self._redacted[audience] = Table.of(events)
        else:
            redacted.replace(events)
        return redacted
