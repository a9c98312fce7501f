"""The state of a table, computed from its events.

A finished round is computed once. An event that changes what earlier events mean (an undo, a correction, another player at
a seat) recomputes the current round, and a finished one only if its own events or what it started from has changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.match import Match
from companion.hanafuda.messages import Message, joined
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import Problem
from companion.hanafuda.rules import Rules
from companion.names import distinct_names, same_names
from companion.table.effective import CHANGES, CONTROLS, DISPUTES, GAME, Item, holding, items
from companion.table.events import Event, with_tidy_names
from companion.table.live_round import AnyRound, LiveRound, RoundContext
from companion.table.messages import PlayerNames, event_message, group_message, undo_message
from companion.table.parsing import read_name, read_player_ids, read_players, read_rules
from companion.table.rules_changes import RulesChange, read_change

_REFOLDS = {*CONTROLS, "seated"}
"""The events that change what earlier events mean, or how they are described."""


class TableState:
    """The state of a table after some events. `companion.table.Table` adds events to it. Not thread-safe."""

    def __init__(self, opened: Event) -> None:
        """Raises `BadRequestError` for an event that does not open a table."""
        if opened.kind != "opened" or opened.seq != 1:
            raise BadRequestError(
                f"a table begins with its event opened, number 1, not {opened.kind} {opened.seq}"
            )
        self.events = [opened]
        """All events so far, in order."""
        self.rounds: list[LiveRound] = []
        """The rounds dealt so far, including abandoned ones."""
        self._refold()

    def extend(self, events: Iterable[Event]) -> None:
        """Append events that were numbered before, here or by another process, without refusing illegal moves."""
        refold = False
        for event in events:
            if event.seq != self.seq + 1:
                raise BadRequestError(f"event {event.seq} does not follow event {self.seq}")
            if refold or event.kind in _REFOLDS:
                self.events.append(event)
                refold = True
            else:
                self._apply(event, strict=False)
        if refold:
            self._refold()

    def replace(self, events: Sequence[Event]) -> None:
        """Replace the events by others of the same table; rounds whose events are the same are not computed again."""
        if self.events == events[: self.seq]:
            self.extend(events[self.seq :])
        else:
            self.events = list(events)
            self._refold()

    # --- state

    @property
    def seq(self) -> int:
        """The number of the last event."""
        return len(self.events)

    @property
    def rules(self) -> Rules:
        """The rules in force: those of the current round until it is over, then those of the next one."""
        live = self.live
        playing = live is not None and live.outcome is None and not live.abandoned
        return live.context.rules if live is not None and playing else self.next_rules

    @property
    def next_rules(self) -> Rules:
        """The rules of the next round."""
        return self.all_rules[-1]

    @property
    def all_rules(self) -> Sequence[Rules]:
        """All rules of the evening: those it was opened with, then those of each change."""
        return (self._first_rules, *(change.after for change in self.rules_changes))

    @property
    def game(self) -> Match[Any]:
        """The match: the finished rounds, the points, and the next dealer."""
        match = self._match()
        match.rules = self.rules
        return match

    @property
    def live(self) -> LiveRound | None:
        """The last round dealt, with its events."""
        return self.rounds[-1] if self.rounds else None

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
        return len(self.rounds)

    @property
    def dealer_known(self) -> bool:
        """Whether the dealer is known; if not, the match's next dealer is assumed."""
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
        effective = [event.kind for event in self.events if event.seq in self._effective]
        if "removed" in effective:
            return "deleted"
        last = next((kind for kind in reversed(effective) if kind in GAME | {"closed"}), None)
        return "closed" if last == "closed" else "open"

    @property
    def last_activity(self) -> str:
        """When the game last changed, ISO 8601 in UTC; the time of opening if nothing has happened."""
        return next(
            (event.time for event in reversed(self.events) if event.kind in GAME), self.events[0].time
        )

    def holds(self, seq: int) -> bool:
        """Return whether an event is in effect, that is, not undone."""
        return seq in self._effective

    def undo_target(self) -> Event | None:
        """Return the first event of what one undo takes back: the last group of events in effect that changed the game."""
        last = next(
            (each for each in reversed(self.events) if each.seq in self._effective and each.kind in CHANGES),
            None,
        )
        if last is None:
            return None
        return next(each for each in self.events[last.group - 1 :] if each.kind in CHANGES)

    def redo_target(self) -> Event | None:
        """Return the last undo in effect if nothing has changed the game since; undoing it restores what it took back."""
        for event in reversed(self.events):
            if event.seq not in self._effective or event.kind not in CHANGES | {"undone"}:
                continue
            if event.kind in CHANGES:
                return None
            if self.events[event.data["of"] - 1].kind not in DISPUTES | {"undone"}:
                return event
        return None

    def round_at(self, number: int) -> LiveRound:
        """Return a round by its number, from 1. Raises `BadRequestError` if there is none."""
        if not 1 <= number <= len(self.rounds):
            raise BadRequestError(
                Message("table-no-such-round", {"number": str(number), "count": len(self.rounds)})
            )
        return self.rounds[number - 1]

    def next_round(self, data: Mapping[str, Any]) -> AnyRound:
        """Return the next round without its cards; ``data`` may have ``dealer`` and what else differs from the match so far."""
        return self._context(self.rules).undealt(data, data.get("dealer"))

    def dealt(self, data: Mapping[str, Any]) -> AnyRound:
        """Return the round that a ``dealt`` event with this data begins.

        Raises `BadRequestError` if the deal cannot be read.
        """
        return self._context(self.next_rules).deal(data, data.get("dealer"))

    # --- messages

    def says(self, event: Event) -> Message:
        """Return an event as a message; an undo or correction includes the event that it changes."""
        return event_message(event, self.events, self.rules, self.names)

    def says_group(self, event: Event) -> Message:
        """Return the message of all events that were appended together with an event and are undone with it."""
        return group_message(event, self.events, self.rules, self.names)

    def says_undos(self, undos: Sequence[Event]) -> Message:
        """Return the message of undos that were reported together, latest undone event first."""
        return undo_message(undos, self.events, self.rules, self.names)

    # --- computing the state

    def _refold(self) -> None:
        """Compute the state from the events; rounds whose events and context are the same are kept."""
        self._effective = holding(self.events)
        opened, *happened = items(self.events, self._effective)
        self._read_opening(opened, happened)
        self.rules_changes: list[RulesChange] = []
        """The changes of the rules, in order."""
        scripts: list[tuple[Rules, list[Item]]] = []
        for item in happened:
            if item.begins_round:
                scripts.append((self.next_rules, [item]))
            elif item.kind == "rules_changed":
                self._change_rules(item, len(scripts) + 1, strict=False)
            elif scripts and item.kind != "seated":
                scripts[-1][1].append(item)
        known = {live.items[0].seq: live for live in self.rounds}
        self.rounds = []
        for number, (rules, script) in enumerate(scripts, start=1):
            context, closed = self._context(rules), number < len(scripts)
            live = known.get(script[0].seq)
            if live is None or (live.context, live.closed, live.items) != (context, closed, script):
                live = LiveRound(context, script[0])
                for item in script[1:]:
                    live.add(item)
                if closed:
                    live.close()
            self.rounds.append(live)
        self._open_items: dict[int, Event] = {}
        for event in self.events:
            if event.seq in self._effective:
                self._update_open(event)

    def _read_opening(self, opened: Item, happened: Iterable[Item]) -> None:
        """Set the rules that the table was opened with, and the players as they are named by now."""
        # A correction may omit the ids.
        own = {key: self.events[0].data[key] for key in ("id", "night") if key in self.events[0].data}
        self.opened: Mapping[str, Any] = {**own, **with_tidy_names("opened", opened.data)}
        """The data of the event that opened the table, with later corrections."""
        self._first_rules = read_rules(opened.data)
        names = list(read_players(opened.data, self._first_rules))
        ids = list(read_player_ids(opened.data, len(names)))
        for item in happened:
            if item.kind == "seated":
                seat = item.data["seat"] - 1
                names[seat], ids[seat] = read_name(item.data.get("name")), item.data.get("player_id")
        self.names = PlayerNames(distinct_names(names), tuple(ids))
        """The players' names; one that looks the same as another has a number."""
        self.doubled = (*same_names(names), *same_names(PlayerNames(tuple(names), tuple(ids)).players))
        """The names and ids that two seats have."""

    def _apply(self, event: Event, *, strict: bool) -> None:
        """Append one event and update the state; with `strict`, refuse what the rules forbid."""
        self.events.append(event)
        if event.kind in _REFOLDS:
            self._refold()
            return
        self._effective.add(event.seq)
        item = Item(event.seq, event.kind, event.data, event, event)
        if event.kind == "rules_changed":
            self._change_rules(item, self.round_number + 1, strict=strict)
        elif item.begins_round:
            self._deal(item, strict=strict and not item.data.get("unchecked"))
        elif event.kind not in GAME:
            self._update_open(event)
        elif self.live is not None:
            self.live.add(item, strict=strict)
        elif strict:
            raise BadRequestError(Message("table-not-dealt"))

    def _deal(self, item: Item, *, strict: bool) -> None:
        """Start a round; the round before must be over or abandoned."""
        last = self.live
        if last is not None:
            last.close()
            if strict and last.outcome is None and not last.abandoned:
                raise BadRequestError(Message("table-round-unfinished", {"number": last.number}))
        context = self._context(self.next_rules)
        if strict and context.match().outcome() is not None:
            raise BadRequestError(Message("table-game-over"))
        live = LiveRound(context, item)
        if strict and live.misdeal:
            raise BadRequestError(joined([problem.text for problem in self._with_names(live.misdeal)]))
        self.rounds.append(live)

    def _change_rules(self, item: Item, number: int, *, strict: bool) -> None:
        """Set the rules of the next round, which has a number; rules that do not fit the table are left out unless `strict`."""
        try:
            rules = read_change(item.data, self._first_rules, self.names)
        except BadRequestError:
            if strict:
                raise
            return
        self.rules_changes.append(RulesChange(item, number, self.next_rules, rules))

    def _update_open(self, event: Event) -> None:
        """Update the open questions and problems."""
        if event.kind in {"asked", "noticed"}:
            self._open_items[event.seq] = event
        elif event.kind in {"answered", "settled"}:
            self._open_items.pop(event.data["of"], None)

    def _match(self) -> Match[Any]:
        """Return the match after the last round."""
        if self.live is not None:
            return self.live.match
        match: Match[Any] = GAMES[self._first_rules.game].match(
            self._first_rules, players=len(self.names.given)
        )
        return match

    def _context(self, rules: Rules) -> RoundContext:
        """Return what the next round starts from, by these rules."""
        match = self._match()
        return RoundContext(
            rules=rules,
            rules_name=rules.name,
            names=self.names,
            number=len(self.rounds) + 1,
            first_dealer=match.first_dealer,
            outcomes=tuple(match.outcomes),
        )

    def _with_names(self, problems: Iterable[Problem]) -> list[Problem]:
        """Return problems with the players' names in place of their numbers."""
        return [Problem(each.code, self.names.within(each.text)) for each in problems]
