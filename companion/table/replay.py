"""A round step by step, for replaying it: the deal, then the board after each move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import Outcome
from companion.table.fold import TableState
from companion.table.history import AnyRound, is_card, order_unknown, problem_view, turns_of
from companion.table.live_round import LiveRound
from companion.table.messages import turn_message
from companion.table.rules_changes import rules_view

_SEAT_KEYS = ("seat", "hand", "yaku", "total", "calls")
"""What a step shows of a seat besides its cards."""


def replay_of(table: TableState, number: int) -> dict[str, Any]:
    """Return a round for its replay as JSON.

    - ``steps``: the deal, then one for each move and each other event of the round, in order; empty if only the result
      is known. ``moves`` is the number of moves made by then.
    - ``before``: the points of all players before the round
    - ``result``: how it ended, and each player's final yaku and pile; null while it goes on and if it was abandoned
    """
    live = table.round_at(number)
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


def step_of(table: TableState, number: int | None, seq: int) -> int | None:
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
    names = live.context.names
    unordered = [turn for turn in turns_of(live.steps, live.round) if order_unknown(turn)]
    unordered_cards = {id(step) for turn in unordered for step in turn if is_card(step)}
    for step in live.steps:
        reported = None if step.item is None else step.item.reported
        made = step.made + (step.move is not None and step.counts)
        yield {
            "kind": "scored" if step.kind == "result" else step.kind,
            "moves": made,
            "player": step.move.player
            if step.move is not None
            else step.seat
            if step.kind == "deal"
            else None,
            "words": [] if step.move is None else list(step.move.words()),
            "says": (step.text if step.move is None else turn_message([step.move], names)).to_dict(),
            "problems": [problem_view(problem, names) for problem in step.problems if step.move is not None],
            "seq": None if step.item is None else step.item.seq,
            "time": None if step.item is None else step.item.first.time,
            "source": None if reported is None else reported.source,
            "confidence": None if reported is None else reported.confidence,
            "order_unknown": id(step) in unordered_cards,
            "corrected": step.item is not None and step.item.corrected,
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
    hand = played.hand(seat["seat"])
    cards = seat.get("cards") if hand is None else list(hand)
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
