"""A game of Kakkuri: the winner deals next, until all rounds are played or a stake is used up."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Any

from ...match import Match, MatchOutcome
from ...messages import Message, player_message
from ...round import Problem, Round
from .round import KakkuriRound
from .rules import KakkuriRules

__all__ = ["KakkuriMatch"]


class KakkuriMatch(Match[KakkuriRules]):
    """A game of Kakkuri.

    The rules text has no end of the game. Here it ends after the number of `rounds` in the rules, or when a player has
    nothing left of the initial `stakes` (the last debt is still paid in full); the player with the most shares wins.
    """

    def __init__(self, rules: KakkuriRules, *, players: int = 7, dealer: int = 1) -> None:
        super().__init__(rules, players=players, dealer=dealer)

    def situation(self) -> dict[str, Any]:
        """Return the pot of the next round."""
        return {"pot": self.pot}

    def shuffled(self, rng: Random) -> KakkuriRound:
        """Deal the next round from a shuffled deck; the pot of a void round carries over."""
        return KakkuriRound.shuffled(self.rules, rng, players=self.players, dealer=self.dealer, pot=self.pot)

    def check(self, played: Round[Any, KakkuriRules, Any]) -> list[Problem]:
        """Return every reason why a round is not the next one of this game; besides the common ones wrong-pot."""
        problems = super().check(played)
        pot = played.situation().get("pot", 0)
        if pot != self.pot:
            wrong = Message("kakkuri-wrong-pot", {"pot": str(pot), "right": self.pot})
            problems.append(Problem("wrong-pot", wrong))
        return problems

    def pass_deal(self) -> None:
        """Pass the deal from the winner of the last round to the next player (option `deal_pass`).

        Raises `ValueError` if the rules do not allow it, or if no winner has the deal.
        """
        if not self.rules.deal_pass:
            raise ValueError("by these rules the winner deals: the option deal_pass is off")
        if not self.outcomes or self.outcomes[-1].winners != (self.dealer,):
            raise ValueError("only the winner of the last round can pass the deal on, and only once")
        self.outcomes[-1] = replace(self.outcomes[-1], next_dealer=self.dealer % self.players + 1)

    def name_dealer(self, dealer: int) -> None:
        """Set the dealer of the first round, or of a later one if the winner may pass the deal on."""
        super().name_dealer(dealer)
        if self.outcomes and self.rules.deal_pass and dealer == self.dealer % self.players + 1:
            with suppress(ValueError):  # no winner can pass it on: the round has the wrong dealer
                self.pass_deal()

    @property
    def stakes(self) -> tuple[int, ...]:
        """The shares each player has left."""
        return tuple(self.rules.stakes + points for points in self.points)

    def outcome(self) -> MatchOutcome | None:
        """Return how the game ended, None while it goes on."""
        rules = self.rules
        out_of_stakes = [player for player, left in enumerate(self.stakes, start=1) if left <= 0]
        if rules.stakes and out_of_stakes:
            why = Message(
                "kakkuri-match-stakes",
                {"players": tuple(map(player_message, out_of_stakes))},
            )
        elif rules.rounds and self.played >= rules.rounds:
            why = Message("kakkuri-match-rounds", {"rounds": rules.rounds})
        else:
            return None
        max_points = max(self.points)
        return MatchOutcome(
            tuple(player for player, points in enumerate(self.points, start=1) if points == max_points), why
        )
