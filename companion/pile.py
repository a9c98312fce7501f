"""From the cards of a picture to what they are worth: which of them count, and the scorer's answer."""

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
    """What of a picture counts as captured, and how many cards are left out for want of a name."""

    captured: tuple[str, ...]
    unnamed: int
    back: int

    def left_out(self) -> dict[str, int]:
        """Return how many cards the score does not count, in the shape of JSON answers."""
        return {"unnamed": self.unnamed, "back": self.back}


def pile_of(cards: Iterable[Mapping[str, Any]]) -> Pile:
    """Sort the cards of a picture (contract's ``scan --json``) into what counts and what does not."""
    names = [seen["card"] for seen in cards]
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
    """Return the one scorer's answer for a pile."""
    request: dict[str, Any] = {"game": rules.game, "rules": rules, "captured": list(pile.captured)}
    # A scan keeps its month and calls when another game is chosen that does not ask for them.
    asks = scored_games()[rules.game].inputs
    if month is not None and "month" in asks:
        request["month"] = month
    if calls is not None and "calls" in asks:
        request["calls"] = dict(calls)
    return score_request(request)
