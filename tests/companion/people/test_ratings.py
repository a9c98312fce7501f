"""Glicko-2 ratings: the example of the paper, and what any rating must satisfy."""

from __future__ import annotations

import pytest

from companion.people.ratings import Rating, rate, rate_periods


def test_the_example_of_the_paper() -> None:
    """Glickman, "Example of the Glicko-2 system": a win and two losses in one rating period."""
    opponents = [(Rating(1400, 30), 1.0), (Rating(1550, 100), 0.0), (Rating(1700, 300), 0.0)]
    rated = rate(Rating(1500, 200, 0.06), [(opponent, (1, score)) for opponent, score in opponents])
    assert rated.value == pytest.approx(1464.06, abs=0.01)
    assert rated.deviation == pytest.approx(151.52, abs=0.01)
    assert rated.volatility == pytest.approx(0.05999, abs=0.00001)


def test_without_games_only_the_deviation_grows() -> None:
    rated = rate(Rating(1600, 50), [])
    assert (rated.value, rated.volatility) == (1600, 0.06)
    assert rated.deviation == pytest.approx((50**2 + (0.06 * 173.7178) ** 2) ** 0.5)
    assert rate(Rating(), []).deviation == 350


def test_the_better_player_is_rated_higher_and_more_games_make_it_more_certain() -> None:
    night = {("Aiko", "Ben"): (10, 7.0), ("Ben", "Aiko"): (10, 3.0)}
    first, later = rate_periods([night]), rate_periods([night] * 10)
    assert first["Aiko"].value - 1500 == pytest.approx(1500 - first["Ben"].value)
    assert first["Aiko"].value > 1500
    assert later["Aiko"].deviation < first["Aiko"].deviation


def test_a_player_who_stays_away_keeps_the_rating_and_becomes_less_certain() -> None:
    night = {("Aiko", "Ben"): (10, 7.0), ("Ben", "Aiko"): (10, 3.0)}
    other = {("Chiyo", "Ben"): (5, 5.0), ("Ben", "Chiyo"): (5, 0.0)}
    before, after = rate_periods([night]), rate_periods([night, other])
    assert after["Aiko"].value == pytest.approx(before["Aiko"].value)
    assert after["Aiko"].deviation > before["Aiko"].deviation
