"""A record's result beside what its turns come to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from companion.hanafuda.messages import Message
from companion.hanafuda.replay.round_record import Result
from companion.hanafuda.round import Outcome, Problem, Round
from companion.hanafuda.rules import Text

__all__ = ["disagreements", "too_late"]


def disagreements(played: Round[Any, Any, Any], told: Result) -> list[Problem]:
    """Return everything in which a result is not what the round came to."""
    outcome = played.outcome()
    if outcome is None:
        return [_unfinished(played)]
    problems = []
    if told.winners is not None and told.winners not in _winners(outcome):
        problems.append(_wrong_winner(told.winners, outcome))
    points = told.points or {}
    wrong = {player: number for player, number in points.items() if number != outcome.points[player - 1]}
    if wrong:
        problems.append(_wrong_points(wrong, outcome))
    return problems


def _winners(outcome: Outcome) -> set[tuple[int, ...]]:
    """Return the winners that a record may name.

    A round that nobody won may pay one player all the same (by the option `exhausted`), and some programs write
    that player down as the winner.
    """
    paid = tuple(player for player, points in enumerate(outcome.points, start=1) if points > 0)
    winners = {tuple(sorted(outcome.winners))}
    return winners if outcome.winners or len(paid) != 1 else winners | {paid}


def too_late(outcome: Outcome) -> Problem:
    """Say of a turn that the round was over before it."""
    return Problem(
        "round-over",
        Text(
            f"the round was over before this turn: {outcome.why.en}",
            f"この手番の前に一局は終わっている：{outcome.why.ja}",
        ),
    )


def _unfinished(played: Round[Any, Any, Any]) -> Problem:
    return Problem(
        "unfinished",
        Text(
            f"the record tells a result, but its turns stop before the end: it is player {played.to_move}'s turn",
            f"結果は書かれているが、手番が途中で終わっている：次は{played.to_move}番の手番",
        ),
    )


def _wrong_winner(told: tuple[int, ...], outcome: Outcome) -> Problem:
    said, found = _players(told), _players(outcome.winners)
    return Problem(
        "wrong-winner",
        Text(
            f"the record says that {said.en} won, but by its turns {found.en} did",
            f"記録では{said.ja}の勝ちだが、手番によれば{found.ja}の勝ち",
        ),
    )


def _wrong_points(told: dict[int, int], outcome: Outcome) -> Problem:
    en = ", ".join(
        f"{number} to player {player} instead of {outcome.points[player - 1]}"
        for player, number in told.items()
    )
    ja = "、".join(
        f"{player}番は{outcome.points[player - 1]}点のはずが{number}点" for player, number in told.items()
    )
    return Problem("wrong-points", Text(f"the record gives {en}", ja))


def _players(numbers: Iterable[int]) -> Message:
    numbers = sorted(numbers)
    if not numbers:
        return Text("nobody", "なし")
    count = "s" if len(numbers) > 1 else ""
    return Text(
        f"player{count} {' and '.join(map(str, numbers))}", "と".join(f"{number}番" for number in numbers)
    )
