"""What may have happened instead: for a correction in three taps, the likeliest first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from companion.hanafuda.cards import HANAFUDA, UnknownCardError, card, first_of
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message
from companion.hanafuda.round import Move
from companion.table.event_messages import message_view, turn_message
from companion.table.event_parsing import read_move
from companion.table.live_round import AnyRound, AppliedEvent, LiveRound

__all__ = ["alternatives"]

_MOST = 40
"""More than these are no choice for a person; the editor of cards has them all."""
_HANAFUDA = frozenset(each.id for each in HANAFUDA)
_TRIED = 12
"""So many of the nearest are tried out on what came after: it takes a while on a small computer."""


def alternatives(live: LiveRound, seq: int) -> list[dict[str, Any]]:
    """Return what may stand in place of an event, each with ``words``, ``says``, ``p`` and the ``event`` that puts it there.

    Of a move: what whoever told it held likely (``p``), then the legal moves at that point: first those after which
    the rest of the round is as the rules have it, of these first what shares most with the move told. Of a deal, and
    of who dealt, another dealer. ``event`` is a `corrected` one, ready to be told.
    """
    applied = live.applied(seq)
    if applied is not None and applied.move is not None:
        return [_of_move(live, seq, move, p) for move, p in _moves(live, applied, applied.move)][:_MOST]
    item = next((item for item in live.items if item.seq == seq), None)
    if item is None or item.kind not in {"dealt", "began"}:
        return []
    dealers = (player for player in range(1, live.context.players + 1) if player != live.round.dealer)
    return [_of_dealer(live, seq, item.kind, item.data, dealer) for dealer in dealers]


def _of_move(live: LiveRound, seq: int, move: Move, p: float | None) -> dict[str, Any]:
    words = list(move.words())
    return {
        "words": words,
        "player": move.player,
        "says": message_view(turn_message([move], live.context.names)),
        "p": p,
        "event": _corrected(seq, "moved", {"player": move.player, "words": words}),
    }


def _of_dealer(live: LiveRound, seq: int, kind: str, data: Mapping[str, Any], dealer: int) -> dict[str, Any]:
    return {
        "words": ["deals", str(dealer)],
        "player": dealer,
        "says": message_view(Message("event-dealer", {"player": live.context.names.of(dealer)})),
        "p": None,
        "event": _corrected(seq, kind, {**data, "dealer": dealer}),
    }


def _corrected(seq: int, kind: str, data: Mapping[str, Any]) -> dict[str, Any]:
    return {"kind": "corrected", "data": {"of": seq, "kind": kind, "data": dict(data)}}


def _moves(live: LiveRound, applied: AppliedEvent, reported: Move) -> list[tuple[Move, float | None]]:
    before = standing(live.round, applied.before)
    for each in applied.untold:
        before.push(each, as_told=True)
    likely = dict(_told_likely(before, applied))
    likely.pop(reported, None)
    legal = [move for move in before.legal_moves() if move != reported and move not in likely]
    near = sorted(legal, key=lambda move: _unlikeness(move, reported))
    rest = live.round.moves[applied.before + len(applied.untold) + 1 :]
    tried = sorted(near[:_TRIED], key=lambda move: _problems_after(before, move, rest))
    found: list[tuple[Move, float | None]] = [
        *sorted(likely.items(), key=lambda each: each[1], reverse=True),
        *((move, None) for move in (*tried, *near[_TRIED:])),
    ]
    # The two plain chaff of a flower are alike to everybody: one of them is choice enough.
    alike = {_without_twins(move): move for move, _ in reversed(found)} | {_without_twins(reported): reported}
    return [each for each in found if alike[_without_twins(each[0])] is each[0]]


def _without_twins(move: Move) -> tuple[int | str, ...]:
    """Return a move with each card replaced by the first of its look-alikes."""
    return (move.player, *(first_of(word) if word in _HANAFUDA else word for word in move.words()))


def standing(played: AnyRound, moves: int) -> AnyRound:
    """Return a round as it stood after so many moves."""
    before = played.copy()
    while len(before.moves) > moves:
        before.pop()
    return before


def _told_likely(before: AnyRound, applied: AppliedEvent) -> Iterable[tuple[Move, float]]:
    """Yield what whoever told the move held possible too (``others``: a list of ``words`` and ``p``)."""
    for other in applied.item.first.data.get("others") or ():
        with suppress(BadRequestError):  # it is no move of this game, or not by the rules as corrected
            yield read_move(before, {"player": applied.item.data["player"], **other}), float(other["p"])


def _unlikeness(move: Move, reported: Move) -> tuple[bool, bool, bool, bool, int]:
    """Order moves by what they share with another: kind, player, the card, its flower, what it took."""
    said, *cards = move.words()
    told_said, *told_cards = reported.words()
    first, told_first = cards[:1], told_cards[:1]
    return (
        said != told_said,
        move.player != reported.player,
        first != told_first,
        _flowers(first) != _flowers(told_first),
        -len(set(cards[1:]) & set(told_cards[1:])),
    )


def _flowers(cards: Sequence[str]) -> list[str]:
    try:
        return [card(each).flower for each in cards]
    except UnknownCardError:
        return list(cards)


def _problems_after(before: AnyRound, move: Move, rest: Sequence[Move]) -> int:
    """Return how many moves of the rest the rules would forbid after another move."""
    tried = before.copy()
    tried.push(move, as_told=True)
    broken = 0
    for number, each in enumerate(rest):
        if tried.outcome() is not None:
            return broken + len(rest) - number
        broken += bool(tried.check(each))
        tried.push(each, as_told=True)
    return broken
