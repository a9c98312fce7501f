"""Parts of the messages that the referee and the readers share: zones, moves, and sequences of messages."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from companion.hanafuda.card_messages import card_list
from companion.hanafuda.fishing import Call, FishingMove, Play
from companion.hanafuda.messages import Message, card_message, player_message
from companion.observations import DISCARD, FIELD, STOCK


def zone_message(zone: str) -> Message:
    """Return the phrase for a zone (`companion.observations`)."""
    place, _, seat = zone.partition("-")
    match place:
        case "captured":
            return Message("zone-captured", {"player": player_message(int(seat))})
        case "hand":
            return Message("zone-hand", {"player": player_message(int(seat))})
        case _:
            return _ZONES.get(zone, Message("zone-elsewhere"))


_ZONES = {
    FIELD: Message("zone-field"),
    STOCK: Message("zone-stock"),
    DISCARD: Message("zone-discard"),
}


def message_sequence(messages: Sequence[Message]) -> Message:
    """Return several messages as one, separated by commas."""
    return reduce(lambda start, then: Message("list-middle", {"start": start, "next": then}), messages)


def fishing_move_message(move: FishingMove) -> Message:
    """Return a move of a fishing game as the answer to what a player did."""
    if isinstance(move, Call):
        return Message(f"choice-call-{move.name}")
    kind = "play" if isinstance(move, Play) else "draw"
    name = card_message(move.card)
    if move.takes:
        return Message(f"choice-{kind}-takes", {"card": name, "takes": card_list(move.takes)})
    return Message(f"choice-{kind}-lays", {"card": name})
