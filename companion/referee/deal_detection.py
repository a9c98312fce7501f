"""Detection of a deal: eight cards on the field, empty captured piles, hidden hands and draw pile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import exp, log
from typing import Any

from companion.hanafuda.card_messages import cards_of_bits
from companion.hanafuda.cards import HANAFUDA, to_bits
from companion.hanafuda.fishing import Call, FishingRound
from companion.hanafuda.fishing.record import FIELD as DEALT
from companion.hanafuda.messages import Message
from companion.observations import Observation
from companion.referee.card_likelihoods import FIELD, FIRST_OF, DetectedCard
from companion.referee.expected_cards import AnyRound, Position, indices
from companion.table.events import NewEvent
from companion.watch.interface import CommittedTable
from companion.watch.referee_events import asked, choice, moved

_CONFIDENT = 0.9
"""Minimum probabilities to report a deal: `_CONFIDENT`, or `_FAIRLY_CONFIDENT` if it is `_MIN_RATIO` times as likely as every other reading.
Eight cards, each named with a probability of 0.98, give 0.85; the rest is spread over readings of which none is
worth a question."""
_FAIRLY_CONFIDENT = 0.75
_MIN_RATIO = 20.0
_MAX_CHOICES = 4
_MIN_CHANGED = 3
_NEW_DEAL = "question-new-deal"
"""A new deal changes at least this many cards of the field; fewer changes are misreadings of the old field."""


@dataclass(slots=True)
class Field:
    """A dealt field with all its possible readings."""

    count: int
    """Number of cards on the field."""
    readings: list[tuple[tuple[str, ...], float]]
    """The possible readings, most likely first, each with its probability: card ids from left to right. Empty unless
    exactly eight cards were detected."""

    @property
    def confident(self) -> bool:
        """Whether the best reading needs neither another observation nor a question."""
        if not self.readings:
            return False
        best, next_best = (
            self.readings[0][1],
            max((probability for _, probability in self.readings[1:]), default=0.0),
        )
        return best >= _CONFIDENT or (best >= _FAIRLY_CONFIDENT and best >= _MIN_RATIO * next_best)


def _visible_cards(detections: Sequence[DetectedCard]) -> tuple[list[DetectedCard], list[DetectedCard]]:
    """Return the face-up detections on the field, from left to right, and the named ones in the captured piles."""
    open_detections = [
        detection for detection in detections if detection.back < 0.5 and detection.visible > 0.2
    ]
    field = sorted(
        (detection for detection in open_detections if detection.zone == FIELD),
        key=lambda detection: detection.at,
    )
    cards = [detection for detection in field if detection.is_named]
    if len(cards) == DEALT:
        field = cards
    # Unnamed detections in the piles are other objects, such as a book or a box; likewise on the field, beside eight
    # named cards.
    return field, [
        detection for detection in open_detections if detection.zone > FIELD and detection.is_named
    ]


def field_of(detections: Sequence[DetectedCard]) -> Field | None:
    """Read the field of a deal; returns None if there are cards in the captured piles."""
    field, piles = _visible_cards(detections)
    if piles:
        return None
    if len(field) != DEALT:
        return Field(len(field), [])
    options = [sorted(detection.names.items(), key=lambda name: -name[1])[:3] for detection in field]
    if not all(options):
        return Field(len(field), [])
    while _combinations(options) > 500:  # the most likely names of each card are enough
        max(options, key=len).pop()
    readings: dict[tuple[str, ...], float] = {}
    for names in product(*options):
        cards = _distinct_ids([first for first, _ in names])
        if cards:
            readings[cards] = readings.get(cards, 0.0) + exp(sum(logp for _, logp in names))
    ranked = sorted(readings.items(), key=lambda reading: -reading[1])
    # Probability without a name counts against the best reading; combinations with a card twice do not.
    total = sum(readings.values())
    unnamed = 1.0 - min(1.0, sum(exp(sum(logp for _, logp in names)) for names in product(*options)))
    return Field(len(field), [(cards, probability / (total + unnamed)) for cards, probability in ranked])


def _combinations(options: Sequence[Sequence[Any]]) -> int:
    """Return the number of combinations of options."""
    count = 1
    for each in options:
        count *= len(each)
    return count


def _distinct_ids(firsts: Sequence[int]) -> tuple[str, ...]:
    """Return the ids of cards, with different ids for look-alikes; empty if a card would occur twice."""
    cards: list[int] = []
    for first in firsts:
        free = [index for index in range(len(HANAFUDA)) if FIRST_OF[index] == first and index not in cards]
        if not free:
            return ()
        cards.append(free[0])
    return tuple(HANAFUDA[index].id for index in cards)


def is_new_deal(detections: Sequence[DetectedCard], position: Position) -> bool:
    """Return whether the field shows a new deal instead of the cards of the current round."""
    field, piles = _visible_cards(detections)
    if piles or len(field) != DEALT:
        return False
    dealt = {FIRST_OF[index] for index in indices(position.round.deal.field)}
    if position.phase != "over" and sum(detection.top in dealt for detection in field) >= DEALT - 1:
        return False  # the moves were taken back
    old = {FIRST_OF[index] for index in range(48) if position.field >> index & 1}
    shared = sum(detection.top in old for detection in field)
    emptied = any(position.piles)
    return shared <= DEALT - _MIN_CHANGED if not emptied else shared < DEALT - 1


def stop(played: AnyRound) -> Call | None:
    """Return the stop that must have been called if the round did not go on, or None.

    A koi-koi decision that is open when the next deal is on the table counts as a stop.
    """
    return next(
        (call for call in played.legal_moves() if isinstance(call, Call) and call.name == "stop"), None
    )


def reported(
    cards: Sequence[str], observation: Observation, table: CommittedTable, confidence: float
) -> list[NewEvent]:
    """Return the events of a new deal; an open decision of the round before counts as a stop."""
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
    """Ask which cards were dealt to the field. For a deal that could not be read with confidence."""
    choices = []
    for cards, probability in field.readings[:_MAX_CHOICES]:
        choices.append(
            choice(
                Message("choice-cards", {"cards": cards_of_bits(to_bits(cards))}),
                probability,
                reported(cards, observation, table, probability),
            )
        )
    best = field.readings[0][1] if field.readings else 0.0
    return asked(Message("question-which-deal"), choices, best, observation.frame)


def abandon_question(field: Field, observation: Observation, table: CommittedTable) -> NewEvent:
    """Ask whether a round was abandoned for a new deal."""
    cards, probability = field.readings[0]
    events = [NewEvent("abandoned", {}), *reported(cards, observation, table, probability)]
    yes = choice(Message("choice-new-deal", {"cards": cards_of_bits(to_bits(cards))}), probability, events)
    return asked(Message(_NEW_DEAL), [yes], probability, observation.frame)


def asks_for_new_deal(table: CommittedTable) -> bool:
    """Return whether the players are asked whether a round was abandoned: until they answer, its problems mean nothing."""
    return any(event.data["text"].get("code") == _NEW_DEAL for event in table.open_questions)


def confident_enough(detections: Sequence[DetectedCard]) -> bool:
    """Return whether every card of the field is named with a probability above 0.9."""
    field, _ = _visible_cards(detections)
    return all(
        detection.top is not None and detection.log_probability(detection.top) > log(0.9)
        for detection in field
    )
