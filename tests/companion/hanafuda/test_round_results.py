"""Results without moves agree with the rounds that were played: reported by what a person knows of them."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from companion.hanafuda.description import RoundReport, SeatReport
from companion.hanafuda.games.koikoi.result import _piles_of
from companion.hanafuda.games.koikoi.rules import KoiKoiRules
from companion.hanafuda.games.koikoi.scoring import Situation, score
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round_results import result_form, score_report
from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import AnyRound, random_round

STANDARD: Any = resolve("koikoi-standard")
VARIANTS: list[KoiKoiRules] = [
    *(resolve(preset) for preset in KoiKoiRules.presets),  # type: ignore[misc]
    replace(STANDARD, sake_cup="animal_or_chaff"),
    replace(STANDARD, bright_group="all", rain_man="counts"),
    replace(STANDARD, animals_special="best_extra", ribbons_special="stack_extra"),
    replace(STANDARD, viewing_spoilt="captured_rain", viewing_needs="another_yaku"),
    replace(STANDARD, viewing_needs="month", month_cards=4),
    replace(STANDARD, poetry_blue="replace", sake_cup="uncounted"),
]


@pytest.mark.parametrize("rules", VARIANTS, ids=lambda rules: rules.hash)
def test_the_yaku_of_any_pile_can_be_entered_and_make_the_same_points(rules: KoiKoiRules) -> None:
    rng = Random(5)
    for _ in range(40):
        pile = sum(1 << card for card in rng.sample(range(48), rng.randint(4, 34)))
        month, called = rng.randint(1, 12), rng.random() < 0.3
        situation = Situation(month=month, own_calls=int(called))
        made = score(pile, rules, situation)
        if not made.paid:
            continue
        reported = tuple(sorted((paid.yaku.slug, paid.further) for paid in made.paid))
        piles = _piles_of(rules, month, called, reported)
        assert piles, reported
        assert score(piles[0], rules, situation).base == made.base


def undealt(played: AnyRound) -> AnyRound:
    """Return a round of the same situation without its cards."""
    record = {
        "rules": played.rules,
        "players": played.players,
        "dealer": played.dealer,
        "deal": {"field": []} if "field" in played.deal_keys else {},
        **played.situation(),
    }
    return type(played).from_record(record)


def reported(played: AnyRound, seats: list[SeatReport]) -> None:
    """Assert that a report of a round scores what the round did."""
    outcome = played.outcome()
    assert outcome is not None
    ends = {end.how for end in result_form(GAMES[played.rules.game]).ends}
    report = RoundReport(outcome.how if outcome.how in ends else None, outcome.winners, tuple(seats))
    result = score_report(undealt(played), report).outcome
    assert (result.winners, result.points, result.next_dealer, result.pot) == (
        outcome.winners,
        outcome.points,
        outcome.next_dealer,
        outcome.pot,
    )
    assert (result.counts, result.ends_game) == (outcome.counts, outcome.ends_game)


def test_kekoro_by_points_and_yaku() -> None:
    for seed in range(40):
        played = random_round("kekoro", seed)
        outcome = played.outcome()
        assert outcome is not None
        if outcome.how == "redeal":
            continue
        seats = [
            SeatReport(points=points, yaku={slug: 0 for slug, _ in played.yaku(seat)})
            for seat, points in enumerate(outcome.points, start=1)
        ]
        reported(played, seats)


def test_kakkuri_by_how_it_ended_and_what_was_paid() -> None:
    ends = set()
    for seed in range(60):
        played: Any = random_round("kakkuri", seed, players=5 + seed % 3, rules="kakkuri-porges")
        outcome = played.outcome()
        if outcome.how == "redeal":
            continue
        ends.add(outcome.how)
        seats = [
            SeatReport(paid=paid, out=bool(played.state.out >> seat & 1))
            for seat, paid in enumerate(played.state.paid, start=1)
        ]
        reported(played, seats)
    assert len(ends) > 1


def test_kingo_by_winners_teyaku_and_bareta() -> None:
    for seed in range(60):
        played: Any = random_round("kingo", seed)
        outcome = played.outcome()
        seats = [
            SeatReport(
                out=seat.done == "bareta",
                yaku={slug: 0 for slug, _ in played.yaku(player)} if seat.done == "pass" else {},
            )
            for player, seat in enumerate(played.state.seats, start=1)
        ]
        if outcome.how == "void":
            continue
        reported(played, seats)


def test_kingo_against_a_banker_by_stones() -> None:
    for seed in range(30):
        played = random_round("kingo-bank", seed, "kingo-bank")
        outcome = played.outcome()
        assert outcome is not None
        if not outcome.counts:
            continue
        report = RoundReport(None, (), tuple(SeatReport(points=points) for points in outcome.points))
        result = score_report(undealt(played), report).outcome
        assert (result.points, result.winners) == (outcome.points, outcome.winners)
