"""The first dealer: H §2.1, kekoro and kingo "Choosing the Dealer"."""

import pytest

from companion.hanafuda.cards import UnknownCardError
from companion.hanafuda.match import first_dealer
from tests.message_text import raises_text


@pytest.mark.parametrize(
    ("drawn", "dealer"),
    [
        ("plum-warbler pine-chaff-1 cherry-curtain", 2),
        ("plum-warbler cherry-curtain", 1),
        ("pine-ribbon pine-crane cherry-curtain", 2),
        ("plum-ribbon plum-warbler", 2),
        ("paulownia-phoenix willow-lightning", 2),
        # Chaff is worth more than a ribbon in Kekoro, but the type decides.
        ("clover-chaff-1 clover-ribbon", 2),
        ("plum-chaff-1 plum-chaff-2", None),
        ("paulownia-yellow paulownia-chaff-1", None),
        ("plum-chaff-1 pine-chaff-2 plum-chaff-2", 2),
        ("cherry-chaff-1 plum-chaff-1 plum-chaff-2 plum-ribbon", 4),
        ("kabu-2-a kabu-1-b", 2),
        ("kabu-2-a kabu-2-b", None),
    ],
)
def test_the_earliest_month_then_the_higher_kind(drawn: str, dealer: int | None) -> None:
    assert first_dealer(drawn.split()) == dealer


@pytest.mark.parametrize(
    ("drawn", "dealer"),
    [
        ("plum-ribbon plum-warbler", None),
        ("pine-crane pine-chaff-1", None),
        ("plum-warbler pine-chaff-1", 2),
        ("paulownia-chaff-1 willow-rainman", 2),
    ],
)
def test_koikoi_draws_again_for_equal_months(drawn: str, dealer: int | None) -> None:
    """Redraw is the default, the higher card the other way."""
    assert first_dealer(drawn.split(), higher_card=False) == dealer


def test_a_card_that_is_none() -> None:
    with raises_text(UnknownCardError, match="plum-warbler"):
        first_dealer(["pine-crane", "plum-warbla"])
