"""The walk through a record's turns, and how a move that the rules forbid is read.

A record goes on after such a move, and what comes then tells what really lay on the table: a capture that was
written down wrongly leaves no trace in the later turns, one that was made wrongly does. So of the ways to read
a broken move (as told, not at all, as a legal one) the one is taken that leaves the fewest problems in the
rest, and one slip of the pen is one problem and not ten.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message
from companion.hanafuda.replay.disagreements import disagreements, too_late
from companion.hanafuda.replay.round_record import Record
from companion.hanafuda.round import Move, Problem, Round

__all__ = ["Noted", "Walked", "walk"]

_MOST_SLIPS = 6
"""So many broken moves of a round are weighed; a record with more is no slip of the pen."""
_MOST_WAYS = 16
"""So many legal moves are tried in place of a broken one, those that share most with it; a hidden hand allows dozens."""

_MOST_BROKEN = 200
"""More broken moves than a whole round has: such a record is no round, and no reading makes it one."""

Place = tuple[int, int]
"""A move's place in a record: its turn, from 1, and which move of the turn it is, from 0."""


@dataclass(frozen=True, slots=True)
class Noted:
    """A problem and where it is."""

    turn: int | None
    """The turn, from 1; 0 is the deal, None the result."""
    problem: Problem

    def to_dict(self) -> dict[str, Any]:
        """Return what `replay --json` tells about a problem."""
        return {"turn": self.turn, **self.problem.to_dict()}


@dataclass(frozen=True, slots=True)
class _Reading:
    """How broken moves are read: what is made in their place, and which turns were whose instead, and why."""

    moves: Mapping[Place, tuple[Move, ...]] = field(default_factory=dict)
    players: Mapping[int, tuple[int, Problem]] = field(default_factory=dict)

    def also(self, other: _Reading) -> _Reading:
        return _Reading({**self.moves, **other.moves}, {**self.players, **other.players})


@dataclass(frozen=True, slots=True)
class _Slip:
    """A move that is broken, or (`told` None) lacking, and how the round stood before it."""

    before: Round[Any, Any, Any]
    told: Move | None
    problems: tuple[Problem, ...]

    def readings(self, place: Place) -> Iterator[_Reading]:
        """Yield how else it can be read than as told: as not made, as made by whose turn it is, as a legal one."""
        if self.told is not None:
            yield _Reading({place: ()})
        for problem in self.problems:
            if problem.code == "out-of-turn" and self.before.to_move is not None:
                yield _Reading(players={place[0]: (self.before.to_move, problem)})
        yield from (_Reading({place: (move,)}) for move in self._legal_instead())

    def _legal_instead(self) -> list[Move]:
        """Return the legal moves, those of the same kind that share most with the one told first, then the plainer."""
        moves: list[Move] = self.before.legal_moves()
        kind, told = type(self.told), set(self.told.words() if self.told else ())

        def unlikeness(move: Move) -> tuple[bool, int, int]:
            words = move.words()
            return type(move) is not kind, -len(told.intersection(words)), len(words)

        return sorted(moves, key=unlikeness)[:_MOST_WAYS]


@dataclass(slots=True)
class Walked:
    """A round played as a record tells it."""

    round: Round[Any, Any, Any]
    noted: list[Noted] = field(default_factory=list)
    slips: dict[Place, _Slip] = field(default_factory=dict)
    """Where a move is broken or lacking."""
    agrees: bool | None = None
    """Whether the record's result is what the turns come to; None where that cannot be said."""

    def note(self, turn: int | None, *problems: Problem) -> None:
        """Add problems; what is wrong with both moves of a turn in the same words (out of turn) is wrong once."""
        noted = list(takewhile(lambda each: each.turn == turn, reversed(self.noted)))
        self.noted += [each for problem in problems if (each := Noted(turn, problem)) not in noted]


def walk(record: Record) -> Walked:
    """Play a record's turns, reading each broken move in the way that the rest bears out."""
    reading = _Reading()
    walked = _walk(record, reading)
    if len(walked.slips) > _MOST_BROKEN:
        return walked
    settled: set[Place] = set()
    while len(settled) < _MOST_SLIPS and (open_slips := walked.slips.keys() - settled):
        place = min(open_slips)
        settled.add(place)
        best = reading
        for other in walked.slips[place].readings(place):
            tried = _walk(record, also := reading.also(other))
            if len(tried.noted) < len(walked.noted):
                walked, best = tried, also
            if tried.agrees is not False and tried.slips.keys() <= settled:
                break  # the rest is as it should be
        reading = best
    return walked


def _walk(record: Record, reading: _Reading) -> Walked:
    walked = Walked(record.round.copy())
    for number, turn in enumerate(record.turns, start=1):
        try:
            if (outcome := walked.round.outcome()) is not None:
                if walked.round.may_follow(turn):
                    continue
                walked.note(number, too_late(outcome))
                break
            if number in reading.players:
                player, problem = reading.players[number]
                walked.note(number, problem)
                _walk_turn(walked, number, {**turn, "player": player}, reading)
            else:
                _walk_turn(walked, number, turn, reading)
        except BadRequestError as error:
            walked.note(
                number,
                Problem(error.code, Message("replay-unreadable", {"error": str(error)})),
            )
            return walked
    if record.result is not None and not walked.round.may_be_over():
        problems = disagreements(walked.round, record.result)
        walked.note(None, *problems)
        walked.agrees = not problems
    return walked


def _walk_turn(walked: Walked, number: int, turn: Mapping[str, Any], reading: _Reading) -> None:
    played = walked.round
    lacked = played.owes()
    nth = 0
    for nth, move in enumerate(played.read_turn(turn), start=1):
        if problems := played.check(move):
            walked.note(number, *problems)
            walked.slips[number, nth] = _Slip(played.copy(), move, tuple(problems))
        for made in reading.moves.get((number, nth), (move,)):
            played.push(made, as_told=True)
    # A turn may be told in parts ("unfinished"), with what another player says in between.
    if (owed := played.owes()) and owed != lacked and not turn.get("unfinished"):
        walked.note(number, owed)
        end = (number, nth + 1)
        walked.slips[end] = _Slip(played.copy(), None, (owed,))
        for made in reading.moves.get(end, ()):
            played.push(made, as_told=True)
