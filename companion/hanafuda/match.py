"""A match: the sequence of rounds that players play for one result.

`Match` is added to with `push`; its state (points, dealer, pot, month, stones) follows from the outcomes of the rounds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Generic, TypeVar

from .cards import card
from .errors import BadRequestError, quote
from .messages import Message, Param, joined, player_message
from .round import Outcome, Problem, Round
from .rules.record import Rules

__all__ = ["Match", "MatchOutcome", "first_dealer", "leaders"]

R = TypeVar("R", bound=Rules)


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    """How a game ended: the winners (several share a tie) and the reason."""

    winners: tuple[int, ...]
    why: Message


class Match(ABC, Generic[R]):
    """A match: a sequence of rounds until the rules end it.

    Add finished rounds with `push`; `points`, `dealer` and `pot` are derived from them.
    """

    def __init__(self, rules: R, *, players: int, dealer: int = 1) -> None:
        if not 1 <= dealer <= players:
            raise BadRequestError(
                f"dealer must be a player's number from 1 to {players}, not {quote(dealer)}"
            )
        self.rules = rules
        self.players = players
        self.first_dealer = dealer
        self.outcomes: list[Outcome] = []

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} by {self.rules.name}: {self.players} players,"
            f" {self.played} rounds played, dealer {self.dealer}, points {self.points}>"
        )

    @property
    def dealer(self) -> int:
        """The dealer of the next round."""
        return self.outcomes[-1].next_dealer if self.outcomes else self.first_dealer

    @property
    def pot(self) -> int:
        """The pot at the start of the next round."""
        return self.outcomes[-1].pot if self.outcomes else 0

    @property
    def played(self) -> int:
        """The number of rounds played, without redeals."""
        return sum(outcome.counts for outcome in self.outcomes)

    @property
    def points(self) -> tuple[int, ...]:
        """The points of each player, in order."""
        totals = [0] * self.players
        for outcome in self.outcomes:
            totals = [total + points for total, points in zip(totals, outcome.points, strict=True)]
        return tuple(totals)

    def check(self, played: Round[Any, R, Any]) -> list[Problem]:
        """Return every reason why a round is not the next one of this game."""
        problems = []
        if self.outcome():
            problems.append(Problem("game-over", Message("match-over")))
        if played.outcome() is None:
            problems.append(Problem("round-unfinished", Message("match-round-unfinished")))
        if played.rules != self.rules:
            names: dict[str, Param] = {"round": played.rules.name, "match": self.rules.name}
            problems.append(Problem("other-rules", Message("match-other-rules", names)))
        if played.players != self.players:
            counts: dict[str, Param] = {"round": played.players, "match": self.players}
            problems.append(Problem("other-players", Message("match-other-players", counts)))
        if played.dealer != self.dealer:
            dealers = {"player": player_message(played.dealer), "dealer": player_message(self.dealer)}
            problems.append(Problem("wrong-dealer", Message("match-wrong-dealer", dealers)))
        return problems

    def situation(self) -> dict[str, Any]:
        """Return what the next round takes over, with the keys of `Round.situation`, such as a month or a pot."""
        return {}

    @property
    def sits_out(self) -> tuple[int, ...]:
        """The players who are dealt no cards in the next round."""
        return ()

    def name_dealer(self, dealer: int) -> None:
        """Set the dealer of the next round if the rules let the players choose: by default only of the first round."""
        if not self.outcomes:
            self.first_dealer = dealer

    def push(self, played: Round[Any, R, Any], *, unchecked: bool = False) -> None:
        """Add a finished round.

        Raises `BadRequestError` if it is not the next round of this game; `unchecked` adds it anyway, for example with the
        wrong dealer or after the end of the game.
        """
        outcome = played.outcome()
        if not unchecked and (problems := self.check(played)):
            raise BadRequestError(joined([problem.text for problem in problems]))
        assert outcome is not None
        self.outcomes.append(outcome)

    def pop(self) -> Outcome:
        """Remove the last round and return its outcome."""
        return self.outcomes.pop()

    @abstractmethod
    def shuffled(self, rng: Random) -> Round[Any, R, Any]:
        """Deal the next round from a shuffled deck."""

    @abstractmethod
    def outcome(self) -> MatchOutcome | None:
        """Return how the game ended, None while it goes on."""


def leaders(points: Sequence[int]) -> tuple[int, ...]:
    """Return the players with the most points; empty if all have the same."""
    most = max(points)
    winners = tuple(player for player, each in enumerate(points, start=1) if each == most)
    return winners if len(winners) < len(points) else ()


_CARD_TYPES = ("bright", "animal", "ribbon", "chaff")


def first_dealer(drawn: Iterable[str], *, higher_card: bool = True) -> int | None:
    """Return the player who deals first, given the card each player drew, in order; None if they draw again.

    The player with the earliest month deals. Among cards of one month the higher card type does, whatever cards
    are worth in the game; with `higher_card` False, everybody draws again instead. In kabufuda the number replaces
    the month, and cards of one number are equal. Raises `UnknownCardError` for an unknown id.

    >>> first_dealer(["plum-warbler", "pine-chaff-1"])
    2
    >>> first_dealer(["plum-ribbon", "plum-warbler"], higher_card=False)
    """
    cards = [card(each) for each in drawn]
    ranks = [(each.month, _CARD_TYPES.index(each.kind) if higher_card and each.kind else 0) for each in cards]
    lowest = min(ranks)
    return ranks.index(lowest) + 1 if ranks.count(lowest) == 1 else None
