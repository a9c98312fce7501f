"""States from which an explanation may start: the committed table, or that table with a correction applied first.

Possible corrections: another player dealt, the last turn was taken back, a card was misread when it appeared. Each
start carries the events that apply its correction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import dist, log
from typing import Any

from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.fishing import Draw, FishingMove, FishingRound, Play
from companion.hanafuda.fishing.captures import flower_of
from companion.hanafuda.round import Deal
from companion.referee.card_likelihoods import (
    ELSEWHERE,
    FIRST_OF,
    LOOKALIKES,
    STOCK,
    SWAPPED,
    DetectedCard,
    Fit,
    fit,
)
from companion.referee.expected_cards import AnyRound, Position, indices, indices_of_bits, round_after
from companion.referee.observation_history import Memory
from companion.referee.turn_hypotheses import legal
from companion.table.events import Event, NewEvent
from companion.watch.interface import CommittedTable

_OTHER_DEALER = log(0.1)
"""Log-probability that a player deals out of turn."""
_UNKNOWN_DEALER = log(0.8)
"""Log-probability that, of two possible dealers, it is not the assumed one; slightly below the other, so that the
assumption holds until the cards refute it."""
_TAKEN_BACK = -5.0
_MISREAD = -5.0
_MISREAD_AGAIN = -3.0
"""Log-probability that a card misread in one position was also misread in another."""
_INFERRED_WRONGLY = log(0.7)
"""Log-probability that a card never detected, because it was covered when it was captured, is another one of its
flower."""
_MAX_INFERRED = 6
_MIN_PLAUSIBLE = log(0.3)
_SAME_POSITION_MM = 12.0
_MIN_CONFIDENT = log(0.9)
_VISION_SOURCES = frozenset({"camera", "scanner"})
_AUTOMATIC_SOURCES = _VISION_SOURCES | {"program"}
"""Event sources that may be wrong; ``program`` takes the most likely answer if nobody gives one."""


@dataclass(frozen=True, slots=True)
class Start:
    """A position from which to explain an observation."""

    position: Position
    prior: float = 0.0
    """Log-probability before the observation."""
    events: tuple[NewEvent, ...] = ()
    """Events that correct the table to this position."""
    moves: tuple[FishingMove, ...] = ()
    """Moves from the committed table to this position, not reported yet because others may have been made."""
    origin: Position | None = None
    """Position from which these moves start."""


@dataclass(frozen=True, slots=True)
class MoveHypothesis:
    """Moves that may have been made since the last committed state, where observations were ambiguous."""

    origin: Position
    moves: tuple[FishingMove, ...]
    prior: float
    """Log-probability."""


def committed(position: Position, table: CommittedTable, memory: Memory) -> Iterator[Start]:
    """Yield the committed table and, until the first move, the table with the other dealer."""
    yield Start(position)
    played = position.round
    if position.phase != "play" or played.moves or dealer_is_known(table):
        return
    other = 3 - played.dealer
    seat_evidence = sum(
        (hand_event.seat == other) - (hand_event.seat == played.dealer)
        for _, hand_event in memory.hand_events
    )
    prior = _OTHER_DEALER if table.dealer_known else _UNKNOWN_DEALER
    yield Start(Position(_round_with(played, dealer=other)), prior + 1.5 * max(-1, min(1, seat_evidence)))


def undecided(hypotheses: Sequence[MoveHypothesis]) -> Iterator[Start]:
    """Yield the state after each of several hypotheses that the observations could not distinguish."""
    for hypothesis in hypotheses:
        played = round_after(hypothesis.origin.round, hypothesis.moves)
        yield Start(Position(played), hypothesis.prior, moves=hypothesis.moves, origin=hypothesis.origin)


def corrected_starts(position: Position, base: Fit, table: CommittedTable, memory: Memory) -> Iterator[Start]:
    """Yield the tables that result if the committed one has an error, or its last turn is being taken back."""
    since_deal = _since_deal(table)
    yield from _taken_back(position, since_deal)
    yield from _other_dealer(position, since_deal, table)
    if since_deal:
        yield from _misread(position, base, since_deal, memory)


def dealer_is_known(table: CommittedTable) -> bool:
    """Return whether a person entered who dealt this round."""
    for event in reversed(table.events):
        if event.kind == "dealt":
            return event.data.get("dealer") is not None and event.source not in _VISION_SOURCES
        if event.kind == "began":
            return event.source not in _VISION_SOURCES
    return False


def _round_with(played: AnyRound, **changes: Any) -> AnyRound:
    arguments = {"dealer": played.dealer, **played.situation(), **changes}
    deal = arguments.pop("deal", played.deal)
    return type(played)(played.rules, deal, **arguments)


def _since_deal(table: CommittedTable) -> list[Event]:
    """Return the round's deal and move events that are still valid, each with its latest correction; an empty list if
    moves were inserted, set, or deleted.
    """
    removed: set[int] = set()
    kept: list[Event] = []
    corrected: dict[int, Event] = {}
    group_of = {event.seq: event.group for event in table.events}
    for event in reversed(table.events):
        if event.group in removed:
            continue
        if event.kind in {"inserted", "set"}:
            return []
        if event.kind == "undone":
            removed.add(group_of[event.data["of"]])
        elif event.kind == "corrected":
            if event.data.get("kind") is None:
                return []  # it was deleted
            corrected.setdefault(event.data["of"], event)
        elif event.kind in {"moved", "began", "dealt"}:
            if (correction := corrected.get(event.seq)) is not None:
                event = replace(event, data=correction.data["data"], source=correction.source)  # noqa: PLW2901
            kept.append(event)
            if event.kind == "dealt":
                break
    return kept[::-1]


def _notations(events: Sequence[Event]) -> list[tuple[int, tuple[str, ...]]]:
    return [(event.data["player"], tuple(event.data["words"])) for event in events if event.kind == "moved"]


def _taken_back(position: Position, since_deal: Sequence[Event]) -> Iterator[Start]:
    if not since_deal or since_deal[-1].kind != "moved":
        return
    group = since_deal[-1].group
    if group == since_deal[0].group:
        return
    notations = _notations([event for event in since_deal if event.group == group])
    last_notations = [(move.player, move.words()) for move in position.round.moves[-len(notations) :]]
    if notations != last_notations:
        return  # the table inserted a call that was not reported
    earlier = position.round.copy()
    for _ in notations:
        earlier.pop()
    seq = next(event.seq for event in since_deal if event.group == group)
    yield Start(Position(earlier), _TAKEN_BACK, (NewEvent("undone", {"of": seq}),))


def _other_dealer(position: Position, since_deal: Sequence[Event], table: CommittedTable) -> Iterator[Start]:
    """Yield the round with the players swapped: until a card is captured, the players cannot be told apart."""
    played = position.round
    if not played.moves or any(position.piles) or not since_deal or dealer_is_known(table):
        return
    if len(_notations(since_deal)) != len(played.moves) or any(
        event.source not in _VISION_SOURCES for event in since_deal[1:]
    ):
        return
    swapped = _round_with(played, dealer=3 - played.dealer)
    for move in played.moves:
        swapped.push(swapped.read_move(3 - move.player, move.words()), unchecked=True)
    groups = {event.group: event.seq for event in reversed(since_deal[1:])}
    undone = [NewEvent("undone", {"of": groups[group]}) for group in sorted(groups, reverse=True)]
    moves = [
        NewEvent("moved", {"player": move.player, "words": list(move.words())}, 0.9) for move in swapped.moves
    ]
    yield Start(
        Position(swapped),
        _OTHER_DEALER,
        (*undone, NewEvent("began", {"dealer": swapped.dealer}, 0.9), *moves),
    )


def corrected_inferences(
    position: Position, detections: Sequence[DetectedCard], base: Fit, table: CommittedTable, memory: Memory
) -> list[tuple[float, Start]]:
    """Return the tables with other cards for one or two that no observation had shown when they were reported, each
    with the gain in log-likelihood, best first.

    A card that others covered when it was captured was inferred; another card of its flower may appear later.
    """
    candidates = list(_wrongly_inferred(position, base, memory))[:_MAX_INFERRED]
    if not candidates:
        return []
    pairs = [
        (one, other)
        for one, other in combinations(candidates, 2)
        if one[0] != other[0] and FIRST_OF[one[1]] != FIRST_OF[other[1]]
    ]
    since_deal = _since_deal(table)
    starts = []
    for replacement in (*((each,) for each in candidates), *pairs):
        start = _with_cards_replaced(
            position, since_deal, dict(replacement), len(replacement) * _INFERRED_WRONGLY
        )
        if start is not None:
            gain = fit(detections, start.position.spots).score + start.prior - base.score
            starts.append((gain, start))
    return sorted(starts, key=lambda entry: -entry[0])


def _misread(position: Position, base: Fit, since_deal: Sequence[Event], memory: Memory) -> Iterator[Start]:
    """Yield the round with one card replaced by another, if the first is not detected and the second is in its
    position.
    """
    for detection, old in _in_place_of(position, base, memory):
        if available := _hidden_lookalikes(detection.top or 0, position):
            other_detections = memory.detected.get(old, set()) - {(detection.key, detection.since)}
            prior = _MISREAD + _MISREAD_AGAIN * len(other_detections)
            if detection.committed_card == old and not other_detections:
                # The track has the old card only because of that reading, so it is no evidence against the new one.
                prior -= SWAPPED
            if start := _with_cards_replaced(position, since_deal, {old: available[0]}, prior):
                yield start


def _with_cards_replaced(
    position: Position, since_deal: Sequence[Event], cards: Mapping[int, int], prior: float
) -> Start | None:
    """Return the table with cards replaced (old to new); None if the rules or events entered by a person forbid it."""
    swaps = {HANAFUDA[old].id: HANAFUDA[new].id for old, new in cards.items()}
    if (replaced := _round_with_cards_replaced(position.round, swaps)) is None:
        return None
    new_round, dropped_calls = replaced
    deletions: list[NewEvent] = []
    corrections: list[NewEvent] = []
    for event in since_deal:
        data = _data_with_cards_replaced(event, swaps)
        is_dropped = (
            event.kind == "moved" and (event.data["player"], tuple(event.data["words"])) in dropped_calls
        )
        if (is_dropped or data is not None) and event.source not in _AUTOMATIC_SOURCES:
            return None  # what a person entered was not misread
        if is_dropped:
            deletions.append(NewEvent("corrected", {"of": event.seq, "kind": None}, 0.9))
        elif data is not None:
            corrections.append(
                NewEvent("corrected", {"of": event.seq, "kind": event.kind, "data": data}, 0.9)
            )
    return Start(Position(new_round), prior, (*deletions, *corrections)) if corrections else None


def _hidden_lookalikes(first: int, position: Position) -> list[int]:
    return [index for index in LOOKALIKES[first] if position.hidden >> index & 1]


def _wrongly_inferred(position: Position, base: Fit, memory: Memory) -> Iterator[tuple[int, int]]:
    """Yield cards that no observation has shown since they were reported, and what they may have been instead.

    Only if that other card seems to be in the pile, or the reported card appears elsewhere.
    """
    surplus = _surplus(position, base)
    for old in _never_detected(position, memory):
        pile = position.spots[old].zone
        refuted = any(
            first == FIRST_OF[old] and zone not in (pile, ELSEWHERE, STOCK) for first, zone in surplus
        )
        hidden = {FIRST_OF[index] for index in indices_of_bits(flower_of(1 << old) & position.hidden)}
        others = sorted(hidden - {FIRST_OF[old]})
        appeared = [first for first in others if surplus[first, pile]]
        # If it was another card and none has appeared, all are equally likely; the first stands for them until then.
        for first in appeared or others[: int(refuted)]:
            yield old, _hidden_lookalikes(first, position)[0]


def _never_detected(position: Position, memory: Memory) -> list[int]:
    """Return the cards that captured, by the record, but that no observation has shown."""
    captors = [move.card for move in position.round.moves if isinstance(move, Play | Draw) and move.takes]
    return [card for card in indices(captors) if card not in memory.detected and card not in memory.appeared]


def _surplus(position: Position, base: Fit) -> Counter[tuple[int, int]]:
    """Count the cards (of look-alikes the first) by zone that are detected and not expected there."""
    detected = Counter(
        (detection.top, detection.zone)
        for detection in (*base.extra, *base.matched.values())
        if detection.top is not None
        and detection.log_probability(detection.top) > _MIN_PLAUSIBLE
        and detection.visible > 0
    )
    return detected - Counter((FIRST_OF[index], spot.zone) for index, spot in position.spots.items())


def _in_place_of(position: Position, base: Fit, memory: Memory) -> Iterator[tuple[DetectedCard, int]]:
    """Yield the detections that with high confidence show another card than the committed one in that position."""
    card_of_key = {detection.key: index for index, detection in base.matched.items()}
    for detection in (*base.extra, *base.matched.values()):
        top = detection.top
        if top is None or detection.log_probability(top) < _MIN_CONFIDENT or detection.zone < 0:
            continue
        current = card_of_key.get(detection.key)
        if current is not None and FIRST_OF[current] == top:
            continue
        for index in position.spots:
            missing = index in base.missed or index == current
            previous = memory.positions.get(index)
            if missing and (
                index == detection.committed_card
                or (previous and dist(previous, detection.at) < _SAME_POSITION_MM)
            ):
                yield detection, index


_Notation = tuple[int, tuple[str, ...]]
"""A player and the notation of a call."""


def _round_with_cards_replaced(
    played: AnyRound, swaps: Mapping[str, str]
) -> tuple[AnyRound, set[_Notation]] | None:
    """Return the round with cards replaced (old to new), and the calls that then have no reason.

    None if the rules then forbid the moves made with them.
    """

    def replaced(cards: Sequence[str]) -> tuple[str, ...]:
        return tuple(swaps.get(card, card) for card in cards)

    deal = Deal(played.deal.hands, replaced(played.deal.field), played.deal.stock)
    new_round = _round_with(played, deal=deal)
    moves: list[FishingMove] = []
    dropped_calls: set[_Notation] = set()
    for move in played.moves:
        if isinstance(move, Play | Draw):
            moves.append(type(move)(move.player, replaced([move.card])[0], replaced(move.takes)))
        elif (applied := legal(new_round, moves)) is not None and not round_after(new_round, applied).check(
            move
        ):
            moves.append(move)
        else:
            dropped_calls.add((move.player, move.words()))
    if (applied := legal(new_round, moves)) is None:
        return None
    if not dropped_calls.isdisjoint((move.player, move.words()) for move in applied):
        return None  # it is ambiguous which of several calls it was
    new_round = round_after(new_round, applied)
    assert isinstance(new_round, FishingRound)
    return new_round, dropped_calls


def _data_with_cards_replaced(event: Event, swaps: Mapping[str, str]) -> dict[str, Any] | None:
    """Return an event's data with cards replaced (old to new); None if it names none of them."""
    if event.kind == "moved" and not swaps.keys().isdisjoint(event.data["words"]):
        return {**event.data, "words": [swaps.get(word, word) for word in event.data["words"]]}
    if event.kind == "dealt" and not swaps.keys().isdisjoint(event.data["deal"]["field"]):
        field = [swaps.get(card, card) for card in event.data["deal"]["field"]]
        return {**event.data, "deal": {**event.data["deal"], "field": field}}
    return None
