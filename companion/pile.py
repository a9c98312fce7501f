"""Scores the cards of a photograph, given in the format of ``scan --json``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from companion.hanafuda.cards import BACK, HANAFUDA
from companion.hanafuda.rules import Rules
from companion.hanafuda.scoring import scored_games

Cards = Iterable[Mapping[str, Any]]

_SCORED: Final = frozenset((*(card.id for card in HANAFUDA), BACK, None))


def is_scored(names: Iterable[str | None]) -> bool:
    """Return whether games score a pile with these ``names`` of cards: no game scores piles of other packs than hanafuda."""
    return _SCORED.issuperset(names)


def captured(cards: Cards) -> list[str]:
    """Return the cards that are scored, each once: the identified ones that are not face down."""
    return list(dict.fromkeys(card["card"] for card in cards if card["card"] not in {None, BACK}))


def cards_twice(names: Iterable[str | None]) -> list[str]:
    """Return the cards that occur more than once among the ``names`` of the cards in a photograph."""
    counts = Counter(names)
    return [name for name in counts if name not in {None, BACK} and counts[name] > 1]


def left_out(cards: Cards) -> dict[str, int]:
    """Return the number of cards that are not scored, for JSON answers."""
    names = [card["card"] for card in cards]
    return {"unnamed": names.count(None), "back": names.count(BACK)}


def score_pile(
    cards: Cards, rules: Rules, month: int | None = None, calls: Mapping[str, int] | None = None
) -> dict[str, Any]:
    """Return the scorer's answer for a photograph's cards; month and calls are ignored by games that do not use them."""
    scorer = scored_games()[rules.game]
    given = {"month": month, "calls": calls}
    inputs = {key: given[key] for key in scorer.inputs if given.get(key) is not None}
    return scorer.score({**inputs, "captured": captured(cards)}, rules)
