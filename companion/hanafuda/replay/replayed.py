"""The replay of one round record, and its answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from companion.hanafuda.replay.interpretation import Noted, walk
from companion.hanafuda.replay.round_record import as_record, without_twice_told
from companion.hanafuda.round import Outcome, Round
from companion.hanafuda.rules import Rules

__all__ = ["Replayed", "replay"]


@dataclass(frozen=True, slots=True)
class Replayed:
    """What came of a record: the round as it was played, and everything that is wrong with it."""

    round: Round[Any, Any, Any]
    turns: int
    """How many turns the record tells."""
    noted: tuple[Noted, ...]
    agrees: bool | None
    """Whether the record's result is what its turns come to; None where it tells none, or that cannot be said."""

    @property
    def legal(self) -> bool:
        """Whether deal and moves are as the rules have them, whatever the result says."""
        return all(each.turn is None for each in self.noted)

    @property
    def outcome(self) -> Outcome | None:
        """How the round ended; None where the turns stop before its end."""
        return self.round.outcome()

    def to_dict(self) -> dict[str, Any]:
        """Return what `replay --json` tells about the round, besides file and line."""
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
            "why": {**outcome.why.to_dict(), "message": outcome.why.en} if outcome else None,
            "agrees": self.agrees,
        }


def replay(record: Any, rules: Rules | None = None) -> Replayed:
    """Check every move of a round record and work out its result again; `rules` hold where it names none.

    Raises `BadRequestError` for what is no round record; a turn that cannot be read is a problem.
    """
    told = as_record(record, rules)
    deal = tuple(Noted(0, problem) for problem in told.round.status())
    walked = walk(told)
    if deal and (hidden := without_twice_told(told.round)):
        walked = min(walked, walk(replace(told, round=hidden)), key=lambda each: len(each.noted))
    return Replayed(walked.round, len(told.turns), (*deal, *walked.noted), walked.agrees)
