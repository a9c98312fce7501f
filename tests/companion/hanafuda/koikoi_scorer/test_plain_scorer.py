"""The program and the simple scorer, written independently from the texts, agree on 60,000 piles."""

from random import Random

import pytest
from koikoi_tables import random_rules
from plain_scorer import ANIMALS, BRIGHTS, CHAFF, RIBBONS, plain_score

from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.games.koikoi import Scorer, Situation, score
from companion.hanafuda.games.koikoi.rules import KoiKoiRules
from companion.hanafuda.rules import resolve

IDS = [card.id for card in HANAFUDA]
TABLES, PILES = 600, 100
_WEIGHTS = {"bright": 4, "animal": 2, "ribbon": 2, "chaff": 1}


def _some_cards(random: Random) -> list[int]:
    """Return a pile as positions in the deck: large or small, with any cards or with cards that make yaku."""
    size = random.randint(0, 28)
    if random.random() < 0.5:
        return random.sample(range(48), size)
    order = sorted(
        range(48),
        key=lambda index: random.random() ** (1 / _WEIGHTS[str(HANAFUDA[index].kind)]),
        reverse=True,
    )
    return order[:size]


def test_the_reference_scorer_has_the_whole_deck() -> None:
    assert sorted(BRIGHTS | ANIMALS | RIBBONS | CHAFF) == sorted(IDS)
    assert (len(BRIGHTS), len(ANIMALS), len(RIBBONS), len(CHAFF)) == (5, 9, 10, 24)


@pytest.mark.parametrize("block", range(20))
def test_both_scorers_agree_on_random_piles_and_rules(block: int) -> None:
    random = Random(block)
    for _ in range(TABLES // 20):
        record = random_rules(random)
        rules = resolve(record)
        assert isinstance(rules, KoiKoiRules)
        month = random.choice([None, *range(1, 13)])
        prepared = Scorer(rules, month)
        for number in range(PILES):
            pile = _some_cards(random)
            field = [card for card in random.sample(range(48), random.randint(0, 8)) if card not in pile]
            own, opponent = random.choice((0, 0, 1, 2, 5)), random.choice((0, 0, 1, 2, 5))
            expected, total = plain_score(
                {IDS[card] for card in pile}, record, month, {IDS[card] for card in field}, own, opponent
            )
            bits, on_field = sum(1 << card for card in pile), sum(1 << card for card in field)
            where = (record, month, sorted(IDS[card] for card in pile), [IDS[card] for card in field], own)
            assert dict(prepared.yaku(bits, on_field, own > 0)) == expected, where
            assert prepared.total(bits, own, opponent, on_field) == total, (where, opponent)
            if number % 20 == 0:
                output = score(bits, rules, Situation(month, on_field, own, opponent))
                assert {paid.yaku.slug: paid.points for paid in output.paid} == expected, where
                assert (output.base, output.total) == (sum(expected.values()), total), (where, opponent)
