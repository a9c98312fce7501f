"""Nights: the games that people played in one evening, computed from the events of their tables.

`game_result` turns a table into the result of one game, as the log keeps it in a database that can be dropped and rebuilt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final, Literal, NamedTuple

from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.match import leaders
from companion.hanafuda.messages import Message
from companion.table import Table
from companion.table.disputes import Dispute, DisputeState, disputes_of
from companion.table.events import Verdict
from companion.table.live_round import LiveRound

Status = Literal["open", "closed", "deleted"]

_CARDS: Final = frozenset(card.id for card in HANAFUDA)
_BRIGHTS: Final = frozenset(card.id for card in HANAFUDA if card.kind == "bright")


class YakuResult(NamedTuple):
    """A yaku of a player in a round."""

    name: str
    points: int


class PlayedRules(NamedTuple):
    """The rules of a round or game."""

    name: str
    hash: str


@dataclass(frozen=True, slots=True)
class SeatResult:
    """The result of a round for one player."""

    seat: int
    player: str
    """The player's name; empty if the seat has none."""
    player_id: str
    """The player's id; empty for a guest."""
    points: int
    won: bool
    calls: int
    """How often the player called to play on (koi-koi)."""
    yaku: tuple[YakuResult, ...]
    brights: int | None
    """Bright cards in the dealt hand; None if the hand is not known or the deck has no brights."""


@dataclass(frozen=True, slots=True)
class RoundResult:
    """A finished round."""

    round: int
    """Its number at its table, from 1; abandoned rounds count."""
    time: str
    """When it was dealt, ISO 8601 in UTC."""
    dealer: int
    month: int | None
    how: str
    rules_name: str
    rules_hash: str
    reason: Mapping[str, Any]
    """The reason of the result, as the JSON of a message with the players' numbers."""
    seats: tuple[SeatResult, ...]

    @property
    def rules(self) -> PlayedRules:
        """The rules of the round."""
        return PlayedRules(self.rules_name, self.rules_hash)

    @property
    def why(self) -> dict[str, Any]:
        """The reason of the result, as the JSON of a message with the players' names."""
        return Message.from_dict(self.reason).with_names([seat.player for seat in self.seats]).to_dict()


@dataclass(frozen=True, slots=True)
class DisputeResult:
    """A dispute about an event."""

    night: str
    table: str
    seq: int
    """The number of the event that opened it."""
    round: int | None
    time: str
    """When it was opened, ISO 8601 in UTC."""
    state: DisputeState
    verdict: Verdict | None
    player: str
    """The player who opened it, or the device if it has no seat."""
    text: str
    says: Mapping[str, Any]
    """The event in question, as the JSON of a message."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """One game of a night, which is one table."""

    table: str
    night: str
    seq: int
    """The number of the table's last event."""
    name: str | None
    game: str
    rules_name: str
    """The rules in force at its end; the rounds have their own."""
    rules_hash: str
    deck: str | None
    opened: str
    """When the table was opened, ISO 8601 in UTC."""
    ended: str
    """When something last happened there."""
    status: Status
    over: bool
    """Whether the game has ended by its rules."""
    winners: tuple[int, ...]
    """The seats that won the game, or lead it; empty if all are equal."""
    of: int | None
    """The number of rounds that the rules set, if they do."""
    players: tuple[str, ...]
    """The players' names: what they are called now or, for guests, at the table."""
    player_ids: tuple[str, ...]
    """The players' ids; empty for guests."""
    points: tuple[int, ...]
    played: int
    """The number of finished rounds."""
    rounds: tuple[RoundResult, ...]
    """The finished rounds; empty in a list of nights."""
    disputes: tuple[DisputeResult, ...] = ()

    @property
    def rules(self) -> PlayedRules:
        """The rules in force at its end."""
        return PlayedRules(self.rules_name, self.rules_hash)


class CountedDisputes(NamedTuple):
    """The numbers of disputes of a night, without those that were withdrawn."""

    opened: int
    settled: int
    """Agreed or ruled."""


@dataclass(frozen=True, slots=True)
class BestHand:
    """The player's result in a round that brought the most points in an evening."""

    table: str
    round: int
    seat: int


@dataclass(frozen=True, slots=True)
class TurningPoint:
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


@dataclass(frozen=True, slots=True)
class Night:
    """The games of one evening, in the order in which they were opened."""

    id: str
    games: tuple[GameResult, ...]

    @property
    def name(self) -> str | None:
        """The name of its first named table."""
        return next((game.name for game in self.games if game.name), None)

    @property
    def began(self) -> str:
        """When the first table was opened."""
        return self.games[0].opened

    @property
    def ended(self) -> str:
        """When something last happened."""
        return max(game.ended for game in self.games)

    @property
    def status(self) -> Status:
        """``open`` if one of its games is, ``deleted`` if all are."""
        states = {game.status for game in self.games}
        return "open" if "open" in states else "closed" if "closed" in states else "deleted"

    @property
    def disputes(self) -> CountedDisputes:
        """The numbers of its disputes."""
        states = [each.state for game in self.games for each in game.disputes if each.state != "withdrawn"]
        return CountedDisputes(len(states), len(states) - states.count("open"))

    @property
    def players(self) -> tuple[str, ...]:
        """The names of all players, in the order of their first games and seats."""
        return tuple(dict.fromkeys(name for game in self.games for name in game.players if name))

    @property
    def best(self) -> BestHand | None:
        """The won hand with yaku that brought the most points; None if there is none."""
        hands = [
            (seat.points, BestHand(game.table, each.round, seat.seat))
            for game in self.games
            for each in game.rounds
            for seat in each.seats
            if seat.won and seat.yaku
        ]
        return max(hands, key=lambda hand: hand[0])[1] if hands else None

    @property
    def turn(self) -> TurningPoint | None:
        """The round of largest swing toward the player who won its game; None if no game has one winner.

        A round in which that player came from behind takes precedence, because it decided more.
        """
        turns = [turn for game in self.games for turn in _turns(game)]
        return max(turns, key=lambda turn: turn.rank, default=None)


def game_result(table: Table) -> GameResult:
    """Return the result of a table's game so far. Rounds that were abandoned or are not over are left out."""
    game, opened = table.game, table.opened
    outcome = game.outcome()
    table_id = str(opened.get("id"))
    rounds = tuple(_round_result(live) for live in table.rounds if live.outcome is not None)
    return GameResult(
        table=table_id,
        night=str(opened.get("night") or table_id),
        seq=table.seq,
        name=opened.get("name"),
        game=table.rules.game,
        rules_name=table.rules.name,
        rules_hash=table.rules.hash,
        deck=opened.get("deck"),
        opened=table.events[0].time,
        ended=table.last_activity,
        status=table.status,
        over=outcome is not None,
        winners=leaders(game.points) if outcome is None else outcome.winners,
        of=getattr(table.rules, "rounds", 0) or None,
        players=table.names.given,
        player_ids=table.names.players,
        points=game.points,
        played=len(rounds),
        rounds=rounds,
        disputes=tuple(_dispute_result(table, each) for each in disputes_of(table)),
    )


def _dispute_result(table: Table, dispute: Dispute) -> DisputeResult:
    seat = dispute.opened.data.get("seat")
    table_id = str(table.opened.get("id"))
    return DisputeResult(
        night=str(table.opened.get("night") or table_id),
        table=table_id,
        seq=dispute.opened.seq,
        round=dispute.round,
        time=dispute.opened.time,
        state=dispute.state,
        verdict=dispute.verdict,
        player=(seat and table.names.given[seat - 1]) or dispute.opened.actor,
        text=dispute.opened.data.get("text") or "",
        says=table.says(dispute.of).to_dict(),
    )


def _round_result(live: LiveRound) -> RoundResult:
    played, outcome, names = live.round, live.outcome, live.context.names
    assert outcome is not None
    month = played.situation().get("month")
    return RoundResult(
        round=live.number,
        time=live.items[0].first.time,
        dealer=played.dealer,
        month=month if isinstance(month, int) else None,
        how=outcome.how,
        rules_name=live.context.rules.name,
        rules_hash=live.context.rules.hash,
        reason=outcome.why.to_dict(),
        seats=tuple(
            SeatResult(
                seat=seat,
                player=names.given[seat - 1],
                player_id=names.players[seat - 1],
                points=points,
                won=seat in outcome.winners,
                calls=live.calls(seat),
                yaku=tuple(YakuResult(*each) for each in live.yaku(seat)),
                brights=_brights(played.deal.hands[seat - 1]),
            )
            for seat, points in enumerate(outcome.points, start=1)
        ),
    )


def _brights(hand: Sequence[str | None]) -> int | None:
    """Return the number of bright cards in a dealt hand; None unless all of it is known and hanafuda."""
    if not hand or not all(each in _CARDS for each in hand):
        return None
    return sum(each in _BRIGHTS for each in hand)


def _turns(game: GameResult) -> list[TurningPoint]:
    """Return the rounds of a game, seen by the player who won it; none if there are fewer than two."""
    if len(game.winners) != 1 or len(game.rounds) < 2:  # one round has no swing
        return []
    points = [[seat.points for seat in each.seats] for each in game.rounds]
    totals = list(zip(*(accumulate(own, initial=0) for own in zip(*points, strict=True)), strict=True))
    return [
        TurningPoint(game.table, each.round, game.winners[0], before, after)
        for each, before, after in zip(game.rounds, totals, totals[1:], strict=False)
    ]


def _margin(points: tuple[int, ...], seat: int) -> int:
    """Return by how many points a player is ahead of the best other player."""
    return points[seat - 1] - max(other for number, other in enumerate(points, start=1) if number != seat)
