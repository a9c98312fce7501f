"""Statistics of finished rounds, as `companion.store` computes them from the log of nights."""

from __future__ import annotations

from dataclasses import dataclass

from companion.people.nights import RoundResult
from companion.people.ratings import Rating


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundFilter:
    """Which finished rounds; None means any. Rounds of deleted games never count.

    ``player``, ``won``, ``called``, ``yaku`` and ``dealt`` describe one player of the round.
    """

    game: str | None = None
    rules: str | None = None
    """The name of the rules."""
    since: str | None = None
    """Dealt at this time or later, ISO 8601 in UTC."""
    until: str | None = None
    """Dealt at this time or earlier."""
    player: str | None = None
    """The id of a player."""
    opponent: str | None = None
    """Another player of the round."""
    won: bool | None = None
    called: bool | None = None
    """Whether the player called to play on (koi-koi)."""
    yaku: str | None = None
    """A yaku that the player made."""
    dealt: bool | None = None
    """Whether the player's dealt hand is known."""
    circle: str | None = None
    """The id of a circle: only rounds in which all players are members, guests aside."""


@dataclass(frozen=True, slots=True)
class LoggedRound:
    """A finished round with its night and game."""

    night: str
    table: str
    game: str
    result: RoundResult


@dataclass(frozen=True, slots=True)
class RoundPage:
    """Some of the rounds that pass a filter, the most recent first."""

    total: int
    """The number of all rounds that pass the filter."""
    rounds: tuple[LoggedRound, ...]


@dataclass(frozen=True, slots=True)
class Streak:
    """Rounds that a player won in a row."""

    length: int
    since: str
    """When the first was dealt, ISO 8601 in UTC."""
    until: str
    """When the last was dealt."""


@dataclass(frozen=True, slots=True)
class PlayedBy:
    """How much somebody has played."""

    player: str
    """The player's id."""
    name: str
    nights: int
    rounds: int
    last: str
    """When something last happened at one of the player's tables."""


@dataclass(frozen=True, slots=True)
class BestRound:
    """A player's round with the most points."""

    points: int
    night: str
    table: str
    round: int


@dataclass(frozen=True, slots=True)
class PlayerStatistics:
    """A player's results."""

    player: str
    """The player's id, as in all statistics."""
    rounds: int
    wins: int
    points: int
    best: BestRound
    called: int
    """Rounds in which the player called to play on."""
    called_won: int
    """Those of them that the player won."""
    called_points: int
    """The player's points in the rounds with a call."""
    hands: int
    """Rounds in which the player's dealt hand is known."""
    brights: int
    """Bright cards in these hands."""
    streak: Streak | None
    rating: Rating | None
    """None for somebody who never played against another named player."""


@dataclass(frozen=True, slots=True)
class YakuStatistics:
    """How often a yaku was made, and what for."""

    yaku: str
    rounds: int
    won: int
    """Rounds that its player won."""
    points: int
    """Sum of its points."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two players in the same rounds."""

    player: str
    opponent: str
    rounds: int
    wins: int
    losses: int
    """Rounds that the opponent won."""
    points: int
    """The player's points minus the opponent's."""


@dataclass(frozen=True, slots=True)
class MonthOfPlayer:
    """A player's results in a calendar month of the server's time zone."""

    month: str
    """Such as 2026-11."""
    player: str
    rounds: int
    wins: int
    points: int


@dataclass(frozen=True, slots=True)
class Choices:
    """What can be chosen in a filter."""

    games: tuple[str, ...]
    """The games that were played, the most played first."""
    rules: tuple[tuple[str, str], ...]
    """Game and name of the rules that were played."""
    players: tuple[tuple[str, str], ...]
    """Id and name of everybody who played, by name."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """The statistics of the rounds that pass a filter; with a player in the filter, only that player's."""

    rounds: int
    players: tuple[PlayerStatistics, ...]
    """The player with the most points first."""
    yaku: tuple[YakuStatistics, ...]
    """The most frequent first."""
    pairs: tuple[Pair, ...]
    """Each pair once; with a player in the filter, from that player's side."""
    months: tuple[MonthOfPlayer, ...]
