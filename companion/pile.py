"""Scores the cards of a photograph: selects those that count as captured and asks the scorer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from companion.hanafuda.cards import BACK
from companion.hanafuda.rules import Rules
from companion.hanafuda.scoring import score_request, scored_games

__all__ = ["Pile", "pile_of", "score_pile"]


@dataclass(frozen=True, slots=True)
class Pile:
    """The captured cards of a photograph, and the number of cards that are not scored: unidentified and face-down ones."""

    captured: tuple[str, ...]
    unnamed: int
    back: int

    def left_out(self) -> dict[str, int]:
        """Return the number of cards that are not scored, for JSON answers."""
        return {"unnamed": self.unnamed, "back": self.back}


def pile_of(cards: Iterable[Mapping[str, Any]]) -> Pile:
    """Return the pile of a photograph's cards, given in the format of ``scan --json``."""
    names = [card["card"] for card in cards]
    return Pile(
        captured=tuple(name for name in names if name not in {None, BACK}),
        unnamed=names.count(None),
        back=names.count(BACK),
    )


def score_pile(
    pile: Pile,
    rules: Rules,
    month: int | None = None,
    calls: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """Return the scorer's answer for a pile."""
    request: dict[str, Any] = {"game": rules.game, "rules": rules, "captured": list(pile.captured)}
    # A scan may keep month and calls from a game that uses them after another game was chosen.
    asks = scored_games()[rules.game].inputs
    if month is not None and "month" in asks:
        request["month"] = month
    if calls is not None and "calls" in asks:
        request["calls"] = dict(calls)
    return score_request(request)
