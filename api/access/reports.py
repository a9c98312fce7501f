"""Who may report which events at a table, and undo them.

A host may report everything; a scorer without a seat all moves and deals; a scorer with a seat only its own moves; a device
what its buttons mean. Undoing or replacing events requires the right to report all of them. Only the program itself may report
`noticed` and `asked`. A player who has a phone agrees to the odds on the display only with that phone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from api.access.who import Who, not_allowed
from api.context import context
from api.problems import RequestRefusedError
from companion.hanafuda.errors import BadRequestError, quote
from companion.hanafuda.messages import Message
from companion.store.pairings import Role
from companion.table import Table
from companion.table.effective import CHANGES, DISPUTES
from companion.table.events import Event, Kind, NewEvent

_SCORER: Final[frozenset[Kind]] = frozenset(
    (
        *("moved", "dealt", "scored", "began", "undone", "corrected", "inserted", "answered", "settled"),
        *("disputed", "agreed", "odds"),
    )
)
REPORTS: Final[Mapping[Role, frozenset[Kind]]] = {
    "scorer": _SCORER,
    "host": _SCORER
    | {
        "seated",
        "rules_changed",
        "abandoned",
        "set",
        "ruled",
        "opened",
        "closed",
        "removed",
    },  # opened: as a correction of the first event
    "device": frozenset(("moved", "began", "undone", "answered", "settled")),
}
"""The kinds of events that each role may report."""

_UNDOES_WITH_RESCAN: Final[frozenset[Kind]] = frozenset(("set",))
"""What else a scorer without a seat may undo: `set` is the result of a rescan, which it may request."""


def check_reports(sender: Who, table: Table, events: Sequence[NewEvent]) -> None:
    """Raise the error of `not_allowed` for events that the sender may not report, `BadRequestError` for those that nobody may.

    ``table`` is the table with its hidden cards.
    """
    if (
        sender.role == "scorer"
        and sender.seat is not None
        and sender.seat_at(str(table.opened.get("id"))) is None
    ):
        raise not_allowed(
            sender,
            ["scorer", "host"],
            why=Message("problem-other-table", {"name": sender.name, "seat": sender.seat}),
        )
    for event in events:
        _check(sender, table, event)


def _check(sender: Who, table: Table, event: NewEvent) -> None:
    instead = event.data.get("kind") if event.kind in {"corrected", "inserted"} else None
    if not isinstance(instead, str | None):
        raise BadRequestError(f"kind must be the name of an event, not {quote(instead)}")
    for kind in (event.kind, *([] if instead is None else [instead])):
        roles = [role for role, kinds in REPORTS.items() if kind in kinds]
        if not roles:
            raise BadRequestError(f"{quote(kind)} cannot be reported here")
        if sender.role not in roles:
            raise not_allowed(sender, roles)
    if event.kind == "odds" and event.data.get("agrees"):
        _check_phones(sender, table, event)
    if sender.role != "scorer":
        return
    if sender.seat is not None and _names_later_event(event, table):
        raise _not_own(sender, event.kind)
    for kind, data in _concerned(table, event.kind, event.data):
        _check_content(sender, kind, data)


def _check_phones(sender: Who, table: Table, event: NewEvent) -> None:
    """Raise the error of `not_allowed` if a player who has a phone would be made to agree to the odds from another one."""
    table_id = str(table.opened.get("id"))
    phones = {each.seat for each in context().pairings.all() if each.table in {None, table_id}}
    seats = event.data.get("seats")
    others = phones - {None, sender.seat_at(table_id)}
    asked = [seat for seat in seats if seat in others] if isinstance(seats, list | tuple) else []
    if asked:
        players = tuple(map(table.names.of, asked))
        raise not_allowed(sender, ["scorer"], why=Message("problem-odds-own-phone", {"players": players}))


def _check_content(sender: Who, kind: Kind, data: Mapping[str, Any]) -> None:
    """Raise the error of `not_allowed` for an event that a scorer may neither report nor undo."""
    allowed = _SCORER if sender.seat is not None else _SCORER | _UNDOES_WITH_RESCAN
    if kind not in allowed:
        needs = [role for role, kinds in REPORTS.items() if kind in kinds] or ["host"]
        raise not_allowed(
            sender,
            needs,
            why=Message("problem-only-host-reports", {"name": sender.name, "kind": kind}),
        )
    if sender.seat is not None and not _is_own(kind, data, sender.seat):
        raise _not_own(sender, kind)


def _is_own(kind: Kind, data: Mapping[str, Any], seat: int) -> bool:
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


def _concerned(table: Table, kind: Kind, data: Mapping[str, Any]) -> Iterator[tuple[Kind, Mapping[str, Any]]]:
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


def _group(table: Table, target: Event) -> Sequence[Event]:
    """Return the events that are undone together with ``target`` and change the table."""
    group = (event for event in table.events[target.group - 1 :] if event.group == target.group)
    return [event for event in group if event.kind in CHANGES | DISPUTES | {"undone", "opened"}]


def _contents(table: Table, target: Event) -> list[Event]:
    """Return an event and its corrections that are in effect."""
    later = table.events[target.seq :]
    corrections = [
        event
        for event in later
        if event.kind == "corrected" and event.data.get("of") == target.seq and table.holds(event.seq)
    ]
    return [target, *corrections]


def _event(table: Table, seq: object) -> Event | None:
    known = isinstance(seq, int) and not isinstance(seq, bool) and 1 <= seq <= table.seq
    return table.events[seq - 1] if known else None  # type: ignore[operator]  # an int, as was checked


def _names_later_event(event: NewEvent, table: Table) -> bool:
    """Whether an event refers to a later event of the same request, which was not checked yet."""
    of = event.data.get("of")
    return event.kind in {"corrected", "undone"} and isinstance(of, int) and of > table.seq


def _not_own(sender: Who, kind: Kind) -> RequestRefusedError:
    return not_allowed(
        sender,
        ["host"],
        why=Message("problem-other-seat", {"name": sender.name, "seat": sender.seat or 0, "kind": kind}),
    )
