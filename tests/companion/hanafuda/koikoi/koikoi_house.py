"""Random house rules: any value of any option of Koi-Koi."""

from random import Random
from typing import Any

from companion.hanafuda.games.koikoi.rules import KoiKoiRules

EFFECTS = ((), ("x2",), ("x2", "x3", "x4"), ("+1", "+2", "x3"))
NUMBERS = {"max_calls": (0, 1, 2, "once_a_round"), "rounds": (1, 3, 12), "target": (0, 10, 50)}


def house_rules(rng: Random) -> KoiKoiRules:
    """Return random rules; each option has its default in half of the cases."""
    return KoiKoiRules(
        **{
            key: _value(key, option, rng)
            for key, option in KoiKoiRules.options().items()
            if rng.random() < 0.5
        }
    )


def _value(key: str, option: Any, rng: Random) -> Any:
    if key in {"own_call", "opponent_call"}:
        return rng.choice(EFFECTS)
    if key in NUMBERS:
        return rng.choice(NUMBERS[key])
    if hasattr(option, "values"):
        return rng.choice(list(option.values))
    return rng.randint(0, 8)
