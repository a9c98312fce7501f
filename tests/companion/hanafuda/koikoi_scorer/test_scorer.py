"""The prepared scorer agrees with `score`."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from koikoi_tables import CHOICES, POINTS, random_rules

from companion.hanafuda.cards import HANAFUDA, to_bits
from companion.hanafuda.games.koikoi import Scorer, Situation, score, scorer_for
from companion.hanafuda.games.koikoi.rules import KoiKoiRules
from companion.hanafuda.rules import resolve

DECK = (1 << 48) - 1
# Cards that decide yaku are more frequent than in random piles.
_OFTEN = sum(card.bit for card in HANAFUDA if card.kind != "chaff" or card.flower in {"willow", "paulownia"})

piles = st.integers(0, DECK) | st.integers(0, DECK).map(lambda cards: cards | _OFTEN & cards >> 7)
tables = st.integers(0, 2**32).map(lambda seed: resolve(random_rules(Random(seed)), "koikoi"))


def _rules(**changes: object) -> KoiKoiRules:
    rules = resolve(changes)
    assert isinstance(rules, KoiKoiRules)
    return rules


def test_random_tables_cover_every_option_that_affects_the_score() -> None:
    decided = {
        key for key, option in KoiKoiRules.options().items() if option.section in {"points", "yaku", "paying"}
    }
    assert {*POINTS, *CHOICES, "viewing_after_call", "own_call", "opponent_call"} == decided
    for key, values in CHOICES.items():
        assert {value for value, _ in KoiKoiRules.options()[key].choices()} == set(values)


@given(
    tables,
    st.none() | st.integers(1, 12),
    st.lists(st.tuples(piles, st.none() | st.integers(0, DECK)), min_size=1, max_size=20),
    st.integers(0, 4),
    st.integers(0, 4),
)
@settings(deadline=None, max_examples=150)
def test_it_agrees_with_score(
    rules: KoiKoiRules, month: int | None, heaps: list[tuple[int, int | None]], own: int, opponent: int
) -> None:
    prepared = Scorer(rules, month)
    for pile, cards in heaps:
        field = None if cards is None else cards & ~pile
        output = score(pile, rules, Situation(month, field, own, opponent))
        assert prepared.yaku(pile, field, own > 0) == tuple(
            (paid.yaku.slug, paid.points) for paid in output.paid
        )
        assert prepared.base(pile, field, own > 0) == output.base
        assert prepared.total(pile, own, opponent, field) == output.total


@pytest.mark.parametrize("month", [None, *range(1, 13)])
@pytest.mark.parametrize("preset", KoiKoiRules.presets)
def test_the_presets(preset: str, month: int | None) -> None:
    rules = resolve(preset)
    assert isinstance(rules, KoiKoiRules)
    random, prepared = Random(month), Scorer(rules, month)
    for _ in range(20):
        pile = sum(card.bit for card in random.sample(HANAFUDA, random.randint(0, 48)))
        output = score(pile, rules, Situation(month))
        assert prepared.base(pile) == output.base
        assert prepared.total(pile) == output.total


BOTH_VIEWINGS = to_bits(["cherry-curtain", "susuki-moon", "chrysanthemum-sake"])
VIEWINGS = (("flower-viewing", 5), ("moon-viewing", 5))


def test_nothing_is_worth_nothing() -> None:
    prepared = Scorer(KoiKoiRules())
    assert (prepared.base(0), prepared.total(0, 1, 1), prepared.yaku(0)) == (0, 0, ())


def test_calls_multiply() -> None:
    prepared = Scorer(KoiKoiRules())
    assert prepared.base(BOTH_VIEWINGS) == 10
    assert prepared.total(BOTH_VIEWINGS) == 20
    assert prepared.total(BOTH_VIEWINGS, opponent_calls=1) == 40
    assert prepared.total(BOTH_VIEWINGS, own_calls=1) == 20


def test_yaku_are_listed_in_the_order_of_the_results() -> None:
    pile = (DECK ^ to_bits(["cherry-curtain"]),)
    slugs = [slug for slug, _ in Scorer(_rules(month_cards=4), month=1).yaku(*pile)]
    assert slugs == [
        "rainy-four-brights", "moon-viewing", "boar-deer-butterfly", "animals",
        "poetry-ribbons", "blue-ribbons", "ribbons", "chaff", "month-cards",
    ]  # fmt: skip


def test_a_viewing_pays_otherwise_after_a_call() -> None:
    prepared = Scorer(_rules(viewing_after_call=3))
    assert prepared.yaku(BOTH_VIEWINGS) == VIEWINGS
    assert prepared.yaku(BOTH_VIEWINGS, called=True) == (("flower-viewing", 3), ("moon-viewing", 3))
    assert (prepared.base(BOTH_VIEWINGS), prepared.base(BOTH_VIEWINGS, called=True)) == (10, 6)
    assert prepared.total(BOTH_VIEWINGS, own_calls=1) == 6


@pytest.mark.parametrize(
    ("field", "paid"),
    [
        (None, VIEWINGS),
        (0, VIEWINGS),
        (to_bits(["willow-ribbon"]), VIEWINGS[1:]),
        (to_bits(["paulownia-chaff-1"]), VIEWINGS[:1]),
        (to_bits(["willow-lightning", "paulownia-phoenix"]), ()),
        (to_bits(["pine-crane", "maple-deer"]), VIEWINGS),
    ],
)
def test_the_field_spoils_viewings(field: int | None, paid: tuple[tuple[str, int], ...]) -> None:
    prepared = Scorer(_rules(viewing_spoilt="field"))
    assert prepared.yaku(BOTH_VIEWINGS, field) == paid
    assert prepared.base(BOTH_VIEWINGS, field) == 5 * len(paid)


@pytest.mark.parametrize(
    "beside",
    [
        ["pine-crane"],
        ["pine-ribbon", "plum-ribbon", "cherry-ribbon"],
        ["clover-boar", "maple-deer", "peony-butterflies"],
        [card.id for card in HANAFUDA if card.kind == "chaff"],
        ["susuki-geese", "susuki-chaff-1", "susuki-chaff-2"],
    ],
)
def test_a_viewing_that_needs_another_yaku_finds_it_in_any_group(beside: list[str]) -> None:
    prepared = Scorer(_rules(viewing_needs="another_yaku", month_cards=4, four_brights=0), month=8)
    assert prepared.yaku(BOTH_VIEWINGS) == ()
    slugs = [slug for slug, _ in prepared.yaku(BOTH_VIEWINGS | to_bits(beside))]
    assert {"flower-viewing", "moon-viewing"} < set(slugs)
    assert len(slugs) > 2


def test_tables_are_kept_by_rules_and_month() -> None:
    assert scorer_for(KoiKoiRules(), 1) is scorer_for(_rules(), 1)
    assert scorer_for(KoiKoiRules(), 1) is not scorer_for(KoiKoiRules(), 2)
    assert scorer_for(KoiKoiRules()).month is None
    assert scorer_for(_rules(chaff=2)).rules.chaff == 2
