"""Hidden cards: which cards of a table's events an audience may not know yet, and the events without them.

An audience is a seat, or the public: everybody without a seat at the table. Until a round is over, the public knows no
hand card and no card of the draw pile, and a seat knows only its own hand. Cards that were played or laid open are
public.

A round's cards become public when the round is over or the next one has been dealt. An abandoned round stays hidden
until the next deal, because an undo can resume it. A game's description specifies which cards become public earlier
(`companion.hanafuda.description.HiddenCards`).

`Redactor` replaces hidden cards in events by null. A table built from the redacted events knows only what the audience
may know, so nothing computed from it (legal moves, alternatives, problems, records) can reveal a hidden card.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import HIDDEN
from companion.hanafuda.rules import Rules
from companion.table.events import Event, NewEvent

if TYPE_CHECKING:
    from companion.table.live_round import LiveRound
    from companion.table.table import Table

__all__ = ["PUBLIC", "Audience", "Redactor", "completed", "hidden_data", "matches"]

Audience: TypeAlias = int | None
"""A seat, from 1, or `PUBLIC`."""

PUBLIC: Final[Audience] = None
"""Everybody without a seat at the table."""


class Redactor:
    """The events of one table as each audience may know them.

    Results are cached: `events` returns the same `Event` objects as long as they are redacted in the same way, and the
    table's own sequence if nothing is hidden.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._rules: tuple[str, ...] = ()
        self._examined = 0
        self._secret: list[Event] = []
        self._redacted: dict[tuple[int, frozenset[int]], Event] = {}

    def events(self, audience: Audience) -> Sequence[Event]:
        """Return the table's events as an audience may know them."""
        table = self._table
        self._examine()
        if not self._secret:
            return table.events
        changed: dict[int, Event] = {}
        for event, live in _still_hidden(table, self._secret):
            visible = frozenset(_visible_seats(live, audience))
            key = event.seq, visible
            if key not in self._redacted:
                data = hidden_data(event.kind, event.data, self._rules_of(event, live), visible)
                self._redacted[key] = event if data is event.data else replace(event, data=data)
            if self._redacted[key] is not event:
                changed[event.seq] = self._redacted[key]
        if not changed:
            return table.events
        return [changed.get(event.seq, event) for event in table.events]

    def _examine(self) -> None:
        """Find the events with hidden cards among those appended since the last call."""
        events, hashes = self._table.events, tuple(rules.hash for rules in self._table.all_rules)
        if hashes != self._rules:
            self._rules, self._examined = hashes, 0
            self._secret, self._redacted = [], {}
        for event in events[self._examined :]:
            if any(_hides(event, rules) for rules in self._table.all_rules):
                self._secret.append(event)
        self._examined = len(events)

    def _rules_of(self, event: Event, live: LiveRound | None) -> Rules:
        """Return the rules that say what is hidden: those of the event's round, of an undone event any that hide something."""
        if live is not None:
            return live.context.rules
        return next(rules for rules in self._table.all_rules if _hides(event, rules))


def _hides(event: Event, rules: Rules) -> bool:
    return hidden_data(event.kind, event.data, rules, ()) is not event.data


# --- which events are still hidden


def _still_hidden(table: Table, secret: Iterable[Event]) -> Iterable[tuple[Event, LiveRound | None]]:
    """Yield the events whose cards are not public yet, with their round; None for an event that was undone."""
    owner = {item.seq: live for live in table.rounds for item in live.items}
    # Inserted events are left out: they may have been appended long after the round ended.
    ended = max(
        (seq for seq, live in owner.items() if _is_public(live) and table.events[seq - 1].kind != "inserted"),
        default=0,
    )
    for event in secret:
        seq = event.data["of"] if event.kind == "corrected" else event.seq
        live = owner.get(seq)
        if live is None:
            if event.seq > ended:  # undone: its cards may be those of the current round
                yield event, None
        elif not _is_public(live):
            yield event, live


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


# --- events without their hidden cards


def hidden_data(
    kind: object, data: Mapping[str, Any], rules: Rules, visible: Collection[int]
) -> Mapping[str, Any]:
    """Return an event's data without the cards that only seats other than ``visible`` know.

    Returns the same object if nothing has to be removed.
    """
    match kind:
        case "dealt":
            return _hidden_deal(data, rules, visible)
        case "moved":
            return _hidden_move(data, rules, visible)
        case "corrected" | "inserted":
            return _hidden_within(data, rules, visible)
        case "asked":
            return _hidden_choices(data, rules, visible)
    return data


def _hidden_within(data: Mapping[str, Any], rules: Rules, visible: Collection[int]) -> Mapping[str, Any]:
    """Redact the event nested as ``kind`` and ``data`` in another event."""
    inner = data.get("data")
    if not isinstance(inner, Mapping):
        return data
    redacted = hidden_data(data.get("kind"), inner, rules, visible)
    return data if redacted is inner else {**data, "data": dict(redacted)}


def _hidden_choices(data: Mapping[str, Any], rules: Rules, visible: Collection[int]) -> Mapping[str, Any]:
    choices = [
        {**choice, "events": [_hidden_within(each, rules, visible) for each in choice.get("events") or ()]}
        for choice in data["choices"]
    ]
    same = all(
        new is old
        for choice, redacted in zip(data["choices"], choices, strict=True)
        for old, new in zip(choice.get("events") or (), redacted["events"], strict=True)
    )
    return data if same else {**data, "choices": choices}


def _hidden_deal(data: Mapping[str, Any], rules: Rules, visible: Collection[int]) -> Mapping[str, Any]:
    deal = data.get("deal")
    redacted = dict(data)
    if isinstance(deal, Mapping):
        redacted["deal"] = {
            **deal,
            **({"hands": _hidden_hands(deal["hands"], rules, visible)} if deal.get("hands") else {}),
            **({"stock": _hidden_cards(deal["stock"])} if deal.get("stock") else {}),
        }
    if data.get("shuffle") is not None:  # the seed reveals the position of the discards in the draw pile
        redacted["shuffle"] = None
    return data if redacted == data else redacted


def _hidden_hands(hands: object, rules: Rules, visible: Collection[int]) -> object:
    if GAMES[rules.game].hidden.open_hands(rules):
        return hands
    if not isinstance(hands, Mapping):
        return None
    open_cards = GAMES[rules.game].hidden.open_cards(rules, len(hands))
    return {
        seat: hand if seat in {str(each) for each in visible} else _hidden_cards(hand, open_cards)
        for seat, hand in hands.items()
    }


def _hidden_cards(cards: object, open_cards: Collection[str] = ()) -> list[str | None] | None:
    if not isinstance(cards, list | tuple):
        return None
    return [card if card in open_cards else None for card in cards]


def _hidden_move(data: Mapping[str, Any], rules: Rules, visible: Collection[int]) -> Mapping[str, Any]:
    """Return a move without the card that it brings into a hidden hand."""
    hidden = GAMES[rules.game].hidden
    if not hidden.hand_words or hidden.open_hands(rules) or data.get("player") in visible:
        return data
    redacted = {**data, "words": _hidden_words(data.get("words"), hidden.hand_words)}
    if data.get("others"):  # alternatives given by the reporter
        redacted["others"] = [
            {**each, "words": _hidden_words(each["words"], hidden.hand_words)} for each in data["others"]
        ]
    return data if redacted == data else redacted


def _hidden_words(words: Any, hand_words: Collection[str]) -> Any:
    return [words[0], *(HIDDEN for _ in words[1:])] if words and words[0] in hand_words else words


# --- reports by an audience that does not know everything


def completed(new: NewEvent, table: Table, known: Table) -> NewEvent:
    """Return a correction with the unchanged cards filled in that are hidden from its reporter.

    ``known`` is the table as the reporter knows it. Without this, correcting the field of a deal would erase the hands.
    """
    if known is table or new.kind != "corrected":
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
