"""The effective events of a table: without undone ones, corrected ones as corrected, and inserted ones in their place.

An event is undone by an ``undone`` event that is not undone itself, so undoing an undo restores. The latest effective
correction of an event counts. An ``inserted`` event is placed directly before the event that it names, after those
inserted there earlier.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.table.events import Event, Kind

GAME: frozenset[Kind] = frozenset(
    {"seated", "rules_changed", "dealt", "began", "moved", "set", "scored", "abandoned"}
)
"""Event types that happen in the game."""
CONTROLS: frozenset[Kind] = frozenset({"undone", "corrected", "inserted"})
"""Event types that change which other events are effective."""
LIFECYCLE: frozenset[Kind] = frozenset({"closed", "removed"})
"""Event types that put a table away."""
DISPUTES: frozenset[Kind] = frozenset({"disputed", "agreed", "ruled"})
"""Event types about disputes, which change nothing in the game."""
CHANGES = (GAME | CONTROLS | LIFECYCLE) - {"undone"}
"""Event types that one undo takes back; an undo itself is taken back by undoing it."""


@dataclass(frozen=True, slots=True)
class Item:
    """An effective event, as corrected."""

    seq: int
    """Number of the original event; corrections and undos refer to it."""
    kind: Kind
    data: Mapping[str, Any]
    reported: Event
    """The event with the effective content: the original, or its last correction."""
    first: Event
    """The original event."""

    @property
    def corrected(self) -> bool:
        """Whether the content differs from the original event."""
        return (self.kind, self.data) != content_of(self.first)

    @property
    def begins_round(self) -> bool:
        """Whether a round begins with it: a deal, or the result of a round without a deal."""
        return self.kind == "dealt" or (self.kind == "scored" and bool(self.data.get("new_round")))


def holding(events: Sequence[Event]) -> set[int]:
    """Return the numbers of the events that are not undone."""
    group_of = {event.seq: event.group for event in events}
    undone_groups: set[int] = set()
    effective: set[int] = set()
    # An undo refers to an earlier event, so going backward it is known whether an undo is undone itself.
    for event in reversed(events):
        if event.group in undone_groups:
            continue
        effective.add(event.seq)
        if event.kind == "undone":
            undone_groups.add(group_of[event.data["of"]])
    return effective


def items(events: Sequence[Event], effective: set[int]) -> list[Item]:
    """Return the effective events in the order in which they happened, `opened` first; ``effective`` is the result of `holding`."""
    corrections: dict[int, Event] = {}
    inserted: defaultdict[int, list[Event]] = defaultdict(list)
    for event in events:
        if event.kind == "corrected" and event.seq in effective:
            corrections[event.data["of"]] = event
        elif event.kind == "inserted" and event.seq in effective:
            inserted[event.data["before"]].append(event)
    found: list[Item] = []

    def add(event: Event) -> None:
        for earlier in inserted.get(event.seq, ()):
            add(earlier)
        if event.seq not in effective:
            return
        source = corrections.get(event.seq, event)
        kind, data = content_of(source)
        if kind is not None:
            found.append(Item(event.seq, kind, data, source, event))

    for event in events:
        if event.kind in GAME or event.kind == "opened":
            add(event)
    return found


def content_of(event: Event) -> tuple[Kind | None, Mapping[str, Any]]:
    """Return the type and data of an event, or of what it inserts or puts in place of another; a type of None deletes that."""
    if event.kind in {"corrected", "inserted"}:
        return event.data["kind"], event.data.get("data") or {}
    return event.kind, event.data
