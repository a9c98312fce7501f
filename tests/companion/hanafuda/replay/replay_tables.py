"""Random house rules and rounds, and the recorded rounds if they are available."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import BadRuleValueError, Rules
from companion.hanafuda.simulation import random_round, record_of

__all__ = ["ROUNDS", "house_rules", "needs_recorded_rounds", "recorded", "simulated"]

ROUNDS = Path(__file__).parents[5] / "shared" / "rounds" / "koikoi-japan.jsonl"

needs_recorded_rounds = pytest.mark.skipif(
    not ROUNDS.exists(), reason="the recorded rounds are not here (../shared/rounds)"
)


def recorded() -> list[dict[str, Any]]:
    with ROUNDS.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def house_rules(game: str, rng: Random, share: float = 0.3) -> Rules:
    """Change some of a game's options, each to any possible value."""
    record = GAMES[game].rules
    while True:
        changes = {
            key: _any_value(option, rng) for key, option in record.options().items() if rng.random() < share
        }
        try:
            return record(**changes)
        except BadRuleValueError:
            continue


def _any_value(option: Any, rng: Random) -> Any:
    if hasattr(option, "values"):
        return rng.choice(list(option.values))
    if hasattr(option, "low"):
        words = [word for word in option.labels if isinstance(word, str)]
        return rng.choice(
            [*words, option.low, *(rng.randint(option.low, min(option.high, 12)) for _ in "123")]
        )
    return tuple(rng.choice(["x2", "x3", "+1", "+2"]) for _ in range(rng.randint(0, 3)))


def simulated(game: str, count: int, *, rules: str = "house") -> list[dict[str, Any]]:
    """Return random rounds as records, each by other house rules, or all by the game's own."""
    found = []
    for seed in range(count):
        table = house_rules(game, Random(seed)) if rules == "house" else None
        found.append(record_of(random_round(game, seed, table)))
    return found
