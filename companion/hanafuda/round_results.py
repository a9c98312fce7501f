"""Rounds recorded by their result: the winner, yaku, calls or captured piles, without the moves.

A person reports a `RoundReport`. The game's `ResultForm` checks it and computes a `ScoredRound` by the rules in force.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from .cards import CardTwiceError, twin
from .description import Game, ResultForm, RoundReport, ScoredRound, ScoredSeat, SeatReport
from .errors import BadRequestError
from .match import leaders
from .messages import Message, card_message, player_message
from .registry import GAMES
from .round import Outcome, Round
from .validation import whole_number

__all__ = ["points_of", "read_report", "result_form", "score_report", "scored_pile", "why_points"]

AnyRound = Round[Any, Any, Any]


def read_report(data: Mapping[str, Any], players: int) -> RoundReport:
    """Return the report in the data of a `scored` event; raises `BadRequestError` for wrong seats or numbers."""
    winners = tuple(sorted({whole_number(seat, "winners", 1, players) for seat in data.get("winners") or ()}))
    seats = list(data.get("seats") or ({},) * players)
    if len(seats) != players:
        raise BadRequestError(f"seats must be a list of {players} objects, one per player, not {len(seats)}")
    return RoundReport(how=data.get("how"), winners=winners, seats=tuple(map(_read_seat, seats)))


def _read_seat(seat: Mapping[str, Any]) -> SeatReport:
    captured = seat.get("captured")
    return SeatReport(
        points=seat.get("points"),
        yaku=dict(seat.get("yaku") or {}),
        calls=seat.get("calls") or 0,
        captured=None if captured is None else tuple(captured),
        paid=seat.get("paid") or 0,
        out=bool(seat.get("out")),
    )


def result_form(game: Game) -> ResultForm:
    """Return a game's form for results; a game without one has the points of each player and, if they score, the piles."""
    if game.result is not None:
        return game.result
    scorer = game.scorer
    return ResultForm(
        score=_score_plain,
        yaku_names=scorer.yaku if scorer else {},
        points="each",
        piles=scorer is not None and scorer.cards == "pile",
    )


def score_report(played: AnyRound, report: RoundReport) -> ScoredRound:
    """Return the result of a round from a report; raises `BadRequestError` with the reason if it is impossible.

    ``played`` is the round as far as it is known: its dealer, its month, perhaps its first moves.
    """
    game = GAMES[played.rules.game]
    form = result_form(game)
    _check_parts(played, report, form)
    return form.score(played, _checked_piles(played, report))


def _check_parts(played: AnyRound, report: RoundReport, form: ResultForm) -> None:
    """Raise `BadRequestError` for a report with parts that the game's results do not have."""
    ends = [end.how for end in form.ends]
    if report.how is not None and report.how not in ends:
        raise BadRequestError(f"how must be one of {', '.join(ends) or 'none'}, not {report.how!r}")
    known = form.yaku(played)
    for seat in report.seats:
        if seat.captured is not None and not form.piles:
            raise BadRequestError(Message("result-no-piles", {"game": played.rules.title}))
        for slug in seat.yaku:
            if slug not in known:
                names = form.yaku_names.get(slug)
                name = Message("text", {"en": names["en"], "ja": names["ja"]}) if names else slug
                raise BadRequestError(Message("result-yaku-not-played", {"yaku": name}))
        if seat.calls and not form.calls:
            raise BadRequestError(Message("result-no-calls", {"game": played.rules.title}))


def _checked_piles(played: AnyRound, report: RoundReport) -> RoundReport:
    """Return the report with twins told apart; raises `BadRequestError` for a card in both piles, twice in one, or not in the game.

    Nobody can tell the two plain chaff cards of a flower apart, so the second one reported is the other.
    """
    owner: dict[str, int] = {}
    cards = GAMES[played.rules.game].cards(played.rules)
    reported = {card for seat in report.seats for card in seat.captured or ()}
    seats = []
    for player, seat in enumerate(report.seats, start=1):
        pile = []
        for card in seat.captured or ():
            if card not in cards:
                raise BadRequestError(Message("result-unknown-card", {"card": card}))
            other = twin(card)
            if card in owner and other is not None and other not in reported | owner.keys():
                card = other  # noqa: PLW2901
            if owner.get(card) == player:
                raise CardTwiceError(card)
            if card in owner:
                params = {
                    "card": card_message(card),
                    "first": player_message(owner[card]),
                    "second": player_message(player),
                }
                raise BadRequestError(Message("result-card-in-both", params))
            owner[card] = player
            pile.append(card)
        seats.append(seat if seat.captured is None else replace(seat, captured=tuple(pile)))
    return replace(report, seats=tuple(seats))


def _score_plain(played: AnyRound, report: RoundReport) -> ScoredRound:
    """Return a result of points, or of piles scored by the game's scorer; the most points win."""
    game = GAMES[played.rules.game]
    piles = [seat.captured for seat in report.seats]
    seats: Sequence[ScoredSeat]
    if all(pile is not None for pile in piles) and game.scorer is not None:
        answers = [game.scorer.score({"captured": list(pile or ())}, played.rules) for pile in piles]
        seats = [scored_pile(answer, pile or ()) for answer, pile in zip(answers, piles, strict=True)]
    else:
        seats = [ScoredSeat(total=points_of(report, player)) for player in range(1, played.players + 1)]
    points = tuple(seat.total for seat in seats)
    winners = leaders(points)
    next_dealer = winners[0] if len(winners) == 1 else played.dealer
    return ScoredRound(Outcome("reported", winners, points, next_dealer, why_points(winners)), tuple(seats))


def points_of(report: RoundReport, player: int) -> int:
    """Return the points that a report has for a player; raises `BadRequestError` if there are none."""
    points = report.seats[player - 1].points
    if points is None:
        raise BadRequestError(Message("result-points-missing", {"player": player_message(player)}))
    return points


def why_points(winners: Sequence[int]) -> Message:
    """Return the explanation of a result that the points decide; without winners, all players have the same."""
    if not winners:
        return Message("result-even")
    return Message("result-most-points", {"players": tuple(map(player_message, winners))})


def scored_pile(answer: Mapping[str, Any], pile: Sequence[str]) -> ScoredSeat:
    """Return a player's part of the result from a scorer's answer (the contract's ``score``)."""
    reason = answer.get("reason")
    return ScoredSeat(
        yaku=tuple((each["name"], each["points"]) for each in answer["yaku"]),
        captured=tuple(pile),
        total=answer["total"],
        why=None if reason is None else Message.from_dict(reason),
    )
