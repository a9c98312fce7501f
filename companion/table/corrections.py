"""Alternatives of an event, for correcting it in three taps, with the likeliest first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from companion.hanafuda.cards import HANAFUDA, UnknownCardError, card, first_of
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message
from companion.hanafuda.round import Move
from companion.table.effective import Item
from companion.table.history import AnyRound, Step
from companion.table.live_round import LiveRound
from companion.table.messages import turn_message
from companion.table.parsing import read_move

_MAX_ALTERNATIVES = 40
"""Maximum number of alternatives; with more, the card editor is quicker."""
_CARD_IDS = frozenset(each.id for each in HANAFUDA)
_MAX_TRIED = 12
"""Number of the most similar moves that are checked against the rest of the round, which is slow on a small computer."""


def alternatives(live: LiveRound, seq: int) -> list[dict[str, Any]]:
    """Return the alternatives of an event, each with ``words``, ``says``, ``p`` and ``event``.

    For a move: first the alternatives that its reporter considered (with ``p``), then the legal moves at that point. Of
    these, the moves after which the rest of the round is legal come first, and among them the ones most similar to the
    reported move. For a deal and for the report of a dealer: the other dealers. ``event`` is a `corrected` event, ready
    to be submitted.
    """
    item = next((item for item in live.items if item.seq == seq), None)
    step = live.applied(seq)
    if item is not None and step is not None and step.move is not None:
        found = _moves(live, item, step, step.move)
        return [_of_move(live, seq, move, p) for move, p in found[:_MAX_ALTERNATIVES]]
    if item is None or item.kind not in {"dealt", "began"}:
        return []
    dealers = (player for player in range(1, live.context.players + 1) if player != live.round.dealer)
    return [_of_dealer(live, seq, item.kind, item.data, dealer) for dealer in dealers]


def _of_move(live: LiveRound, seq: int, move: Move, p: float | None) -> dict[str, Any]:
    words = list(move.words())
    return {
        "words": words,
        "player": move.player,
        "says": turn_message([move], live.context.names).to_dict(),
        "p": p,
        "event": _corrected(seq, "moved", {"player": move.player, "words": words}),
    }


def _of_dealer(live: LiveRound, seq: int, kind: str, data: Mapping[str, Any], dealer: int) -> dict[str, Any]:
    return {
        "words": ["deals", str(dealer)],
        "player": dealer,
        "says": Message("event-dealer", {"player": live.context.names.of(dealer)}).to_dict(),
        "p": None,
        "event": _corrected(seq, kind, {**data, "dealer": dealer}),
    }


def _corrected(seq: int, kind: str, data: Mapping[str, Any]) -> dict[str, Any]:
    return {"kind": "corrected", "data": {"of": seq, "kind": kind, "data": dict(data)}}


def _moves(live: LiveRound, item: Item, step: Step, reported: Move) -> list[tuple[Move, float | None]]:
    before = standing(live.round, step.made)
    likely = dict(_reported_alternatives(before, item))
    likely.pop(reported, None)
    legal = [move for move in before.legal_moves() if move != reported and move not in likely]
    by_similarity = sorted(legal, key=lambda move: _difference(move, reported))
    rest = live.round.moves[step.made + 1 :]
    tried = sorted(by_similarity[:_MAX_TRIED], key=lambda move: _problems_after(before, move, rest))
    candidates: list[tuple[Move, float | None]] = [
        *sorted(likely.items(), key=lambda each: each[1], reverse=True),
        *((move, None) for move in (*tried, *by_similarity[_MAX_TRIED:])),
    ]
    # Nobody can tell the two plain chaff cards of a flower apart: one of them is enough.
    first_of_alike = {_without_twins(move): move for move, _ in reversed(candidates)} | {
        _without_twins(reported): reported
    }
    return [each for each in candidates if first_of_alike[_without_twins(each[0])] is each[0]]


def _without_twins(move: Move) -> tuple[int | str, ...]:
    """Return a move with each card replaced by the first of its look-alikes."""
    return (move.player, *(first_of(word) if word in _CARD_IDS else word for word in move.words()))


def standing(played: AnyRound, moves: int) -> AnyRound:
    """Return a round as it was after its first ``moves`` moves."""
    before = played.copy()
    while len(before.moves) > moves:
        before.pop()
    return before


def _reported_alternatives(before: AnyRound, item: Item) -> Iterable[tuple[Move, float]]:
    """Yield the alternatives that the reporter of the move gave (``others``: a list of ``words`` and ``p``)."""
    for other in item.first.data.get("others") or ():
        with suppress(BadRequestError):  # not a move of this game, or not under the corrected rules
            yield read_move(before, {"player": item.data["player"], **other}), float(other["p"])


def _difference(move: Move, reported: Move) -> tuple[bool, bool, bool, bool, int]:
    """Return a sort key by similarity to the reported move: verb, player, card, its flower, captured cards."""
    verb, *cards = move.words()
    reported_verb, *reported_cards = reported.words()
    first, reported_first = cards[:1], reported_cards[:1]
    return (
        verb != reported_verb,
        move.player != reported.player,
        first != reported_first,
        _flowers(first) != _flowers(reported_first),
        -len(set(cards[1:]) & set(reported_cards[1:])),
    )


def _flowers(cards: Sequence[str]) -> list[str]:
    try:
        return [card(each).flower for each in cards]
    except UnknownCardError:
        return list(cards)


def _problems_after(before: AnyRound, move: Move, rest: Sequence[Move]) -> int:
    """Return how many moves of the rest of the round would be illegal after another move."""
    tried = before.copy()
    tried.push(move, unchecked=True)
    illegal = 0
    for number, each in enumerate(rest):
        if tried.outcome() is not None:
            return illegal + len(rest) - number
        illegal += bool(tried.check(each))
        tried.push(each, unchecked=True)
    return illegal
