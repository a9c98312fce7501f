"""Replay a record's turns, and interpret moves that the rules forbid.

A record goes on after an illegal move, and later turns show what was really on the table: a capture that was written
down wrongly leaves no trace in them, one that was made wrongly does. So of the possible interpretations of an illegal
move (as recorded, not made, a legal move instead) the one that leaves the fewest problems in the rest is used, and one
slip of the pen is one problem and not ten.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from ..errors import BadRequestError
from ..messages import Message
from ..round import Move, Problem, Round
from .disagreements import disagreements, too_late
from .round_record import Record

__all__ = ["Noted", "Walked", "walk"]

_MAX_SLIPS = 6
"""The maximum number of illegal moves of a round that are interpreted; more are not slips of the pen."""
_MAX_ALTERNATIVES = 16
"""The maximum number of legal moves tried instead of an illegal one, most similar first; a hidden hand allows dozens."""

_MAX_ILLEGAL = 200
"""More illegal moves than a whole round has moves: no interpretation can repair such a record."""

Place = tuple[int, int]
"""The position of a move in a record: the turn, from 1, and the move in the turn, from 0."""


@dataclass(frozen=True, slots=True)
class Noted:
    """A problem and its position."""

    turn: int | None
    """The turn, from 1; 0 is the deal, None the result."""
    problem: Problem

    def to_dict(self) -> dict[str, Any]:
        """Return the problem as in `replay --json`."""
        return {"turn": self.turn, **self.problem.to_dict()}


@dataclass(frozen=True, slots=True)
class _Interpretation:
    """An interpretation of illegal moves: replacement moves, and turns given to another player with the reason."""

    moves: Mapping[Place, tuple[Move, ...]] = field(default_factory=dict)
    players: Mapping[int, tuple[int, Problem]] = field(default_factory=dict)

    def also(self, other: _Interpretation) -> _Interpretation:
        return _Interpretation({**self.moves, **other.moves}, {**self.players, **other.players})


@dataclass(frozen=True, slots=True)
class _Slip:
    """An illegal move, or a missing one (`move` is None), and the round before it."""

    before: Round[Any, Any, Any]
    move: Move | None
    problems: tuple[Problem, ...]

    def readings(self, place: Place) -> Iterator[_Interpretation]:
        """Yield the other interpretations: not made, made by the player to move, a legal move instead."""
        if self.move is not None:
            yield _Interpretation({place: ()})
        for problem in self.problems:
            if problem.code == "out-of-turn" and self.before.to_move is not None:
                yield _Interpretation(players={place[0]: (self.before.to_move, problem)})
        yield from (_Interpretation({place: (move,)}) for move in self._legal_alternatives())

    def _legal_alternatives(self) -> list[Move]:
        """Return legal moves, most similar first: the same type, the most words in common, then the shortest."""
        moves: list[Move] = self.before.legal_moves()
        move_type, words_of_slip = type(self.move), set(self.move.words() if self.move else ())

        def dissimilarity(move: Move) -> tuple[bool, int, int]:
            words = move.words()
            return type(move) is not move_type, -len(words_of_slip.intersection(words)), len(words)

        return sorted(moves, key=dissimilarity)[:_MAX_ALTERNATIVES]


@dataclass(slots=True)
class Walked:
    """A round replayed from a record."""

    round: Round[Any, Any, Any]
    noted: list[Noted] = field(default_factory=list)
    slips: dict[Place, _Slip] = field(default_factory=dict)
    """The positions of illegal and missing moves."""
    agrees: bool | None = None
    """Whether the record's result is the result of its turns; None if unknown."""

    def note(self, turn: int | None, *problems: Problem) -> None:
        """Add problems; a problem that both moves of a turn have (out of turn) is added once."""
        noted = list(takewhile(lambda each: each.turn == turn, reversed(self.noted)))
        self.noted += [each for problem in problems if (each := Noted(turn, problem)) not in noted]


def walk(record: Record) -> Walked:
    """Replay a record's turns, with the interpretation of each illegal move that fits the rest best."""
    reading = _Interpretation()
    walked = _walk(record, reading)
    if len(walked.slips) > _MAX_ILLEGAL:
        return walked
    resolved: set[Place] = set()
    while len(resolved) < _MAX_SLIPS and (open_slips := walked.slips.keys() - resolved):
        place = min(open_slips)
        resolved.add(place)
        best = reading
        for other in walked.slips[place].readings(place):
            trial = _walk(record, also := reading.also(other))
            if len(trial.noted) < len(walked.noted):
                walked, best = trial, also
            if trial.agrees is not False and trial.slips.keys() <= resolved:
                break  # nothing else is wrong
        reading = best
    return walked


def _walk(record: Record, reading: _Interpretation) -> Walked:
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
                Problem(error.code, Message("replay-unreadable", {"error": error.message})),
            )
            return walked
    if record.result is not None and not walked.round.may_be_over():
        problems = disagreements(walked.round, record.result)
        walked.note(None, *problems)
        walked.agrees = not problems
    return walked


def _walk_turn(walked: Walked, number: int, turn: Mapping[str, Any], reading: _Interpretation) -> None:
    played = walked.round
    pending_before = played.pending_decision()
    index = 0
    for index, move in enumerate(played.read_turn(turn), start=1):
        if problems := played.check(move):
            walked.note(number, *problems)
            walked.slips[number, index] = _Slip(played.copy(), move, tuple(problems))
        for actual in reading.moves.get((number, index), (move,)):
            played.push(actual, unchecked=True)
    # A turn may be recorded in parts ("unfinished"), with another player's call in between.
    if (pending := played.pending_decision()) and pending != pending_before and not turn.get("unfinished"):
        walked.note(number, pending)
        end = (number, index + 1)
        walked.slips[end] = _Slip(played.copy(), None, (pending,))
        for actual in reading.moves.get(end, ()):
            played.push(actual, unchecked=True)
