"""The program's scorer compared with the simple one, for many piles and all scoring rules."""

from itertools import product
from random import Random

from companion.hanafuda.cards import HANAFUDA, to_bits
from companion.hanafuda.games.kekoro import Scorer, score
from companion.hanafuda.games.kekoro.rules import KekoroRules
from tests.companion.hanafuda.kekoro.plain_scorer import plain_score

PILES = 50_000
IDS = [card.id for card in HANAFUDA]


def test_random_piles_agree_with_the_reference_scorer() -> None:
    rng = Random(1921)
    tables = [
        KekoroRules(values=values, yaku_source=source, yaku_points=each)  # type: ignore[arg-type]
        for values, source, each in product(("printed", "kusaba"), ("fudawiki", "1921"), (30, 1, 45))
    ]
    scorers = [(rules, Scorer(rules)) for rules in tables]
    for number in range(PILES):
        rules, scorer = scorers[number % len(scorers)]
        pile = rng.sample(IDS, rng.randint(0, 48) if number % 4 == 0 else rng.randint(8, 28))
        cards = to_bits(pile)
        worth, yaku, total = plain_score(set(pile), rules.values, rules.yaku_source, rules.yaku_points)
        made = scorer.yaku(cards)
        assert (scorer.values(cards), {each.slug for each in made}, len(made), scorer.total(cards)) == (
            worth,
            yaku,
            len(yaku),
            total,
        ), (pile, rules)
        if number % 10 == 0:
            found = score(cards, rules)
            assert (found.values, found.yaku, found.total) == (worth, made, total)
