"""Messages about the events and moves of a table, for its history and for choosing among moves."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import groupby
from typing import Any

from companion.hanafuda.card_messages import card_list
from companion.hanafuda.messages import Message, player_message
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import Move
from companion.hanafuda.rules import Rules, Text
from companion.table.events import Event

__all__ = [
    "PlayerNames",
    "event_message",
    "group_message",
    "message_view",
    "move_message",
    "turn_message",
    "undo_message",
]


_NUMBERED_EN = re.compile(r"\b(?:[Pp]layer (\d+)|[Pp]layers (\d+(?:, \d+)* and \d+))\b")
_NUMBERED_JA = re.compile(r"(?<![〜\d])(\d+)番")  # not the end of a range of numbers
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class PlayerNames:
    """The players' names in order of their seats; empty for a player without a name."""

    given: tuple[str, ...]

    def of(self, player: int) -> Message:
        """Return a player's name, or number if the player has none."""
        return player_message(player).with_names(self.given)

    def within(self, text: Message) -> Message:
        """Return a message with the players' names in place of their numbers."""
        if not isinstance(text, Text):
            return text.with_names(self.given)
        return Text(
            _NUMBERED_EN.sub(self._replace_numbers, text.en),
            _NUMBERED_JA.sub(lambda match: self._name_of(int(match[1])) or match[0], text.ja),
        )

    def _replace_numbers(self, match: re.Match[str]) -> str:
        if match[1]:
            return self._name_of(int(match[1])) or match[0]
        if not any(self._name_of(int(each)) for each in _NUMBER.findall(match[2])):
            return match[0]
        return _NUMBER.sub(lambda each: self.of(int(each[0])).en, match[2])

    def _name_of(self, player: int) -> str:
        """Return a player's name, empty if the player has none or does not exist."""
        return self.given[player - 1] if 0 < player <= len(self.given) else ""


def message_view(message: Message) -> dict[str, Any]:
    """Return a message for the view of a table: code and parameters, and its texts for clients without the catalogs."""
    return {**message.to_dict(), "en": message.en, "ja": message.ja}


def turn_message(moves: Sequence[Move], names: PlayerNames) -> Message:
    """Return the moves of one player's turn as one message."""
    return Message(
        "turn-line",
        {"player": names.of(moves[0].player), "moves": _sequence([move_message(move) for move in moves])},
    )


def event_message(event: Event, events: Sequence[Event], rules: Rules, names: PlayerNames) -> Message:
    """Return the message of an event; an undo or correction includes the event that it changes.

    Undoing an undo restores an event: however often it is undone and restored, only the event itself is included.
    """
    if event.kind in {"undone", "corrected", "inserted"}:
        return _change_message(event, events, rules, names)
    return _content_message(event.kind, event.data, rules, names)


def group_message(event: Event, events: Sequence[Event], rules: Rules, names: PlayerNames) -> Message:
    """Return the message of all events that are undone together with one: turns, and a deal before them."""
    group = [each for each in events if each.group == event.group]
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
        group = targets[0].group
        targets = [
            events[each.data["of"] - 1] for each in events if each.group == group and each.kind == "undone"
        ]
        code = "event-redone" if code == "event-undone" else "event-undone"
    undone = [group_message(target, events, rules, names) for target in reversed(targets)]
    return Message(code, {"event": _sequence(undone)})


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
    if kind == "seated":
        return Message("event-seated", {"seat": data["seat"], "name": data.get("name") or "–"})
    return Message(f"event-{kind}")


def move_message(move: Move) -> Message:
    """Return what a player does, without the player's name."""
    return move.message() or _message_of_words(move)


def _message_of_words(move: Move) -> Message:
    verb, *rest = move.words()
    if verb == "call":
        return Message(f"move-call-{rest[0]}")
    if verb == "wager":
        return Message("move-wager", {"stones": rest[0]})
    if not rest or verb in _WITHOUT_CARDS:
        return Message(f"move-{verb}")
    return _card_move(verb, rest)


def _card_move(verb: str, rest: Sequence[str]) -> Message:
    """Return a move with cards; ``rest`` are the words after the verb."""
    if rest == [_HIDDEN]:
        return Message(f"move-{verb}", {"cards": (Message("hidden-card"),)})
    if verb == "discard" and "as" in rest:
        return Message("move-discard-as", {"cards": card_list(rest[: rest.index("as")]), "rank": rest[-1]})
    if verb not in {"play", "draw"}:
        return Message(f"move-{verb}", {"cards": card_list(rest)})
    card, *takes = card_list(rest)
    if takes:
        return Message(f"move-{verb}-takes", {"card": card, "takes": tuple(takes)})
    return Message(f"move-{verb}-lays", {"card": card})


_HIDDEN = "?"
_WITHOUT_CARDS = frozenset({"laid", "lucky-hand", "three-pairs", "redeal"})
