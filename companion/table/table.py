"""A table: the fold of its events, to which new ones are appended after they were checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from companion.hanafuda.errors import BadRequestError, quote
from companion.hanafuda.messages import Message, joined
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import IllegalMoveError, Move
from companion.hanafuda.simulation import record_of, result_of
from companion.table.corrections import alternatives
from companion.table.disputes import dispute_at
from companion.table.effective import CONTROLS, DISPUTES, GAME, content_of, items
from companion.table.events import Event, NewEvent, Source
from companion.table.fold import TableState
from companion.table.live_round import LiveRound
from companion.table.messages import turn_message
from companion.table.parsing import read_move
from companion.table.rules_changes import read_change
from companion.table.schema import check_event
from companion.table.view import view_of


class Table(TableState):
    """A table of one game: events are appended, and everything else is computed from them.

    Not thread-safe. The JSON that `view` returns is never modified afterwards.
    """

    def __init__(self, opened: Event) -> None:
        """Raises `BadRequestError` for an event that does not open a table."""
        self._view: dict[str, Any] | None = None
        super().__init__(opened)

    @classmethod
    def of(cls, events: Iterable[Event]) -> Table:
        """Return a table from its stored events, in order from the first."""
        first, *rest = events
        table = cls(first)
        table.extend(rest)
        return table

    @classmethod
    def open(cls, opened: NewEvent, *, actor: str, source: Source, time: str) -> Table:
        """Return a new table; `opened` has its name, game, rules, players and deck."""
        table = cls(_numbered(opened, 1, 1, actor, source, time))
        table._check_names(())
        return table

    def append(
        self, new: Sequence[NewEvent], *, actor: str, source: Source, time: str, strict: bool = True
    ) -> list[Event]:
        """Append events that belong together, all or none, and return them numbered.

        The events of the choice in an ``answered`` event are appended after it automatically. Raises `BadRequestError`
        for invalid events, and `IllegalMoveError` with all problems for a move that the rules forbid; such a move is
        accepted with ``"unchecked": true`` in its data, or if ``strict`` is false.
        """
        pending = [NewEvent(each.kind, dict(each.data), each.confidence, each.evidence) for each in new]
        before, doubled = self.seq, self.doubled
        try:
            count = 0
            while count < len(pending):
                each = pending[count]
                if each.kind == "opened":
                    raise BadRequestError(Message("table-open"))
                check_event(each, len(self.names.given), self.rules.game)
                event = _numbered(each, self.seq + 1, before + 1, actor, source, time)
                self._check(event)
                rounds_before = list(self.rounds)
                self._apply(event, strict=strict)
                if strict and each.kind in CONTROLS:
                    self._check_result(event, rounds_before)
                count += 1
                if each.kind == "answered" and pending[count:] != (chosen := self._chosen_events(event)):
                    pending[count:count] = chosen
            if strict:
                self._check_names(doubled)
        except BaseException as error:
            del self.events[before:]
            del self.rounds[-1:]  # it may be incomplete
            self._refold()
            if isinstance(error, IllegalMoveError):
                raise IllegalMoveError(error.move, self._with_names(error.problems)) from error
            raise
        finally:
            self._view = None
        return self.events[before:]

    def extend(self, events: Iterable[Event]) -> None:
        """Append events that were numbered before, here or by another process, without refusing illegal moves."""
        self._view = None
        super().extend(events)

    def replace(self, events: Sequence[Event]) -> None:
        """Replace the events by others of the same table; rounds whose events are the same are not computed again."""
        self._view = None
        super().replace(events)

    def legal_moves(self) -> list[tuple[Move, Message]]:
        """Return the legal moves with their messages, for entering moves by hand."""
        moves: list[Move] = [] if self.round is None else self.round.legal_moves()
        return [(move, turn_message([move], self.names)) for move in moves]

    def alternatives(self, seq: int) -> list[dict[str, Any]]:
        """Return what an event can be corrected to, likeliest first; see `companion.table.corrections`."""
        for live in self.rounds:
            if any(item.seq == seq for item in live.items):
                return alternatives(live, seq)
        return []

    def record(self, number: int) -> dict[str, Any]:
        """Return the record of a round by its number, with the result if it is over."""
        live = self.round_at(number)
        record = record_of(live.round)
        if live.result is not None:
            record |= {"scored": live.reported_result, "result": result_of(live.result.outcome)}
        deal = record["deal"]
        deal["hands"] = {
            seat: hand for seat, hand in deal["hands"].items() if hand.count(None) < len(hand) or not hand
        }
        if deal["stock"].count(None) == len(deal["stock"]):
            deal["stock"] = None
        if live.items[0].kind == "scored" and "field" in live.round.deal_keys:
            deal["field"] = []  # the field of a round without a deal
        return record

    def view(self) -> dict[str, Any]:
        """Return the state of the table as JSON for pages."""
        if self._view is None:
            self._view = view_of(self)
        return self._view

    # --- validation

    def _check_names(self, doubled: Sequence[str]) -> None:
        """Raise `BadRequestError` if two seats have one name, except for the names ``doubled`` that two had before."""
        if new := [name for name in self.doubled if name not in doubled]:
            raise BadRequestError(Message("table-same-name", {"name": new[0]}))

    def _check(self, event: Event) -> None:
        """Raise `BadRequestError` for an event that refers to one that does not exist or does not fit."""
        match event.kind:
            case "undone":
                self._check_undone(event)
            case "corrected":
                self._check_corrected(event)
            case "inserted":
                self._earlier_event(event.data["before"], GAME | {"inserted"})
                self._check_move_text(event.data)
            case "settled":
                self._earlier_event(event.data["of"], {"noticed", "asked"})
            case "disputed":
                self._earlier_event(event.data["of"], {each.kind for each in self.events} - DISPUTES)
            case "agreed" | "ruled":
                self._earlier_event(event.data["of"], {"disputed"})
                if dispute_at(self, event.data["of"]).state != "open":
                    raise BadRequestError(Message("table-dispute-closed"))
            case "answered":
                asked = self._earlier_event(event.data["of"], {"asked"})
                choice, count = event.data.get("choice"), len(asked.data["choices"])
                if choice is not None and choice >= count:
                    raise BadRequestError(
                        f"choice must be 0 to {count - 1}, or null for none, not {quote(choice)}"
                    )
                if asked.seq not in self._open_items:
                    raise BadRequestError(Message("table-question-closed"))

    def _earlier_event(self, seq: int, kinds: Iterable[str]) -> Event:
        """Return an earlier event of one of some types; raises `BadRequestError` if there is none with this number and type."""
        if not 1 <= seq <= self.seq:
            raise BadRequestError(
                Message("problem-no-such-event", {"seq": str(seq), "newest": str(self.seq)})
            )
        event = self.events[seq - 1]
        if event.kind not in kinds:
            raise BadRequestError(f"event {seq} is {event.kind}, not {' or '.join(sorted(kinds))}")
        return event

    def _check_undone(self, event: Event) -> None:
        of = event.data["of"]
        target = self._earlier_event(of, {each.kind for each in self.events} - {"opened"})
        if target.group == event.group:
            raise BadRequestError(f"event {of} was reported together with its own undo")
        if of not in self._effective:
            raise BadRequestError(Message("table-undone-already"))

    def _check_corrected(self, event: Event) -> None:
        data = event.data
        target = self._earlier_event(data["of"], GAME | {"opened", "inserted"})
        kind = target.data["kind"] if target.kind == "inserted" else target.kind
        if data.get("kind") not in {None, kind} or (kind == "opened" and data.get("kind") is None):
            raise BadRequestError(
                f"event {target.seq} is {kind} and can be corrected to another {kind}, not {quote(data.get('kind'))}"
            )
        if target.seq not in self._effective:
            raise BadRequestError(Message("table-undone"))
        if kind == "scored" and data.get("kind") is not None:
            before, after = (bool(each.get("new_round")) for each in (content_of(target)[1], data["data"]))
            if before != after:
                raise BadRequestError("a corrected result has the same new_round as the first one")
        own = target.data.get("id")
        if kind == "opened" and (reported := data["data"].get("id", own)) != own:
            raise BadRequestError(
                f"this table's id is {quote(own)} and cannot be changed to {quote(reported)}"
            )
        self._check_move_text(data)

    def _check_move_text(self, replacement: Mapping[str, Any]) -> None:
        """Raise `BadRequestError` if an inserted or corrected move is not in the game's notation, or if rules do not fit.

        Without this check, a move before the first deal would be read by no round and still appear in the list of
        corrections.
        """
        if replacement.get("kind") == "moved":
            read_move(GAMES[self.rules.game].round, replacement["data"])
        if replacement.get("kind") == "rules_changed":
            read_change(replacement["data"], self._first_rules, self.names)

    def _check_result(self, event: Event, rounds_before: Sequence[LiveRound]) -> None:
        """Refuse an undo or correction that would leave moves without a deal, or put an illegal move in place."""
        data = event.data
        if event.kind in {"corrected", "inserted"} and not (data.get("data") or {}).get("unchecked"):
            seq = data["of"] if event.kind == "corrected" else event.seq
            for live in self.rounds:
                applied = live.applied(seq)
                if applied is None or not applied.problems:
                    continue
                if applied.move is not None:
                    raise IllegalMoveError(applied.move, applied.problems)
                raise BadRequestError(joined([each.text for each in self._with_names(applied.problems)]))
        dealt = {live.items[0].seq for live in self.rounds}
        for live in rounds_before:
            if live.items[0].seq not in dealt:
                remaining = {item.seq for item in items(self.events, self._effective)}
                if any(item.seq in remaining for item in live.items):
                    raise BadRequestError(Message("table-moves-without-deal"))

    def _chosen_events(self, answered: Event) -> list[NewEvent]:
        """Return the events of the choice of an answer."""
        choice = answered.data.get("choice")
        if choice is None:
            return []
        asked = self.events[answered.data["of"] - 1]
        return [
            NewEvent(each["kind"], dict(each.get("data") or {}), 1.0, asked.evidence)
            for each in asked.data["choices"][choice].get("events", ())
        ]


def _numbered(new: NewEvent, seq: int, group: int, actor: str, source: Source, time: str) -> Event:
    return Event(seq, group, time, actor, source, new.kind, new.data, new.confidence, new.evidence)
