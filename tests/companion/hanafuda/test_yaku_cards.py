"""The yaku that the help for beginners lists: as many of their cards as it says make them, and one less does not."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, islice

import pytest

from companion.hanafuda.cards import to_bits
from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import PRESETS
from companion.hanafuda.simulation import random_round

LEARNED = [name for name, rules in PRESETS.items() if GAMES[rules.game].form_of is None]
FEW = 20
"""Piles tried for each yaku with one card less."""


@pytest.mark.parametrize("preset", LEARNED)
def test_so_many_of_its_cards_make_a_yaku(preset: str) -> None:
    rules = PRESETS[preset]
    game = GAMES[rules.game]
    played = random_round(rules.game, 1, rules, players=game.usual_seats)
    listed = [yaku for yaku in game.yaku_cards(played) if yaku.slug != "month-cards"]  # depends on the month
    assert bool(listed) == (rules.game in {"koikoi", "kekoro"})
    for yaku in listed:
        assert yaku.points > 0
        assert yaku.cards <= game.cards(rules)

        def made(cards: Iterable[str], slug: str = yaku.slug) -> bool:
            assert game.scorer is not None
            assert game.scorer.explain is not None
            return any(each["name"] == slug for each in game.scorer.explain(to_bits(cards), rules)["yaku"])

        assert any(made(pile) for pile in combinations(sorted(yaku.cards), yaku.count)), yaku
        fewer = islice(combinations(sorted(yaku.cards), yaku.count - 1), FEW)
        assert not any(made(pile) for pile in fewer), yaku
