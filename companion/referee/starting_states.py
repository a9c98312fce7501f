"""Where an explanation may start from: the agreed table, or that table put right first.

Put right means: somebody else dealt than was thought, the last turn was taken back, a card was read wrongly when it came.
Each start has the events that put it right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import dist, log
from typing import Any

from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.families.fishing import Draw, FishingMove, FishingRound, Play
from companion.hanafuda.families.fishing.captures import flower_of, ids_of
from companion.hanafuda.round import Deal
from companion.referee.card_likelihoods import (
    ELSEWHERE,
    FIRST_OF,
    STOCK,
    SWAPPED,
    TWINS,
    DetectedCard,
    Fit,
    fit,
)
from companion.referee.expected_cards import AnyRound, Position, indices
from companion.referee.interface import CommittedTable
from companion.referee.observation_history import Memory
from companion.referee.turn_hypotheses import legal
from companion.table.events import Event, NewEvent

__all__ = [
    "MoveHypothesis",
    "Start",
    "committed",
    "dealer_is_firm",
    "guessed_wrongly",
    "put_right",
    "undecided",
]

_OTHER_DEALER = log(0.1)
"""That somebody else deals than whose turn to deal it is."""
_UNKNOWN_DEALER = log(0.8)
"""That of two who may have dealt it is not the one assumed: by a hair, so that the assumption holds until it is refuted."""
_TAKEN_BACK = -5.0
_READ_WRONGLY = -5.0
_ALL_WRONG = -3.0
"""That a card which was read wrongly at one place was read so at another, too."""
_GUESSED = log(0.7)
"""That a card which no look has shown, for it was covered when it was captured, is another one of its flower."""
_MOST_GUESSED = 6
_HINT = log(0.3)
_SAME_PLACE_MM = 12.0
_SURE = log(0.9)
_EYES = frozenset({"camera", "scanner"})
_NO_PERSON = _EYES | {"program"}
"""Who may have been wrong: the last takes the likeliest answer where nobody gives one."""


@dataclass(frozen=True, slots=True)
class Start:
    """A position to explain a look from."""

    position: Position
    prior: float = 0.0
    """Its log-probability before the look is seen."""
    events: tuple[NewEvent, ...] = ()
    """What puts the table right, so that it stands there."""
    moves: tuple[FishingMove, ...] = ()
    """The moves that it takes to get there from the agreed table, not told yet because others may have been made."""
    origin: Position | None = None
    """Where these moves start."""


@dataclass(frozen=True, slots=True)
class MoveHypothesis:
    """What may have happened since the table was agreed on, where looks could not tell."""

    origin: Position
    moves: tuple[FishingMove, ...]
    prior: float
    """Its log-probability."""


def committed(position: Position, table: CommittedTable, memory: Memory) -> Iterator[Start]:
    """Yield the agreed table and, while nobody has played, the table by the other dealer."""
    yield Start(position)
    played = position.round
    if position.phase != "play" or played.moves or dealer_is_firm(table):
        return
    other = 3 - played.dealer
    by_seat = sum(
        (hand_event.seat == other) - (hand_event.seat == played.dealer)
        for _, hand_event in memory.hand_events
    )
    doubt = _OTHER_DEALER if table.dealer_known else _UNKNOWN_DEALER
    yield Start(Position(_again(played, dealer=other)), doubt + 1.5 * max(-1, min(1, by_seat)))


def undecided(hypotheses: Sequence[MoveHypothesis]) -> Iterator[Start]:
    """Yield where the table stands by each of the ways that could not be told apart."""
    for hypothesis in hypotheses:
        played = hypothesis.origin.round.copy()
        for move in hypothesis.moves:
            played.push(move, as_told=True)
        yield Start(Position(played), hypothesis.prior, moves=hypothesis.moves, origin=hypothesis.origin)


def put_right(position: Position, base: Fit, table: CommittedTable, memory: Memory) -> Iterator[Start]:
    """Yield the tables that the agreed one would be if something about it was wrong, or is taken back now."""
    since_deal = _since_deal(table)
    yield from _taken_back(position, since_deal)
    yield from _other_dealer(position, since_deal, table)
    if since_deal:
        yield from _read_wrongly(position, base, since_deal, memory)


def dealer_is_firm(table: CommittedTable) -> bool:
    """Return whether a person told who dealt this round."""
    for event in reversed(table.events):
        if event.kind == "dealt":
            return event.data.get("dealer") is not None and event.source not in _EYES
        if event.kind == "began":
            return event.source not in _EYES
    return False


def _again(played: AnyRound, **changes: Any) -> AnyRound:
    reported = {"dealer": played.dealer, **played.situation(), **changes}
    deal = reported.pop("deal", played.deal)
    return type(played)(played.rules, deal, **reported)


def _since_deal(table: CommittedTable) -> list[Event]:
    """Return the deal and the moves after it that hold, each as it was corrected last; nothing where moves were put in."""
    removed: set[int] = set()
    found: list[Event] = []
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
                return []  # it was struck out
            corrected.setdefault(event.data["of"], event)
        elif event.kind in {"moved", "began", "dealt"}:
            if (better := corrected.get(event.seq)) is not None:
                event = replace(event, data=better.data["data"], source=better.source)  # noqa: PLW2901
            found.append(event)
            if event.kind == "dealt":
                break
    return found[::-1]


def _words(events: Sequence[Event]) -> list[tuple[int, tuple[str, ...]]]:
    return [(event.data["player"], tuple(event.data["words"])) for event in events if event.kind == "moved"]


def _taken_back(position: Position, since_deal: Sequence[Event]) -> Iterator[Start]:
    if not since_deal or since_deal[-1].kind != "moved":
        return
    group = since_deal[-1].group
    if group == since_deal[0].group:
        return
    words = _words([event for event in since_deal if event.group == group])
    last = [(move.player, move.words()) for move in position.round.moves[-len(words) :]]
    if words != last:
        return  # the table has put in a call that nobody told
    earlier = position.round.copy()
    for _ in words:
        earlier.pop()
    of = next(event.seq for event in since_deal if event.group == group)
    yield Start(Position(earlier), _TAKEN_BACK, (NewEvent("undone", {"of": of}),))


def _other_dealer(position: Position, since_deal: Sequence[Event], table: CommittedTable) -> Iterator[Start]:
    """Yield the round with the players changed over: while nobody has captured, nothing tells who is who."""
    played = position.round
    if not played.moves or any(position.piles) or not since_deal or dealer_is_firm(table):
        return
    if len(_words(since_deal)) != len(played.moves) or any(
        event.source not in _EYES for event in since_deal[1:]
    ):
        return
    turned = _again(played, dealer=3 - played.dealer)
    for move in played.moves:
        turned.push(turned.read_move(3 - move.player, move.words()), as_told=True)
    groups = {event.group: event.seq for event in reversed(since_deal[1:])}
    undone = [NewEvent("undone", {"of": groups[group]}) for group in sorted(groups, reverse=True)]
    moves = [
        NewEvent("moved", {"player": move.player, "words": list(move.words())}, 0.9) for move in turned.moves
    ]
    yield Start(
        Position(turned), _OTHER_DEALER, (*undone, NewEvent("began", {"dealer": turned.dealer}, 0.9), *moves)
    )


def guessed_wrongly(
    position: Position, detections: Sequence[DetectedCard], base: Fit, table: CommittedTable, memory: Memory
) -> list[tuple[float, Start]]:
    """Return the tables with other cards for one or two that no look had shown when they were told, and by how much (log) they
    explain a look better, the best first.

    A card that other cards covered when it was captured was inferred: another one of its flower may come to light.
    """
    doubted = list(_guessed(position, base, memory))[:_MOST_GUESSED]
    if not doubted:
        return []
    both = [
        (one, other)
        for one, other in combinations(doubted, 2)
        if one[0] != other[0] and FIRST_OF[one[1]] != FIRST_OF[other[1]]
    ]
    since_deal = _since_deal(table)
    starts = []
    for exchanged in (*((each,) for each in doubted), *both):
        start = _exchanged(position, since_deal, dict(exchanged), len(exchanged) * _GUESSED)
        if start is not None:
            gain = fit(detections, start.position.spots).score + start.prior - base.score
            starts.append((gain, start))
    return sorted(starts, key=lambda found: -found[0])


def _read_wrongly(
    position: Position, base: Fit, since_deal: Sequence[Event], memory: Memory
) -> Iterator[Start]:
    """Yield the round with one card for another, where that one is not seen and this one lies in its place."""
    for found, old in _in_place_of(position, base, memory):
        if free := _hidden(found.top or 0, position):
            elsewhere = memory.met.get(old, set()) - {(found.key, found.since)}
            prior = _READ_WRONGLY + _ALL_WRONG * len(elsewhere)
            if found.known == old and not elsewhere:
                # The key stands for the old card only because of that reading: it does not speak against the new one.
                prior -= SWAPPED
            if start := _exchanged(position, since_deal, {old: free[0]}, prior):
                yield start


def _exchanged(
    position: Position, since_deal: Sequence[Event], cards: Mapping[int, int], prior: float
) -> Start | None:
    """Return the table with cards for others (old to new), None where rules or persons forbid it."""
    swaps = {HANAFUDA[old].id: HANAFUDA[new].id for old, new in cards.items()}
    if (replaced := _replaced(position.round, swaps)) is None:
        return None
    turned, unsaid = replaced
    struck: list[NewEvent] = []
    events: list[NewEvent] = []
    for event in since_deal:
        data = _with(event, swaps)
        removed = event.kind == "moved" and (event.data["player"], tuple(event.data["words"])) in unsaid
        if (removed or data is not None) and event.source not in _NO_PERSON:
            return None  # what a person told is not read wrongly
        if removed:
            struck.append(NewEvent("corrected", {"of": event.seq, "kind": None}, 0.9))
        elif data is not None:
            events.append(NewEvent("corrected", {"of": event.seq, "kind": event.kind, "data": data}, 0.9))
    return Start(Position(turned), prior, (*struck, *events)) if events else None


def _hidden(first: int, position: Position) -> list[int]:
    return [index for index in TWINS[first] if position.hidden >> index & 1]


def _guessed(position: Position, base: Fit, memory: Memory) -> Iterator[tuple[int, int]]:
    """Yield cards that no look has shown since they were told, and what they may have been instead.

    Only where that other one seems to lie in the pile, or they come to light elsewhere.
    """
    unmet = [
        card
        for move in position.round.moves
        if isinstance(move, Play | Draw) and move.takes
        for card in indices([move.card])
        if card not in memory.met and card not in memory.appeared
    ]
    lying = Counter(
        (found.top, found.zone)
        for found in (*base.extra, *base.matched.values())
        if found.top is not None and found.says(found.top) > _HINT and found.visible > 0
    )
    more = lying - Counter((FIRST_OF[index], spot.zone) for index, spot in position.spots.items())
    for old in unmet:
        pile = position.spots[old].zone
        refuted = any(first == FIRST_OF[old] and zone not in (pile, ELSEWHERE, STOCK) for first, zone in more)
        hidden = {FIRST_OF[index] for index in indices(ids_of(flower_of(1 << old) & position.hidden))}
        others = sorted(hidden - {FIRST_OF[old]})
        come = [first for first in others if more[first, pile]]
        # Where it was another one and none has come to light, one is as likely as the next: the first will do till then.
        for first in come or others[: int(refuted)]:
            yield old, _hidden(first, position)[0]


def _in_place_of(position: Position, base: Fit, memory: Memory) -> Iterator[tuple[DetectedCard, int]]:
    """Yield the finds that surely are another card than the one agreed on in their place."""
    shown = {found.key: index for index, found in base.matched.items()}
    for found in (*base.extra, *base.matched.values()):
        top = found.top
        if top is None or found.says(top) < _SURE or found.zone < 0:
            continue
        here = shown.get(found.key)
        if here is not None and FIRST_OF[here] == top:
            continue
        for index in position.spots:
            lost = index in base.missed or index == here
            place = memory.places.get(index)
            if lost and (index == found.known or (place and dist(place, found.at) < _SAME_PLACE_MM)):
                yield found, index


_Said = tuple[int, tuple[str, ...]]
"""A player and the words of what he said."""


def _replaced(played: AnyRound, swaps: Mapping[str, str]) -> tuple[AnyRound, set[_Said]] | None:
    """Return the round with cards for others (old to new), and the calls for which there was no reason then.

    None where the rules forbid what was done with them.
    """

    def other(cards: Sequence[str]) -> tuple[str, ...]:
        return tuple(swaps.get(card, card) for card in cards)

    deal = Deal(played.deal.hands, other(played.deal.field), played.deal.stock)
    turned = _again(played, deal=deal)
    moves: list[FishingMove] = []
    unsaid: set[_Said] = set()
    for move in played.moves:
        if isinstance(move, Play | Draw):
            moves.append(type(move)(move.player, other([move.card])[0], other(move.takes)))
        elif (applied := legal(turned, moves)) is not None and not _after(turned, applied).check(move):
            moves.append(move)
        else:
            unsaid.add((move.player, move.words()))
    if (applied := legal(turned, moves)) is None:
        return None
    if not unsaid.isdisjoint((move.player, move.words()) for move in applied):
        return None  # which of several it was cannot be told
    turned = _after(turned, applied)
    assert isinstance(turned, FishingRound)
    return turned, unsaid


def _after(played: AnyRound, moves: Sequence[FishingMove]) -> AnyRound:
    after = played.copy()
    for move in moves:
        after.push(move, as_told=True)
    return after


def _with(event: Event, swaps: Mapping[str, str]) -> dict[str, Any] | None:
    """Return an event's data with cards for others (old to new), None where it names none of them."""
    if event.kind == "moved" and not swaps.keys().isdisjoint(event.data["words"]):
        return {**event.data, "words": [swaps.get(word, word) for word in event.data["words"]]}
    if event.kind == "dealt" and not swaps.keys().isdisjoint(event.data["deal"]["field"]):
        field = [swaps.get(card, card) for card in event.data["deal"]["field"]]
        return {**event.data, "deal": {**event.data["deal"], "field": field}}
    return None
