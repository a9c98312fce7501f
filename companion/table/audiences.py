"""A table as each audience may know it.

A round's cards become public when the round is over or the next one has been dealt. An abandoned round stays hidden
until the next deal, because an undo can resume it. `companion.table.hidden` specifies what is hidden until then.

Hidden cards are replaced by null in the events. A table built from these events knows only what the audience may know, so
nothing computed from it (legal moves, alternatives, problems, records) can reveal a hidden card.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import HIDDEN
from companion.table.events import Event, NewEvent, Source
from companion.table.hidden import hidden_data
from companion.table.live_round import LiveRound
from companion.table.table import Table

Audience: TypeAlias = int | None
"""A seat, from 1, or `PUBLIC`."""

PUBLIC: Final[Audience] = None
"""Everybody without a seat at the table."""


class Audiences:
    """One table for all its audiences: the table itself as long as nothing is hidden from them.

    An audience that may not know everything gets another `Table`, built from redacted events, that follows the first
    one.
    """

    def __init__(self, table: Table) -> None:
        self.whole = table
        """The table with everything that was reported."""
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
        whole = [_completed(each, self.whole, known) for each in new]
        self._seq = 0  # the redacted table now has unredacted events: it is replaced at the next call
        known.append(new, actor=actor, source=source, time=time)
        return self.whole.append(whole, actor=actor, source=source, time=time, strict=False)

    def _follow(self, audience: Audience) -> Table:
        hidden = {event.seq: event for event in _hidden_events(self.whole, audience)}
        if not hidden:
            return self.whole
        events = [hidden.get(event.seq, event) for event in self.whole.events]
        if (redacted := self._redacted.get(audience)) is None:
            redacted = self._redacted[audience] = Table.of(events)
        else:
            redacted.replace(events)
        return redacted


def _hidden_events(table: Table, audience: Audience) -> Iterable[Event]:
    """Yield, with hidden cards replaced by null, the events of which an audience may not know everything."""
    owner = {item.seq: live for live in table.rounds for item in live.items}
    # Inserted events are left out: they may have been appended long after the round ended.
    ended = max(
        (seq for seq, live in owner.items() if _is_public(live) and table.events[seq - 1].kind != "inserted"),
        default=0,
    )
    for event in table.events[ended:]:
        live = owner.get(event.data["of"] if event.kind == "corrected" else event.seq)
        if live is not None and _is_public(live):
            continue
        # The cards of an event that was undone may be those of the current round: any rules that hide some apply.
        rules_of_event = table.all_rules if live is None else [live.context.rules]
        visible = _visible_seats(live, audience)
        for rules in rules_of_event:
            data = hidden_data(event.kind, event.data, rules, visible)
            if data is not event.data:
                yield replace(event, data=data)
                break


def _is_public(live: LiveRound) -> bool:
    """Return whether a round's cards are public."""
    if live.closed or live.outcome is not None:
        return True
    played = live.round
    return not live.abandoned and GAMES[played.rules.game].hidden.showdown(played)


def _visible_seats(live: LiveRound | None, audience: Audience) -> set[int]:
    """Return the seats whose dealt cards an audience knows: its own, hands exchanged with it, and hands laid open."""
    seats = set() if audience is None else {audience}
    if live is None:
        return seats
    return seats | GAMES[live.round.rules.game].hidden.known_seats(live.round, audience)


def _completed(new: NewEvent, table: Table, known: Table) -> NewEvent:
    """Return a correction with the unchanged cards filled in that are hidden from its reporter.

    ``known`` is the table as the reporter knows it. Without this, correcting the field of a deal would erase the hands.
    """
    if new.kind != "corrected":
        return new
    of, inner = new.data.get("of"), new.data.get("data")
    actual, redacted = _item_data(table, of), _item_data(known, of)
    if actual is None or redacted is None or not isinstance(inner, Mapping):
        return new
    if inner.get("player") != redacted.get("player"):
        return new  # otherwise ascribing a move to oneself would reveal its card
    return replace(new, data={**new.data, "data": _filled(inner, redacted, actual)})


def _item_data(table: Table, seq: object) -> Mapping[str, Any] | None:
    return next((item.data for live in table.rounds for item in live.items if item.seq == seq), None)


def _filled(new: Any, redacted: Any, actual: Any) -> Any:
    """Return ``new`` with the values from ``actual`` wherever it equals ``redacted``."""
    if new == redacted:
        return actual
    if isinstance(new, Mapping) and isinstance(redacted, Mapping) and isinstance(actual, Mapping):
        keys = [*new, *(key for key in actual if key not in new and redacted.get(key) is None)]
        return {key: _filled(new.get(key), redacted.get(key), actual.get(key)) for key in keys}
    lists = isinstance(new, list | tuple) and isinstance(redacted, list | tuple)
    if lists and isinstance(actual, list | tuple) and len(new) == len(redacted) == len(actual):
        return [_filled(*each) for each in zip(new, redacted, actual, strict=True)]
    return new


def matches(new: Any, stored: Any) -> bool:
    """Return whether a report is the same as a stored one, as far as its reporter may know hidden cards."""
    if new is None or new in (HIDDEN, stored):
        return True
    if isinstance(new, Mapping) and isinstance(stored, Mapping):
        return set(new) <= set(stored) and all(matches(new.get(key), stored[key]) for key in stored)
    lists = isinstance(new, list | tuple) and isinstance(stored, list | tuple)
    return lists and len(new) == len(stored) and all(map(matches, new, stored))
