"""A table: events are appended, and the state of the evening is computed from them.

New events are applied to the current state. An undo or a correction recomputes the round that it concerns and all later
ones, from the deals that were reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from companion.hanafuda.errors import BadRequestError, quote
from companion.hanafuda.match import Match
from companion.hanafuda.messages import Message, joined
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import IllegalMoveError, Move, Problem
from companion.hanafuda.rules import Rules
from companion.hanafuda.simulation import record_of, result_of
from companion.table.corrections import alternatives
from companion.table.disputes import dispute_at
from companion.table.effective_events import CHANGES, CONTROLS, DISPUTES, GAME, Item, holding, items
from companion.table.event_messages import (
    PlayerNames,
    event_message,
    group_message,
    turn_message,
    undo_message,
)
from companion.table.event_parsing import read_move, read_player_ids, read_players, read_rules
from companion.table.event_schema import check_event
from companion.table.events import Event, NewEvent, Source
from companion.table.live_round import AnyRound, LiveRound, RoundContext
from companion.table.rules_changes import RulesChange, read_change
from companion.table.state_view import view_of

__all__ = ["Table"]


_REBUILDS = {*CONTROLS, "seated"}
"""The events that change what earlier events mean, or how they are described."""


class Table:
    """A table of one game: events are appended, and everything else is computed from them.

    Not thread-safe. The JSON that `view` returns is never modified afterwards.
    """

    def __init__(self, opened: Event) -> None:
        """Raises `BadRequestError` for an event that does not open a table."""
        if opened.kind != "opened" or opened.seq != 1:
            raise BadRequestError(
                f"a table begins with its event opened, number 1, not {opened.kind} {opened.seq}"
            )
        self._events = [opened]
        self._rounds: list[LiveRound] = []
        self._view: dict[str, Any] | None = None
        self._rebuild()

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
        return cls(_numbered(opened, 1, 1, actor, source, time))

    # --- events

    @property
    def events(self) -> Sequence[Event]:
        """All events so far, in order."""
        return self._events

    @property
    def seq(self) -> int:
        """The number of the last event."""
        return len(self._events)

    def append(
        self, new: Sequence[NewEvent], *, actor: str, source: Source, time: str, strict: bool = True
    ) -> list[Event]:
        """Append events that belong together, all or none, and return them numbered.

        The events of the choice in an ``answered`` event are appended after it automatically. Raises `BadRequestError`
        for invalid events, and `IllegalMoveError` with all problems for a move that the rules forbid; such a move is
        accepted with ``"unchecked": true`` in its data, or if ``strict`` is false.
        """
        pending = [NewEvent(each.kind, dict(each.data), each.confidence, each.evidence) for each in new]
        before = self.seq
        try:
            count = 0
            while count < len(pending):
                each = pending[count]
                if each.kind == "opened":
                    raise BadRequestError(Message("table-open"))
                check_event(each, self._game.players, self.rules.game)
                event = _numbered(each, self.seq + 1, before + 1, actor, source, time)
                self._check(event)
                self._apply(event, strict=strict)
                count += 1
                if each.kind == "answered" and pending[count:] != (chosen := self._chosen_events(event)):
                    pending[count:count] = chosen
        except BaseException as error:
            del self._events[before:]
            del self._rounds[-1:]  # it may be incomplete
            self._rebuild()
            if isinstance(error, IllegalMoveError):
                raise IllegalMoveError(error.move, self._with_names(error.problems)) from error
            raise
        finally:
            self._view = None
        return self._events[before:]

    def extend(self, events: Iterable[Event]) -> None:
        """Append events that were numbered before, here or by another process, without refusing illegal moves."""
        rebuild = False
        for event in events:
            if event.seq != self.seq + 1:
                raise BadRequestError(f"event {event.seq} does not follow event {self.seq}")
            if rebuild or event.kind in _REBUILDS:
                self._events.append(event)
                rebuild = True
            else:
                self._apply(event, strict=False)
        if rebuild:
            self._rebuild()
        self._view = None

    def replace(self, events: Sequence[Event]) -> None:
        """Replace the events by the same ones with some replaced and later ones added; unaffected rounds are kept."""
        replaced = {
            new.seq for old, new in zip(self._events, events, strict=False) if old is not new and old != new
        }
        if not replaced and len(self._events) <= len(events):
            count = len(self._events)
            self._events[:] = events[:count]  # the same objects, so that later comparisons are fast
            self.extend(events[count:])
            return
        self._rounds = [
            live
            for live in self._rounds
            if not any(item.seq in replaced or item.reported.seq in replaced for item in live.items)
        ]
        self._events = list(events)
        self._rebuild()
        self._view = None

    # --- state

    @property
    def rules(self) -> Rules:
        """The rules in force: those of the current round until it is over, then those of the next one."""
        rules: Rules = self._game.rules
        return rules

    @property
    def next_rules(self) -> Rules:
        """The rules of the next round."""
        return self._next_rules

    @property
    def all_rules(self) -> Sequence[Rules]:
        """All rules of the evening: those it was opened with, then those of each change."""
        return (self._first_rules, *(change.after for change in self._rules_changes))

    @property
    def rules_changes(self) -> Sequence[RulesChange]:
        """The changes of the rules, in order."""
        return self._rules_changes

    @property
    def names(self) -> PlayerNames:
        """The players' names."""
        return self._names

    @property
    def opened(self) -> Mapping[str, Any]:
        """The data of the event that opened the table, with later corrections."""
        return self._opened

    @property
    def game(self) -> Match[Any]:
        """The game: the finished rounds, the points, and the next dealer."""
        return self._game

    @property
    def rounds(self) -> Sequence[LiveRound]:
        """The rounds dealt so far, including abandoned ones."""
        return self._rounds

    @property
    def live(self) -> LiveRound | None:
        """The last round dealt, with its events."""
        return self._rounds[-1] if self._rounds else None

    @property
    def round(self) -> AnyRound | None:
        """The last round dealt, even after its end; None if there is none, it was abandoned, or its result was reported without
        its moves.
        """
        live = self.live
        return None if live is None or live.abandoned or live.result is not None else live.round

    @property
    def result_reported(self) -> bool:
        """Whether the last round ended by a reported result; its cards may still be on the table."""
        return self.live is not None and self.live.result is not None

    @property
    def round_number(self) -> int:
        """The number of the last round dealt, 0 before the first deal; abandoned rounds count."""
        return len(self._rounds)

    @property
    def dealer_known(self) -> bool:
        """Whether the dealer is known; if not, the game's next dealer is assumed."""
        return self.live is None or self.live.dealer_known

    @property
    def open_questions(self) -> list[Event]:
        """The questions without an answer."""
        return [event for event in self._open_items.values() if event.kind == "asked"]

    @property
    def open_problems(self) -> list[Event]:
        """The problems that are not resolved."""
        return [event for event in self._open_items.values() if event.kind == "noticed"]

    @property
    def status(self) -> Literal["open", "closed", "deleted"]:
        """Whether the table was closed or deleted. A deal or move after `closed` opens it again."""
        effective = [event.kind for event in self._events if event.seq in self._effective]
        if "removed" in effective:
            return "deleted"
        last = next((kind for kind in reversed(effective) if kind in GAME | {"closed"}), None)
        return "closed" if last == "closed" else "open"

    @property
    def last_activity(self) -> str:
        """When the game last changed, ISO 8601 in UTC; the time of opening if nothing has happened."""
        return next(
            (event.time for event in reversed(self._events) if event.kind in GAME), self._events[0].time
        )

    def holds(self, seq: int) -> bool:
        """Return whether an event is in effect, that is, not undone."""
        return seq in self._effective

    def undo_target(self) -> Event | None:
        """Return the first event of what one undo takes back: the last group of events in effect that changed the game."""
        last = next(
            (each for each in reversed(self._events) if each.seq in self._effective and each.kind in CHANGES),
            None,
        )
        if last is None:
            return None
        return next(each for each in self._events[last.group - 1 :] if each.kind in CHANGES)

    def redo_target(self) -> Event | None:
        """Return the last undo in effect if nothing has changed the game since; undoing it restores what it took back."""
        for event in reversed(self._events):
            if event.seq not in self._effective or event.kind not in CHANGES | {"undone"}:
                continue
            if event.kind in CHANGES:
                return None
            if self._events[event.data["of"] - 1].kind not in DISPUTES | {"undone"}:
                return event
        return None

    def says(self, event: Event) -> Message:
        """Return an event as a message; an undo or correction includes the event that it changes."""
        return event_message(event, self._events, self.rules, self._names)

    def says_group(self, event: Event) -> Message:
        """Return the message of all events that were appended together with an event and are undone with it."""
        return group_message(event, self._events, self.rules, self._names)

    def says_undos(self, undos: Sequence[Event]) -> Message:
        """Return the message of undos that were reported together, latest undone event first."""
        return undo_message(undos, self._events, self.rules, self._names)

    def legal_moves(self) -> list[tuple[Move, Message]]:
        """Return the legal moves with their messages, for entering moves by hand."""
        moves: list[Move] = [] if self.round is None else self.round.legal_moves()
        return [(move, turn_message([move], self._names)) for move in moves]

    def alternatives(self, seq: int) -> list[dict[str, Any]]:
        """Return what an event can be corrected to, likeliest first; see `companion.table.corrections`."""
        for live in self._rounds:
            if any(item.seq == seq for item in live.items):
                return alternatives(live, seq)
        return []

    def next_round(self, data: Mapping[str, Any]) -> AnyRound:
        """Return the next round without its cards; ``data`` may have ``dealer`` and what else differs from the game so far."""
        context = self._context()
        return context.undealt(data, data.get("dealer") or context.dealer)

    def record(self, number: int) -> dict[str, Any]:
        """Return the record of a round by its number, with the result if it is over."""
        if not 1 <= number <= len(self._rounds):
            raise BadRequestError(
                Message("table-no-such-round", {"number": number, "count": len(self._rounds)})
            )
        live = self._rounds[number - 1]
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

    # --- computing the state

    def _apply(self, event: Event, *, strict: bool) -> None:
        """Append one event and update the state."""
        self._events.append(event)
        if event.kind in _REBUILDS:
            rounds_before = self._rounds
            self._rebuild()
            if strict:
                self._check_result(event, rounds_before)
            return
        self._effective.add(event.seq)
        item = Item(event.seq, event.kind, event.data, event, event)
        if event.kind == "rules_changed":
            self._change_rules(item, self.round_number + 1, strict=strict)
        elif event.kind in GAME:
            self._apply_to_round(item, strict=strict)
        else:
            self._update_open(event)
        self._put_rules_in_force()

    def _rebuild(self) -> None:
        """Compute the state from the events; rounds whose events are the same are kept."""
        self._effective = holding(self._events)
        first = self._events[0]
        opened, *happened = items(self._events, self._effective)
        # A correction may omit the ids.
        own = {key: first.data[key] for key in ("id", "night") if key in first.data}
        self._opened = {**own, **opened.data}
        rules = self._first_rules = self._next_rules = read_rules(opened.data)
        names = list(read_players(opened.data, rules))
        ids = list(read_player_ids(opened.data, len(names)))
        for item in happened:
            if item.kind == "seated":
                seat = item.data["seat"] - 1
                names[seat], ids[seat] = str(item.data.get("name") or ""), item.data.get("player_id")
        self._names = PlayerNames(tuple(names), tuple(ids))
        self._game = GAMES[rules.game].match(rules, players=len(names))
        self._rules_changes: list[RulesChange] = []
        known = {live.items[0].seq: live for live in self._rounds}
        self._rounds = []
        scripts: list[tuple[Rules, list[Item]]] = []
        for item in happened:
            if item.begins_round:
                scripts.append((self._next_rules, [item]))
            elif item.kind == "rules_changed":
                self._change_rules(item, len(scripts) + 1, strict=False)
            elif scripts and item.kind != "seated":
                scripts[-1][1].append(item)
        for number, (rules, script) in enumerate(scripts, start=1):
            self._game.rules = rules
            self._replay(script, known.get(script[0].seq), closed=number < len(scripts))
        self._put_rules_in_force()
        self._open_items: dict[int, Event] = {}
        for event in self._events:
            if event.seq in self._effective:
                self._update_open(event)

    def _replay(self, script: Sequence[Item], known: LiveRound | None, *, closed: bool) -> None:
        """Add a round, built from its events (``script``); the unchanged beginning of the known round is reused."""
        context = self._context()
        live = None
        if known is not None and (known.context, known.closed) == (context, closed):
            live = known.up_to([item.mark for item in script])
        if live is None:
            live = LiveRound(context, self._game, script[0])
        else:
            live.rejoin(self._game)
        for item in script[len(live.items) :]:
            live.add(item)
        if closed and not live.closed:
            live.close()
        self._rounds.append(live)
        self._count_round(live)

    def _change_rules(self, item: Item, number: int, *, strict: bool) -> None:
        """Set the rules of the next round, which has a number; rules that do not fit the table are left out unless `strict`."""
        try:
            rules = read_change(item.data, self._first_rules, self._names)
        except BadRequestError:
            if strict:
                raise
            return
        self._rules_changes.append(RulesChange(item, number, self._next_rules, rules))
        self._next_rules = rules

    def _put_rules_in_force(self) -> None:
        """Give the game the rules of the current round, or of the next one if none is being played."""
        live = self.live
        playing = live is not None and live.outcome is None and not live.abandoned
        self._game.rules = live.context.rules if live is not None and playing else self._next_rules

    def _context(self) -> RoundContext:
        return RoundContext.of(self._game, self._names, len(self._rounds) + 1)

    def _count_round(self, live: LiveRound) -> None:
        """Add a round to the game if it is over."""
        if live.outcome is not None:
            self._game.outcomes.append(live.outcome)

    def _apply_to_round(self, item: Item, *, strict: bool) -> None:
        if item.begins_round:
            self._deal(item, strict=strict and not item.data.get("unchecked"))
            return
        live = self.live
        if live is None:
            if strict:
                raise BadRequestError(Message("table-not-dealt"))
            return
        if live.outcome is not None:
            self._game.pop()
        try:
            live.add(item, strict=strict)
        finally:
            self._count_round(live)

    def _deal(self, item: Item, *, strict: bool) -> None:
        """Start a round; the round before must be over or abandoned."""
        last = self.live
        if last is not None:
            over = last.outcome is not None
            last.close()
            if not over:
                self._count_round(last)
            if strict and last.outcome is None and not last.abandoned:
                raise BadRequestError(Message("table-round-unfinished", {"number": last.number}))
        self._game.rules = self._next_rules
        context = self._context()
        if strict and context.over:
            raise BadRequestError(Message("table-game-over"))
        live = LiveRound(context, self._game, item)
        if strict and live.misdeal:
            raise BadRequestError(joined([problem.text for problem in self._with_names(live.misdeal)]))
        self._rounds.append(live)
        self._count_round(live)

    def _with_names(self, problems: Iterable[Problem]) -> list[Problem]:
        """Return problems with the players' names in place of their numbers."""
        return [Problem(each.code, self._names.within(each.text)) for each in problems]

    def _update_open(self, event: Event) -> None:
        """Update the open questions and problems."""
        if event.kind in {"asked", "noticed"}:
            self._open_items[event.seq] = event
        elif event.kind in {"answered", "settled"}:
            self._open_items.pop(event.data["of"], None)

    # --- validation

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
                self._earlier_event(event.data["of"], {each.kind for each in self._events} - DISPUTES)
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
        event = self._events[seq - 1]
        if event.kind not in kinds:
            raise BadRequestError(f"event {seq} is {event.kind}, not {' or '.join(sorted(kinds))}")
        return event

    def _check_undone(self, event: Event) -> None:
        of = event.data["of"]
        target = self._earlier_event(of, {each.kind for each in self._events} - {"opened"})
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
            before, after = (bool(each.get("new_round")) for each in (_content_of(target), data["data"]))
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
            read_change(replacement["data"], self._first_rules, self._names)

    def _check_result(self, event: Event, rounds_before: Sequence[LiveRound]) -> None:
        """Refuse an undo or correction that would leave moves without a deal, or put an illegal move in place."""
        data = event.data
        if event.kind in {"corrected", "inserted"} and not (data.get("data") or {}).get("unchecked"):
            seq = data["of"] if event.kind == "corrected" else event.seq
            for live in self._rounds:
                applied = live.applied(seq)
                if applied is None or not applied.problems:
                    continue
                if applied.move is not None:
                    raise IllegalMoveError(applied.move, applied.problems)
                raise BadRequestError(joined([each.text for each in self._with_names(applied.problems)]))
        remaining = {item.seq for item in items(self._events, self._effective)}
        for live in rounds_before:
            dealt, *rest = live.items
            if dealt.seq not in remaining and any(item.seq in remaining for item in rest):
                raise BadRequestError(Message("table-moves-without-deal"))

    def _chosen_events(self, answered: Event) -> list[NewEvent]:
        """Return the events of the choice of an answer."""
        choice = answered.data.get("choice")
        if choice is None:
            return []
        asked = self._events[answered.data["of"] - 1]
        return [
            NewEvent(each["kind"], dict(each.get("data") or {}), 1.0, asked.evidence)
            for each in asked.data["choices"][choice].get("events", ())
        ]


def _content_of(event: Event) -> Mapping[str, Any]:
    """Return the data of an event or, of an inserted one, of the event that it inserts."""
    return (event.data.get("data") or {}) if event.kind == "inserted" else event.data


def _numbered(new: NewEvent, seq: int, group: int, actor: str, source: Source, time: str) -> Event:
    return Event(seq, group, time, actor, source, new.kind, new.data, new.confidence, new.evidence)
