"""Hidden hands compared with every assignment of the hidden cards: a move is legal if one of them allows it."""

from itertools import permutations
from random import Random

import pytest
from kakkuri_builders import codes
from test_kakkuri_machine import CHOICES, some_moves

from companion.hanafuda.games.kakkuri import KakkuriRound, LuckyHand
from companion.hanafuda.games.kakkuri.rules import KakkuriRules
from companion.hanafuda.round import Deal

VARIED = {key: values for key, values in CHOICES.items() if key not in ("deck", "dropout_dealer")}


def dealt(seed: int) -> tuple[KakkuriRound, list[KakkuriRound]]:
    """Return a round with three or four hidden cards, and all rounds that it can be."""
    rng = Random(seed)
    rules = KakkuriRules(players="2_to_8", **{key: rng.choice(values) for key, values in VARIED.items()})
    players = rng.randint(2, 7)
    whole = KakkuriRound.shuffled(rules, rng, players=players, dealer=rng.randint(1, players))
    hands = [*whole.deal.hands, whole.deal.stock]
    hidden = [(rng.randrange(players), place) for place in rng.sample(range(6), 3)]
    hidden += [(players, 0)] * rng.randint(0, 1)

    def deal(cards: tuple[str | None, ...]) -> KakkuriRound:
        lie = [list(hand) for hand in hands]
        for (hand, place), card in zip(hidden, cards, strict=True):
            lie[hand][place] = card
        *found, stock = map(tuple, lie)
        return KakkuriRound(rules, Deal(tuple(found), (), stock), dealer=whole.dealer)

    cards = [hands[hand][place] for hand, place in hidden]
    return deal((None,) * len(cards)), [deal(some) for some in permutations(cards)]


@pytest.mark.parametrize("seed", range(12))
def test_a_play_is_legal_if_some_hidden_hand_allows_it(seed: int) -> None:
    played, worlds = dealt(seed)
    rng = Random(seed)
    for _ in range(40):
        for move in some_moves(played, rng):
            # A lucky hand is only shown if its cards are hidden: a known one has won already.
            if rng.random() < 0.02 and not isinstance(move, LuckyHand):
                assert (not codes(played.check(move))) == any(not world.check(move) for world in worlds), move
        legal = [move for move in played.legal_moves() if not isinstance(move, LuckyHand)]
        if not legal:
            break
        move = rng.choice(legal)
        worlds = [world for world in worlds if not world.check(move)]
        for each in (played, *worlds):
            each.push(move)
    assert worlds
