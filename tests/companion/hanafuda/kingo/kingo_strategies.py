"""Random rules for Kingo, and all possible moves."""

from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from companion.hanafuda.games.kingo import (
    Bareta,
    Choose,
    Draw,
    KingoBankRound,
    KingoMove,
    KingoRound,
    Pass,
    Redeal,
    Show,
    Wager,
)
from companion.hanafuda.games.kingo.hands import deck_of
from companion.hanafuda.games.kingo.rules import KingoBankRules, KingoRules

FORMS: dict[str, Any] = {"kingo": (KingoRules, KingoRound), "kingo-bank": (KingoBankRules, KingoBankRound)}


def _values(option: Any) -> st.SearchStrategy[Any]:
    if hasattr(option, "values"):
        return st.sampled_from(list(option.values))
    return st.integers(max(option.low, 1), min(option.high, 30))


def rules_of(form: str) -> st.SearchStrategy[Any]:
    record = FORMS[form][0]
    options = {key: _values(option) for key, option in record.options().items()}
    return st.builds(lambda reported: record(**reported), st.fixed_dictionaries({}, optional=options))


def thinkable(played: Any, card: str) -> Iterator[KingoMove]:
    """Yield moves of every type by every player and an invalid one, with a known or hidden card."""
    for player in range(played.players + 2):
        yield Pass(player)
        yield Bareta(player)
        yield Redeal(player)
        for reported in (card, None):
            yield Draw(player, reported)
            yield Choose(player, reported)
        yield Show(player, card)
        for stones in (0, 1, 11):
            yield Wager(player, stones)


def cards_of(rules: Any) -> list[str]:
    return list(deck_of(rules.deck))
