"""Disputes about events: opened by a player, resolved when all players agree or when the host decides, and kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message
from companion.table.events import Event, Verdict
from companion.table.fold import TableState

DisputeState = Literal["open", "agreed", "ruled", "withdrawn"]


@dataclass(frozen=True, slots=True)
class Dispute:
    """A dispute and what became of it."""

    opened: Event
    of: Event
    """The event in question."""
    round: int | None
    """The number of its round; None if it belongs to no round."""
    state: DisputeState
    agreed: Mapping[int, Verdict]
    """The verdict of each player who has given one, by seat."""
    verdict: Verdict | None
    """What was decided; None while it is open or if it was withdrawn."""
    resolved: Event | None
    """The event that decided it."""

    def view(self, table: TableState) -> dict[str, Any]:
        """Return the dispute as JSON."""
        return {
            "seq": self.opened.seq,
            "of": self.of.seq,
            "kind": self.of.kind,
            "round": self.round,
            "says": table.says(self.of).to_dict(),
            "seat": self.opened.data.get("seat"),
            "text": self.opened.data.get("text") or "",
            "actor": self.opened.actor,
            "time": self.opened.time,
            "state": self.state,
            "agreed": {str(seat): verdict for seat, verdict in self.agreed.items()},
            "verdict": self.verdict,
            "note": "" if self.resolved is None else self.resolved.data.get("text") or "",
            "by": None if self.resolved is None else self.resolved.actor,
            "resolved": None if self.resolved is None else self.resolved.time,
        }


def disputes_of(table: TableState) -> list[Dispute]:
    """Return the disputes of a table in the order in which they were opened, withdrawn ones included."""
    answers: dict[int, list[Event]] = {}
    for event in table.events:
        if event.kind in {"agreed", "ruled"} and table.holds(event.seq):
            answers.setdefault(event.data["of"], []).append(event)
    return [
        _dispute(table, event, answers.get(event.seq, ()))
        for event in table.events
        if event.kind == "disputed"
    ]


def dispute_at(table: TableState, seq: int) -> Dispute:
    """Return the dispute that an event opened, or raise `BadRequestError`."""
    found = next((each for each in disputes_of(table) if each.opened.seq == seq), None)
    if found is None:
        raise BadRequestError(Message("table-no-such-dispute", {"seq": str(seq)}))
    return found


def _dispute(table: TableState, opened: Event, answers: Sequence[Event]) -> Dispute:
    agreed: dict[int, Verdict] = {}
    state: DisputeState = "open" if table.holds(opened.seq) else "withdrawn"
    decided: Event | None = None
    for event in answers if state == "open" else ():
        if event.kind == "ruled":
            state, decided = "ruled", event
            break
        agreed |= dict.fromkeys(event.data["seats"], event.data["verdict"])
        if len(agreed) == len(table.names.given) and len(set(agreed.values())) == 1:
            state, decided = "agreed", event
            break
    return Dispute(
        opened=opened,
        of=table.events[opened.data["of"] - 1],
        round=_round_of(table, opened.data["of"]),
        state=state,
        agreed=agreed,
        verdict=None if decided is None else decided.data["verdict"],
        resolved=decided,
    )


def _round_of(table: TableState, seq: int) -> int | None:
    """Return the number of the round that an event belongs to, even if the event was undone."""
    for target in _targets(table, seq):
        for live in table.rounds:
            if any(item.seq == target for item in live.items):
                return live.number
    begun = sum(live.items[0].seq <= seq for live in table.rounds)
    return begun or None


def _targets(table: TableState, seq: int) -> Iterator[int]:
    """Yield an event and, if it changes another one, that one."""
    while True:
        yield seq
        data = table.events[seq - 1].data
        before = data.get("of", data.get("before"))
        if not isinstance(before, int) or not 1 <= before < seq:
            return
        seq = before
