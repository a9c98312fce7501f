"""Strategies for rules: the possible values of options, and records of them."""

from __future__ import annotations

import contextlib
from typing import Any

from hypothesis import strategies as st

from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import BadRuleValueError, Option, Rules
from companion.hanafuda.rules.options import MAX_EFFECTS, _CallsOption, _ChoiceOption, _WholeOption

OPTIONS = [(game, key) for game, known in GAMES.items() for key in known.rules.options()]
"""Every option of every game, for parametrization."""

EFFECTS = st.builds("{}{}".format, st.sampled_from("x+"), st.integers(1, 99))


def option_of(game: str, key: str) -> Option:
    return GAMES[game].rules.options()[key]


def values(option: Option) -> st.SearchStrategy[Any]:
    """Return a strategy for the possible values of an option."""
    if isinstance(option, _WholeOption):
        words = [word for word in option.labels or () if option.is_valid(word)]
        numbers = st.integers(option.low, option.high)
        return st.one_of(numbers, st.sampled_from(words)) if words else numbers
    if isinstance(option, _ChoiceOption):
        return st.sampled_from(list(option.values))
    assert isinstance(option, _CallsOption)
    return st.lists(EFFECTS, max_size=MAX_EFFECTS).map(tuple)


def edges(option: Option) -> list[Any]:
    """Return the values that a table of options could omit: the minimum and maximum number, every word and choice."""
    if isinstance(option, _WholeOption):
        words = [word for word in option.labels or () if option.is_valid(word)]
        return [option.high, option.low, *words]
    if isinstance(option, _ChoiceOption):
        return list(option.values)
    return [(), ("x99",) * MAX_EFFECTS, ("+1",), ("x1", "+99")]


@st.composite
def records(draw: st.DrawFn) -> Rules:
    """Return a strategy for consistent records of any game."""
    record = draw(st.sampled_from([game.rules for game in GAMES.values()]))
    changed = draw(st.sets(st.sampled_from(list(record.options()))))
    found = None
    with contextlib.suppress(BadRuleValueError):
        found = record(**{key: draw(values(record.options()[key])) for key in sorted(changed)})
    return found or record()
