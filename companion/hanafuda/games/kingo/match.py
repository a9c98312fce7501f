"""A game of Kingo, either form: rounds one after another, each player with his stones."""

from __future__ import annotations

from random import Random
from typing import Any, TypeVar

from companion.hanafuda.games.kingo.bank import KingoBankRound
from companion.hanafuda.games.kingo.bank_rules import KingoBankRules
from companion.hanafuda.games.kingo.hands import AnyKingoRules
from companion.hanafuda.games.kingo.phrases import named, problem, stones
from companion.hanafuda.games.kingo.round import KingoRound
from companion.hanafuda.games.kingo.rules import KingoRules
from companion.hanafuda.match import Match, MatchOutcome
from companion.hanafuda.round import Problem, Round
from companion.hanafuda.rules import Text

__all__ = ["KingoBankMatch", "KingoMatch"]

R = TypeVar("R", bound=AnyKingoRules)


class _StonesMatch(Match[R]):
    """What the games of both forms share: stones, and who has none left."""

    @property
    def stones(self) -> tuple[int, ...]:
        """What each player has, in order."""
        return tuple(self.rules.stones + points for points in self.points)

    @property
    def playing(self) -> tuple[int, ...]:
        """The players who still have stones; where debts are allowed all."""
        return tuple(
            player
            for player, held in enumerate(self.stones, start=1)
            if held > 0 or self.rules.debt == "allow"
        )

    def check(self, played: Round[Any, R, Any]) -> list[Problem]:
        """Return every reason why a round is not the next one of this game."""
        problems = super().check(played)
        told = played.situation().get("stones")
        if told is not None and told != self.stones:
            problems.append(
                problem(
                    "other-stones",
                    f"the round was played with {told} stones, but the players have {self.stones}",
                    f"この局の碁石は{told}、実際は{self.stones}",
                )
            )
        return problems

    def outcome(self) -> MatchOutcome | None:
        """Return how the game ended: after its rounds, or when all but one have run out of stones (N12)."""
        if len(self.playing) > 1 and (self.rules.rounds == 0 or self.played < self.rules.rounds):
            return None
        most = max(self.stones)
        winners = tuple(player for player, held in enumerate(self.stones, start=1) if held == most)
        who, held = named(winners), stones(most)
        return MatchOutcome(
            winners,
            Text(
                f"{who.en.capitalize()} {'has' if len(winners) == 1 else 'have'} the most: {held.en}.",
                f"{who.ja}が最も多い{held.ja}。",
            ),
        )


class KingoMatch(_StonesMatch[KingoRules]):
    """A game of Kingo for the pot."""

    def shuffled(self, rng: Random, wager: int | None = None) -> KingoRound:
        """Deal the next round from a shuffled deck; the dealer may name the wager."""
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
