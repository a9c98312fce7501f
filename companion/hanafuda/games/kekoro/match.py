"""A game of Kekoro: rounds until one player is far enough ahead, in points or in one round's yaku."""

from __future__ import annotations

from random import Random

from companion.hanafuda.games.kekoro.round import KekoroRound
from companion.hanafuda.games.kekoro.rules import KekoroRules
from companion.hanafuda.match import Match, MatchOutcome
from companion.hanafuda.rules import Text

__all__ = ["KekoroMatch"]


class KekoroMatch(Match[KekoroRules]):
    """A game of Kekoro, of two players; the winner takes what both wagered."""

    def __init__(self, rules: KekoroRules, *, players: int = 2, dealer: int = 1) -> None:
        super().__init__(rules, players=players, dealer=dealer)

    def shuffled(self, rng: Random) -> KekoroRound:
        """Deal the next round from a shuffled deck."""
        return KekoroRound.shuffled(self.rules, rng, dealer=self.dealer)

    def outcome(self) -> MatchOutcome | None:
        """Return how the game ended: by a round's victory by yaku (E11), or by the lead in points (E2)."""
        if self.outcomes and self.outcomes[-1].ends_game:
            return MatchOutcome(self.outcomes[-1].winners, self.outcomes[-1].why)
        first, second = self.points
        lead = abs(first - second)
        if lead < self.rules.lead_points:
            return None
        winner = 1 if first > second else 2
        high, low = max(first, second), min(first, second)
        return MatchOutcome(
            (winner,),
            Text(
                f"player {winner} is {lead} points ahead, {high} to {low}: {self.rules.lead_points} end the game",
                f"{winner}番が{high}点対{low}点、{lead}点差（{self.rules.lead_points}点差で終わり）",
            ),
        )
