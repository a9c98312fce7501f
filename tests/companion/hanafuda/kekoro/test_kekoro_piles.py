"""The scores of piles in Kekoro, from the golden tables."""

import pytest

from companion.hanafuda.games.kekoro import Scorer, score
from tests.companion.hanafuda.kekoro import kekoro_golden as golden


@pytest.mark.parametrize(
    ("rules", "cards", "values", "yaku", "total", "source"),
    golden.cases("kekoro-piles.txt") + golden.cases("kekoro-options.txt"),
)
def test_case(rules: str, cards: str, values: str, yaku: str, total: str, source: str) -> None:
    assert source, "a case names the text it comes from"
    reported, pile = golden.rules(rules), golden.cards(cards)
    slugs = [] if yaku == "-" else yaku.split(", ")
    assert golden.worked(values) + reported.yaku_points * len(slugs) == int(total)
    found = score(pile, reported)
    assert [each.slug for each in found.yaku] == slugs
    assert (found.values, found.total) == (golden.worked(values), int(total))
    scorer = Scorer(reported)
    assert [each.slug for each in scorer.yaku(pile)] == slugs
    assert (scorer.values(pile), scorer.total(pile)) == (golden.worked(values), int(total))
