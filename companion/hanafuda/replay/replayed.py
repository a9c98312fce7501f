"""The replay of one round record, and its result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..description import ScoredRound
from ..errors import BadRequestError
from ..round import Outcome, Problem, Round
from ..round_results import score_report
from ..rules import Rules
from .disagreements import differences
from .interpretation import Noted, walk
from .round_record import Record, as_record, without_repeated_cards

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
    scored: ScoredRound | None = None
    """The result, if the record has a report of it instead of all moves."""

    @property
    def legal(self) -> bool:
        """Whether the deal and all moves are legal, regardless of the recorded result."""
        return all(each.turn is None for each in self.noted)

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the round; None if the turns stop before its end."""
        return self.round.outcome() if self.scored is None else self.scored.outcome

    def captured(self, player: int) -> tuple[str, ...]:
        """Return a player's captured cards; none if the record does not have them."""
        return (
            self.round.captured(player)
            if self.scored is None
            else self.scored.seats[player - 1].captured or ()
        )

    def yaku(self, player: int) -> tuple[tuple[str, int], ...]:
        """Return a player's yaku as slug and points."""
        return self.round.yaku(player) if self.scored is None else self.scored.seats[player - 1].yaku

    def to_dict(self) -> dict[str, Any]:
        """Return the round as in `replay --json`, without file and line."""
        outcome, played = self.outcome, self.round
        seats = range(1, played.players + 1)
        return {
            "game": played.rules.game,
            "legal": self.legal,
            "problems": [each.to_dict() for each in self.noted],
            "captured": {str(player): list(self.captured(player)) for player in seats},
            "yaku": {str(player): [list(pair) for pair in self.yaku(player)] for player in seats},
            "points": {str(player): outcome.points[player - 1] if outcome else 0 for player in seats},
            "how": outcome.how if outcome else None,
            "why": outcome.why.to_dict() if outcome else None,
            "agrees": self.agrees,
        }


def replay(record: Any, rules: Rules | None = None) -> Replayed:
    """Check every move of a round record and compute its result; `rules` apply if it names none.

    Raises `BadRequestError` if it is not a round record; an unreadable turn is a problem, not an error.
    """
    parsed = as_record(record, rules)
    if parsed.scored is not None:
        return _with_result(parsed)
    deal = tuple(Noted(0, problem) for problem in parsed.round.status())
    walked = walk(parsed)
    if deal and (hidden := without_repeated_cards(parsed.round)):
        walked = min(walked, walk(replace(parsed, round=hidden)), key=lambda each: len(each.noted))
    return Replayed(walked.round, len(parsed.turns), (*deal, *walked.noted), walked.agrees)


def _with_result(parsed: Record) -> Replayed:
    """Replay a record with a report of its result: the moves it has, then the report; the deal may be missing."""
    assert parsed.scored is not None
    dealt = parsed.round.deal
    known = any((*dealt.field, *(card for hand in dealt.hands for card in hand)))
    deal = tuple(Noted(0, problem) for problem in parsed.round.status()) if known or parsed.turns else ()
    walked = walk(replace(parsed, result=None))
    noted, scored, agrees = [*deal, *walked.noted], None, None
    try:
        scored = score_report(walked.round, parsed.scored)
    except BadRequestError as error:
        noted.append(Noted(None, Problem("impossible-result", error.message)))
        agrees = False
    if scored is not None and parsed.result is not None:
        problems = differences(scored.outcome, parsed.result)
        noted += [Noted(None, problem) for problem in problems]
        agrees = not problems
    return Replayed(walked.round, len(parsed.turns), tuple(noted), agrees, scored)
