"""Koi-Koi rounds recorded by their result: the winner with the yaku, plain points, or the captured piles, and the calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import product

from ...cards import HANAFUDA, from_bits, to_bits
from ...description import ResultForm, RoundReport, ScoredRound, ScoredSeat, YakuChoice, yaku_names
from ...errors import BadRequestError
from ...fishing.piles import reported_piles
from ...messages import Message, Param, card_message, player_message, yaku_message
from .reasons import why
from .round import KoiKoiRound
from .rules import KoiKoiRules
from .scoring import CUPS, Judgment, Score, Situation, judge, score
from .yaku import MONTHS, SAKE, TEYAKU, YAKU, in_force

__all__ = ["RESULT"]

_Reported = tuple[tuple[str, int], ...]
"""Yaku as slug and number of further cards."""

_BRIGHTS = [card.bit for card in HANAFUDA if card.kind == "bright"]
_VIEWED = to_bits(["cherry-curtain", "susuki-moon"])


def _cards(card_type: str) -> int:
    return sum(card.bit for card in HANAFUDA if card.kind == card_type)


_BOARS = YAKU["boar-deer-butterfly"].of
_ANIMALS = _cards("animal") & ~_BOARS & ~SAKE
_POETRY, _BLUE = YAKU["poetry-ribbons"].of, YAKU["blue-ribbons"].of
_RIBBONS = _cards("ribbon") & ~_POETRY & ~_BLUE
_CHAFF = _cards("chaff")
_ALIKE = (*_BRIGHTS, SAKE, _BOARS, _ANIMALS, _POETRY, _BLUE, _RIBBONS, _CHAFF)
"""Sets of cards that are interchangeable in every yaku except the month cards."""


def _score(played: KoiKoiRound, report: RoundReport) -> ScoredRound:
    winner = report.winners[0] if report.winners else 0
    _check_calls(played.rules, report)
    if winner and (teyaku := [slug for slug in report.seats[winner - 1].yaku if slug in TEYAKU]):
        return _won_by_teyaku(played, report, winner, teyaku)
    piles = reported_piles(played, report)
    scores = _scores_of_yaku(played, report) if piles is None else _scores_of_piles(played, report, piles)
    seats = tuple(
        ScoredSeat(
            yaku=tuple((paid.yaku.slug, paid.points) for paid in result.paid) if result else (),
            calls=seat.calls,
            captured=None if piles is None else seat.captured or (),
            total=result.total if result else 0,
            why=why(result) if result else None,
        )
        for seat, result in zip(report.seats, scores, strict=True)
    )
    if not winner:
        outcome = played.without_winner("exhausted", played.rules.exhausted, Message("koikoi-exhausted"))
        return ScoredRound(outcome, seats)
    result, reported = scores[winner - 1], report.seats[winner - 1].points
    who = player_message(winner)
    if result is None or not result.paid:
        if piles is not None or reported is None:
            raise BadRequestError(Message("koikoi-result-without-yaku", {"player": who}))
        return _won_by_points(played, seats, winner, reported)
    if result.base <= report.seats[winner - 1].calls:
        params: dict[str, Param] = {
            "player": who,
            "calls": report.seats[winner - 1].calls,
            "base": result.base,
        }
        raise BadRequestError(Message("koikoi-result-many-calls", params))
    outcome = played.won_by_score(winner, result)
    if reported is not None and reported != outcome.points[winner - 1]:
        params = {"points": outcome.points[winner - 1], "reported": reported, "why": why(result)}
        raise BadRequestError(Message("koikoi-result-other-points", params))
    return ScoredRound(outcome, seats)


def _check_calls(rules: KoiKoiRules, report: RoundReport) -> None:
    calls = [seat.calls for seat in report.seats]
    most = rules.max_calls
    if sum(calls) > 1 if most == "once_a_round" else 0 < most < max(calls):
        limit = rules.options()["max_calls"].meaning(most)
        raise BadRequestError(Message("koikoi-result-max-calls", {"limit": limit}))


def _won_by_teyaku(
    played: KoiKoiRound, report: RoundReport, winner: int, slugs: Sequence[str]
) -> ScoredRound:
    seat = report.seats[winner - 1]
    if len(seat.yaku) > 1 or any(each.calls for each in report.seats):
        raise BadRequestError(Message("koikoi-result-teyaku-alone", {"yaku": yaku_message(slugs[0])}))
    outcome = played.won_by_teyaku(winner, TEYAKU[slugs[0]])
    points = outcome.points[winner - 1]
    seats = [ScoredSeat() for _ in report.seats]
    seats[winner - 1] = ScoredSeat(yaku=((slugs[0], points),), total=points, why=outcome.why)
    return ScoredRound(outcome, tuple(seats))


def _won_by_points(
    played: KoiKoiRound, seats: tuple[ScoredSeat, ...], winner: int, points: int
) -> ScoredRound:
    if points < 1:
        raise BadRequestError(Message("koikoi-result-without-yaku", {"player": player_message(winner)}))
    reason = Message(
        "result-points-reported",
        {"player": player_message(winner), "points": Message("points", {"count": points})},
    )
    return ScoredRound(played.won("stop", winner, points, reason), seats)


def _situation(played: KoiKoiRound, report: RoundReport, player: int) -> Situation:
    own, opponent = report.seats[player - 1].calls, report.seats[2 - player].calls
    return Situation(played.month, None, own, opponent)


def _scores_of_piles(played: KoiKoiRound, report: RoundReport, piles: Sequence[int]) -> list[Score | None]:
    return [
        score(pile, played.rules, _situation(played, report, player))
        for player, pile in enumerate(piles, start=1)
    ]


# --- yaku without cards


def _scores_of_yaku(played: KoiKoiRound, report: RoundReport) -> list[Score | None]:
    """Return the score of each player's ticked yaku, None without any; raises `BadRequestError` if no cards make them."""
    choices: list[Sequence[int]] = []
    for seat in report.seats:
        if teyaku := next((slug for slug in seat.yaku if slug in TEYAKU), None):
            raise BadRequestError(Message("koikoi-result-teyaku-alone", {"yaku": yaku_message(teyaku)}))
        reported = tuple(sorted(seat.yaku.items()))
        piles = _piles_of(played.rules, played.month, seat.calls > 0, reported) if reported else (0,)
        if not piles:
            raise BadRequestError(_impossible(played, seat.yaku))
        choices.append(piles)
    first, second = choices
    pair = next((pair for pair in product(first, second) if _disjoint(*pair)), None)
    if pair is None:
        raise BadRequestError(_contested(first, second))
    return [
        score(pile, played.rules, _situation(played, report, player)) if pile else None
        for player, pile in enumerate(pair, start=1)
    ]


@lru_cache(maxsize=256)
def _piles_of(rules: KoiKoiRules, month: int | None, called: bool, reported: _Reported) -> tuple[int, ...]:
    """Return piles with exactly these yaku, the smallest score first; of interchangeable cards, only the number differs.

    Without further cards, a yaku has as few as the others allow.
    """
    situation = Situation(month=month, own_calls=int(called))
    wanted = dict(reported)
    found = []
    for pile in _candidates(rules, situation, wanted):
        made = {paid.yaku.slug: paid.further for paid in score(pile, rules, situation).paid}
        if _makes(made, wanted):
            found.append((sum(made.values()), pile.bit_count(), pile))
    return tuple(pile for _, _, pile in sorted(found))


def _candidates(rules: KoiKoiRules, situation: Situation, wanted: Mapping[str, int]) -> Iterator[int]:
    """Yield the piles that are right in each group of yaku alone."""
    cups = CUPS[rules.sake_cup]

    def right(pile: int, group: str) -> bool:
        yaku = {slug: further for slug, further in wanted.items() if YAKU[slug].group == group}
        return any(_makes(_group(judge(pile, rules, situation, cup), group), yaku) for cup in cups)

    month = MONTHS[situation.month - 1] if rules.month_cards and situation.month else 0
    has_month = "month-cards" in wanted

    def first(cards: int, count: int) -> int:
        # Of interchangeable cards, those of the month come first if all four are needed, otherwise last.
        ordered = sorted(from_bits(cards), key=lambda card: bool(card.bit & month) != has_month)
        return sum(card.bit for card in ordered[:count])

    def counted(*alike: int) -> list[int]:
        """Return every number of cards from each set of interchangeable ones."""
        numbers = [[first(cards, count) for count in range(cards.bit_count() + 1)] for cards in alike]
        return [sum(parts) for parts in product(*numbers)]

    groups = {YAKU[slug].group for slug in wanted}
    brights = sum(_BRIGHTS) if "brights" in groups else _VIEWED if "viewings" in groups else 0
    lights = [pile for pile in _subsets(brights) if right(pile, "brights")]
    animals = counted(_BOARS, _ANIMALS) if "animals" in groups else [0]
    ribbons = counted(_POETRY, _BLUE, _RIBBONS) if "ribbons" in groups else [0]
    ribbons = [pile for pile in ribbons if right(pile, "ribbons")]
    chaff = [0]
    if "chaff" in wanted:
        count = YAKU["chaff"].count + wanted["chaff"]
        chaff = [first(_CHAFF, count), first(_CHAFF, count - 1)]  # the cup may be another chaff
    for cup_card in (0, SAKE):
        with_cup = [pile for pile in animals if right(pile | cup_card, "animals")]
        for parts in product(lights, with_cup, ribbons, chaff):
            yield sum(parts) | cup_card | (month if has_month else 0)


def _group(judgment: Judgment, group: str) -> dict[str, int]:
    """Return the yaku of a group with their further cards."""
    return {slug: paid.further for slug, paid in judgment.paid.items() if paid.yaku.group == group}


def _makes(made: Mapping[str, int], wanted: Mapping[str, int]) -> bool:
    """Return whether exactly the wanted yaku are made, with the wanted further cards where they are given."""
    return made.keys() == wanted.keys() and all(made[slug] == more for slug, more in wanted.items() if more)


def _subsets(cards: int) -> Iterator[int]:
    subset = cards
    while subset:
        yield subset
        subset = (subset - 1) & cards
    yield 0


def _disjoint(first: int, second: int) -> bool:
    """Return whether two players can have such piles at once."""
    return all(
        (first & cards).bit_count() + (second & cards).bit_count() <= cards.bit_count() for cards in _ALIKE
    )


# --- reasons


def _impossible(played: KoiKoiRound, reported: Mapping[str, int]) -> Message:
    """Return why no cards make exactly these yaku."""
    single = partial(_piles_of, played.rules, played.month, False)
    union = 0
    for slug in reported:
        union |= next(iter(single(((slug, 0),))), 0)
    made = [paid.yaku.slug for paid in score(union, played.rules, Situation(month=played.month)).paid]
    if missing := [slug for slug in reported if slug not in made]:
        names = tuple(map(yaku_message, missing))
        if not made:
            return Message("koikoi-result-impossible", {"yaku": names})
        return Message("koikoi-result-excluded", {"yaku": names, "others": tuple(map(yaku_message, made))})
    if also := [slug for slug in made if slug not in reported]:
        names, others = tuple(map(yaku_message, reported)), tuple(map(yaku_message, also))
        return Message("result-also", {"whose": names, "others": others})
    return Message("koikoi-result-impossible", {"yaku": tuple(map(yaku_message, reported))})


def _contested(first: Sequence[int], second: Sequence[int]) -> Message:
    """Return why two players cannot have their yaku at once; names a card that both need, if there is one."""
    need = [_common(piles) for piles in (first, second)]
    shared = need[0] & need[1] & (sum(_BRIGHTS) | SAKE)
    if shared:
        return Message("result-both-need", {"card": card_message(from_bits(shared)[0].id)})
    return Message("koikoi-result-contested")


def _common(piles: Sequence[int]) -> int:
    common = piles[0]
    for pile in piles:
        common &= pile
    return common


# --- the form


def _choices(played: KoiKoiRound) -> dict[str, YakuChoice]:
    """Return the yaku in force, and the teyaku."""
    rules = played.rules
    month = played.month
    choices = {
        yaku.slug: YakuChoice(
            getattr(rules, yaku.option), further=yaku.counted or _extra(rules, yaku.group, bool(yaku.pool))
        )
        for yaku in in_force(rules, month, "animal")
        if yaku.group != "month" or month
    }
    teyaku = {
        each.slug: YakuChoice(getattr(rules, each.option))
        for each in TEYAKU.values()
        if getattr(rules, each.option)
    }
    return {**choices, **teyaku}


def _extra(rules: KoiKoiRules, group: str, pool: bool) -> bool:
    special = {"animals": rules.animals_special, "ribbons": rules.ribbons_special}
    return pool and special.get(group, "stack") != "stack"


RESULT = ResultForm(
    score=_score,
    winners="one",
    nobody=True,
    yaku=_choices,
    yaku_names=yaku_names((*YAKU.values(), *TEYAKU.values())),
    calls=True,
    points="winner",
    piles=True,
)
