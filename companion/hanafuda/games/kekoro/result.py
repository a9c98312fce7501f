"""Kekoro rounds recorded by their result: the points of both players, perhaps with their yaku, or the captured piles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_

from ...cards import HANAFUDA, from_bits
from ...description import ResultEnd, ResultForm, RoundReport, ScoredRound, ScoredSeat, YakuChoice, yaku_names
from ...errors import BadRequestError
from ...fishing.piles import reported_piles
from ...messages import Message, Param, card_message, player_message, yaku_message
from ...round_results import points_of, scored_pile
from .round import End, KekoroRound, why_points
from .rules import KekoroRules
from .scoring import prepared, score, to_dict
from .yaku import YAKU, YAKU_1921, in_force

__all__ = ["RESULT"]

_ALL = sum(card.bit for card in HANAFUDA)


def _score(played: KekoroRound, report: RoundReport) -> ScoredRound:
    piles = reported_piles(played, report)
    if piles is None:
        _check_yaku(played.rules, report)
        seats = tuple(_seat(played.rules, report, player) for player in (1, 2))
    else:
        seats = tuple(
            scored_pile(to_dict(score(pile, played.rules)), seat.captured or ())
            for pile, seat in zip(piles, report.seats, strict=True)
        )
    first, second = (seat.total for seat in seats)
    known = piles is not None or any(seat.yaku for seat in report.seats)
    leader = _leader(played.rules, seats) if known else 0
    how = _how(played, report, leader, known=known)
    if how == "yaku-victory":
        winner = leader or (1 if first > second else 2)
        own, other = sorted((len(seat.yaku) for seat in seats), reverse=True)
        reason = (
            played.why_yaku(winner, own, other)
            if known
            else Message("kekoro-result-by-yaku", {"player": player_message(winner)})
        )
        return ScoredRound(played.ended(how, winner, (first, second), reason), seats)
    winner = 0 if first == second else 1 if first > second else 2
    reason = why_points(winner, first, second)
    return ScoredRound(played.ended(how, winner, (first, second), reason), seats)


def _how(played: KekoroRound, report: RoundReport, leader: int, *, known: bool) -> End:
    """Return how the round ended; raises `BadRequestError` for a victory by yaku without the lead in yaku."""
    rules = played.rules
    if report.how == "yaku-victory" and not leader and (known or not rules.lead_to_win):
        raise BadRequestError(Message("kekoro-result-no-lead", {"lead": rules.lead_to_win}))
    automatic = leader and rules.declare == "automatic"
    return "yaku-victory" if automatic or report.how == "yaku-victory" else "played-out"


def _leader(rules: KekoroRules, seats: Sequence[ScoredSeat]) -> int:
    """Return the player whose lead in yaku wins the game, 0 for none."""
    first, second = (len(seat.yaku) for seat in seats)
    if 0 < rules.lead_to_win <= abs(first - second):
        return 1 if first > second else 2
    return 0


def _seat(rules: KekoroRules, report: RoundReport, player: int) -> ScoredSeat:
    """Return a player's counted points; raises `BadRequestError` if they do not fit the yaku."""
    points, ticked = points_of(report, player), report.seats[player - 1].yaku
    scorer = prepared(rules)
    cards = points - rules.yaku_points * len(ticked)
    least = scorer.values(_cards_of(rules, ticked))
    most = scorer.values(_ALL)
    if not ticked:  # the points may contain yaku that were not reported
        most += rules.yaku_points * len(in_force(rules.yaku_source))
    if points < 0 or cards > most or (ticked and cards < least):
        params: dict[str, Param] = {
            "player": player_message(player),
            "points": points,
            "yaku": rules.yaku_points * len(ticked),
            "least": rules.yaku_points * len(ticked) + least,
        }
        raise BadRequestError(Message("kekoro-result-other-points", params))
    return ScoredSeat(yaku=tuple((slug, rules.yaku_points) for slug in ticked), total=points)


def _cards_of(rules: KekoroRules, ticked: Mapping[str, int]) -> int:
    return reduce(or_, (yaku.cards for yaku in in_force(rules.yaku_source) if yaku.slug in ticked), 0)


def _check_yaku(rules: KekoroRules, report: RoundReport) -> None:
    """Raise `BadRequestError` if both players' yaku need the same card, or the cards of a player's yaku make another."""
    first, second = (_cards_of(rules, seat.yaku) for seat in report.seats)
    if first & second:
        card = from_bits(first & second)[0]
        raise BadRequestError(Message("result-both-need", {"card": card_message(card.id)}))
    for player, (cards, seat) in enumerate(zip((first, second), report.seats, strict=True), start=1):
        made = [yaku.slug for yaku in in_force(rules.yaku_source) if yaku.made_by(cards)]
        if also := [slug for slug in made if slug not in seat.yaku]:
            others = tuple(map(yaku_message, also))
            raise BadRequestError(Message("result-also", {"whose": player_message(player), "others": others}))


RESULT = ResultForm(
    score=_score,
    ends=(
        ResultEnd("played-out", Message("kekoro-end-played-out")),
        ResultEnd("yaku-victory", Message("kekoro-end-yaku-victory")),
    ),
    yaku=lambda played: {
        yaku.slug: YakuChoice(played.rules.yaku_points) for yaku in in_force(played.rules.yaku_source)
    },
    yaku_names=yaku_names((*YAKU.values(), *YAKU_1921.values())),
    yaku_of="each",
    points="each",
    piles=True,
)
