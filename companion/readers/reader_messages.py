"""Questions and notices about what card readers detected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.hanafuda.card_messages import card_list
from companion.hanafuda.messages import Message, card_message
from companion.readers.camera_fusion import CAMERA, ZoneConflict
from companion.table.events import NewEvent
from companion.watch.message_parts import zone_message
from companion.watch.referee_events import asked, choice

_FIRST = 0.6
"""Probability that the side which the table follows is right."""


def question(
    dispute: ZoneConflict, hypotheses: Sequence[Sequence[NewEvent]], picture: str | None
) -> NewEvent:
    """Return the question where a disputed card is; ``hypotheses``: the events that follow from each side, in order."""
    first, second = (_source_message(source, zone) for source, zone in dispute.sides[:2])
    text = Message(
        "question-card-position", {"card": card_message(dispute.card), "first": first, "second": second}
    )
    probabilities = (_FIRST, 1 - _FIRST)
    choices = [
        choice(zone_message(zone), probability, events)
        for (_, zone), probability, events in zip(dispute.sides, probabilities, hypotheses, strict=False)
    ]
    return asked(text, choices, _FIRST, picture)


def _source_message(source: str, zone: str) -> Message:
    where = zone_message(zone)
    if source == CAMERA:
        return Message("source-camera", {"where": where})
    return Message("source-reader", {"reader": source, "where": where})


def unfinished(moved: Mapping[str, str]) -> NewEvent:
    """Return the notice that scans are not a complete turn; ``moved``: the new zone of each card."""
    by_zone: dict[str, list[str]] = {}
    for name, zone in moved.items():
        by_zone.setdefault(zone, []).append(name)
    placements = tuple(
        Message("placement", {"cards": card_list(cards), "where": zone_message(zone)})
        for zone, cards in by_zone.items()
    )
    return _notice(Message("notice-readers-unfinished", {"placements": placements}), list(moved))


def half_a_turn(scanned: Sequence[str]) -> NewEvent:
    """Return the notice that only a part of a turn was scanned."""
    return _notice(Message("notice-half-turn", {"cards": card_list(scanned)}), list(scanned))


def _notice(message: Message, cards: list[str]) -> NewEvent:
    data = {
        "code": "turn-unread",
        "message": message.to_dict(),
        "pictures": {"before": None, "after": None},
        "cards": cards,
    }
    return NewEvent("noticed", data, 0.9)
