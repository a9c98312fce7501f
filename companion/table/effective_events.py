"""What of a table's events holds: undone ones left out, corrected ones as corrected, missed ones where they belong.

An event is undone by an ``undone`` one that is not undone itself, so undoing an undo brings back. Of several
corrections of one event the latest that holds counts. An event told as missed (``inserted``) takes its place
before the one it names, after others that were put there earlier.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.table.events import Event, Kind

__all__ = ["CHANGES", "CONTROLS", "GAME", "Item", "holding", "items"]

GAME: frozenset[Kind] = frozenset({"seated", "dealt", "began", "moved", "set", "abandoned"})
"""What happens at the table."""
CONTROLS: frozenset[Kind] = frozenset({"undone", "corrected", "inserted"})
"""What changes which of it holds."""
CHANGES = (GAME | CONTROLS) - {"undone"}
"""What one undo takes away: an undo itself is taken back by undoing it."""


@dataclass(frozen=True, slots=True)
class Item:
    """Something that happened, as it holds now."""

    seq: int
    """The number of the event that it is corrected and undone by."""
    kind: Kind
    data: Mapping[str, Any]
    reported: Event
    """The event that told it so: the first one, or its last correction."""
    first: Event
    """The event that told of it first."""

    @property
    def corrected(self) -> bool:
        """Whether it was told otherwise at first."""
        return (self.kind, self.data) != _content(self.first)

    @property
    def mark(self) -> tuple[int, int]:
        """What is the same again only where the same holds."""
        return self.seq, self.reported.seq


def holding(events: Sequence[Event]) -> set[int]:
    """Return the numbers of the events that are not undone."""
    group = {event.seq: event.group for event in events}
    removed: set[int] = set()
    held: set[int] = set()
    # An undo names an earlier event: from the last one back it is known whether it holds itself.
    for event in reversed(events):
        if event.group in removed:
            continue
        held.add(event.seq)
        if event.kind == "undone":
            removed.add(group[event.data["of"]])
    return held


def items(events: Sequence[Event], held: set[int]) -> Iterator[Item]:
    """Yield what holds, in the order in which it happened; `opened` first."""
    corrections: dict[int, Event] = {}
    missed: defaultdict[int, list[Event]] = defaultdict(list)
    for event in events:
        if event.seq in held:
            if event.kind == "corrected":
                corrections[event.data["of"]] = event
            elif event.kind == "inserted":
                missed[event.data["before"]].append(event)
    for event in events:
        if event.kind in GAME or event.kind == "opened":
            yield from _with_missed(event, missed, corrections, held)


def _with_missed(
    event: Event, missed: Mapping[int, list[Event]], corrections: Mapping[int, Event], held: set[int]
) -> Iterator[Item]:
    for other in missed.get(event.seq, ()):
        yield from _with_missed(other, missed, corrections, held)
    if event.seq not in held:
        return
    reported = corrections.get(event.seq, event)
    kind, data = _content(reported)
    if kind is not None:
        yield Item(event.seq, kind, data, reported, event)


def _content(event: Event) -> tuple[Kind | None, Mapping[str, Any]]:
    if event.kind in {"corrected", "inserted"}:
        return event.data["kind"], event.data.get("data") or {}
    return event.kind, event.data
