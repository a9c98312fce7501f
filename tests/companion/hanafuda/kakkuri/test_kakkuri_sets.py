"""Pairs and triplets, compared with a brute-force search through all hands."""

from itertools import combinations
from random import Random

import pytest
from kakkuri_builders import card, rules_of

from companion.hanafuda.games.kakkuri.cards import PACKS, follows
from companion.hanafuda.games.kakkuri.sets import all_pairs, set_rank

PACK = PACKS["mekurifuda"]
WILD = {"clubs-1", "coins-2"}


def bits(text: str) -> int:
    return PACK.bits(card(word) for word in text.split())


def plainly_pairs(cards: list[str], joker: bool, four: bool) -> bool:
    """Try every way to combine the first card with another one."""

    def number(one: str, other: str) -> int | None:
        ranks = {int(each.split("-")[1]) for each in (one, other) if not (joker and each in WILD)}
        return None if len(ranks) > 1 else min(ranks, default=0)

    def ways(left: list[str], used: list[int]) -> bool:
        if not left:
            reported = [rank for rank in used if rank]
            return four or len(reported) == len(set(reported))
        first, *rest = left
        return any(
            (rank := number(first, other)) is not None
            and ways([each for each in rest if each != other], [*used, rank])
            for other in rest
        )

    return ways(cards, [])


@pytest.mark.parametrize("joker", [False, True])
@pytest.mark.parametrize("four", [False, True])
def test_three_pairs_as_a_plain_search_finds_them(joker: bool, four: bool) -> None:
    rules = rules_of(
        f"kakkuri wild_in_sets={'joker' if joker else 'own_number'} four_is_two_pairs={str(four).lower()}"
    )
    rng = Random(6)
    for _ in range(150):
        # Few ranks, so that pairs are likely.
        deck = [each for each in PACK.ids if int(each.split("-")[1]) <= rng.randint(2, 4)]
        rng.shuffle(deck)
        hidden = rng.randint(0, 4)
        known, possible = deck[: 6 - hidden], deck[6 - hidden : 6 - hidden + rng.randint(hidden, 6)]
        expected = any(
            plainly_pairs([*known, *others], joker, four) for others in combinations(possible, hidden)
        )
        found = all_pairs(rules, PACK, PACK.bits(known), hidden, PACK.bits(possible))
        assert found == expected, (known, possible, hidden)


@pytest.mark.parametrize(
    ("rules", "cards", "rank"),
    [
        ("kakkuri", "C6 S6", 6),
        ("kakkuri", "C6 S6 O6", 6),
        ("kakkuri", "C6 S7", None),
        ("kakkuri", "C1 S6", None),
        ("kakkuri", "C1 O1 S1", 1),
        ("kakkuri", "C1 O2", None),
        ("kakkuri-porges", "C1 S6", 6),
        ("kakkuri-porges", "C1 O2 S6", 6),
        ("kakkuri-porges", "C1 O2", 0),
        ("kakkuri-porges", "C1 S6 S7", None),
        ("kakkuri-porges", "C1 S1", 1),
    ],
)
def test_the_number_of_a_set(rules: str, cards: str, rank: int | None) -> None:
    assert set_rank(rules_of(rules), PACK, bits(cards)) == rank


@pytest.mark.parametrize(
    ("lead", "ranks"),
    [
        (1, (1, 2)),
        (2, (2, 3)),
        (3, (4,)),
        (11, (12,)),
        (12, tuple(range(1, 13))),
        (0, tuple(range(1, 13))),
    ],
)
def test_what_follows_a_number(lead: int, ranks: tuple[int, ...]) -> None:
    assert follows(lead) == ranks
    assert PACK.following[lead].bit_count() == 4 * len(ranks)


@pytest.mark.parametrize(
    ("deck", "wild", "lucky", "dropout"),
    [
        ("mekurifuda", "clubs-1 coins-2", "swords-1 cups-1 coins-1", "clubs-3"),
        (
            "hanafuda",
            "pine-crane willow-lightning",
            "pine-ribbon pine-chaff-1 pine-chaff-2",
            "cherry-curtain",
        ),
        ("western", "C1 D2", "S1 H1 D1", "C3"),
    ],
)
def test_the_decks(deck: str, wild: str, lucky: str, dropout: str) -> None:
    pack = PACKS[deck]
    assert pack.name == deck
    assert len(pack.ids) == len(pack.ranks) == 48
    assert pack.all == 2**48 - 1
    assert pack.cards(pack.wild) == tuple(wild.split())
    assert set(pack.cards(pack.lucky)) == set(lucky.split())
    assert pack.cards(pack.dropout) == (dropout,)
    assert pack.by_rank[0] == 0
    assert [cards.bit_count() for cards in pack.by_rank[1:]] == [4] * 12
    assert sum(pack.by_rank) == pack.all
    assert pack.ranks[pack.place(wild.split()[1])] == 2


def test_hanafuda_in_the_nagoya_order() -> None:
    pack = PACKS["hanafuda"]
    flowers = [pack.cards(pack.by_rank[rank])[0].split("-")[0] for rank in range(1, 13)]
    assert flowers == (
        [
            "pine",
            "willow",
            "cherry",
            "wisteria",
            "iris",
            "paulownia",
            "clover",
            "susuki",
            "chrysanthemum",
            "maple",
            "peony",
            "plum",
        ]
    )
