"""Compare a record's result with the result of its turns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..messages import Message, Param, player_message
from ..round import Outcome, Problem, Round
from .round_record import Result

__all__ = ["differences", "disagreements", "too_late"]


def disagreements(played: Round[Any, Any, Any], recorded: Result) -> list[Problem]:
    """Return every difference between a recorded result and the result of the round."""
    outcome = played.outcome()
    return [_unfinished(played)] if outcome is None else differences(outcome, recorded)


def differences(outcome: Outcome, recorded: Result) -> list[Problem]:
    """Return every difference between a recorded result and an outcome."""
    problems = []
    if recorded.winners is not None and recorded.winners not in _winners(outcome):
        problems.append(_wrong_winner(recorded.winners, outcome))
    points = recorded.points or {}
    wrong = {player: number for player, number in points.items() if number != outcome.points[player - 1]}
    if wrong:
        problems.append(_wrong_points(wrong, outcome))
    return problems


def _winners(outcome: Outcome) -> set[tuple[int, ...]]:
    """Return the winners that a record may name.

    In a round without a winner one player may still be paid (option `exhausted`), and some programs record that player
    as the winner.
    """
    paid = tuple(player for player, points in enumerate(outcome.points, start=1) if points > 0)
    winners = {tuple(sorted(outcome.winners))}
    return winners if outcome.winners or len(paid) != 1 else winners | {paid}


def too_late(outcome: Outcome) -> Problem:
    """Return the problem of a turn after the end of the round."""
    return Problem("round-over", Message("replay-after-end", {"outcome": outcome.why}))


def _unfinished(played: Round[Any, Any, Any]) -> Problem:
    player = player_message(played.to_move or 0)
    return Problem("unfinished", Message("replay-unfinished", {"player": player}))


def _wrong_winner(recorded: tuple[int, ...], outcome: Outcome) -> Problem:
    return Problem(
        "wrong-winner",
        Message("replay-wrong-winner", {"recorded": _players(recorded), "played": _players(outcome.winners)}),
    )


def _wrong_points(recorded: dict[int, int], outcome: Outcome) -> Problem:
    points = tuple(
        Message(
            "replay-points-of",
            {"recorded": number, "player": player_message(player), "played": outcome.points[player - 1]},
        )
        for player, number in recorded.items()
    )
    return Problem("wrong-points", Message("replay-wrong-points", {"points": points}))


def _players(numbers: Iterable[int]) -> Param:
    return tuple(map(player_message, sorted(numbers))) or Message("replay-nobody")
