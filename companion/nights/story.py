"""The story of a night: its best hand and its turning point."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from companion.nights.night_results import GameResult, Night

__all__ = ["Hand", "Turn", "best_hand", "turning_point"]


@dataclass(frozen=True, slots=True)
class Hand:
    """A player's result in a round."""

    table: str
    round: int
    seat: int


@dataclass(frozen=True, slots=True)
class Turn:
    """The round that decided a game."""

    table: str
    round: int
    seat: int
    """The player who won the game, or leads it."""
    before: tuple[int, ...]
    """The points of all players before the round."""
    after: tuple[int, ...]

    @property
    def rank(self) -> tuple[bool, int]:
        """The order of turning points: one who came from behind, then who gained most on the best other player."""
        before, after = _margin(self.before, self.seat), _margin(self.after, self.seat)
        return before < 0 < after, after - before


def best_hand(night: Night) -> Hand | None:
    """Return the won hand with yaku that brought the most points; None if there is none."""
    hands = [
        (seat.points, Hand(game.table, each.number, seat.seat))
        for game in night.games
        for each in game.rounds
        for seat in each.seats
        if seat.won and seat.yaku
    ]
    return max(hands, key=lambda hand: hand[0])[1] if hands else None


def turning_point(night: Night) -> Turn | None:
    """Return the round of largest swing toward the player who won its game; None if no game has one winner.

    A round in which that player came from behind takes precedence, because it decided more.
    """
    turns = [turn for game in night.games for turn in _turns(game)]
    return max(turns, key=lambda turn: turn.rank, default=None)


def _turns(game: GameResult) -> list[Turn]:
    """Return the rounds of a game, seen by the player who won it; none if there are fewer than two."""
    if len(game.winners) != 1 or len(game.rounds) < 2:  # one round has no swing
        return []
    points = [[seat.points for seat in each.seats] for each in game.rounds]
    totals = list(zip(*(accumulate(own, initial=0) for own in zip(*points, strict=True)), strict=True))
    return [
        Turn(game.table, each.number, game.winners[0], before, after)
        for each, before, after in zip(game.rounds, totals, totals[1:], strict=False)
    ]


def _margin(points: tuple[int, ...], seat: int) -> int:
    """Return by how many points a player is ahead of the best other player."""
    return points[seat - 1] - max(other for number, other in enumerate(points, start=1) if number != seat)
