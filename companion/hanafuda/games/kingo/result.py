"""Kingo rounds recorded by their result: for the pot the winners and their teyaku, against a banker the stones won and lost."""

from __future__ import annotations

from dataclasses import replace

from ...description import ResultForm, RoundReport, ScoredRound, ScoredSeat, YakuChoice, yaku_names
from ...errors import BadRequestError
from ...messages import Message, player_message
from ...round import Outcome
from ...round_results import points_of, why_points
from .bank import KingoBankRound
from .hands import BARETA, FIFTEEN, POT_RANKS, Hand, Rank
from .phrases import player_names
from .round import KingoRound

__all__ = ["BANK_RESULT", "RESULT"]

_TEYAKU = {rank.slug: rank for rank in POT_RANKS if rank.teyaku}


def _score(played: KingoRound, report: RoundReport) -> ScoredRound:
    out = {player for player, seat in enumerate(report.seats, start=1) if seat.out}
    hands = {
        player: _hand(player, report)
        for player, dealt in enumerate(played.deal.hands, start=1)
        if dealt and player not in out
    }
    if not report.winners:
        if hands:
            raise BadRequestError(Message("kingo-result-no-winner", {"players": player_names(hands)}))
        void = Outcome.no_round("void", played.players, played.dealer, Message("kingo-all-bareta"))
        return ScoredRound(void, tuple(ScoredSeat() for _ in report.seats))
    if lost := [player for player in report.winners if player not in hands]:
        raise BadRequestError(Message("kingo-result-winner-out", {"player": player_message(lost[0])}))
    best = hands[report.winners[0]].strength
    for player, hand in hands.items():
        wins = player in report.winners
        if (hand.rank.teyaku and hand.strength > best) or (wins and hand.strength != best):
            raise BadRequestError(Message("kingo-result-stronger", {"player": player_message(player)}))
    winners = [player for player in played.nearest if player in report.winners]
    seats = tuple(
        replace(seat, done="bareta" if player in out else "pass")
        for player, seat in enumerate(played.state.seats, start=1)
    )
    outcome = played.settled(replace(played.state, seats=seats), hands, winners)
    return ScoredRound(
        outcome,
        tuple(
            ScoredSeat(
                yaku=tuple((slug, _TEYAKU[slug].times) for slug in seat.yaku),
                total=points,
            )
            for seat, points in zip(report.seats, outcome.points, strict=True)
        ),
    )


def _hand(player: int, report: RoundReport) -> Hand:
    """Return a hand of the reported rank; its months are unknown unless the teyaku implies them."""
    slugs = list(report.seats[player - 1].yaku)
    if len(slugs) > 1:
        raise BadRequestError(Message("kingo-result-one-teyaku", {"player": player_message(player)}))
    rank: Rank = _TEYAKU[slugs[0]] if slugs else FIFTEEN
    return Hand(rank.months, rank)


def _score_bank(played: KingoBankRound, report: RoundReport) -> ScoredRound:
    rules, dealer = played.rules, played.dealer
    points = [
        0 if player == dealer and report.seats[player - 1].points is None else points_of(report, player)
        for player in range(1, played.players + 1)
    ]
    if report.seats[dealer - 1].points is None:
        if rules.tera_zen:
            raise BadRequestError(Message("result-points-missing", {"player": player_message(dealer)}))
        points[dealer - 1] = -sum(points)
    total = sum(points)
    if total > 0 or (total and not rules.tera_zen):
        raise BadRequestError(Message("kingo-result-sum", {"total": total}))
    winners = tuple(player for player, each in enumerate(points, start=1) if each > 0)
    best = max((each for player, each in enumerate(points, start=1) if player != dealer), default=0)
    bettors = [player for player in winners if points[player - 1] == best and player != dealer]
    next_dealer = played.dealer_after(bettors[0] if bettors else 0, points)
    outcome = Outcome("reported", winners, tuple(points), next_dealer, why_points(winners))
    return ScoredRound(outcome, tuple(ScoredSeat(total=each) for each in points))


RESULT = ResultForm(
    score=_score,
    winners="several",
    nobody=True,
    yaku=lambda played: {slug: YakuChoice(rank.times) for slug, rank in _TEYAKU.items()},
    yaku_names=yaku_names(_TEYAKU.values()),
    yaku_of="each",
    out=Message(f"yaku-{BARETA.slug}"),
)
BANK_RESULT = ResultForm(score=_score_bank, points="each")
