"""A game of Kingo, either form: a series of rounds with stones for each player."""

from __future__ import annotations

from random import Random
from typing import Any, TypeVar

from ...match import Match, MatchOutcome
from ...messages import Message
from ...round import Problem, Round
from .bank import KingoBankRound
from .hands import AnyKingoRules
from .phrases import player_names, stone_count
from .round import KingoRound
from .rules import KingoBankRules, KingoRules

__all__ = ["KingoBankMatch", "KingoMatch"]

R = TypeVar("R", bound=AnyKingoRules)


class _StonesMatch(Match[R]):
    """The part that both forms share: the stones, and who has none left."""

    @property
    def stones(self) -> tuple[int, ...]:
        """Each player's stones, by seat."""
        return tuple(self.rules.stones + points for points in self.points)

    @property
    def playing(self) -> tuple[int, ...]:
        """The players who still have stones; everybody if debts are allowed."""
        return tuple(
            player
            for player, count in enumerate(self.stones, start=1)
            if count > 0 or self.rules.debt == "allow"
        )

    def situation(self) -> dict[str, Any]:
        """Return each player's stones."""
        return {"stones": self.stones}

    @property
    def sits_out(self) -> tuple[int, ...]:
        """The players without stones, unless debts are allowed."""
        return tuple(player for player in range(1, self.players + 1) if player not in self.playing)

    def check(self, played: Round[Any, R, Any]) -> list[Problem]:
        """Return every reason why a round is not the next one of this game."""
        problems = super().check(played)
        recorded = played.situation().get("stones")
        if recorded is not None and recorded != self.stones:
            params = {"recorded": recorded, "stones": self.stones}
            problems.append(Problem("other-stones", Message("kingo-other-stones", params)))
        return problems

    def outcome(self) -> MatchOutcome | None:
        """Return how the game ended: after its rounds, or when only one player has stones left."""
        if len(self.playing) > 1 and (self.rules.rounds == 0 or self.played < self.rules.rounds):
            return None
        max_stones = max(self.stones)
        winners = tuple(player for player, count in enumerate(self.stones, start=1) if count == max_stones)
        why = Message(
            "kingo-match-won", {"players": player_names(winners), "stones": stone_count(max_stones)}
        )
        return MatchOutcome(winners, why)


class KingoMatch(_StonesMatch[KingoRules]):
    """A game of Kingo for the pot."""

    def shuffled(self, rng: Random, wager: int | None = None) -> KingoRound:
        """Deal the next round from a shuffled deck; `wager` replaces the rules' wager."""
        return KingoRound.shuffled(
            self.rules, rng, players=self.players, dealer=self.dealer, wager=wager, stones=self.stones
        )


class KingoBankMatch(_StonesMatch[KingoBankRules]):
    """A game of Kingo's banking form."""

    def shuffled(self, rng: Random) -> KingoBankRound:
        """Deal the next round from a shuffled deck."""
        return KingoBankRound.shuffled(
            self.rules, rng, players=self.players, dealer=self.dealer, stones=self.stones
        )
