"""The replay of one round record, and its result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..messages import english
from ..round import Outcome, Round
from ..rules import Rules
from .interpretation import Noted, walk
from .round_record import as_record, without_repeated_cards

__all__ = ["Replayed", "replay"]


@dataclass(frozen=True, slots=True)
class Replayed:
    """A replayed record: the round as played, and all problems."""

    round: Round[Any, Any, Any]
    turns: int
    """The number of turns in the record."""
    noted: tuple[Noted, ...]
    agrees: bool | None
    """Whether the record's result is the result of its turns; None if it has none or that is unknown."""

    @property
    def legal(self) -> bool:
        """Whether the deal and all moves are legal, regardless of the recorded result."""
        return all(each.turn is None for each in self.noted)

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the round; None if the turns stop before its end."""
        return self.round.outcome()

    def to_dict(self) -> dict[str, Any]:
        """Return the round as in `replay --json`, without file and line."""
        outcome, played = self.outcome, self.round
        seats = range(1, played.players + 1)
        return {
            "game": played.rules.game,
            "legal": self.legal,
            "problems": [each.to_dict() for each in self.noted],
            "captured": {str(player): list(played.captured(player)) for player in seats},
            "yaku": {str(player): [list(pair) for pair in played.yaku(player)] for player in seats},
            "points": {str(player): outcome.points[player - 1] if outcome else 0 for player in seats},
            "how": outcome.how if outcome else None,
            "why": {**outcome.why.to_dict(), "message": english(outcome.why)} if outcome else None,
            "agrees": self.agrees,
        }


def replay(record: Any, rules: Rules | None = None) -> Replayed:
    """Check every move of a round record and compute its result; `rules` apply if it names none.

    Raises `BadRequestError` if it is not a round record; an unreadable turn is a problem, not an error.
    """
    parsed = as_record(record, rules)
    deal = tuple(Noted(0, problem) for problem in parsed.round.status())
    walked = walk(parsed)
    if deal and (hidden := without_repeated_cards(parsed.round)):
        walked = min(walked, walk(replace(parsed, round=hidden)), key=lambda each: len(each.noted))
    return Replayed(walked.round, len(parsed.turns), (*deal, *walked.noted), walked.agrees)
