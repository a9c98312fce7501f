"""A round step by step, for replaying it: the deal, then the board after each move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.families.fishing import FishingRound
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import Move, Outcome
from companion.table.effective_events import Item
from companion.table.event_messages import PlayerNames, turn_message
from companion.table.history_lines import problem_view
from companion.table.live_round import AnyRound, AppliedEvent, LiveRound
from companion.table.rules_changes import rules_view
from companion.table.table import Table

__all__ = ["positions", "replay_of", "round_at", "step_of"]

_SEAT_KEYS = ("seat", "hand", "yaku", "total", "calls")
"""What a step shows of a seat besides its cards."""


def round_at(table: Table, number: int) -> LiveRound:
    """Return a round of a table by its number, from 1. Raises `BadRequestError` if there is none."""
    if not 1 <= number <= len(table.rounds):
        raise BadRequestError(
            Message("table-no-such-round", {"number": str(number), "count": len(table.rounds)})
        )
    return table.rounds[number - 1]


def replay_of(table: Table, number: int) -> dict[str, Any]:
    """Return a round for its replay as JSON.

    - ``steps``: the deal, then one for each move and each other event of the round, in order; empty if only the result
      is known. ``moves`` is the number of moves made by then.
    - ``before``: the points of all players before the round
    - ``result``: how it ended, and each player's final yaku and pile; null while it goes on and if it was abandoned
    """
    live = round_at(table, number)
    outcomes = [each.outcome for each in table.rounds[: number - 1]]
    before = [
        sum(outcome.points[seat] for outcome in outcomes if outcome is not None)
        for seat in range(live.context.players)
    ]
    return {
        "number": number,
        "rounds": len(table.rounds),
        "game": live.round.rules.game,
        "rules": rules_view(live.context.rules),
        "players": list(live.context.names.given),
        "dealer": live.round.dealer if live.dealer_known else None,
        "month": live.round.situation().get("month"),
        "before": before,
        "steps": [] if live.items[0].kind == "scored" else list(_steps(live)),
        "result": _result(live),
    }


def step_of(table: Table, number: int | None, seq: int) -> int | None:
    """Return the step of a round's replay that an event leads to; None if it has none."""
    if number is None or table.rounds[number - 1].items[0].kind == "scored":
        return None
    steps = _steps(table.rounds[number - 1])
    return next((step for step, each in enumerate(steps) if each["seq"] == seq), None)


def positions(live: LiveRound) -> list[AnyRound]:
    """Return the round as it was after the deal and after each of its moves."""
    undone = live.round.copy()
    found = [undone.copy()]
    while undone.moves:
        undone.pop()
        found.append(undone.copy())
    return found[::-1]


def _steps(live: LiveRound) -> Iterator[dict[str, Any]]:
    boards = [_board(each) for each in positions(live)]
    names, moves = live.context.names, live.round.moves
    dealer = live.round.dealer if live.dealer_known else None
    dealt = Message("round-dealt", {"number": live.number})
    if dealer is not None:
        dealt = Message("round-dealt-by", {"number": live.number, "player": names.of(dealer)})
    yield _step("deal", 0, dealt, boards, live.items[0], player=dealer)
    made = 0
    for applied in live.applied_events:
        for move in moves[made : applied.before + len(applied.inferred_moves)]:
            made += 1
            yield _move_step(move, made, boards, names, None)
        if applied.move is not None:
            counted = made < len(moves) and moves[made] is applied.move
            made += counted
            yield _move_step(applied.move, made, boards, names, applied)
        else:
            yield _step(applied.item.kind, made, _note(live, applied), boards, applied.item)
    for move in moves[made:]:
        made += 1
        yield _move_step(move, made, boards, names, None)
    if live.abandoned:
        yield _step("abandoned", made, Message("round-abandoned"), boards, live.items[-1])


def _note(live: LiveRound, applied: AppliedEvent) -> Message:
    """Return the sentence of an event that is no move: a reset of the table or a reported result."""
    if applied.item.kind != "scored":
        return Message("event-set")
    outcome = live.outcome
    return Message("event-scored") if outcome is None else live.context.names.within(outcome.why)


def _move_step(
    move: Move,
    made: int,
    boards: Sequence[Mapping[str, Any]],
    names: PlayerNames,
    applied: AppliedEvent | None,
) -> dict[str, Any]:
    step = _step(
        "move",
        made,
        turn_message([move], names),
        boards,
        None if applied is None else applied.item,
        player=move.player,
    )
    problems = () if applied is None else applied.problems
    return step | {
        "words": list(move.words()),
        "problems": [problem_view(problem, names) for problem in problems],
    }


def _step(
    kind: str,
    made: int,
    says: Message,
    boards: Sequence[Mapping[str, Any]],
    item: Item | None,
    *,
    player: int | None = None,
) -> dict[str, Any]:
    """Return a step; ``item`` is None for a move that nobody reported but that must have been made."""
    reported = None if item is None else item.reported
    return {
        "kind": kind,
        "moves": made,
        "player": player,
        "words": [],
        "says": says.to_dict(),
        "problems": [],
        "seq": None if item is None else item.seq,
        "time": None if item is None else item.first.time,
        "source": None if reported is None else reported.source,
        "confidence": None if reported is None else reported.confidence,
        "corrected": item is not None and item.corrected,
        "picture": None if reported is None else reported.evidence,
        "board": boards[made],
    }


def _board(played: AnyRound) -> dict[str, Any]:
    """Return the part of the board that a replay shows, with all cards of the hands that are known."""
    board = GAMES[played.rules.game].board.view(played)
    return {
        "field": board["field"],
        "stock": board["stock"],
        "discard": board["discard"],
        "seats": [_seat(played, seat) for seat in board["seats"]],
    }


def _seat(played: AnyRound, seat: Mapping[str, Any]) -> dict[str, Any]:
    cards = seat.get("cards")
    if isinstance(played, FishingRound):
        cards = list(played.hand(seat["seat"]))
    names = ("name", "ja", "romaji", "en", "points")
    return {
        **{key: seat[key] for key in _SEAT_KEYS if key in seat},
        "yaku": [{key: yaku[key] for key in names if key in yaku} for yaku in seat["yaku"]],
        "cards": cards,
        "captured": [card for pile in seat["captured"].values() for card in pile],
    }


def _result(live: LiveRound) -> dict[str, Any] | None:
    outcome: Outcome | None = live.outcome
    if outcome is None:
        return None
    seats = range(1, live.context.players + 1)
    return {
        "how": outcome.how,
        "winners": list(outcome.winners),
        "points": list(outcome.points),
        "why": live.context.names.within(outcome.why).to_dict(),
        "seats": [
            {
                "seat": seat,
                "calls": live.calls(seat),
                "yaku": [{"name": name, "points": points} for name, points in live.yaku(seat)],
                "captured": list(_captured(live, seat)),
            }
            for seat in seats
        ],
    }


def _captured(live: LiveRound, seat: int) -> Sequence[str]:
    if live.result is None:
        return live.round.captured(seat)
    return live.result.seats[seat - 1].captured or ()
