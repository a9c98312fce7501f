"""The deal as a look shows it: eight cards on the field, the piles empty, hands and stock hidden (G §4, H §2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import exp, log
from typing import Any

from companion.hanafuda.card_messages import cards_of_bits
from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.families.fishing import Call, FishingRound
from companion.hanafuda.families.fishing.record import FIELD as DEALT
from companion.hanafuda.messages import Message
from companion.observations import Observation
from companion.referee.card_likelihoods import FIELD, FIRST_OF, DetectedCard
from companion.referee.expected_cards import AnyRound, Position, indices
from companion.referee.interface import CommittedTable
from companion.referee.referee_events import choice, moved
from companion.table.events import NewEvent

__all__ = ["Field", "field_of", "is_new_deal", "question", "reported", "stop"]

_SURE = 0.9
_RATHER = 0.75
_FAR = 20.0
"""A deal is told at `_SURE`, or at `_RATHER` where no other is likelier than one part in so many of it: eight cards, each named at
.98, make .85, and what is left is spread over readings of which none is worth asking about."""
_CHOICES = 4
_OTHERS = 3
"""So many cards of the field at least are others after a new deal; fewer are the old field, read anew."""


@dataclass(slots=True)
class Field:
    """A field as dealt, as far as it can be read: every way to read it, the likeliest first."""

    count: int
    """How many cards lie there."""
    readings: list[tuple[tuple[str, ...], float]]
    """Cards in the order in which they lie, left to right, and the probability; none unless all eight were found."""

    @property
    def confident(self) -> bool:
        """Whether the best reading needs no other look and no question."""
        if not self.readings:
            return False
        best, next_best = (
            self.readings[0][1],
            max((probability for _, probability in self.readings[1:]), default=0.0),
        )
        return best >= _SURE or (best >= _RATHER and best >= _FAR * next_best)


def _lying(detections: Sequence[DetectedCard]) -> tuple[list[DetectedCard], list[DetectedCard]]:
    """Return the face-up finds on the field, left to right, and those in the piles."""
    open_detections = [found for found in detections if found.back < 0.5 and found.visible > 0.2]
    field = sorted((found for found in open_detections if found.zone == FIELD), key=lambda found: found.at)
    cards = [found for found in field if found.is_named]
    if len(cards) == DEALT:
        field = cards
    # What shows no card lay there already, a book or a box, as on the field what lies beside eight cards.
    return field, [found for found in open_detections if found.zone > FIELD and found.is_named]


def field_of(detections: Sequence[DetectedCard]) -> Field | None:
    """Return the field of a deal; None where cards lie in the piles."""
    field, piles = _lying(detections)
    if piles:
        return None
    if len(field) != DEALT:
        return Field(len(field), [])
    options = [sorted(found.names.items(), key=lambda name: -name[1])[:3] for found in field]
    if not all(options):
        return Field(len(field), [])
    while _hypotheses(options) > 500:  # the likeliest few of each are enough
        max(options, key=len).pop()
    readings: dict[tuple[str, ...], float] = {}
    for names in product(*options):
        cards = _named([first for first, _ in names])
        if cards:
            readings[cards] = readings.get(cards, 0.0) + exp(sum(logp for _, logp in names))
    ranked = sorted(readings.items(), key=lambda reading: -reading[1])
    # What the eyes do not name at all counts against the best reading; what names a card twice does not.
    total = sum(readings.values())
    left = 1.0 - min(1.0, sum(exp(sum(logp for _, logp in names)) for names in product(*options)))
    return Field(len(field), [(cards, probability / (total + left)) for cards, probability in ranked])


def _hypotheses(options: Sequence[Sequence[Any]]) -> int:
    count = 1
    for each in options:
        count *= len(each)
    return count


def _named(firsts: Sequence[int]) -> tuple[str, ...]:
    """Return cards by id, look-alikes told apart; empty where a card would lie there twice."""
    cards: list[int] = []
    for first in firsts:
        free = [index for index in range(len(HANAFUDA)) if FIRST_OF[index] == first and index not in cards]
        if not free:
            return ()
        cards.append(free[0])
    return tuple(HANAFUDA[index].id for index in cards)


def is_new_deal(detections: Sequence[DetectedCard], position: Position) -> bool:
    """Return whether a look at a table shows other cards than those of its round, laid out as a deal is."""
    field, piles = _lying(detections)
    if piles or len(field) != DEALT:
        return False
    dealt = {FIRST_OF[index] for index in indices(position.round.deal.field)}
    if position.phase != "over" and sum(found.top in dealt for found in field) >= DEALT - 1:
        return False  # what was played is taken back
    old = {FIRST_OF[index] for index in range(48) if position.field >> index & 1}
    shared = sum(found.top in old for found in field)
    emptied = any(position.piles)
    return shared <= DEALT - _OTHERS if not emptied else shared < DEALT - 1


def stop(played: AnyRound) -> Call | None:
    """Return the stop that an open decision must have been since the round did not go on."""
    return next(
        (call for call in played.legal_moves() if isinstance(call, Call) and call.said == "stop"), None
    )


def reported(
    cards: Sequence[str], observation: Observation, table: CommittedTable, confidence: float
) -> list[NewEvent]:
    """Return the events of a new deal; an open decision of the round before was a stop."""
    events = []
    dealer, month = None, getattr(table.game, "month", None)
    if isinstance(before := table.round, FishingRound):
        ended = before.copy()
        if (call := stop(ended)) is not None:
            ended.push(call)
            events.append(moved(call, 0.9, observation.frame))
        if (outcome := ended.outcome()) is not None:
            dealer = outcome.next_dealer if outcome.counts or table.dealer_known else None
            if isinstance(last := ended.situation().get("month"), int):
                month = last % 12 + 1 if outcome.counts else last
    data = {"deal": {"field": list(cards)}, "dealer": dealer, "month": month}
    events.append(NewEvent("dealt", data, round(confidence, 3), observation.frame))
    return events


def question(field: Field, observation: Observation, table: CommittedTable) -> NewEvent:
    """Ask which cards were dealt to the field, where they cannot be read with certainty."""
    choices = []
    for cards, probability in field.readings[:_CHOICES]:
        bits = sum(1 << index for index in indices(cards))
        choices.append(
            choice(
                Message("choice-cards", {"cards": cards_of_bits(bits)}),
                probability,
                reported(cards, observation, table, probability),
            )
        )
    data = {
        "text": Message("question-which-deal").to_dict(),
        "choices": choices,
        "picture": observation.frame,
    }
    best = field.readings[0][1] if field.readings else 0.0
    return NewEvent("asked", data, round(best, 3), observation.frame)


def confident_enough(detections: Sequence[DetectedCard]) -> bool:
    """Return whether every card of the field has a name that nothing else comes near."""
    field, _ = _lying(detections)
    return all(found.top is not None and found.says(found.top) > log(0.9) for found in field)
