"""What the order of scanning tells, where one scanner is held in the hand: the rules of fishing read it.

Whoever plays a card scans it, then what it captures; then the card drawn, then what that captures. What follows by itself
need not be scanned (a card that matches one card of the field takes it), and a capture may be scanned before the card
that captures. Eight cards before a round, or after one, are the field as dealt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import exp

from companion.hanafuda.cards import twin
from companion.hanafuda.families.fishing import PLAY_ON, Call, Draw, FishingMove, Play
from companion.hanafuda.families.fishing.captures import bit_of, flower_of, id_of, ids_of, single_bits
from companion.hanafuda.families.fishing.record import FIELD as DEALT
from companion.hanafuda.round import Problem
from companion.referee.deal_detection import stop
from companion.referee.expected_cards import AnyRound, Position
from companion.referee.turn_hypotheses import legal

__all__ = ["Reading", "Telling", "read_deal", "read_turn"]

_UNSCANNED = -3.0
"""That a card which lies open now was not scanned (log)."""
_CHOSEN_UNSCANNED = -0.5
"""That a capture was not scanned."""
_SCANNED_IN_VAIN = -6.0
_CAPTURED_FIRST = -1.0
"""That a capture was scanned before the card that captured it."""


@dataclass(frozen=True, slots=True)
class Telling:
    """A turn that the scans may tell."""

    moves: tuple[FishingMove, ...]
    probability: float


@dataclass(frozen=True, slots=True)
class Reading:
    """What scans in order come to."""

    used: int = 0
    """How many of them belong to it; the next turn begins after them."""
    tellings: tuple[Telling, ...] = ()
    """The turns that they may tell, the likeliest first; nothing while a turn is not at its end."""
    cards: tuple[str, ...] = ()
    """The field as dealt."""
    problem: Problem | None = None
    """What is wrong, where no legal turn fits."""
    unread: bool = False
    """Whether one of the turn's two cards was not scanned, only what it took."""


@dataclass(slots=True)
class _Step:
    """A card from the hand or the stock, None where it was not scanned, with the cards of the field scanned with it."""

    card: int | None
    took: int = 0
    early: int = 0
    """How many of those were scanned before it."""


@dataclass(slots=True)
class _Turn:
    steps: list[_Step] = field(default_factory=list)
    used: int = 0


def read_deal(scans: Sequence[str], played: AnyRound | None) -> Reading | None:
    """Return the field of a new deal, without cards while eight are not scanned; None where the scans belong to the round.

    Between rounds any card is of the next deal. While somebody is to say whether he plays on, a deal shows by a card that
    was captured before, or by more cards than a turn has.
    """
    cards = tuple(dict.fromkeys(scans))
    if played is not None and played.to_move is not None:
        if stop(played) is None:
            return None
        last = {
            card
            for move in played.moves[-2:]
            if isinstance(move, Play | Draw)
            for card in (move.card, *move.takes)
        }
        captured = {*played.captured(1), *played.captured(2)} - last
        if not captured.intersection(cards) and len(cards) <= DEALT - 2:
            return None
    return Reading(min(len(scans), DEALT), cards=cards[:DEALT] if len(cards) >= DEALT else ())


def read_turn(scans: Sequence[str], played: AnyRound) -> Reading:
    """Return what scans tell of the turn at hand; with ``used`` 0 it is not at its end."""
    position = Position(played)
    player, draws_only = _next(position)
    if not player:
        return Reading(used=len(scans))
    turn = _steps(scans, position, 1 if draws_only else 2)
    known = sum(step.card is not None or bool(step.took) for step in turn.steps)
    if known < (1 if draws_only else 2):
        return Reading(problem=None)
    found: list[tuple[float, Sequence[FishingMove]]] = []
    for steps, score in _filled(turn.steps, position):
        found += _moves(steps, position, player, score, draws_only=draws_only)
    tellings = [(score, moves) for score, reported in found if (moves := legal(played, reported)) is not None]
    if not tellings:
        return Reading(turn.used, problem=_problem(turn.steps, position, player, draws_only=draws_only))
    best = max(score for score, _ in tellings)
    total = sum(exp(score - best) for score, _ in tellings)
    ranked = sorted(tellings, key=lambda each: -each[0])
    reported = tuple(Telling(moves, exp(score - best) / total) for score, moves in ranked)
    return Reading(turn.used, reported, unread=any(step.card is None for step in turn.steps))


def _next(position: Position) -> tuple[int, bool]:
    """Return whose card comes next, 0 for nobody's, and whether it is one of the stock."""
    if position.phase in {"play", "draw"}:
        return position.player, position.phase == "draw"
    if position.phase == "over":
        return 0, False
    may_play_on = any(
        isinstance(call, Call) and call.said == PLAY_ON for call in position.round.legal_moves()
    )
    last = position.round.moves[-1] if position.round.moves else None
    if not may_play_on:
        return 0, False
    return (position.player, True) if isinstance(last, Play) else (3 - position.player, False)


def _steps(scans: Sequence[str], position: Position, most: int) -> _Turn:
    """Group scans: each card that was hidden, with the cards of the field that it may take."""
    turn = _Turn()
    loose: list[int] = []
    for number, name in enumerate(scans):
        bit = _known_as(name, position)
        own = [step for step in turn.steps if step.card is not None and flower_of(1 << step.card) & bit]
        if position.hidden & bit:
            if any(step.card == bit.bit_length() - 1 for step in turn.steps):
                continue  # the drawn card takes the one just played, or it was read again
            if len(turn.steps) == most:
                break
            step = _Step(bit.bit_length() - 1)
            early = [card for card in loose if flower_of(bit) & card]
            step.took, step.early = sum(early), len(early)
            loose = [card for card in loose if card not in early]
            turn.steps += [_Step(None, card) for card in loose][: most - 1 - len(turn.steps)]
            loose = []
            turn.steps.append(step)
        elif position.field & bit:
            if own:
                own[-1].took |= bit
            elif any(step.took & flower_of(bit) for step in turn.steps):
                next(step for step in turn.steps if step.took & flower_of(bit)).took |= bit
            elif bit not in loose:
                loose.append(bit)
        turn.used = number + 1
    turn.steps += [_Step(None, card) for card in loose][: most - len(turn.steps)]
    return turn


def _known_as(name: str, position: Position) -> int:
    """Return a scanned card as a set; of look-alikes the one that the table has, whichever of them that was called."""
    bit, other = bit_of(name), twin(name)
    if other is None or (position.hidden | position.field) & bit:
        return bit
    return bit_of(other) if (position.hidden | position.field) & bit_of(other) else bit


def _filled(steps: Sequence[_Step], position: Position) -> Iterator[tuple[list[tuple[int, _Step]], float]]:
    """Yield the steps with a card each: where one was not scanned, any hidden one that takes what was."""
    used = sum(1 << step.card for step in steps if step.card is not None)
    options = [
        [1 << step.card]
        if step.card is not None
        else list(single_bits(flower_of(step.took) & position.hidden & ~used))
        for step in steps
    ]
    unscanned = sum(step.card is None for step in steps)
    hypotheses: list[list[int]] = [[]]
    for option in options:
        hypotheses = [
            [*hypothesis, bit] for hypothesis in hypotheses for bit in option if bit not in hypothesis
        ]
    for hypothesis in hypotheses:
        yield list(zip(hypothesis, steps, strict=True)), _UNSCANNED * unscanned


def _moves(
    steps: Sequence[tuple[int, _Step]], position: Position, player: int, score: float, *, draws_only: bool
) -> Iterator[tuple[float, list[FishingMove]]]:
    captures = position.round.captures
    hypotheses: list[tuple[float, int, list[FishingMove]]] = [(score, position.field, [])]
    for bit, step in steps:
        more = []
        for sofar, lying, moves in hypotheses:
            from_hand = not moves and not draws_only
            for takes in captures.options(bit, lying, from_hand=from_hand):
                scored = sofar + _CAPTURED_FIRST * step.early
                scored += _SCANNED_IN_VAIN * (step.took & ~takes).bit_count()
                scored += _CHOSEN_UNSCANNED * (takes & ~step.took).bit_count()
                move = (Play if from_hand else Draw)(player, id_of(bit), ids_of(takes))
                after = lying & ~takes if takes else lying | bit
                more.append((scored, after, [*moves, move]))
        hypotheses = more
    for sofar, _, moves in hypotheses:
        yield sofar, moves


def _problem(steps: Sequence[_Step], position: Position, player: int, *, draws_only: bool) -> Problem | None:
    """Return the rule that the turn breaks as it was scanned."""
    played = position.round.copy()
    for number, step in enumerate(steps):
        if step.card is None:
            continue
        kind = Draw if draws_only or number else Play
        pending = played.owes()
        if pending is not None and pending.code == "decision-missing" and played.to_move is not None:
            played.push(Call(played.to_move, PLAY_ON), as_told=True)
        move = kind(player, id_of(1 << step.card), ids_of(step.took))
        if problems := played.check(move):
            return problems[0]
        played.push(move, as_told=True)
    return None
