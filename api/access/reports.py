"""Who may report which events at a table, and undo them.

A host may report everything; a scorer without a seat all moves and deals; a scorer with a seat only its own moves; a device
what its buttons mean. Undoing or replacing events requires the right to report all of them. Only the program itself may report
`noticed` and `asked`. A player who has a phone agrees to the odds on the display only with that phone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from api.access.who import Who, not_allowed
from api.context import context
from api.problems import RequestRefusedError
from companion.hanafuda.errors import BadRequestError, quote
from companion.hanafuda.messages import Message
from companion.store.pairings import Role
from companion.table import Table
from companion.table.effective import DISPUTES
from companion.table.events import Kind, NewEvent
from companion.table.own_events import PLAYERS, concerned, is_own

REPORTS: Final[Mapping[Role, frozenset[Kind]]] = {
    "scorer": PLAYERS,
    "host": PLAYERS
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
    table_id = str(table.opened.get("id"))
    if (
        sender.role == "scorer"
        and sender.seat is not None
        and sender.seat_at(table_id) is None
        and (seat_in_evening(sender, table_id) is None or not _only_disputes(table, events))
    ):
        raise not_allowed(
            sender,
            ["scorer", "host"],
            why=Message("problem-other-table", {"name": sender.name, "seat": sender.seat}),
        )
    for event in events:
        _check(sender, table, event)


def seat_in_evening(sender: Who, table_id: str) -> int | None:
    """Return the seat that a person plays at a table, or played there before the evening went on at the present table."""
    own = sender.seat_at(table_id)
    return sender.seat if own is None and sender.table == context().tables.newest(table_id) else own


def _only_disputes(table: Table, events: Sequence[NewEvent]) -> bool:
    """Whether events are only about disputes; those of an earlier game of the evening stay possible."""
    return all(
        kind in DISPUTES | {"undone"}
        for event in events
        for kind, _ in concerned(table, event.kind, event.data)
    )


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
    for kind, data in concerned(table, event.kind, event.data):
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
    allowed = PLAYERS if sender.seat is not None else PLAYERS | _UNDOES_WITH_RESCAN
    if kind not in allowed:
        needs = [role for role, kinds in REPORTS.items() if kind in kinds] or ["host"]
        raise not_allowed(
            sender,
            needs,
            why=Message("problem-only-host-reports", {"name": sender.name, "kind": kind}),
        )
    if sender.seat is not None and not is_own(kind, data, sender.seat):
        raise _not_own(sender, kind)


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
