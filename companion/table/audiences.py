"""A table as each audience may know it; see `companion.table.hidden_cards` for who may know what."""

from __future__ import annotations

from collections.abc import Sequence

from companion.table.events import Event, NewEvent, Source
from companion.table.hidden_cards import Audience, Redactor, completed
from companion.table.table import Table

__all__ = ["Audiences"]


class Audiences:
    """One table for all its audiences: the table itself as long as nothing is hidden from them.

    For an audience that may not know everything it is another `Table`, of redacted events, that follows the first one.
    """

    def __init__(self, table: Table) -> None:
        self.whole = table
        """The table with everything that was reported."""
        self._redactor = Redactor(table)
        self._redacted: dict[Audience, Table] = {}
        self._seq = 0
        self._known: dict[Audience, Table] = {}

    def known(self, audience: Audience) -> Table:
        """Return the table as an audience may know it now. It is only to be read, and only until the next event."""
        if self._seq != self.whole.seq:
            self._seq, self._known = self.whole.seq, {}
        if audience not in self._known:
            self._known[audience] = self._follow(audience)
        return self._known[audience]

    def append(
        self, audience: Audience, new: Sequence[NewEvent], *, actor: str, source: Source, time: str
    ) -> list[Event]:
        """Append what somebody of an audience reports, as `Table.append` does, and return it as it is stored.

        What they know decides what is refused. A move that only hidden cards contradict is taken, and its problems show
        when the cards do: to refuse it would tell which card is where.
        """
        known = self.known(audience)
        if known is self.whole:
            return self.whole.append(new, actor=actor, source=source, time=time)
        whole = [completed(each, self.whole, known) for each in new]
        self._seq = 0  # what is appended to the redacted table now is not redacted: it follows the whole one again next
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
