"""Parts of the messages that the referee and the readers share: zones, and sequences of messages."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from companion.hanafuda.messages import Message, player_message
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
