"""The events by which a program changes its mind: they turn the moves of a round into others, and change nothing else.

Correcting, deleting and inserting keep the other moves with their numbers, times and pictures, and what people reported.
Undoing groups and reporting their moves again would lose all of that.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from companion.hanafuda.round import Move
from companion.table.events import PEOPLE, NewEvent
from companion.table.history import MIN_ORDER_CONFIDENCE, Step
from companion.table.live_round import LiveRound
from companion.table.parsing import read_move


def revision(live: LiveRound, reports: Sequence[NewEvent]) -> list[NewEvent]:
    """Return the events, to be appended as one group, after which the moves of the table's last round are those of `reports`.

    ``reports``: a ``moved`` event for every move since the deal, or since the last reset of the table, in order. A move that
    is in the log already has no event, unless its order was unknown and is known now, or the reverse. A move in place of
    another one is `corrected`, a move that did not happen `corrected` without a kind, a move that was missed `inserted`, and
    what follows the last move ``moved``. A move that a person reported or corrected stays as it is: ``reports`` should have
    it, because without it the events may be illegal.

    Raises `BadRequestError` for words that are not a move of the game.
    """
    start = max((number for number, step in enumerate(live.steps) if step.kind == "set"), default=-1) + 1
    logged = [_Logged.of(step, step.move) for step in live.steps[start:] if step.move is not None]
    reported = [_Reported.of(event, read_move(live.round, event.data)) for event in reports]
    events: list[NewEvent] = []
    following: int | None = None
    for old, new in reversed(list(_pairs(logged, reported, _SIMILARITIES))):
        event = _change(old, new, following)
        if event is not None:
            events.append(event)
        if old is not None and old.step.item is not None:
            following = old.step.item.seq
    return events[::-1]


@dataclass(frozen=True, slots=True)
class _Entry:
    move: Move
    unordered: bool
    """Whether the order of the turn is shown as unknown."""


@dataclass(frozen=True, slots=True)
class _Logged(_Entry):
    step: Step

    @classmethod
    def of(cls, step: Step, move: Move) -> _Logged:
        return cls(move, step.item is not None and _is_unordered(step.item.data.get("order")), step)


@dataclass(frozen=True, slots=True)
class _Reported(_Entry):
    event: NewEvent

    @classmethod
    def of(cls, event: NewEvent, move: Move) -> _Reported:
        return cls(move, _is_unordered(event.data.get("order")), event)


def _is_unordered(order: float | None) -> bool:
    return order is not None and order < MIN_ORDER_CONFIDENCE


_SIMILARITIES: Sequence[Callable[[_Entry], Hashable]] = (
    lambda entry: (entry.move, entry.unordered),
    lambda entry: entry.move.words(),
    lambda entry: (entry.move.player, entry.move.words()[0]),
)
"""What two moves must have in common to be paired, the closest first: all, the cards, the player and the verb."""


def _pairs(
    logged: Sequence[_Logged],
    reported: Sequence[_Reported],
    similarities: Sequence[Callable[[_Entry], Hashable]],
) -> Iterator[tuple[_Logged | None, _Reported | None]]:
    """Yield the moves in order, each with the one that takes its place; None: it is not in the log, or did not happen."""
    if not (logged and reported and similarities):
        yield from ((old, None) for old in logged)
        yield from ((None, new) for new in reported)
        return
    similar, *rest = similarities
    matcher = SequenceMatcher(a=[*map(similar, logged)], b=[*map(similar, reported)], autojunk=False)
    for code, start, end, new_start, new_end in matcher.get_opcodes():
        old, new = logged[start:end], reported[new_start:new_end]
        yield from zip(old, new, strict=True) if code == "equal" else _pairs(old, new, rest)


def _change(old: _Logged | None, new: _Reported | None, following: int | None) -> NewEvent | None:
    """Return the event that puts a reported move in place of a logged one; None if nothing changes.

    ``following`` is the number of the next logged move.
    """
    item = None if old is None else old.step.item
    if item is not None and item.reported.source in PEOPLE:
        return None
    if new is None:
        return None if item is None else NewEvent("corrected", {"of": item.seq, "kind": None})
    if old is not None and (old.move, old.unordered) == (new.move, new.unordered):
        return None
    event = new.event
    content = {"kind": "moved", "data": dict(event.data)}
    if item is not None:
        return NewEvent("corrected", {"of": item.seq, **content}, event.confidence, event.evidence)
    if following is not None:
        return NewEvent("inserted", {"before": following, **content}, event.confidence, event.evidence)
    return event
