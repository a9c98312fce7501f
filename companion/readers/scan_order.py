"""Interpretation of the order of scans from one handheld scanner, by the rules of the fishing games.

A player scans the card played, then the cards it captures; then the card drawn, then the cards that one captures.
Implied captures need not be scanned (a card that matches one field card captures it), and a captured card may be
scanned before the card that captures it. Eight cards before or after a round are the field of a new deal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import exp
from typing import Any

from companion.hanafuda.cards import single_bits, twin
from companion.hanafuda.fishing import Draw, FishingMove, FishingRound, Play
from companion.hanafuda.fishing.camera import stop
from companion.hanafuda.fishing.captures import DECK, bit_of, flower_of, id_of, ids_of
from companion.hanafuda.fishing.record import FIELD as DEALT
from companion.hanafuda.round import Problem

AnyRound = FishingRound[Any, Any]
"""A round of any fishing game."""

_UNSCANNED = -3.0
"""Log-probability that a card played or drawn was not scanned."""
_CAPTURE_UNSCANNED = -0.5
"""Log-probability that a captured card was not scanned."""
_SCANNED_NOT_CAPTURED = -6.0
_CAPTURED_FIRST = -1.0
"""Log-probability that a captured card was scanned before the card that captured it."""


@dataclass(frozen=True, slots=True)
class ScannedTurn:
    """A turn that the scans may represent."""

    moves: tuple[FishingMove, ...]
    probability: float


@dataclass(frozen=True, slots=True)
class ScanInterpretation:
    """Result of interpreting scans in order."""

    used: int = 0
    """Number of scans that belong to it; the next turn begins after them."""
    turns: tuple[ScannedTurn, ...] = ()
    """Possible turns, most likely first; empty while a turn is incomplete."""
    cards: tuple[str, ...] = ()
    """The field cards of a deal."""
    problem: Problem | None = None
    """The broken rule, if no legal turn fits."""
    unread: bool = False
    """Whether one of the turn's two cards was not scanned, only the cards it captured."""


@dataclass(slots=True)
class _ScanStep:
    """A card from the hand or the stock (None if it was not scanned), with the field cards scanned with it."""

    card: int | None
    captured: int = 0
    early: int = 0
    """Number of those that were scanned before it."""


class _Position:
    """The cards of a round: on the field and hidden, as sets."""

    def __init__(self, played: AnyRound) -> None:
        self.round = played
        self.field = sum(map(bit_of, played.field))
        self.hidden = DECK & ~sum(map(bit_of, (*played.field, *played.captured(1), *played.captured(2))))

    def next_card(self) -> tuple[int, bool]:
        """Return the player who plays the next card (0 for none), and whether it is drawn from the stock."""
        player, pending = self.round.to_move, self.round.pending_decision()
        if player is None:
            return 0, False
        if pending is None or pending.code == "draw-missing":
            return player, pending is not None
        return (player, True) if isinstance(self.round.moves[-1], Play) else (3 - player, False)


@dataclass(slots=True)
class _Turn:
    steps: list[_ScanStep] = field(default_factory=list)
    used: int = 0

    def has(self, bit: int) -> bool:
        """Return whether a card is one of the cards played or drawn."""
        return any(step.card == bit.bit_length() - 1 for step in self.steps)

    def captor_of(self, bit: int) -> _ScanStep | None:
        """Return the step that captures a field card: the last one with a card of its flower, else the first one that
        captures a card of its flower.
        """
        flower = flower_of(bit)
        named = [step for step in self.steps if step.card is not None and flower >> step.card & 1]
        return named[-1] if named else next((step for step in self.steps if step.captured & flower), None)


def read_deal(scans: Sequence[str], played: AnyRound | None) -> ScanInterpretation | None:
    """Return the field of a new deal, without cards until eight are scanned; None if the scans belong to the current
    round.

    Between rounds every card belongs to the next deal. While a koi-koi decision is pending, a deal is recognized by a
    card that was captured earlier, or by more cards than a turn has.
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
    return ScanInterpretation(min(len(scans), DEALT), cards=cards[:DEALT] if len(cards) >= DEALT else ())


def read_turn(scans: Sequence[str], played: AnyRound) -> ScanInterpretation:
    """Return the turn that the scans represent; ``used`` is 0 while it is incomplete."""
    position = _Position(played)
    player, draws_only = position.next_card()
    if not player:
        return ScanInterpretation(used=len(scans))
    turn = _steps(scans, position, 1 if draws_only else 2)
    known = sum(step.card is not None or bool(step.captured) for step in turn.steps)
    if known < (1 if draws_only else 2):
        return ScanInterpretation(problem=None)
    candidates: list[tuple[float, Sequence[FishingMove]]] = []
    for steps, score in _with_unscanned_cards(turn.steps, position):
        candidates += _moves(steps, position, player, score, draws_only=draws_only)
    hypotheses = [
        (score, moves) for score, reported in candidates if (moves := _legal(played, reported)) is not None
    ]
    if not hypotheses:
        return ScanInterpretation(
            turn.used, problem=_problem(turn.steps, position, player, draws_only=draws_only)
        )
    best = max(score for score, _ in hypotheses)
    total = sum(exp(score - best) for score, _ in hypotheses)
    ranked = sorted(hypotheses, key=lambda each: -each[0])
    reported = tuple(ScannedTurn(moves, exp(score - best) / total) for score, moves in ranked)
    return ScanInterpretation(turn.used, reported, unread=any(step.card is None for step in turn.steps))


def _steps(scans: Sequence[str], position: _Position, max_steps: int) -> _Turn:
    """Group scans: each hidden card with the field cards that it may capture."""
    turn = _Turn()
    unassigned: list[int] = []
    for number, name in enumerate(scans):
        bit = _resolve_lookalike(name, position)
        if turn.has(bit):
            continue  # the drawn card captures the one just played, or it was scanned again
        if position.hidden & bit:
            if len(turn.steps) == max_steps:
                break
            step, unassigned = _step_with_early_scans(bit, unassigned)
            turn.steps += [_ScanStep(None, card) for card in unassigned][: max_steps - 1 - len(turn.steps)]
            turn.steps.append(step)
            unassigned = []
        elif position.field & bit:
            if (captor := turn.captor_of(bit)) is not None:
                captor.captured |= bit
            elif bit not in unassigned:
                unassigned.append(bit)
        turn.used = number + 1
    turn.steps += [_ScanStep(None, card) for card in unassigned][: max_steps - len(turn.steps)]
    return turn


def _step_with_early_scans(bit: int, unassigned: Sequence[int]) -> tuple[_ScanStep, list[int]]:
    """Return the step of a card that captures those of its flower that were scanned before it, and the other cards."""
    early = [card for card in unassigned if flower_of(bit) & card]
    return (
        _ScanStep(bit.bit_length() - 1, sum(early), len(early)),
        [card for card in unassigned if card not in early],
    )


def _resolve_lookalike(name: str, position: _Position) -> int:
    """Return a scanned card as a set (48 bits); of look-alikes the one on the table or in the hand, whichever was
    named.
    """
    bit, other = bit_of(name), twin(name)
    if other is None or (position.hidden | position.field) & bit:
        return bit
    return bit_of(other) if (position.hidden | position.field) & bit_of(other) else bit


def _with_unscanned_cards(
    steps: Sequence[_ScanStep], position: _Position
) -> Iterator[tuple[list[tuple[int, _ScanStep]], float]]:
    """Yield the steps with one card each; an unscanned card may be any hidden card that captures what was scanned."""
    used = sum(1 << step.card for step in steps if step.card is not None)
    options = [
        [1 << step.card]
        if step.card is not None
        else list(single_bits(flower_of(step.captured) & position.hidden & ~used))
        for step in steps
    ]
    unscanned_count = sum(step.card is None for step in steps)
    hypotheses: list[list[int]] = [[]]
    for option in options:
        hypotheses = [
            [*hypothesis, bit] for hypothesis in hypotheses for bit in option if bit not in hypothesis
        ]
    for hypothesis in hypotheses:
        yield list(zip(hypothesis, steps, strict=True)), _UNSCANNED * unscanned_count


def _moves(
    steps: Sequence[tuple[int, _ScanStep]],
    position: _Position,
    player: int,
    score: float,
    *,
    draws_only: bool,
) -> Iterator[tuple[float, list[FishingMove]]]:
    captures = position.round.captures
    hypotheses: list[tuple[float, int, list[FishingMove]]] = [(score, position.field, [])]
    for bit, step in steps:
        extended = []
        for score_so_far, field_cards, moves in hypotheses:
            from_hand = not moves and not draws_only
            for takes in captures.options(bit, field_cards, from_hand=from_hand):
                scored = score_so_far + _CAPTURED_FIRST * step.early
                scored += _SCANNED_NOT_CAPTURED * (step.captured & ~takes).bit_count()
                scored += _CAPTURE_UNSCANNED * (takes & ~step.captured).bit_count()
                move = (Play if from_hand else Draw)(player, id_of(bit), ids_of(takes))
                field_after = field_cards & ~takes if takes else field_cards | bit
                extended.append((scored, field_after, [*moves, move]))
        hypotheses = extended
    for score_so_far, _, moves in hypotheses:
        yield score_so_far, moves


def _problem(
    steps: Sequence[_ScanStep], position: _Position, player: int, *, draws_only: bool
) -> Problem | None:
    """Return the rule that the turn breaks as scanned."""
    played = position.round.copy()
    for number, step in enumerate(steps):
        if step.card is None:
            continue
        move_type = Draw if draws_only or number else Play
        move = move_type(player, id_of(1 << step.card), ids_of(step.captured))
        for call in played.inferred_moves(move):
            played.push(call, unchecked=True)
        if problems := played.check(move):
            return problems[0]
        played.push(move, unchecked=True)
    return None


def _legal(start: AnyRound, moves: Sequence[FishingMove]) -> tuple[FishingMove, ...] | None:
    """Return legal moves, with the calls that they imply; None if the rules forbid them."""
    applied: list[FishingMove] = []
    after = start.copy()
    for move in moves:
        for each in (*after.inferred_moves(move), move):
            if after.check(each):
                return None
            after.push(each)
            applied.append(each)
    return tuple(applied)
