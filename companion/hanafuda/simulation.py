"""Simulated rounds: random legal moves to the end, reproducible from a seed."""

from __future__ import annotations

from random import Random
from typing import Any

from .registry import GAMES
from .round import Outcome, Round
from .rules import Rules, resolve

__all__ = ["random_round", "record_of", "result_of"]

AnyRound = Round[Any, Any, Any]


def random_round(
    game: str, seed: int, rules: Rules | str | None = None, players: int | None = None
) -> AnyRound:
    """Deal a round and play random legal moves to its end.

    The number of players, if not given, is drawn from those the rules allow; the dealer and, in games with months, the
    month are drawn too.
    """
    rng = Random(seed)
    resolved = resolve(rules, game)
    round_of_game = GAMES[resolved.game].round
    seats = players or rng.choice(round_of_game.seats(resolved))
    dealer, month = rng.randint(1, seats), rng.randint(1, 12)
    situation = {"month": month} if GAMES[resolved.game].has_months else {}
    played = round_of_game.shuffled(resolved, rng, players=seats, dealer=dealer, **situation)
    while moves := played.legal_moves():
        played.push(rng.choice(moves))
    return played


def record_of(played: AnyRound) -> dict[str, Any]:
    """Return the record of a round, with its result if it is over."""
    preset = resolve(played.rules.preset)
    changes = played.rules.changes(preset)
    record: dict[str, Any] = {
        "game": played.rules.game,
        "rules": {"preset": preset.name, **changes} if changes else preset.name,
        "players": played.players,
        "dealer": played.dealer,
        **{
            key: list(value) if isinstance(value, tuple) else value
            for key, value in played.situation().items()
        },
        "deal": {
            "hands": {str(player): list(hand) for player, hand in enumerate(played.deal.hands, start=1)},
            **({"field": list(played.deal.field)} if played.deal.field else {}),
            "stock": list(played.deal.stock),
        },
        "turns": played.turns(),
    }
    if outcome := played.outcome():
        record["result"] = result_of(outcome)
    return record


def result_of(outcome: Outcome) -> dict[str, Any]:
    """Return the result in a round's record."""
    winners = outcome.winners
    return {
        "winner": None if not winners else winners[0] if len(winners) == 1 else list(winners),
        "points": {str(player): number for player, number in enumerate(outcome.points, start=1)},
    }
