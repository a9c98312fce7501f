"""What a player may report and undo with an own phone: what concerns only the own moves and cards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from companion.table.effective import CHANGES, DISPUTES
from companion.table.events import Event, Kind
from companion.table.fold import TableState

PLAYERS: Final[frozenset[Kind]] = frozenset(
    (
        *("moved", "dealt", "scored", "began", "undone", "corrected", "inserted", "answered", "settled"),
        *("disputed", "agreed", "odds"),
    )
)
"""The kinds of events that players may report, those with a seat only their own ones."""


def may_undo(table: TableState, event: Event) -> list[int]:
    """Return the seats whose players may undo an event and its group."""
    undone = list(concerned(table, "undone", {"of": event.seq}))
    seats = range(1, len(table.names.given) + 1)
    return [
        seat for seat in seats if all(kind in PLAYERS and is_own(kind, data, seat) for kind, data in undone)
    ]


def is_own(kind: Kind, data: Mapping[str, Any], seat: int) -> bool:
    """Whether the player at a seat may know and report the content of an event."""
    if kind == "moved":
        return data.get("player") == seat
    if kind == "disputed":
        return data.get("seat") == seat
    if kind in {"agreed", "odds"}:
        return data.get("seats") == [seat]
    deal = data.get("deal")
    if kind != "dealt" or not isinstance(deal, Mapping):
        return True
    hands = deal.get("hands")
    others = (
        [cards for key, cards in hands.items() if key != str(seat)] if isinstance(hands, Mapping) else [hands]
    )
    return not any(map(_names_cards, (*others, deal.get("stock"))))


def _names_cards(cards: object) -> bool:
    """Whether face-down cards are named: hidden ones are null, or the list is absent."""
    return any(card is not None for card in cards) if isinstance(cards, list | tuple) else cards is not None


def concerned(
    table: TableState, kind: Kind, data: Mapping[str, Any]
) -> Iterator[tuple[Kind, Mapping[str, Any]]]:
    """Yield the kind and data of everything that an event reports, replaces, undoes, or restores."""
    seen: set[int] = set()
    pending: list[tuple[Kind, Mapping[str, Any]]] = [(kind, data)]
    while pending:
        kind, data = pending.pop()
        if kind in {"corrected", "inserted"}:
            content = data.get("data")
            if data.get("kind") is not None:
                yield data["kind"], content if isinstance(content, Mapping) else {}
        else:
            yield kind, data
        if kind not in {"corrected", "undone"} or (target := _event(table, data.get("of"))) is None:
            continue
        replaced = _group(table, target) if kind == "undone" else _contents(table, target)
        for event in replaced:
            if event.seq not in seen:
                seen.add(event.seq)
                pending.append((event.kind, event.data))


def _group(table: TableState, target: Event) -> Sequence[Event]:
    """Return the events that are undone together with ``target`` and change the table."""
    group = (event for event in table.events[target.group - 1 :] if event.group == target.group)
    return [event for event in group if event.kind in CHANGES | DISPUTES | {"undone", "opened"}]


def _contents(table: TableState, target: Event) -> list[Event]:
    """Return an event and its corrections that are in effect."""
    later = table.events[target.seq :]
    corrections = [
        event
        for event in later
        if event.kind == "corrected" and event.data.get("of") == target.seq and table.holds(event.seq)
    ]
    return [target, *corrections]


def _event(table: TableState, seq: object) -> Event | None:
    known = isinstance(seq, int) and not isinstance(seq, bool) and 1 <= seq <= table.seq
    return table.events[seq - 1] if known else None  # type: ignore[operator]  # an int, as was checked
