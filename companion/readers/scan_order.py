"""Interpretation of the order of scans from one handheld scanner, by the rules of the fishing games.

A player scans the card played, then the cards it captures; then the card drawn, then the cards that one captures.
Implied captures need not be scanned (a card that matches one field card captures it), and a captured card may be
scanned before the card that captures it. Eight cards before or after a round are the field of a new deal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import Any

from companion.hanafuda.cards import single_bits, twin
from companion.hanafuda.fishing import Draw, FishingMove, FishingRound, Play
from companion.hanafuda.fishing.camera import stop
from companion.hanafuda.fishing.captures import DECK, bit_of, flower_of, id_of, ids_of
from companion.hanafuda.fishing.record import FIELD as DEALT

AnyRound = FishingRound[Any, Any]
"""A round of any fishing game."""

_UNSCANNED = -3.0
"""Log-probability that a card played or drawn was not scanned."""
_CAPTURE_UNSCANNED = -0.5
"""Log-probability that a captured card was not scanned."""
_SCANNED_NOT_CAPTURED = -6.0
"""Log-probability that a field card was scanned that was not captured, or not by the card that was scanned before it."""
_CAPTURED_FIRST = -1.0
"""Log-probability that a captured card was scanned before the card that captured it."""


@dataclass(frozen=True, slots=True)
class ScanInterpretation:
    """The turn that scans represent."""

    used: int = 0
    """Number of scans that belong to it; the next turn begins after them. 0 while it is incomplete."""
    turns: Sequence[tuple[Sequence[FishingMove], float]] = ()
    """The possible turns with their probabilities, most likely first; none if the rules allow none."""
    unread: bool = False
    """Whether one of the turn's two cards was not scanned, only the cards it captured."""


def read_deal(scans: Sequence[str], played: AnyRound | None) -> tuple[str, ...] | None:
    """Return the field of a new deal, empty until eight cards are scanned; None if the scans belong to the current round.

    Between rounds every card belongs to the next deal. While a koi-koi decision is pending, a deal is recognized by a
    card that was captured earlier, or by more cards than a turn has.
    """
    cards = tuple(dict.fromkeys(scans))
    if played is not None and played.to_move is not None:
        if stop(played) is None:
            return None
        captured = {*played.captured(1), *played.captured(2)} - last_turn(played)
        if not captured.intersection(cards) and len(cards) <= DEALT - 2:
            return None
    return cards[:DEALT] if len(cards) >= DEALT else ()


def last_turn(played: AnyRound) -> set[str]:
    """Return the cards of the last turn of a round, or of the one under way."""
    cards: set[str] = set()
    for move in reversed(played.moves):
        if isinstance(move, Play | Draw):
            cards |= {move.card, *move.takes}
        if isinstance(move, Play):
            break
    return cards


def read_turn(scans: Sequence[str], played: AnyRound) -> ScanInterpretation:
    """Return the turn that the scans represent."""
    player, kinds = _next_moves(played)
    field = sum(map(bit_of, played.field))
    captured = sum(map(bit_of, (*played.captured(1), *played.captured(2))))
    groups, order, used = _groups(scans, field, DECK & ~(field | captured), len(kinds))
    if len(groups) < len(kinds):
        return ScanInterpretation()
    found = [(exp(_log_p(moves, order, field)), moves) for moves in _turns(played, player, kinds, groups)]
    total = sum(weight for weight, _ in found)
    turns = sorted(((moves, weight / total) for weight, moves in found), key=lambda each: -each[1])
    return ScanInterpretation(used, turns, not order.keys() >= {*groups})


def _next_moves(played: AnyRound) -> tuple[int, Sequence[type[Play | Draw]]]:
    """Return the player who plays the next card, and the moves that end the turn. An open decision of the turn before was for playing on."""
    player, pending = played.to_move or 0, played.pending_decision()
    if pending is None:
        return player, (Play, Draw)
    if pending.code == "draw-missing" or isinstance(played.moves[-1], Play):
        return player, (Draw,)
    return 3 - player, (Play, Draw)


def _groups(
    scans: Sequence[str], field: int, hidden: int, count: int
) -> tuple[list[int], dict[int, int], int]:
    """Return the cards that may have been played or drawn, a set for each of up to ``count`` moves: the scanned card, or the hidden ones
    of the flower of a scanned field card; the place of each card in the order of the scans; and the number of scans that belong to them.
    """
    groups, order, used = list[int](), dict[int, int](), 0
    flowers: list[int] = []  # of field cards that none of the cards before them captures
    for number, name in enumerate(scans):
        bit = _on_table(name, field | hidden)
        if bit & hidden and bit not in order:
            if len(groups) == count:
                break
            flowers = [each for each in flowers if not each & bit]
            groups += [*flowers[: count - 1 - len(groups)], bit]
            flowers = []
        elif bit & field and not any(flower_of(bit) & each for each in (*groups, *flowers)):
            flowers.append(flower_of(bit))
        order.setdefault(bit, number)
        used = number + 1
    groups += flowers[: count - len(groups)]
    unscanned = hidden & ~sum(order)
    return [each if each in order else each & unscanned for each in groups], order, used


def _on_table(name: str, known: int) -> int:
    """Return a scanned card as a set of one; of look-alikes the one on the field or hidden, whichever was named."""
    bit, other = bit_of(name), twin(name)
    if other is None or known & bit:
        return bit
    return bit_of(other) if known & bit_of(other) else bit


def _turns(
    played: AnyRound, player: int, kinds: Sequence[type[Play | Draw]], groups: Sequence[int]
) -> Iterator[tuple[FishingMove, ...]]:
    """Yield the legal turns with one card of each group, with the calls that they imply."""
    if not groups:
        yield ()
        return
    field, kind = sum(map(bit_of, played.field)), kinds[0]
    for bit in single_bits(groups[0]):
        for takes in played.captures.options(bit, field, from_hand=kind is Play):
            move, after = kind(player, id_of(bit), ids_of(takes)), played.copy()
            moves = (*played.inferred_moves(move), move)
            for each in moves:
                if after.check(each):
                    break
                after.push(each)
            else:
                for rest in _turns(after, player, kinds[1:], groups[1:]):
                    yield (*moves, *rest)


def _log_p(moves: Sequence[FishingMove], order: Mapping[int, int], field: int) -> float:
    """Return the log-probability that a turn is scanned in an order; ``field``: the cards that lay there before."""
    cards = [move for move in moves if isinstance(move, Play | Draw)]
    total, taken = 0.0, 0
    for number, move in enumerate(cards):
        total += _UNSCANNED * (move.bit not in order)
        taken |= move.taken
        ends = min([order[each.bit] for each in cards[number + 1 :] if each.bit in order], default=len(order))
        for take in single_bits(move.taken & field):
            if take not in order:
                total += _CAPTURE_UNSCANNED
            elif order[take] > ends:
                total += _SCANNED_NOT_CAPTURED
            elif order[take] < order.get(move.bit, 0):
                total += _CAPTURED_FIRST
    return total + _SCANNED_NOT_CAPTURED * (sum(order) & field & ~taken).bit_count()
