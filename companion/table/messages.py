"""Messages about the events and moves of a table, for its history and for choosing among moves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import groupby
from typing import Any

from companion.hanafuda.card_messages import card_list
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message, player_message
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import Move
from companion.hanafuda.rules import Rules
from companion.messages.rules_names import rules_label
from companion.table.effective import DISPUTES, content_of
from companion.table.events import Event


@dataclass(frozen=True, slots=True)
class PlayerNames:
    """The players' names in order of their seats; empty for a player without a name."""

    given: tuple[str, ...]
    ids: tuple[str | None, ...] = ()
    """The ids of the players in the list of players, empty for a guest; None: the name is the id."""

    @property
    def players(self) -> tuple[str, ...]:
        """The ids of the players, empty for a guest and for a player without a name."""
        ids = self.ids or (None,) * len(self.given)
        return tuple(name if known is None else known for name, known in zip(self.given, ids, strict=True))

    def of(self, player: int) -> Message:
        """Return a player's name, or number if the player has none."""
        return player_message(player).with_names(self.given)

    def within(self, text: Message) -> Message:
        """Return a message with the players' names in place of their numbers."""
        return text.with_names(self.given)


def notice_text(data: Mapping[str, Any], names: PlayerNames) -> Message:
    """Return the message of a ``noticed`` event."""
    cards = card_list(data.get("cards") or ())
    otherwise = Message("notice-cards", {"cards": cards}) if cards else Message("event-noticed")
    return _stored(data["message"], otherwise, names)


def question_text(data: Mapping[str, Any], names: PlayerNames) -> Message:
    """Return the question of an ``asked`` event."""
    events = [each for choice in data["choices"] for each in choice.get("events") or ()]
    kinds = {each["kind"] for each in events}
    players = {each["data"]["player"] for each in events if each["kind"] == "moved"}
    otherwise = Message("event-asked")
    if kinds == {"began"}:
        otherwise = Message("question-who-dealt")
    elif kinds == {"moved"} and len(players) == 1:
        otherwise = Message("question-which-turn", {"player": player_message(players.pop())})
    return _stored(data["text"], otherwise, names)


def choice_text(choice: Mapping[str, Any], rules: Rules, names: PlayerNames) -> Message:
    """Return one of the answers of an ``asked`` event."""
    return _stored(choice["says"], _choice_message(choice.get("events") or (), rules, names), names)


def _choice_message(events: Sequence[Mapping[str, Any]], rules: Rules, names: PlayerNames) -> Message:
    if not events:
        return Message("choice-nothing")
    if any(each["kind"] in _CHANGES for each in events):
        return Message("choice-correction")
    try:
        messages = [_content_message(each["kind"], each.get("data") or {}, rules, names) for each in events]
    except BadRequestError:  # the words of a move are checked only when it is made
        return Message("event-answered")
    return _sequence(messages)


def _stored(document: Mapping[str, Any], otherwise: Message, names: PlayerNames) -> Message:
    """Return a message of an event with the players' names.

    Clients without the catalogs store a text in some languages: `otherwise`, computed from the event, is its text in the
    others.
    """
    message = Message.from_dict(document)
    if message.code == "text":
        message = Message("text", {"other": otherwise, **message.params})
    return names.within(message)


def turn_message(moves: Sequence[Move], names: PlayerNames) -> Message:
    """Return the moves of one player's turn as one message."""
    return Message(
        "turn-line",
        {"player": names.of(moves[0].player), "moves": _sequence([move.message() for move in moves])},
    )


def event_message(event: Event, events: Sequence[Event], rules: Rules, names: PlayerNames) -> Message:
    """Return the message of an event; an undo or correction includes the event that it changes.

    Undoing an undo restores an event: however often it is undone and restored, only the event itself is included.
    """
    if event.kind in _CHANGES:
        return _change_message(event, events, rules, names)
    if event.kind in DISPUTES:
        return _dispute_message(event, events, rules, names)
    return _content_message(event.kind, event.data, rules, names)


def group_message(event: Event, events: Sequence[Event], rules: Rules, names: PlayerNames) -> Message:
    """Return the message of all events that are undone together with one: turns and a deal before them, or corrections."""
    group = _group(event, events)
    if event.kind in {"corrected", "inserted"}:
        return _sequence(list(_correction_messages(group, events, rules, names)))
    read = GAMES[rules.game].round.read_move
    moves = [read(each.data["player"], each.data["words"]) for each in group if each.kind == "moved"]
    if not moves or event.kind not in {"dealt", "began", "moved", "answered"}:
        return event_message(event, events, rules, names)
    turns = [list(turn) for _, turn in groupby(moves, key=lambda move: move.player)]
    # Passes are inferred from the next player's move: they are not undone on their own.
    played = [turn for turn in turns if any(move.words()[0] not in _INFERRED for move in turn)]
    messages = [event_message(each, events, rules, names) for each in group if each.kind == "dealt"]
    return _sequence([*messages, *(turn_message(turn, names) for turn in played or turns[-1:])])


def undo_message(
    undos: Sequence[Event], events: Sequence[Event], rules: Rules, names: PlayerNames
) -> Message:
    """Return the message of undos reported together: what they undo or, for undos of undos, restore.

    ``undos`` are latest first, as in a long press of the undo button; the message is in the order of the table.
    """
    code = "event-undone"
    targets = [events[undo.data["of"] - 1] for undo in undos]
    while targets[0].kind == "undone":
        group = _group(targets[0], events)
        targets = [events[each.data["of"] - 1] for each in group if each.kind == "undone"]
        code = "event-redone" if code == "event-undone" else "event-undone"
    undone = [group_message(target, events, rules, names) for target in reversed(targets)]
    return Message(code, {"event": _sequence(undone)})


def _group(event: Event, events: Sequence[Event]) -> Sequence[Event]:
    """Return the events that were appended together with one: they are its neighbors."""
    first, end = event.seq - 1, event.seq
    while first > 0 and events[first - 1].group == event.group:
        first -= 1
    while end < len(events) and events[end].group == event.group:
        end += 1
    return events[first:end]


def _correction_messages(
    group: Sequence[Event], events: Sequence[Event], rules: Rules, names: PlayerNames
) -> Iterator[Message]:
    """Yield what a group of corrections changes in total: its other events one by one, then its moves by turn."""
    pairs: list[tuple[Move | None, Move | None]] = []
    for event in group:
        if event.kind in {"moved", "corrected", "inserted"}:
            old = _move(events[event.data["of"] - 1], rules) if event.kind == "corrected" else None
            new = _move(event, rules)
            if old is None and new is None:
                yield event_message(event, events, rules, names)
            else:
                pairs.append((old, new))
    replaced = [(old, new) for old, new in pairs if old is not None and new is not None]
    if replaced:
        before, after = (_turns(moves, names) for moves in zip(*replaced, strict=True))
        yield Message("event-corrected", {"before": before, "after": after})
    if deleted := [old for old, new in pairs if old is not None and new is None]:
        yield Message("event-deleted", {"event": _turns(deleted, names)})
    if added := [new for old, new in pairs if old is None and new is not None]:
        yield Message("event-added", {"event": _turns(added, names)})


def _move(event: Event, rules: Rules) -> Move | None:
    """Return the move that an event reports, or puts in place of another one; None if it has no move."""
    kind, data = content_of(event)
    move: Move | None = None
    if kind == "moved":
        move = GAMES[rules.game].round.read_move(data["player"], data["words"])
    return move


def _turns(moves: Sequence[Move], names: PlayerNames) -> Message:
    turns = groupby(moves, key=lambda move: move.player)
    return _sequence([turn_message(list(turn), names) for _, turn in turns])


_CHANGES = frozenset({"undone", "corrected", "inserted"})
_INFERRED = frozenset({"pass", "keep"})


def _sequence(messages: Sequence[Message]) -> Message:
    return reduce(lambda first, then: Message("line-sequence", {"first": first, "then": then}), messages)


def _change_message(event: Event, events: Sequence[Event], rules: Rules, names: PlayerNames) -> Message:
    data = event.data
    if event.kind == "inserted":
        added = _content_message(data["kind"], data.get("data") or {}, rules, names)
        return Message("event-added", {"event": added})
    if event.kind == "undone":
        return undo_message([event], events, rules, names)
    before = event_message(events[data["of"] - 1], events, rules, names)
    if data.get("kind") is None:
        return Message("event-deleted", {"event": before})
    after = _content_message(data["kind"], data.get("data") or {}, rules, names)
    return Message("event-corrected", {"before": before, "after": after})


def _content_message(kind: str, data: Mapping[str, Any], rules: Rules, names: PlayerNames) -> Message:
    if kind == "moved":
        read = GAMES[rules.game].round.read_move
        return turn_message([read(data["player"], data["words"])], names)
    if kind == "began" or (kind == "dealt" and data.get("dealer")):
        return Message("event-dealer", {"player": names.of(data["dealer"])})
    if kind == "scored" and data.get("winners"):
        players = tuple(names.of(seat) for seat in data["winners"])
        return Message("event-scored-won", {"players": players})
    if kind == "seated":
        return Message("event-seated", {"seat": data["seat"], "name": data.get("name") or "–"})
    if kind == "rules_changed":
        return rules_changed_message(data)
    return Message(f"event-{kind}")


def _dispute_message(event: Event, events: Sequence[Event], rules: Rules, names: PlayerNames) -> Message:
    if event.kind == "disputed":
        disputed = event_message(events[event.data["of"] - 1], events, rules, names)
        return Message("event-disputed", {"event": disputed})
    verdict = verdict_message(event.data["verdict"])
    if event.kind == "ruled":
        return Message("event-ruled", {"verdict": verdict})
    return Message("labeled", {"label": tuple(map(names.of, event.data["seats"])), "text": verdict})


def verdict_message(verdict: str) -> Message:
    """Return what was decided about a disputed event."""
    return Message(f"dispute-verdict-{verdict}")


def rules_changed_message(data: Mapping[str, Any]) -> Message:
    """Return the message of a ``rules_changed`` event."""
    name = data.get("rules_name")
    return (
        Message("event-rules-changed", {"rules": rules_label(name)}) if name else Message("event-rules-other")
    )
