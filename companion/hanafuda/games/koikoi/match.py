"""A game of Koi-Koi: twelve rounds, one per month, or the number of rounds in the rules."""

from __future__ import annotations

from random import Random
from typing import Any

from ...match import Match, MatchOutcome
from ...messages import Message, player_message
from ...round import Problem, Round
from .round import KoiKoiRound
from .rules import KoiKoiRules

__all__ = ["KoiKoiMatch"]

MONTHS = 12


class KoiKoiMatch(Match[KoiKoiRules]):
    """Rounds of Koi-Koi until the last one is played, or the target is reached."""

    def __init__(self, rules: KoiKoiRules, *, players: int = 2, dealer: int = 1) -> None:
        super().__init__(rules, players=players, dealer=dealer)

    @property
    def month(self) -> int:
        """The month of the next round: starting with January, and January again after December."""
        return self.played % MONTHS + 1

    def situation(self) -> dict[str, Any]:
        """Return the month of the next round."""
        return {"month": self.month}

    def shuffled(self, rng: Random) -> KoiKoiRound:
        """Deal the next round from a shuffled deck."""
        return KoiKoiRound.shuffled(self.rules, rng, dealer=self.dealer, month=self.month)

    def check(self, played: Round[Any, KoiKoiRules, Any]) -> list[Problem]:
        """Return every reason why a round is not the next one of this game; a round without a month is accepted."""
        problems = super().check(played)
        month = played.situation().get("month", self.month)
        if month != self.month:
            params = {"month": month, "next": self.month}
            problems.append(Problem("wrong-month", Message("koikoi-wrong-month", params)))
        return problems

    def outcome(self) -> MatchOutcome | None:
        """Return the winner, both players if they are even; None while the game goes on."""
        points, rules = self.points, self.rules
        best = max(points)
        if rules.target and best >= rules.target:
            end = Message("koikoi-match-target", {"target": rules.target})
        elif rules.rounds and self.played >= rules.rounds:
            end = Message("koikoi-match-rounds", {"played": self.played, "rounds": rules.rounds})
        else:
            return None
        winners = tuple(player for player, each in enumerate(points, start=1) if each == best)
        first, second = points
        if len(winners) == 1:
            why = Message(
                "koikoi-match-won",
                {"end": end, "player": player_message(winners[0]), "first": first, "second": second},
            )
        else:
            why = Message("koikoi-match-drawn", {"end": end, "first": first, "second": second})
        return MatchOutcome(winners, why)
