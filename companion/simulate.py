"""Rounds that nobody played: random, but legal to the last card, and the same again from the same seed."""

from __future__ import annotations

from random import Random
from typing import Any

from companion.game import Round
from companion.replay._rounds import round_class
from companion.rules import Rules, resolve

__all__ = ["random_round", "record_of"]

AnyRound = Round[Any, Any, Any]


def random_round(
    game: str, seed: int, rules: Rules | str | None = None, players: int | None = None
) -> AnyRound:
    """Deal a round and play it to its end, every move drawn by lot from the legal ones.

    Without `players` their number is drawn too, from those that the rules know.
    """
    rng = Random(seed)
    found = resolve(rules, game)
    played = round_class(found).shuffled(found, rng, players=players or 2)
    while moves := played.legal_moves():
        played.push(rng.choice(moves), as_told=True)
    return played


def record_of(played: AnyRound) -> dict[str, Any]:
    """Return the round record of a round, with its result once it is over."""
    preset = resolve(played.rules.preset)
    changes = played.rules.changes(preset)
    record = {
        "game": played.rules.game,
        "rules": {"preset": preset.name, **changes} if changes else preset.name,
        "players": played.players,
        "dealer": played.dealer,
        **played.situation(),
        "deal": {
            "hands": {str(player): list(hand) for player, hand in enumerate(played.deal.hands, start=1)},
            "field": list(played.deal.field),
            "stock": list(played.deal.stock),
        },
        "turns": played.turns(),
    }
    if outcome := played.outcome():
        winners = outcome.winners
        record["result"] = {
            "winner": None if not winners else winners[0] if len(winners) == 1 else list(winners),
            "points": {str(player): number for player, number in enumerate(outcome.points, start=1)},
        }
    return record
