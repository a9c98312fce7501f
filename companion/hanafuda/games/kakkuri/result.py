"""Kakkuri rounds recorded by their result: the winner, how the round ended, and what was paid into the pot."""

from __future__ import annotations

from dataclasses import replace

from ...description import ResultEnd, ResultForm, RoundReport, ScoredRound, ScoredSeat
from ...errors import BadRequestError
from ...messages import Message, player_message
from .payment import settle
from .round import KakkuriRound
from .state import End

__all__ = ["RESULT"]

_ENDS: tuple[End, ...] = ("win", "guri", "lucky-hand", "last-one-in")


def _score(played: KakkuriRound, report: RoundReport) -> ScoredRound:
    rules = played.rules
    winner = report.winners[0] if report.winners else 0
    end: End = "void"
    if winner:
        end = next((each for each in _ENDS if each == report.how), "win")
    out = {player for player, seat in enumerate(report.seats, start=1) if seat.out}
    if winner in out:
        raise BadRequestError(Message("kakkuri-result-winner-out", {"player": player_message(winner)}))
    if end == "last-one-in" and len(out) != played.players - 1:
        raise BadRequestError(Message("kakkuri-result-others-in", {"player": player_message(winner)}))
    if end != "last-one-in" and winner and len(out) == played.players - 1:
        end = "last-one-in"
    paid = tuple(seat.paid for seat in report.seats)
    if any(paid) and not rules.pass_penalty and rules.fold == "off":
        raise BadRequestError(Message("kakkuri-result-nothing-paid"))
    state = replace(
        played.state,
        end=end,
        winner=winner,
        paid=paid,
        out=played.state.out | sum(1 << player for player in out),
        swaps=(),
    )
    outcome = settle(played.context, state, played.pot, played.dealer)
    return ScoredRound(outcome, tuple(ScoredSeat(total=points) for points in outcome.points))


RESULT = ResultForm(
    score=_score,
    winners="one",
    nobody=True,
    ends=tuple(ResultEnd(end, Message(f"kakkuri-end-{end}")) for end in _ENDS),
    out=Message("kakkuri-result-out"),
    paid=Message("kakkuri-result-paid"),
)
