"""A game of Kekoro: rounds until one player has the required lead, in points or in one round's yaku."""

from __future__ import annotations

from random import Random

from ...match import Match, MatchOutcome
from ...messages import Message, player_message
from .round import KekoroRound
from .rules import KekoroRules

__all__ = ["KekoroMatch"]


class KekoroMatch(Match[KekoroRules]):
    """A game of Kekoro for two players; the winner takes both wagers."""

    def __init__(self, rules: KekoroRules, *, players: int = 2, dealer: int = 1) -> None:
        super().__init__(rules, players=players, dealer=dealer)

    def shuffled(self, rng: Random) -> KekoroRound:
        """Deal the next round from a shuffled deck."""
        return KekoroRound.shuffled(self.rules, rng, dealer=self.dealer)

    def outcome(self) -> MatchOutcome | None:
        """Return how the game ended: by a round's victory by yaku, or by the lead in points."""
        if self.outcomes and self.outcomes[-1].ends_game:
            return MatchOutcome(self.outcomes[-1].winners, self.outcomes[-1].why)
        first, second = self.points
        lead = abs(first - second)
        if lead < self.rules.lead_points:
            return None
        winner = 1 if first > second else 2
        return MatchOutcome(
            (winner,),
            Message(
                "kekoro-match-won",
                {
                    "player": player_message(winner),
                    "lead": lead,
                    "high": max(first, second),
                    "low": min(first, second),
                    "needed": self.rules.lead_points,
                },
            ),
        )
